"""What the user told about a request, level by level: `set`, `context`, decorator, `configure`."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.schema.model import Schema


class SchemaProvider(Protocol):
    """Anything that gives the schema of now without blocking; `SchemaSource` is one."""

    def get(self) -> Schema:
        """Return the schema of now."""
        ...


Prompt = tuple[str, str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionLayer:
    """One level. None means: not told here. A callable is asked with the call's arguments."""

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
        """Return this level laid over an outer one."""
        if self is NO_OPTIONS:
            return outer
        if outer is NO_OPTIONS:
            return self
        told = {name: value for name in _NAMES if (value := getattr(self, name)) is not None}
        return replace(outer, **told)


_NAMES = tuple(field.name for field in fields(OptionLayer))
NO_OPTIONS = OptionLayer()


def option_layer(**told: Any) -> OptionLayer:  # noqa: ANN401 - each is typed where it is told
    """Return a level of what was told; the shared `NO_OPTIONS` where that is nothing."""
    return NO_OPTIONS if all(value is None for value in told.values()) else OptionLayer(**told)
