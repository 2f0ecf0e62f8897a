"""The collector's configuration: one model per stage, read and validated before a port opens."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeGuard, get_args, get_origin

import yaml
from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)

from sqlobs.errors import ConfigError
from sqlobs.execution.target import Target
from sqlobs.judge.budget import BudgetLimits
from sqlobs.judge.config import EndpointConfig
from sqlobs.judge.prices import Price
from sqlobs_collector.addresses import Address
from sqlobs_collector.sampling import AlwaysRule  # noqa: TC001 - pydantic reads it
from sqlobs_collector.secrets import Secret, token_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic_core import ErrorDetails

ENVIRONMENT_PREFIX: Final = "SQLOBS_COLLECTOR__"
"""`SQLOBS_COLLECTOR__JOURNAL__MAX_BYTES=1GiB` sets `journal.max_bytes`."""

DIGEST_KEY: Final = "SQLOBS_DIGEST_KEY"
"""The variable that applications take their key from."""

_MIB = 1024**2
_GIB = 1024**3


def _address(value: object) -> object:
    return Address.parse(value) if isinstance(value, str) else value


def _secret(value: object) -> object:
    return Secret(value) if isinstance(value, str) else value


def _resolvable(token: Secret) -> Secret:
    token_digest(token)
    return token


def _revealable(secret: Secret) -> Secret:
    secret.reveal()
    return secret


def _executable(url: Secret) -> Secret:
    try:
        Target.from_url("it", url.reveal())
    except ConfigError as error:
        raise ValueError(str(error).removeprefix("target it: ")) from None
    return url


_Address = Annotated[Address, BeforeValidator(_address), PlainSerializer(str)]
_Secret = Annotated[Secret, BeforeValidator(_secret), PlainSerializer(str)]
_Token = Annotated[_Secret, AfterValidator(_resolvable)]
_Resolved = Annotated[_Secret, AfterValidator(_revealable)]
_Count = Annotated[int, Field(ge=0)]
Calibration = tuple[tuple[_Count, _Count], tuple[_Count, _Count]]
_TargetUrl = Annotated[_Secret, AfterValidator(_executable)]
_Url = Annotated[AnyHttpUrl, PlainSerializer(str)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Listen(_Section):
    """Where the collector listens."""

    http: _Address = Field(
        default=Address("127.0.0.1", 4318), description="OTLP/HTTP and `PUT /v1/schemas/{version}`."
    )
    grpc: _Address = Field(default=Address("127.0.0.1", 4317), description="OTLP/gRPC.")
    admin: _Address = Field(
        default=Address("127.0.0.1", 4319),
        description="Metrics, health, readiness and the admin API.",
    )


class Auth(_Section):
    """Who may send, and into which workspace."""

    tokens: dict[str, list[_Token]] = Field(
        default_factory=dict,
        description="Bearer tokens by workspace: `env:NAME`, `file:PATH`, `sha256:HEX` (see "
        "`sqlobs-collector token`) or the token itself. None: everything belongs to the workspace "
        "`default`.",
    )
    insecure: bool = Field(
        default=False,
        description="Listen beyond this machine although no token is configured.",
    )


class Receive(_Section):
    """The bounds of what one request, and all requests together, may occupy."""

    max_body_bytes: ByteSize = Field(
        default=ByteSize(64 * _MIB),
        gt=0,
        description="Largest request, counted after decompression.",
    )
    max_record_bytes: ByteSize = Field(
        default=ByteSize(_MIB),
        gt=0,
        description="Largest record; a larger one is rejected by itself.",
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(64 * _MIB),
        gt=0,
        description="Bytes received and not yet acknowledged; beyond it clients are told to retry.",
    )


class Journal(_Section):
    """The durable log of what was acknowledged."""

    max_bytes: ByteSize = Field(
        default=ByteSize(8 * _GIB),
        gt=0,
        description="Size of all journal files. Full: the oldest projected files go first, then "
        "clients are told to retry.",
    )
    min_free_bytes: ByteSize = Field(
        default=ByteSize(256 * _MIB),
        ge=0,
        description="Free space of the disk below which clients are told to retry.",
    )
    grace_s: int = Field(
        default=86_400, ge=0, description="How long a file stays after all of it was projected."
    )


class Forward(_Section):
    """The backend that gets everything that is not ours to keep."""

    url: _Url | None = Field(
        default=None,
        description="OTLP/HTTP endpoint (without `/v1/...`); unset: foreign records end here.",
    )
    headers: dict[str, _Secret] = Field(
        default_factory=dict, description="Headers sent with each request; values may be `env:`."
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(32 * _MIB),
        gt=0,
        description="Bytes waiting for the backend; beyond it: dropped.",
    )
    timeout_s: float = Field(default=10.0, gt=0, description="Longest wait for one answer.")


class Emit(_Section):
    """Where evaluations go, as events and spans."""

    url: _Url | None = Field(
        default=None, description="OTLP/HTTP endpoint; unset: that of `forward`."
    )
    headers: dict[str, _Secret] = Field(
        default_factory=dict, description="Headers for that endpoint; unset: those of `forward`."
    )
    explanations: bool = Field(
        default=False,
        description="Send the judge's reasoning too: it may quote questions, SQL and rows.",
    )


class Sampling(_Section):
    """Which units are evaluated; every unit is stored, and counts with its probability."""

    rate: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="Share of all traces that is evaluated, chosen by the trace's own randomness.",
    )
    always: list[AlwaysRule] = Field(
        default=["failed", "error", "feedback"],
        description="What is evaluated whatever the rate: `failed`, `suspect` (the verdict), "
        "`error` (the outcome), `feedback` (a user complained).",
    )


class ExecutionLimits(_Section):
    """What one statement may use on a target."""

    timeout_s: float = Field(default=10.0, gt=0, description="Longest run of one statement.")
    max_rows: int = Field(default=100_000, gt=0, description="Rows fetched at most.")
    max_bytes: ByteSize = Field(
        default=ByteSize(64 * _MIB), gt=0, description="Size of the rows fetched at most."
    )


class TargetConfig(_Section):
    """One database that units may be run on; telemetry knows it by its alias only."""

    url: _TargetUrl = Field(
        description="`sqlite:////path/to.db` or `postgresql://user@host/name`; may be `env:`. Give "
        "it a role that may only read."
    )
    default: bool = Field(default=False, description="The target of units that name none.")
    tables: list[str] | None = Field(
        default=None, description="The only relations that may be read; unset: all."
    )
    functions: list[str] = Field(
        default_factory=list, description="Functions allowed beside the dialect's own list."
    )
    session: dict[str, str] = Field(
        default_factory=dict,
        description="Settings bound for each statement; `$tenant` is the unit's tenant, without "
        "which it is refused.",
    )
    hints: str | None = Field(
        default=None, description="What a judge should know of this database."
    )
    limits: ExecutionLimits = ExecutionLimits()


class Golden(_Section):
    """Questions whose right SQL is known."""

    file: Path | None = Field(
        default=None,
        description="JSON lines with `question` (or its `digest`), `sql` and if need be `target`: "
        "the reference of units that bring none.",
    )
    digest_key: _Resolved | None = Field(
        default=None,
        description="Key of question digests, that of the applications; unset: "
        "`SQLOBS_DIGEST_KEY`, else a key of the collector's own, for questions it gets to read.",
    )


class Evaluate(_Section):
    """How units are evaluated."""

    workers: int = Field(default=2, gt=0, le=64, description="Statements run at a time.")


class JudgePrice(_Section):
    """What a model costs."""

    input: float = Field(ge=0, description="USD per million tokens sent.")
    output: float = Field(ge=0, description="USD per million tokens answered.")


class Judge(_Section):
    """The model that is asked whether an answer is right."""

    base_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint, up to and including `/v1`; unset: no judge.",
    )
    model: str | None = Field(default=None, description="The model's name.")
    api_key: _Resolved | None = Field(default=None, description="The key; `env:NAME`.")
    rate: float = Field(
        default=1.0, gt=0, le=1, description="Share of evaluated units that is judged."
    )
    timeout_s: float = Field(default=60.0, gt=0, description="Longest wait for one answer.")
    retries: int = Field(default=3, ge=0, description="Further calls after one that failed.")
    concurrency: int = Field(default=8, gt=0, description="Calls under way at a time.")
    max_output_tokens: int = Field(default=2048, gt=0, description="Length of an answer at most.")
    calls_per_minute: int | None = Field(default=None, gt=0, description="Pace of the calls.")
    daily_usd: float | None = Field(
        default=None, ge=0, description="Budget of a day (UTC); debited before each call."
    )
    daily_tokens: int | None = Field(
        default=None, ge=0, description="The same in tokens, sent and answered."
    )
    price: dict[str, JudgePrice] = Field(
        default_factory=dict, description="Prices by model; those of some models are known."
    )
    calibration: dict[str, Calibration] = Field(
        default_factory=dict,
        description="By evaluation (`flex`, `flex_noref`), the judge against people: "
        "`[[right and accepted, right and rejected], [wrong and accepted, wrong and rejected]]`. "
        "Gives the `corrected` figures.",
    )

    @model_validator(mode="after")
    def _is_usable(self) -> Judge:
        """Refuse what the judge's client would refuse."""
        try:
            self.endpoint()
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return self

    def endpoint(self) -> EndpointConfig | None:
        """Return the configuration of the judge's client; `None`: there is no judge.

        Raises:
            ConfigError: A value is impossible, or a budget in USD has no price to go by.
        """
        if self.base_url is None:
            return None
        return EndpointConfig(
            base_url=self.base_url,
            model=self.model or "",
            api_key=None if self.api_key is None else self.api_key.reveal(),
            timeout_s=self.timeout_s,
            retries=self.retries,
            concurrency=self.concurrency,
            max_output_tokens=self.max_output_tokens,
            calls_per_minute=self.calls_per_minute,
            budget=BudgetLimits(tokens=self.daily_tokens, usd=self.daily_usd),
            prices={name: Price(one.input, one.output) for name, one in self.price.items()},
        )


