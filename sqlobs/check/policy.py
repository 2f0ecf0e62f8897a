"""What a user forbids or demands beyond the engine: denied tables and columns, filters."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sqlobs.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules of the user. A violation is a `safety.unsafe_statement` error.

    Names are compared without case. A table is written `orders`, or `sales.orders` for that of one
    namespace; a column `orders.tenant_id`, or `tenant_id` for every table.
    """

    denied_tables: frozenset[str] = frozenset()
    denied_columns: frozenset[str] = frozenset()
    """Columns that no statement may name or read by `*`."""
    required_filters: frozenset[str] = frozenset()
    """Columns that every use of their table must hold to given values (`tenant_id = 7`)."""

    def __post_init__(self) -> None:
        """Take any collection of names.

        Raises:
            ConfigError: One name is given where a collection belongs.
        """
        for one in fields(self):
            names = getattr(self, one.name)
            if isinstance(names, str):
                raise ConfigError(f"{one.name} takes a set of names: write {{{names!r}}}")
            object.__setattr__(self, one.name, frozenset(names))
