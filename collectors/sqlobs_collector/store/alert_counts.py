"""Requests of the last windows, counted for alerts: by workflow, or by model and prompt version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Integer, and_, case, cast, func, select

from sqlobs.metrics.rate_change import Counts
from sqlobs.semconv.labels import UNKNOWN, model_label
from sqlobs_collector.store.incidents import RATES
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Engine

    from sqlobs_collector.store.incidents import RateName

    Place = tuple[str, ...]
    """Workspace, service, environment and workflow; then perhaps model and prompt version."""

_WORKFLOW: Final = ("workspace", "service_name", "environment", "workflow")
_VERSION: Final = (*_WORKFLOW, "model", "prompt_version")


class AlertCountReader:
    """Counts; each call is one query in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def counts(
        self, rate: RateName, windows_s: Sequence[int], *, now_ns: int, by_version: bool = False
    ) -> Mapping[Place, Sequence[Counts]]:
        """Return the requests of each window up to now, by place.

        Args:
            rate: Which requests count, and which of them are bad.
            windows_s: In seconds, in the order of the result.
            now_ns: The end of all windows.
            by_version: Also by model and prompt version.
        """
        columns = [UNIT.c[name] for name in (_VERSION if by_version else _WORKFLOW)]
        starts_ns = [now_ns - seconds * 10**9 for seconds in windows_s]
        is_of_rate, is_bad = RATES[rate]
        query = (
            select(*columns, *(_sum(is_bad, each) for each in starts_ns), *map(_count, starts_ns))
            .where(
                and_(
                    UNIT.c.occurred_ns >= min(starts_ns),
                    UNIT.c.occurred_ns < now_ns,
                    UNIT.c.provenance == "live",
                    is_of_rate,
                )
            )
            .group_by(*columns)
        )
        found: dict[Place, list[Counts]] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                values = row[len(columns) :]
                failed, asked = values[: len(starts_ns)], values[len(starts_ns) :]
                new = [Counts(each, bad) for each, bad in zip(asked, failed, strict=True)]
                # Several models of a provider can have one label.
                place = _place(row[: len(columns)])
                known = found.get(place, [Counts()] * len(new))
                found[place] = [one + other for one, other in zip(known, new, strict=True)]
        return found


def _place(values: Sequence[str | None]) -> Place:
    workflow, version = values[: len(_WORKFLOW)], values[len(_WORKFLOW) :]
    named = [str(value) for value in workflow]
    if version:
        model, prompt = version
        named += [UNKNOWN if model is None else model_label(model), prompt or UNKNOWN]
    return tuple(named)


def _sum(is_bad: ColumnElement[bool], start_ns: int) -> ColumnElement[int]:
    bad = case((and_(is_bad, UNIT.c.occurred_ns >= start_ns), 1), else_=0)
    return cast(func.coalesce(func.sum(bad), 0), Integer)


def _count(start_ns: int) -> ColumnElement[int]:
    return cast(func.sum(case((UNIT.c.occurred_ns >= start_ns, 1), else_=0)), Integer)
