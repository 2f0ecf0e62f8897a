"""The values accepted by `configure`, `Sqlobs` and the decorators.

Arguments of one request (`question`, `sql`, `target`, …) are not validated: telemetry never raises
there, and drivers accept statements that are not strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from sqlobs.arguments import FLAG, FUNCTION, TEXT, Takes, having, instance_of, one_of
from sqlobs.check.checker import DIALECT, FALLBACK, FALLBACK_MODE, NATIVE, POLICY
from sqlobs.config import CheckSwitch, Mode, Strictness
from sqlobs.schema.model import Schema


def _is_schema(value: object) -> bool:
    is_source = hasattr(value, "get") and not isinstance(value, Mapping)
    return isinstance(value, Schema) or callable(value) or is_source


_SCHEMA: Final = Takes(
    "a Schema, such as Schema.from_ddl(text, dialect='postgres'), a SchemaSource or a callable",
    _is_schema,
)

CONFIGURE: Final = {
    "service_name": TEXT,
    "schema": _SCHEMA,
    "dialect": DIALECT,
    "collector": TEXT,
    "mode": one_of(*get_args(Mode)),
    "check": one_of(*get_args(CheckSwitch)),
    "native": NATIVE,
    "strict": one_of(*get_args(Strictness)),
    "policy": POLICY,
    "redact": Takes("a function of kind and text", callable),
    "fallback": FALLBACK,
    "fallback_mode": FALLBACK_MODE,
    "detect_refusals": FLAG,
    "mark_failures_as_errors": FLAG,
    "prices": instance_of(
        "prices by model, such as {'gpt-4o': {'input': 2.5, 'output': 10}}", Mapping
    ),
    "set_global": FLAG,
}
INSTANCE: Final = {
    "tracer_provider": having("a TracerProvider", "get_tracer"),
    "meter_provider": having("a MeterProvider", "get_meter"),
    "logger_provider": having("a LoggerProvider", "get_logger"),
    "delivers_inline": FLAG,
}
GENERATION: Final = {
    "name": TEXT,
    "schema": _SCHEMA,
    "dialect": DIALECT.or_callable(),
    "sql": Takes("the name of a field, a callable of the result, or None", TEXT.or_callable().fits),
    "collect": FUNCTION,
}
EXECUTION: Final = {"kind": one_of("internal", "client")}
LLM: Final = {"provider": TEXT}
RETRIEVAL: Final = {"source": TEXT}
