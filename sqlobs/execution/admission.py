"""What the gate decides about a statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from sqlobs.execution.volatility import Volatility
    from sqlobs.metrics.ordering import Ordering
    from sqlobs.metrics.statement_parts import SqlShape

Refusal = Literal[
    "empty",
    "too_large",
    "too_deep",
    "too_complex",
    "too_costly",
    "not_parsed",
    "several_statements",
    "not_read_only",
    "function_not_allowed",
    "system_object",
    "table_not_allowed",
    "column_not_allowed",
    "filter_missing",
    "session_missing",
]
"""Why a statement may not run; `too_complex` = parsing took too much CPU, or ended the worker;
`too_costly` = no engine could stop it in time."""

UNDECIDED: Final = frozenset[Refusal]({"not_parsed", "function_not_allowed"})
"""Rejections that may hide an ordinary error: the engine prepares the text without running it."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A statement that may run, with the facts from its tree."""

    text: str
    """The statement to send: comments and final semicolons are blanked, so that positions stay the
    same.
    """
    calls: frozenset[str]
    """Names of the functions it calls."""
    words: frozenset[str]
    """All its names and operators: some engines call functions without parentheses."""
    ordering: Ordering
    volatile: frozenset[Volatility]
    shape: SqlShape | None = None
    """Counts of its parts; None without a tree."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that may not run, and why."""

    refusal: Refusal
    detail: str = ""
    """The rejected name, as written; never a literal."""


Decision: TypeAlias = Admission | Refused
