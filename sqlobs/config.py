"""The settings of the library: an argument wins over the environment, that over the default.

Tests: `tests/telemetry/test_config.py`.
"""

from __future__ import annotations

import re
from pathlib import Path  # noqa: TC003 - pydantic reads the annotation
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from sqlobs.errors import ConfigError
from sqlobs.prices import Price
from sqlobs.types import FallbackMode  # noqa: TC001 - pydantic reads it

Mode = Literal["auto", "inline", "deferred"]
CheckSwitch = Literal["auto", "application", "process", "off"]
SqlCapture = Literal["masked", "raw", "none"]
CollectorCapture = Literal["raw", "masked", "none"]
Strictness = Literal["sql_correctness"]

ENV_PREFIX = "SQLOBS_"

_ARGUMENTS = {"collector_endpoint": "collector"}
"""Fields that an argument of `configure` names otherwise."""

_PRICE = re.compile(
    # gpt-4o=2.5:10
    r"(?P<model>[^=]+)=\s*(?P<input>[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*:"
    r"\s*(?P<output>[0-9]{1,9}(?:\.[0-9]{1,9})?)"
)
_CONTENT_ON_SPANS = {"true", "1", "span_only", "span_and_event"}


class Settings(BaseSettings):
    """What can be set by an argument of `configure` or by an environment variable.

    The variable of a field is its name in upper case after `SQLOBS_`, where none is named below.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    service_name: str | None = Field(
        None, description="`service.name` of the providers that sqlobs installs."
    )
    dialect: str | None = Field(None, description="SQL dialect, if the schema does not specify it.")
    mode: Mode = Field("auto", description="When SQL is checked.")
    check: CheckSwitch = Field(
        "auto",
        description="Where SQL is checked: `application`, `process` (a process of its own), or"
        " `auto`: in the application, and in a process of its own from the first traced call on an"
        " event loop or a second thread. `off` leaves checking to the collector.",
    )
    native: bool = Field(
        True, description="Whether in-process engines (SQLite) also verify statements."
    )
    strict: Strictness | None = Field(
        None, description="Strict mode: the definition of LLM-judged hallucination metrics."
    )
    detect_refusals: bool = Field(
        True,
        description="An answer in English that declines or asks back without SQL counts as"
        " `abstained` or `clarified`; `false`: it fails.",
    )
    fallback_mode: FallbackMode = Field("late", description="When the LLM fallback is called.")
    mark_failures_as_errors: bool = Field(
        True, description="Set the span's status to ERROR if the SQL fails."
    )
    prices: Annotated[dict[str, Price], NoDecode] = Field(
        {},
        description="US dollars per million input and output tokens by model, for requests whose"
        " cost the application does not report: `gpt-4o=2.5:10,my-model=1:4`.",
    )
    set_global: bool = Field(
        False, description="Install OpenTelemetry providers if the application has none."
    )
    capture_sql: SqlCapture = Field("masked", description="Form of SQL on spans.")
    capture_content: bool = Field(
        False,
        validation_alias="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
        description="Question and prompts on spans: `span_only` or `span_and_event`.",
    )
    collector_endpoint: str | None = Field(
        None, description="Base URL of the collector (OTLP over HTTP); units are sent there only."
    )
    collector_capture: CollectorCapture = Field("raw", description="Form of SQL in units.")
    collector_headers: Annotated[dict[str, SecretStr], NoDecode] = Field(
        {}, description="Headers for the collector: `authorization=Bearer%20…`, comma-separated."
    )
    digest_key: SecretStr | None = Field(
        None, description="Key of the question's digest; unset: no digest is sent."
    )
    check_max_bytes: int = Field(
        65_536,
        ge=1,
        le=65_536,
        description="Longest SQL that is checked, in bytes; longer SQL is undecided (`too_large`)."
        " A check holds Python's lock while it parses.",
    )
    check_queue_size: int = Field(4096, ge=1, description="Maximum number of queued checks.")
    unit_queue_bytes: int = Field(
        16 * 1024 * 1024, ge=1024, description="Maximum bytes of units queued for the collector."
    )
    spool_dir: Path | None = Field(
        None,
        description="Directory that keeps units while the collector is unreachable, for this"
        " process or the next; unset: they are kept in memory only.",
    )
    spool_bytes: int = Field(64 * 1024 * 1024, ge=1024, description="Maximum bytes of the spool.")
    spool_age_s: float = Field(
        86400.0, gt=0, description="Seconds after which a spooled unit is deleted."
    )
    flush_on_sigterm: bool = Field(
        True,
        description="Whether a process without a SIGTERM handler sends its units before it ends.",
    )
    sdk_disabled: bool = Field(
        False,
        validation_alias="OTEL_SDK_DISABLED",
        description="Disables spans, metrics and units, as for every OpenTelemetry library.",
    )

    @field_validator("capture_content", mode="before")
    @classmethod
    def _read_capture_mode(cls, value: object) -> object:
        return value.lower() in _CONTENT_ON_SPANS if isinstance(value, str) else value

    @field_validator("sdk_disabled", mode="before")
    @classmethod
    def _read_only_true(cls, value: object) -> object:
        # OpenTelemetry: any value but "true" means false, so that a typo never disables telemetry
        return value.strip().lower() == "true" if isinstance(value, str) else value

    @field_validator("collector_headers", mode="before")
    @classmethod
    def _split_headers(cls, value: object) -> object:
        return _parse_headers(value) if isinstance(value, str) else value

    @field_validator("prices", mode="before")
    @classmethod
    def _split_prices(cls, value: object) -> object:
        return _parse_prices(value) if isinstance(value, str) else value

    @field_validator("collector_endpoint")
    @classmethod
    def _check_endpoint(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("is not a URL; write it as http://host:4318")
        return value.rstrip("/")


class LlmSettings(BaseSettings):
    """The model that `LlmFallback.from_environment` and `sqlobs check --llm` ask."""

    model_config = SettingsConfigDict(
        env_prefix=f"{ENV_PREFIX}LLM_",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
    )

    base_url: str = Field(
        "https://api.openai.com/v1",
        description="Base URL of an OpenAI-compatible endpoint, with its `/v1`.",
    )
    model: str = Field(description="Model name.")
    api_key: SecretStr | None = Field(None, description="API key; unset for servers without one.")
    timeout_s: float = Field(30.0, gt=0, description="Timeout of each call, in seconds.")
    votes: int = Field(
        1, ge=1, description="Number of calls per statement, odd; the majority decides."
    )
    calls_per_minute: int = Field(60, ge=1, description="Maximum calls per minute.")
    tokens_per_day: int | None = Field(
        None, ge=1, description="Maximum input and output tokens per day (UTC); unset: no limit."
    )
    usd_per_day: float | None = Field(
        None, gt=0, description="Maximum cost per day in US dollars; unset: no limit."
    )


def load_settings(**arguments: object) -> Settings:
    """Read the settings.

    Args:
        **arguments: Fields of `Settings`; None means not given.

    Returns:
        The settings: argument, else environment, else default.

    Raises:
        ConfigError: A value is not usable; the sentence names the argument or the variable.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as error:
        raise ConfigError("; ".join(_sentences(error, given, Settings))) from None


