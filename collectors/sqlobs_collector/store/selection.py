"""Which requests of a workspace are wanted: the filters of lists, groups, counts and exports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, literal_column, or_, select

from sqlobs_collector.store.portable import has_words, is_among
from sqlobs_collector.store.tables import EVALUATION, FAILURE, REQUEST_TEXT, UNIT, is_unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Connection, Select, Table

COLUMNS: Final = (
    *("workflow", "model", "prompt_version", "tenant", "service_version", "environment"),
    *("service_name", "verdict", "outcome", "failure_code"),
)
"""The columns that a filter may name."""
GROUP_COLUMNS: Final = tuple(name for name in COLUMNS if name not in {"verdict", "outcome"})
"""Those of a failure."""
MATCHES: Final = 2000
"""The latest requests with a searched text, or a result, that further filters choose from."""


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
    model_label: str | None = None
    """What metrics call the model: without provider and release date."""
    name: str | None = None
    """An invented name."""
    searched: str | None = None
    """Words that question or SQL hold."""
    evaluated: tuple[EvaluationResult, ...] = ()
    among: tuple[int, ...] | None = None
    """Ids of the requests to choose from, see `resolved`; None = all."""

    def resolved(self, connection: Connection) -> RequestFilter:
        """Return the filter with the latest requests that have the texts and results, looked up."""
        found = [set(connection.execute(query).scalars()) for query in self._matches]
        if not found:
            return self
        among = tuple(sorted(set.intersection(*found)))
        return replace(self, searched=None, evaluated=(), among=among)

    @property
    def _matches(self) -> list[Select[int]]:
        """Select the ids of the latest requests with each of the texts and results."""
        searched = [] if self.searched is None else [_with_words(self.searched)]
        return [*map(_with_result, self.evaluated), *searched]

    def of(self, since_ns: int, until_ns: int) -> RequestFilter:
        """Return the same requests of another period."""
        return replace(self, since_ns=since_ns, until_ns=until_ns)

    def within(self, **equal: str) -> RequestFilter:
        """Return those of the requests that have further values."""
        return replace(self, equal={**self.equal, **equal})

    @property
    def conditions(self) -> ColumnElement[bool]:
        """What a unit must be like."""
        chosen = [*self.equal_in(UNIT), *(UNIT.c.id.in_(found) for found in self._matches)]
        if self.among is not None:
            occurred_ns = UNIT.c.occurred_ns + 0  # keeps SQLite from its index
            chosen += [
                is_among(UNIT.c.id, self.among),
                is_unit_of(self.workspace),
                occurred_ns.between(self.since_ns, self.until_ns - 1),
            ]
        elif self.name is None:
            chosen += _in_period(UNIT, self)
        else:  # begin with the few failures: their times and workspace are those of their units
            chosen.append(UNIT.c.id.in_(select(FAILURE.c.unit_id).where(self.failures)))
        return and_(*chosen)

    @property
    def is_by_columns(self) -> bool:
        """Whether period and values of columns alone decide, which sums are kept by."""
        return not (self.name or self.searched or self.evaluated or self.among is not None)

    def equal_in(self, table: Table) -> list[ColumnElement[bool]]:
        """Return the values of columns as conditions on a table that has these columns."""
        chosen = [_is(table.c[name], text) for name, text in self.equal.items()]
        return [*chosen, *self._labeled_in(table)]

    def _labeled_in(self, table: Table) -> list[ColumnElement[bool]]:
        return [] if self.model_label is None else [_is_labeled(table.c.model, self.model_label)]

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
            *self._labeled_in(FAILURE),
        ]
        if self.name is not None:
            chosen.append(FAILURE.c.name == self.name)
        return and_(*chosen)


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


def _is_labeled(column: ColumnElement[str], label: str) -> ColumnElement[bool]:
    """Return whether `model_label` gives a label; `openai/gpt-4o-2024-08-06` is `gpt-4o`."""
    text = label.lower().replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    dates = ("", "_20" + 6 * "_", "_20" + 8 * "_")
    forms = [f"{provider}{text}{date}" for provider in ("", "%/") for date in dates]
    return or_(*(func.lower(column).like(form, escape="\\") for form in forms))


def _with_result(wanted: EvaluationResult) -> Select[int]:
    return (
        select(EVALUATION.c.unit_id)
        .where(EVALUATION.c.metric == wanted.metric, EVALUATION.c.label == wanted.label)
        .order_by(EVALUATION.c.unit_id.desc())
        .limit(MATCHES)
    )


def _with_words(searched: str) -> Select[int]:
    row: ColumnElement[int] = REQUEST_TEXT.c.rowid
    return select(row).where(has_words(searched)).order_by(row.desc()).limit(MATCHES)
