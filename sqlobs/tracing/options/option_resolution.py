"""Resolves the options of all layers for one request.

Tests: `tests/tracing/test_arguments.py` and `test_hosts.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.errors import DialectError
from sqlobs.schema.model import Schema
from sqlobs.schema.source import SchemaSource
from sqlobs.semconv.systems import system_of
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import CallContext

if TYPE_CHECKING:
    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.options.option_layer import OptionLayer


@dataclass(frozen=True, slots=True)
class Resolved:
    """The options of one request, after the user's callables were called."""

    schema: Schema | None
    dialect: str | Profile | None
    """As set; None means the dialect of the schema."""
    reference: str | None
    hint: str | None
    context: CallContext
    source: SchemaSource | None = None
    """The source of the schema, if it has one."""
    stale_source: SchemaSource | None = None
    """The source, if its schema is so old that an unknown name may be new, not invented."""

    @property
    def schema_version(self) -> str | None:
        """The version of the schema."""
        return None if self.schema is None else self.schema.version


UNRESOLVED = Resolved(None, None, None, None, CallContext())
"""No options: resolving failed."""


def resolve(options: OptionLayer, arguments: Arguments) -> Resolved:
    """Call callables and schema sources; one that fails counts as unset."""
    source = option_value(options.schema, arguments, "schema")
    schema = _schema_of(source)
    dialect = _dialect_of(options.dialect, arguments)
    try:
        profile = profile_of(schema, dialect)
    except DialectError as error:  # unknown, or not the schema's: do not guess
        INTERNAL_ERRORS.caught("dialect", error)
        schema = dialect = profile = None
    return Resolved(
        schema=schema,
        dialect=dialect,
        reference=_text_of(options.reference, arguments, "reference"),
        hint=_text_of(options.hints, arguments, "hints"),
        context=_context_of(
            options,
            dialect=None if profile is None else profile.dialect,
            target=label_text(option_value(options.target, arguments, "target")),
        ),
        source=source if isinstance(source, SchemaSource) else None,
        stale_source=source if isinstance(source, SchemaSource) and source.is_stale else None,
    )


def is_fixed(options: OptionLayer) -> bool:
    """Say whether a layer resolves to the same options for every request."""
    callables = (options.dialect, options.target, options.reference, options.hints)
    return isinstance(options.schema, Schema | None) and not any(map(callable, callables))


def _context_of(options: OptionLayer, *, dialect: str | None, target: str | None) -> CallContext:
    name, version = _prompt_of(options.prompt)
    return replace(
        _UNSET,
        dialect=dialect,
        target=target,
        target_system=None if target is None or dialect is None else system_of(dialect),
        tenant=label_text(options.tenant),
        prompt_name=label_text(name),
        prompt_version=label_text(version),
        model=label_text(options.model),
        conversation=label_text(options.conversation),
        user=label_text(options.user),
        session=label_text(options.session),
        case_id=label_text(options.case_id),
    )


def _prompt_of(prompt: object) -> tuple[object, object]:
    """Return name and version of a prompt, from a pair or a name alone."""
    if not isinstance(prompt, tuple):
        return prompt, None
    return prompt[0] if prompt else None, prompt[1] if len(prompt) > 1 else None


def label_text(value: object) -> str | None:
    """Return an id or a name as text, whatever its type in the application (UUID, Enum, int)."""
    if value is None or (type(value) is str and value.isascii()):
        return value
    try:
        text = str(value.value if isinstance(value, Enum) else value)
        return text.encode(errors="replace").decode()  # lone surrogates are invalid UTF-8
    except Exception as error:  # noqa: BLE001 - an object without a text counts as unset
        INTERNAL_ERRORS.caught("context", error)
        return None


_UNSET = CallContext()


def _schema_of(source: object) -> Schema | None:
    if source is None or isinstance(source, Schema):
        return source
    try:
        schema = source.get()  # type: ignore[attr-defined]  # the protocol of schema sources
    except Exception as error:  # noqa: BLE001 - a failing source must not reach the request
        INTERNAL_ERRORS.caught("schema", error)
        return None
    return schema if isinstance(schema, Schema) else None


def _dialect_of(value: object, arguments: Arguments) -> str | Profile | None:
    answer = option_value(value, arguments, "dialect")
    return answer if isinstance(answer, str | Profile) else None


def _text_of(value: object, arguments: Arguments, kind: str) -> str | None:
    """Return a text, or the result of the user's callable; None for any other type."""
    answer = option_value(value, arguments, kind)
    return answer if isinstance(answer, str) else None


def option_value(value: object, arguments: Arguments, kind: str) -> object:
    """Return a value, or the result of the user's callable for this call; None if it fails."""
    if not callable(value):
        return value
    try:
        return arguments.call(value)
    except Exception as error:  # noqa: BLE001 - a failing callable counts as unset
        INTERNAL_ERRORS.caught(kind, error)
        return None