def load_llm_settings() -> LlmSettings:
    """Read the settings of the LLM fallback from the environment.

    Raises:
        ConfigError: A variable is missing or not usable; the sentence names it.
    """
    try:
        return LlmSettings()  # type: ignore[call-arg]  # the environment gives the values
    except ValidationError as error:
        raise ConfigError("; ".join(_sentences(error, {}, LlmSettings))) from None


def variable_of(field: str, model: type[BaseSettings] = Settings) -> str:
    """Return the environment variable of a field."""
    alias = model.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else f"{model.model_config['env_prefix']}{field.upper()}"


def _sentences(
    error: ValidationError, given: dict[str, object], model: type[BaseSettings]
) -> list[str]:
    sentences = []
    for detail in error.errors(include_url=False, include_input=False):
        place = str(detail["loc"][0])
        field = _field_of(place, model)
        is_argument = field is None or place in given
        argument = f"argument {_ARGUMENTS.get(place, place)}"
        name = argument if is_argument or field is None else variable_of(field, model)
        sentences.append(f"{name}: {_reason(detail['type'], detail['msg'], detail.get('ctx', {}))}")
    return sentences


def _field_of(place: str, model: type[BaseSettings]) -> str | None:
    if place in model.model_fields:
        return place
    return next((name for name in model.model_fields if variable_of(name, model) == place), None)


def _reason(kind: str, message: str, context: dict[str, object]) -> str:
    if kind == "extra_forbidden":
        return "unknown setting"
    if kind == "missing":
        return "is not set"
    if kind == "literal_error":
        return f"use {context['expected']}"
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _parse_prices(text: str) -> dict[str, Price]:
    """Read `model=input:output,model=input:output`, in US dollars per million tokens."""
    prices = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        match = _PRICE.fullmatch(entry)
        if match is None:
            raise ValueError(
                "write it as model=input:output, US dollars per million tokens: gpt-4o=2.5:10"
            )
        prices[match["model"].strip()] = Price(float(match["input"]), float(match["output"]))
    return prices


def _parse_headers(text: str) -> dict[str, str]:
    """Read `name=value,name=value`, values percent-encoded, as OTLP exporters do."""
    headers = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise ValueError("write it as name=value,name=value (values percent-encoded)")
        headers[name.strip().lower()] = unquote(value.strip())
    return headers
