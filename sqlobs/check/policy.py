"""What a user allows, denies and requires beyond what the engine itself enforces."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from sqlobs.errors import ConfigError

_OPTIONAL: Final = ("allowed_tables", "allowed_functions")
"""Lists that restrict nothing where they are None; an empty one allows nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules of the user: `check_sql` and `configure` report violations, execution rejects them.

    A violation is a `safety.unsafe_statement` error. A table is written `orders`, or
    `sales.orders` for that of one namespace; a column `orders.tenant_id`, or `tenant_id` for every
    table. Names that are denied or required are compared without case.
    """

    denied_tables: AbstractSet[str] = frozenset()
    denied_columns: AbstractSet[str] = frozenset()
    """Columns that no statement may name or read by `*`."""
    required_filters: AbstractSet[str] = frozenset()
    """Columns that every use of their table must restrict to given values (`tenant_id = 7`)."""
    allowed_tables: AbstractSet[str] | None = None
    """The only tables that statements may read, as the database stores their names: `orders` where
    the statement writes no namespace, `sales.orders` where it does; lower case on SQLite."""
    allowed_functions: AbstractSet[str] | None = None
    """Functions that statements may call besides the dialect's own list of functions that only
    compute; without namespace, in lower case. Execution allows only that list where this is None,
    and a check reports no function then."""

    def __post_init__(self) -> None:
        """Accept any collection of names.

        Raises:
            ConfigError: A field is no collection of names, or one of the names is empty.
        """
        for field in self.__slots__:
            names = getattr(self, field)
            if names is not None or field not in _OPTIONAL:
                object.__setattr__(self, field, _names(field, names))

    @property
    def restricts_columns(self) -> bool:
        """Return whether violations depend on an analysis of the columns."""
        return bool(self.denied_columns or self.required_filters)


def _names(field: str, given: object) -> frozenset[str]:
    if isinstance(given, str):
        raise ConfigError(f"{field} takes a set of names: write {{{given!r}}}")
    if not isinstance(given, (set, frozenset, list, tuple)):
        raise ConfigError(f"{field} takes a set of names, not {type(given).__name__}")
    for name in given:
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(f"{field} takes names as non-empty strings, not {name!r}")
    return frozenset(given)
