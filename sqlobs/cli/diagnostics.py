"""The diagnoses of `sqlobs doctor`, one function per topic."""

from __future__ import annotations

import os
import platform
import socket
import sqlite3
import time
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import SplitResult, unquote, urlsplit

from sqlobs._version import __version__
from sqlobs.dialects.registry import all_dialects
from sqlobs.errors import ConfigError, DialectError, InputError
from sqlobs.urls import MASK, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlobs.config import Settings

Grade = Literal["ok", "warn", "fail"]

_TIMEOUT_S: Final = 5.0
_GRPC_PORT: Final = 4317
_EXTRAS: Final = {
    "metrics": "pyarrow",
    "collector": "uvicorn",
    "monitoring": "grafana_foundation_sdk",
    "evaluation": "tqdm",
    "embeddings": "onnxruntime",
    "report": "xlsxwriter",
}
"""Extras but for drivers, each with a module that only it installs."""
_SCHEMA: Final = "CREATE TABLE orders (order_id INTEGER, total_amount NUMERIC, region TEXT)"
_SAMPLE: Final = "SELECT total_amount FROM orders WHERE region = 'North West'"
_ROUNDS: Final = 200


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The state of one thing, and the fix if there is a problem."""

    subject: str
    grade: Grade
    detail: str


def examine(environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Yield diagnoses of versions, settings and endpoints, and of one timed check."""
    yield from _versions()
    yield _parser()
    yield _extras()
    try:
        from sqlobs.config import load_settings

        settings = load_settings()
    except ConfigError as error:
        yield Diagnosis("settings", "fail", str(error))
        return
    yield _settings(environment)
    yield from _dialect(settings)
    if settings.sdk_disabled:
        yield Diagnosis("telemetry", "warn", "OTEL_SDK_DISABLED is true: no telemetry is sent")
    yield _collector(settings)
    yield from _admin(environment)
    yield from (_signal(environment, signal) for signal in ("traces", "metrics"))
    yield from _check()


def _versions() -> Iterator[Diagnosis]:
    yield Diagnosis("sqlobs", "ok", f"{__version__}, Python {platform.python_version()}")
    names = ("opentelemetry-sdk", "openai", "httpx")
    yield Diagnosis("packages", "ok", ", ".join(f"{name} {version(name)}" for name in names))
    yield Diagnosis(
        "SQLite", "ok", f"{sqlite3.sqlite_version}, verifies statements of dialect sqlite"
    )


def _parser() -> Diagnosis:
    import sqlglot.parser

    found = version("sqlglot")
    if (sqlglot.parser.__file__ or "").endswith((".so", ".pyd")):
        return Diagnosis("parser", "ok", f"sqlglot {found}, compiled")
    advice = 'pure Python, 3 to 4 times slower than compiled: pip install "sqlobs[fast]"'
    return Diagnosis("parser", "warn", f"sqlglot {found}, {advice}")


def _extras() -> Diagnosis:
    modules = {**_drivers(), **_EXTRAS}
    there = {name: find_spec(module) is not None for name, module in modules.items()}
    found = [name for name, is_there in there.items() if is_there]
    missing = [name for name, is_there in there.items() if not is_there]
    detail = f"installed: {', '.join(found) or 'none'}"
    return Diagnosis(
        "extras", "ok", detail + (f"; not installed: {', '.join(missing)}" if missing else "")
    )


def _drivers() -> Mapping[str, str]:
    """Return the extras of engines, each with its driver: `postgres` and `psycopg`."""
    known = (dialect.connections for dialect in all_dialects())
    return {one.extra: (one.driver or one.extra).rpartition("+")[2] for one in known if one.extra}


def _settings(environment: Mapping[str, str]) -> Diagnosis:
    names = sorted(name for name in environment if name.startswith(("SQLOBS_", "OTEL_")))
    if not names:
        return Diagnosis("settings", "ok", "defaults: no SQLOBS_* or OTEL_* variable is set")
    # Names only: values may contain tokens and passwords.
    present = f"set: {', '.join(names)}"
    unread = [name for name in names if name.startswith("SQLOBS_") and not _is_read(name)]
    if unread:
        return Diagnosis("settings", "warn", f"{present}; {_unknown(unread)}")
    return Diagnosis("settings", "ok", present)


def _unknown(variables: Sequence[str]) -> str:
    """Return a hint like `unknown variable SQLOBS_MOD. Did you mean SQLOBS_MODE?`."""
    return "; ".join(f"unknown variable {name}{_closest(name)}" for name in variables)


def _closest(variable: str) -> str:
    nearest = get_close_matches(variable, _variables(), n=1)
    return f". Did you mean {nearest[0]}?" if nearest else ""


def _dialect(settings: Settings) -> Iterator[Diagnosis]:
    from sqlobs.dialects.registry import dialect_and_version

    try:
        dialect_and_version(settings.dialect or "sqlite")
    except DialectError as error:
        yield Diagnosis("dialect", "fail", f"SQLOBS_DIALECT: {error}")


def _is_read(variable: str) -> bool:
    """Return whether sqlobs reads this environment variable."""
    is_of_service = variable.startswith("SQLOBS_COLLECTOR__")
    return is_of_service or variable in _variables()


def _variables() -> frozenset[str]:
    """Return the names of all environment variables of sqlobs, without the collector's."""
    from sqlobs.admin import ADMIN_VARIABLE, TOKEN_VARIABLE
    from sqlobs.config import LlmSettings, Settings, variable_of

    known = {
        variable_of(field, model)
        for model in (Settings, LlmSettings)
        for field in model.model_fields
    }
    return frozenset(known | {ADMIN_VARIABLE, TOKEN_VARIABLE, "SQLOBS_DSN"})


