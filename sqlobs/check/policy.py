"""What a user forbids beyond the engine: denied tables and columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules of the user. A violation is a `safety.unsafe_statement` error.

    Names are compared without case.
    """

    denied_tables: frozenset[str] = frozenset()
    denied_columns: frozenset[str] = frozenset()
    """`table.column`, or `column` for every table."""
