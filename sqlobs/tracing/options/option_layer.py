"""Options of a request: one layer each for `set`, `context`, the decorator and `configure`.

Tests: `tests/tracing/test_arguments.py`, `test_requests.py` and `test_hosts.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.errors import DialectError
from sqlobs.schema.model import Schema
from sqlobs.schema.source import SchemaSource
from sqlobs.semconv.systems import system_of
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import CallContext

if TYPE_CHECKING:
    from sqlobs.tracing.options.arguments import Arguments


class SchemaProvider(Protocol):
    """Returns the current schema without blocking; `SchemaSource` is one."""

    def get(self) -> Schema:
        """Return the current schema."""


Prompt = tuple[str, str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionLayer:
    """One layer. None means unset. A callable is called with the call's arguments."""

    schema: Schema | SchemaProvider | Callable[..., object] | None = None
    dialect: str | Profile | Callable[..., str | Profile | None] | None = None
    target: str | Callable[..., str | None] | None = None
    reference: str | Callable[..., str | None] | None = None
    hints: str | Callable[..., str | None] | None = None
    tenant: str | None = None
    prompt: Prompt | None = None
    """Name and version of the prompt, or its name alone."""
    model: str | None = None
    conversation: str | None = None
    user: str | None = None
    session: str | None = None
    case_id: str | None = None

    def over(self, outer: OptionLayer) -> OptionLayer:
        """Return the outer layer, overridden by this one."""
        if self is NO_OPTIONS:
            return outer
        if outer is NO_OPTIONS:
            return self
        options = {
            name: value for name in OPTION_NAMES if (value := getattr(self, name)) is not None
        }
        return replace(outer, **options)


OPTION_NAMES = tuple(field.name for field in fields(OptionLayer))
NO_OPTIONS = OptionLayer()


def option_layer(**options: Any) -> OptionLayer:  # noqa: ANN401 - typed by each caller
    """Return a layer; the shared `NO_OPTIONS` where all options are unset."""
    is_empty = all(value is None for value in options.values())
    return NO_OPTIONS if is_empty else OptionLayer(**options)


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
    answer = option_value(options.dialect, arguments, "dialect")
    dialect = answer if isinstance(answer, str | Profile) else None
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
    """Return whether a layer resolves to the same options for every request."""
    callables = (options.dialect, options.target, options.reference, options.hints)
    return isinstance(options.schema, Schema | None) and not any(map(callable, callables))


def _context_of(options: OptionLayer, *, dialect: str | None, target: str | None) -> CallContext:
    name, version = _prompt_of(options.prompt)
    return replace(
        _UNSET,
        dialect=dialect,
        target=target,
        target_system=None if target is None or dialect is None else system_of(dialect),
        prompt_name=label_text(name),
        prompt_version=label_text(version),
        **{name: label_text(getattr(options, name)) for name in _LABELS},
    )


def _prompt_of(prompt: object) -> tuple[object, object]:
    if not isinstance(prompt, tuple):
        return prompt, None
    return prompt[0] if prompt else None, prompt[1] if len(prompt) > 1 else None


def label_text(value: object) -> str | None:
    """Return an id or a name as text, whatever its type in the application (UUID, Enum, int)."""
    if value is None or (type(value) is str and value.isascii()):
        return value
    with INTERNAL_ERRORS.contained("context"):
        text = str(value.value if isinstance(value, Enum) else value)
        return text.encode(errors="replace").decode()  # lone surrogates are invalid UTF-8
    return None


_UNSET = CallContext()
_LABELS = ("tenant", "model", "conversation", "user", "session", "case_id")
"""Options that are recorded as they are set."""


def _schema_of(source: object) -> Schema | None:
    if source is None or isinstance(source, Schema):
        return source
    with INTERNAL_ERRORS.contained("schema"):
        schema = source.get()  # type: ignore[attr-defined]  # the protocol of schema sources
        return schema if isinstance(schema, Schema) else None
    return None


def _text_of(value: object, arguments: Arguments, kind: str) -> str | None:
    """Return a text, or the result of the user's callable; None for any other type."""
    answer = option_value(value, arguments, kind)
    return answer if isinstance(answer, str) else None


def option_value(value: object, arguments: Arguments, kind: str) -> object:
    """Return a value, or the result of the user's callable for this call; None if it fails."""
    if not callable(value):
        return value
    with INTERNAL_ERRORS.contained(kind):
        return arguments.call(value)
    return None