class Retention(_Section):
    """How long things are kept, counted from when they were received."""

    payload_s: int = Field(
        default=2_592_000, gt=0, description="Questions, SQL and attributes of units."
    )
    sampled_out_payload_s: int = Field(
        default=86_400,
        gt=0,
        description="The same of units that sampling left out: a complaint may still come.",
    )
    unit_s: int = Field(
        default=31_536_000, gt=0, description="Units with their evaluations, without payload."
    )


class CollectorConfig(_Section):
    """Everything that `sqlobs-collector serve` can be told."""

    listen: Listen = Listen()
    data_dir: Path = Field(
        default=Path("sqlobs-collector-data"),
        description="Where journal and store lie; one collector at a time.",
    )
    auth: Auth = Auth()
    receive: Receive = Receive()
    journal: Journal = Journal()
    forward: Forward = Forward()
    emit: Emit = Emit()
    targets: dict[str, TargetConfig] = Field(
        default_factory=dict, description="Databases that units may be run on, by alias."
    )
    golden: Golden = Golden()
    sampling: Sampling = Sampling()
    evaluate: Evaluate = Evaluate()
    judge: Judge = Judge()
    retention: Retention = Retention()

    @model_validator(mode="after")
    def _has_one_default(self) -> CollectorConfig:
        """Refuse two targets that both claim the units that name none."""
        defaults = [alias for alias, target in self.targets.items() if target.default]
        if len(defaults) > 1:
            message = f"targets.{defaults[0]} and targets.{defaults[1]} are both the default"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _is_closed(self) -> CollectorConfig:
        """Refuse to listen to other machines without a credential."""
        open_to_others = [
            name for name in Listen.model_fields if not getattr(self.listen, name).is_loopback
        ]
        if open_to_others and not self.auth.tokens and not self.auth.insecure:
            message = (
                f"listen.{open_to_others[0]} is reachable from other machines and auth.tokens is "
                "empty: configure a token, bind 127.0.0.1, or set auth.insecure"
            )
            raise ValueError(message)
        return self


