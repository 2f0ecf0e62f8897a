"""The failure codes, the reasons of `not_evaluated` and how engines' errors map to them, once.

Codes are a public contract (version 1): never renamed, never reused.

Tests: `tests/docs/test_pages.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTRACT_VERSION: Final = 1

FailureGroup = Literal[
    "safety", "syntax", "schema", "execution", "result", "semantics", "efficiency"
]

PRECEDENCE: Final[tuple[FailureGroup, ...]] = (
    "safety",
    "syntax",
    "schema",
    "execution",
    "result",
    "semantics",
    "efficiency",
)
"""The group whose first code becomes the primary one, most important first."""


@dataclass(frozen=True, slots=True)
class FailureCode:
    """One stable code of the catalog."""

    code: str
    definition: str
    """What is wrong with the SQL, in one sentence."""
    found_by: tuple[str, ...]
    """Who detects it, the preferred way first: static, engine, result, judge."""

    @property
    def group(self) -> FailureGroup:
        """The part of the code before the dot."""
        return group_of(self.code)


def _code(code: str, found_by: str, definition: str) -> FailureCode:
    detectors = {"S": "static", "E": "engine", "R": "result", "J": "judge"}
    return FailureCode(code, definition, tuple(detectors[letter] for letter in found_by))


CODES: Final[dict[str, FailureCode]] = {
    entry.code: entry
    for entry in (
        _code(
            "syntax.no_sql",
            "S",
            "Empty text, prose, or a code fence without SQL.",
        ),
        _code(
            "syntax.parse_error",
            "SE",
            "Does not parse in the declared dialect, or several statements where one is expected.",
        ),
        _code(
            "syntax.dialect_mismatch",
            "SEJ",
            "Valid in another dialect, but this dialect does not support a function or construct,"
            " or its number of arguments.",
        ),
        _code(
            "schema.unknown_table",
            "SE",
            "The relation is neither in the schema nor a CTE.",
        ),
        _code(
            "schema.unknown_column",
            "SE",
            "The column is neither in a relation in scope nor in any table of the schema.",
        ),
        _code(
            "schema.wrong_owner",
            "SE",
            "The column exists, but on another relation; or an alias is misused.",
        ),
        _code("schema.ambiguous_ref", "SE", "An unqualified name matches several relations."),
        _code(
            "schema.grouping",
            "SE",
            "A column is neither grouped nor aggregated, or an aggregate or window function is not"
            " allowed at this place.",
        ),
        _code("schema.unknown_type", "SE", "A type name that the engine does not support."),
        _code(
            "schema.type_mismatch",
            "SE",
            "A column is compared with a literal of an incompatible type, or an operator, function"
            " or aggregate does not accept its argument's type.",
        ),
        _code("semantics.projection", "JR", "A wrong, missing or extra output column."),
        _code("semantics.table_choice", "J", "A wrong, missing or redundant relation."),
        _code(
            "semantics.join", "SJ", "A wrong join key or type, fan-out, or accidental cross join."
        ),
        _code("semantics.filter", "J", "A wrong, missing or extra predicate."),
        _code(
            "semantics.value",
            "RJ",
            "A literal does not match the stored values (case, enum, date format).",
        ),
        _code(
            "semantics.aggregation",
            "SJ",
            "A wrong function, grain, COUNT object, or DISTINCT.",
        ),
        _code("semantics.ordering", "J", "Wrong direction, top-k, ties, or an unnecessary LIMIT."),
        _code("semantics.null", "SJ", "NULL handling or integer division changes the answer."),
        _code(
            "execution.engine_error", "E", "The engine rejected the statement for another reason."
        ),
        _code("execution.timeout", "E", "Aborted after a time or resource limit."),
        _code("execution.permission", "E", "The user lacks a privilege."),
        _code("result.empty", "R", "Zero rows or only NULLs although an answer is expected."),
        _code(
            "result.shape",
            "R",
            "Row count or columns contradict the question, or the result was truncated.",
        ),
        _code("result.mismatch", "R", "The result differs from the reference result."),
        _code("efficiency.antipattern", "S", "A static rule found an antipattern."),
        _code("efficiency.cost", "E", "Plan cost, bytes or time exceed the budget."),
        _code(
            "safety.unsafe_statement",
            "S",
            "A write or DDL, a tautology joined with OR, access to the system catalog or files, or"
            " a violation of the user's policy.",
        ),
    )
}

SCHEMA_HALLUCINATION_CODES: Final = frozenset(
    {"schema.unknown_table", "schema.unknown_column", "schema.wrong_owner"}
)
"""The only codes that fail the evaluation `schema_hallucination`."""

Reason = Literal[
    "no_dialect",
    "no_schema",
    "schema_unknown",
    "schema_stale",
    "undecided",
    "too_large",
    "too_deep",
    "abstained",
    "clarified",
    "check_off",
    "budget",
    "workspace_budget",
    "queue_full",
    "pending",
    "content_not_captured",
    "no_target",
    "no_reference",
    "refused",
    "sampled_out",
    "cancelled",
    "call_failed",
    "timeout",
    "reference_failed",
    "target_unavailable",
    "truncated",
    "nondeterministic",
    "judge_unavailable",
    "judge_malformed",
    "error",
]
"""Why something is `not_evaluated`: one closed list for SDK and collector."""


@lru_cache(maxsize=256)
def group_of(code: str) -> FailureGroup:
    """Return the group of a code of the catalog: the part before its dot."""
    group: FailureGroup = code.split(".", 1)[0]  # type: ignore[assignment]  # CODES holds the groups
    return group


def primary(codes: Iterable[str]) -> str | None:
    """Return the code that stands for all: by precedence of groups, then first come."""
    ranked = sorted(codes, key=lambda code: PRECEDENCE.index(group_of(code)))
    return ranked[0] if ranked else None


def fails_engine_label(sqlstate: str) -> bool:
    """Return whether an engine's SQLSTATE is a verdict on the SQL: class 42 without permission."""
    return sqlstate.startswith("42") and sqlstate != "42501"


SQLSTATE_CODES: Final[dict[str, str]] = {
    "42601": "syntax.parse_error",
    "42P01": "schema.unknown_table",
    "42703": "schema.unknown_column",
    "42702": "schema.ambiguous_ref",
    "42803": "schema.grouping",
    "42704": "schema.unknown_type",
    "42804": "schema.type_mismatch",
    "42883": "syntax.dialect_mismatch",
    "57014": "execution.timeout",
    "42501": "execution.permission",
}
"""SQLSTATE to the code it means; every other state is `execution.engine_error`.

42883 is `schema.type_mismatch` where a function of that name exists for other types.
"""
