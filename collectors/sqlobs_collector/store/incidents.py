"""Requests of a period, counted by everything that a changed rate can be due to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import Integer, and_, case, cast, func, or_, select, true

from sqlobs.metrics.rate_change import Cell, Counts
from sqlobs.semconv.labels import model_label
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Engine, Table

RateName = Literal[
    "schema_hallucination", "syntactic", "failed", "error", "unchecked", "first_attempt"
]

DIMENSIONS: Final = (
    *("prompt_version", "model", "schema_version", "tenant", "workflow", "service_version"),
)
"""What a change is decomposed by. Of names of the same requests the first is the explanation's: a
release holds a prompt, not the other way round."""
_CHECKED: Final = ("ok", "suspect", "failed")


@cache
def rates_in(table: Table) -> Mapping[RateName, tuple[ColumnElement[bool], ColumnElement[bool]]]:
    """Return which requests a rate is of, and which of them are bad: of the units, or of sums."""
    columns = table.c
    is_answered = or_(columns.outcome.is_(None), columns.outcome == "answered")
    verdict = func.coalesce(columns.verdict, "not_evaluated")
    return {
        "schema_hallucination": (
            and_(is_answered, columns.hallucinated.is_not(None)),
            columns.hallucinated.is_(True),
        ),
        "syntactic": (
            and_(is_answered, columns.syntactic.is_not(None)),
            columns.syntactic.is_(False),
        ),
        "failed": (
            and_(is_answered, columns.verdict.in_(_CHECKED)),
            columns.verdict == "failed",
        ),
        "error": (true(), func.coalesce(columns.outcome, "") == "error"),
        "unchecked": (is_answered, verdict == "not_evaluated"),
        "first_attempt": (
            columns.first_verdict.in_(_CHECKED),
            columns.first_verdict == "failed",
        ),
    }


RATES: Final = rates_in(UNIT)


@dataclass(frozen=True, slots=True)
class Incident:
    """Which requests are looked at: those of a rate, with some values, in a period."""

    workspace: str
    rate: RateName
    since_ns: int
    until_ns: int
    """Left out itself."""
    equal: Mapping[str, str | None] = field(default_factory=dict)
    """Values that columns have."""
    models: tuple[str, ...] | None = None
    """The models of the requests; None = any."""

    def of(self, since_ns: int, until_ns: int) -> Incident:
        """Return the same requests of another period."""
        return replace(self, since_ns=since_ns, until_ns=until_ns)

    def within(self, **equal: str | None) -> Incident:
        """Return those of its requests that have further values."""
        return replace(self, equal={**self.equal, **equal})


class IncidentReader:
    """Counts and lists; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def models(self, incident: Incident, *, label: str) -> tuple[str, ...]:
        """Return the models as requests name them that a metric's label stands for."""
        query = select(UNIT.c.model).where(_chosen(incident), UNIT.c.model.is_not(None))
        with self._engine.connect() as connection:
            found = connection.execute(query.distinct()).scalars().all()
        return tuple(model for model in found if model_label(model) == label)

    def counts(self, incident: Incident) -> Counts:
        """Return how many requests there are, and how many are bad."""
        query = select(func.count(), _bad_sum(incident)).where(_chosen(incident))
        with self._engine.connect() as connection:
            requests, failed = connection.execute(query).one()
        return Counts(requests, failed)

    def cells(self, incident: Incident, *, baseline: Incident) -> list[Cell]:
        """Return the requests of two periods that follow each other, by all dimensions."""
        columns = [UNIT.c[name] for name in DIMENSIONS]
        is_now = case((UNIT.c.occurred_ns >= incident.since_ns, 1), else_=0)
        both = incident.of(baseline.since_ns, incident.until_ns)
        query = (
            select(*columns, is_now, func.count(), _bad_sum(incident))
            .where(_chosen(both))
            .group_by(*columns, is_now)
        )
        periods: dict[tuple[str | None, ...], list[Counts]] = {}
        with self._engine.connect() as connection:
            for *values, now, requests, failed in connection.execute(query):
                counts = periods.setdefault(tuple(values), [Counts(), Counts()])
                counts[now] = Counts(requests, failed)
        return [Cell(values, before, now) for values, (before, now) in periods.items()]

    def series(self, incident: Incident, *, parts: int) -> list[tuple[int, Counts]]:
        """Return the requests of equal parts of the period: each part's start and its counts.

        Parts without a request are left out.
        """
        part_ns = max(1, -(-(incident.until_ns - incident.since_ns) // parts))
        part = ((UNIT.c.occurred_ns - incident.since_ns) // part_ns).label("part")
        query = (
            select(part, func.count(), _bad_sum(incident))
            .where(_chosen(incident))
            .group_by(part)
            .order_by(part)
        )
        with self._engine.connect() as connection:
            return [
                (incident.since_ns + number * part_ns, Counts(requests, failed))
                for number, requests, failed in connection.execute(query)
            ]

    def first_bad(self, incident: Incident) -> Mapping[str, Any] | None:
        """Return the row of the first bad request."""
        found = self._bad(incident, UNIT.c.occurred_ns.asc(), UNIT.c.id.asc(), limit=1)
        return found[0] if found else None

    def bad(self, incident: Incident, *, limit: int) -> list[Mapping[str, Any]]:
        """Return the rows of the latest bad requests, newest first."""
        return self._bad(incident, UNIT.c.occurred_ns.desc(), UNIT.c.id.desc(), limit=limit)

    def _bad(
        self, incident: Incident, *order: ColumnElement[int], limit: int
    ) -> list[Mapping[str, Any]]:
        query = select(UNIT).where(_chosen(incident), RATES[incident.rate][1]).order_by(*order)
        with self._engine.connect() as connection:
            rows = connection.execute(query.limit(limit)).mappings()
            return [dict(row) for row in rows]


def _bad_sum(incident: Incident) -> ColumnElement[int]:
    bad = case((RATES[incident.rate][1], 1), else_=0)
    return cast(func.coalesce(func.sum(bad), 0), Integer)


def _chosen(incident: Incident) -> ColumnElement[bool]:
    """Choose the requests of a rate; those that a replay brought are of no period."""
    equal = [UNIT.c[name].is_not_distinct_from(value) for name, value in incident.equal.items()]
    if incident.models is not None:
        equal.append(UNIT.c.model.in_(incident.models))
    return and_(
        UNIT.c.workspace == incident.workspace,
        UNIT.c.occurred_ns >= incident.since_ns,
        UNIT.c.occurred_ns < incident.until_ns,
        UNIT.c.provenance == "live",
        RATES[incident.rate][0],
        *equal,
    )
