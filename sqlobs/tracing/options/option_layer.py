"""Options of a request, one layer each for `set`, `context`, the decorator and `configure`.

Tests: `tests/tracing/test_arguments.py` and `test_requests.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.schema.model import Schema


class SchemaProvider(Protocol):
    """Returns the current schema without blocking; `SchemaSource` is one."""

    def get(self) -> Schema:
        """Return the current schema."""
        ...


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
        options = {name: value for name in _NAMES if (value := getattr(self, name)) is not None}
        return replace(outer, **options)


_NAMES = tuple(field.name for field in fields(OptionLayer))
NO_OPTIONS = OptionLayer()


def option_layer(**options: Any) -> OptionLayer:  # noqa: ANN401 - typed by each caller
    """Return a layer; the shared `NO_OPTIONS` where all options are unset."""
    is_empty = all(value is None for value in options.values())
    return NO_OPTIONS if is_empty else OptionLayer(**options)