def _collector(settings: Settings) -> Diagnosis:
    endpoint = settings.collector_endpoint
    if endpoint is None:
        return Diagnosis(
            "collector",
            "warn",
            "SQLOBS_COLLECTOR_ENDPOINT is not set: execution accuracy and LLM judges are"
            " unavailable",
        )
    headers = {
        name: secret.get_secret_value() for name, secret in settings.collector_headers.items()
    }
    return _post("collector", f"{endpoint}/v1/logs", headers, named="SQLOBS_COLLECTOR_HEADERS")


def _admin(environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Probe the configured admin port, or that of this user's own collector."""
    from sqlobs.admin import ADMIN_VARIABLE, access_to
    from sqlobs.cli.admin import ask, default_admin

    admin = default_admin()
    if ADMIN_VARIABLE not in environment and not access_to(admin).is_own:
        return
    try:
        ask(admin, "/v1/why?limit=1")
    except (InputError, ConfigError) as error:
        yield Diagnosis("admin", "warn", str(error))  # applications do not need the admin port
        return
    yield Diagnosis("admin", "ok", f"{_bare(admin)} accepts the admin token of this user")


def _signal(environment: Mapping[str, str], signal: str) -> Diagnosis:
    """Send an empty request to the endpoint that the OTEL_* variables set for a signal."""
    upper = signal.upper()
    own = environment.get(f"OTEL_EXPORTER_OTLP_{upper}_ENDPOINT")
    common = environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    if environment.get(f"OTEL_{upper}_EXPORTER") == "none":
        return Diagnosis(signal, "ok", f"disabled by OTEL_{upper}_EXPORTER=none")
    if own is None and common is None:
        if environment.get("SQLOBS_COLLECTOR_ENDPOINT"):
            return Diagnosis(
                signal,
                "ok",
                "sent to the collector, unless your application configures its own SDK",
            )
        return Diagnosis(
            signal,
            "warn",
            "OTEL_EXPORTER_OTLP_ENDPOINT is not set: sent only if your application configures its"
            " own SDK",
        )
    endpoint = own or common or ""
    if _is_grpc(environment, upper, endpoint):
        return _connect(signal, endpoint)
    url = own or f"{endpoint.rstrip('/')}/v1/{signal}"
    headers = environment.get(
        f"OTEL_EXPORTER_OTLP_{upper}_HEADERS", environment.get("OTEL_EXPORTER_OTLP_HEADERS", "")
    )
    return _post(signal, url, _pairs(headers), named="OTEL_EXPORTER_OTLP_HEADERS")


def _is_grpc(environment: Mapping[str, str], upper: str, endpoint: str) -> bool:
    """Return whether the SDK's own providers use gRPC: as configured, else by the port."""
    protocol = environment.get(f"OTEL_EXPORTER_OTLP_{upper}_PROTOCOL") or environment.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL"
    )
    return protocol.strip() == "grpc" if protocol else _split(endpoint).port == _GRPC_PORT


def _post(subject: str, url: str, headers: Mapping[str, str], *, named: str) -> Diagnosis:
    """Send an empty export request in protobuf; it is valid and stores nothing."""
    import httpx

    where = _bare(url)
    try:
        with httpx.stream(
            "POST",
            url,
            content=b"",
            headers={"Content-Type": "application/x-protobuf", **headers},
            timeout=_TIMEOUT_S,
        ) as answer:
            pass  # the status is sufficient; the body is not read
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Diagnosis(subject, "fail", f"{where} does not respond: {error}")
    if answer.status_code in {401, 403}:
        return Diagnosis(subject, "fail", f"{where} rejects the credentials; check {named}")
    if not answer.is_success:
        return Diagnosis(
            subject, "fail", f"{where} returned status {answer.status_code} instead of OTLP's 200"
        )
    return Diagnosis(subject, "ok", f"{where} accepts OTLP")


def _connect(subject: str, url: str) -> Diagnosis:
    parts = _split(url)
    try:
        address = (parts.hostname or "", parts.port or _GRPC_PORT)
        with socket.create_connection(address, _TIMEOUT_S):
            return Diagnosis(subject, "ok", f"{_bare(url)} accepts connections (gRPC)")
    except OSError as error:
        reason = error.strerror or str(error)
        return Diagnosis(subject, "fail", f"{_bare(url)} cannot be reached: {reason}")


def _split(url: str) -> SplitResult:
    return urlsplit(_whole(url))


def _bare(url: str) -> str:
    """Return a URL without credentials and query."""
    return shown_url(_whole(url)).replace(f"{MASK}@", "")


def _whole(url: str) -> str:
    return url if "://" in url else f"http://{url}"


def _pairs(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in text.split(",") if "=" in pair)
    return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs}


def _check() -> Iterator[Diagnosis]:
    from sqlobs import Schema, check_sql

    schema = Schema.from_ddl(_SCHEMA, dialect="sqlite")
    report = check_sql(_SAMPLE, schema=schema)
    taken = []
    for number in range(_ROUNDS):
        started_ns = time.perf_counter_ns()
        check_sql(f"{_SAMPLE} AND order_id > {number}", schema=schema)
        taken.append(time.perf_counter_ns() - started_ns)
    median_ms = sorted(taken)[_ROUNDS // 2] / 1e6
    grade: Grade = "ok" if report.verdict == "ok" else "fail"
    yield Diagnosis("check", grade, f"{median_ms:.2f} ms for a new statement (median)")
    yield Diagnosis("span content", "ok", " ".join((report.masked_sql or "").split()))


def here() -> tuple[Diagnosis, ...]:
    """Return the diagnoses of this process' environment."""
    return tuple(examine(os.environ))
