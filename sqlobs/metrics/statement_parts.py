"""What a statement consists of, by number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SqlShape:
    """Counts of a statement's parts, by which results can be sliced."""

    joins: int
    subqueries: int
    ctes: int
    predicates: int
    aggregates: int
    functions: int
    set_operations: int
    windows: int
    likes: int
    cases: int
    arithmetic: int
    has_distinct: bool
    has_group: bool
    has_having: bool
    has_order: bool
    has_limit: bool