def load(
    path: Path | None, *, environ: Mapping[str, str], flags: Mapping[str, object]
) -> CollectorConfig:
    """Read the configuration: flags win over the environment, which wins over the file.

    Args:
        path: The YAML file, if there is one.
        environ: The process environment; names with `ENVIRONMENT_PREFIX` are read, and
            `DIGEST_KEY`.
        flags: Values by dotted key (`journal.max_bytes`).

    Raises:
        ConfigError: The file cannot be read, or a key is unknown or has an impossible value.
    """
    settings: dict[str, object] = _read(path) if path else {}
    for name, text in sorted(environ.items()):
        if name.startswith(ENVIRONMENT_PREFIX):
            key = name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__")
            _put(settings, key=key, value=yaml.safe_load(text), origin=name)
    if DIGEST_KEY in environ:
        golden = settings.setdefault("golden", {})
        if isinstance(golden, dict):
            golden.setdefault("digest_key", f"env:{DIGEST_KEY}")
    for dotted, value in flags.items():
        _put(settings, key=dotted.split("."), value=value, origin=dotted)
    try:
        return CollectorConfig.model_validate(settings)
    except ValidationError as error:
        sentences = "; ".join(_sentence(detail) for detail in error.errors())
        raise ConfigError(f"{path or 'configuration'}: {sentences}") from error


def effective(config: CollectorConfig) -> str:
    """Return the whole configuration as YAML, secrets masked."""
    document: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    return document


def documented_keys() -> dict[str, str]:
    """Return the description of every key, by its dotted name."""
    return dict(_descriptions(CollectorConfig, ()))


def _read(path: Path) -> dict[str, object]:
    try:
        document = yaml.safe_load(path.read_text())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path} is not YAML: {reason}") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ConfigError(
            f"{path} must hold a mapping of settings, not a {type(document).__name__}"
        )
    return document


def _put(settings: dict[str, object], *, key: Sequence[str], value: object, origin: str) -> None:
    section = settings
    for part in key[:-1]:
        inner = section.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{origin}: {part} is a value, not a section")
        section = inner
    section[key[-1]] = value


def _sentence(detail: ErrorDetails) -> str:
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"{key} is not a setting{_closest(key)}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{key}: {message}" if key else message


def _closest(key: str) -> str:
    known = difflib.get_close_matches(key, [*documented_keys(), *CollectorConfig.model_fields], n=1)
    return (
        f"; did you mean {known[0]}?" if known else "; `sqlobs-collector validate` lists them all"
    )


def _descriptions(model: type[BaseModel], path: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        by_alias = get_args(inner)[-1] if get_origin(inner) is dict else None
        if _is_section(inner):
            yield from _descriptions(inner, (*path, name))
        elif _is_section(by_alias):
            yield from _descriptions(by_alias, (*path, name, "<alias>"))
        else:
            yield ".".join((*path, name)), field.description or ""


def _is_section(annotation: object) -> TypeGuard[type[_Section]]:
    return isinstance(annotation, type) and issubclass(annotation, _Section)
