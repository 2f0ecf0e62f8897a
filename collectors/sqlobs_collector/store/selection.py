"""Which requests of a workspace are wanted: the filters of lists, groups, counts and exports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import and_, literal_column, select, text

from sqlobs_collector.store.tables import EVALUATION, FAILURE, UNIT, UNIT_DAY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Table

COLUMNS: Final = (
    *("workflow", "model", "prompt_version", "tenant", "service_version", "environment"),
    *("service_name", "verdict", "outcome", "failure_code"),
)
"""The columns that a filter may name."""
GROUP_COLUMNS: Final = tuple(name for name in COLUMNS if name not in {"verdict", "outcome"})
"""Those of a failure."""
_MATCHES: Final = text(
    "unit.id IN (SELECT rowid FROM request_text WHERE request_text MATCH :searched"
    " ORDER BY rowid DESC LIMIT :most)"
)
MATCHES: Final = 5000
"""The latest requests with a searched text, or a result, that further filters choose from."""
DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """A result that a request must have."""

    metric: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFilter:
    """Requests of one workspace in a period, with some values."""

    workspace: str
    since_ns: int = 0
    until_ns: int = 2**63 - 1
    """Left out itself."""
    equal: Mapping[str, str] = field(default_factory=dict)
    """Values of columns; an empty one is that of requests without one."""
    name: str | None = None
    """An invented name."""
    searched: str | None = None
    """Words that question or SQL hold."""
    evaluated: tuple[EvaluationResult, ...] = ()

    def of(self, since_ns: int, until_ns: int) -> RequestFilter:
        """Return the same requests of another period."""
        return replace(self, since_ns=since_ns, until_ns=until_ns)

    def within(self, **equal: str) -> RequestFilter:
        """Return those of the requests that have further values."""
        return replace(self, equal={**self.equal, **equal})

    @property
    def conditions(self) -> ColumnElement[bool]:
        """What a unit must be like."""
        chosen = [*(_is(UNIT.c[name], text) for name, text in self.equal.items())]
        chosen += map(_is_evaluated, self.evaluated)
        if self.name is None and "failure_code" not in self.equal:
            chosen += _in_period(UNIT, self)
        else:  # begin with the few failures: their times and workspace are those of their units
            chosen.append(UNIT.c.id.in_(select(FAILURE.c.unit_id).where(self.failures)))
        if self.searched is not None:
            matches = _MATCHES.bindparams(searched=_phrases(self.searched), most=MATCHES)
            chosen.append(cast("ColumnElement[bool]", matches.self_group()))
        return and_(*chosen)

    @property
    def days(self) -> DaySelection | None:
        """The whole days of the period, added up; None if the sums by day cannot tell.

        They know neither tenants nor names, texts and evaluations.
        """
        first, end = -(-self.since_ns // DAY_NS), self.until_ns // DAY_NS
        if self.name or self.searched or self.evaluated or "tenant" in self.equal or first >= end:
            return None
        is_chosen = and_(
            UNIT_DAY.c.workspace == self.workspace,
            UNIT_DAY.c.day >= first,
            UNIT_DAY.c.day < end,
            *(UNIT_DAY.c[name] == text for name, text in self.equal.items()),
        )
        rest = (self.of(self.since_ns, first * DAY_NS), self.of(end * DAY_NS, self.until_ns))
        return DaySelection(is_chosen, rest)

    @property
    def failures(self) -> ColumnElement[bool]:
        """What a failure must be like; verdict, outcome and texts do not narrow it."""
        chosen = [
            *_in_period(FAILURE, self),
            *(
                FAILURE.c[name] == value
                for name, value in self.equal.items()
                if name in GROUP_COLUMNS
            ),
        ]
        if self.name is not None:
            chosen.append(FAILURE.c.name == self.name)
        return and_(*chosen)


@dataclass(frozen=True, slots=True)
class DaySelection:
    """A selection in two parts: whole days, and what is left of the period around them."""

    is_chosen: ColumnElement[bool]
    """What the sums of a day must be like."""
    rest: tuple[RequestFilter, RequestFilter]


def _in_period(table: Table, chosen: RequestFilter) -> list[ColumnElement[bool]]:
    return [
        table.c.workspace == chosen.workspace,
        table.c.occurred_ns >= chosen.since_ns,
        table.c.occurred_ns < chosen.until_ns,
    ]


def _is(column: ColumnElement[str], value: str) -> ColumnElement[bool]:
    if not value:
        return column.is_(None) | (column == "")
    if column is UNIT.c.verdict and value == "failed":
        return column == literal_column("'failed'")  # SQLite: for its partial index
    return column == value


def _is_evaluated(wanted: EvaluationResult) -> ColumnElement[bool]:
    latest = (
        select(EVALUATION.c.unit_id)
        .where(EVALUATION.c.metric == wanted.metric, EVALUATION.c.label == wanted.label)
        .order_by(EVALUATION.c.unit_id.desc())
        .limit(MATCHES)
    )
    return UNIT.c.id.in_(latest)


def _phrases(searched: str) -> str:
    """Return a query of FTS5 in which nothing is an operator: `"total" "of orders"`."""
    return " ".join(f'"{word.replace(chr(34), chr(34) * 2)}"' for word in searched.split())
