"""Requests of the last windows, counted for alerts: by workflow, model and prompt version.

Windows are cut where the next shorter one begins. What lies between is read from sums, where it is
longer than an hour.

Tests: `tests/collector/test_notifying.py`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, get_args

from sqlalchemy import Integer, and_, case, literal_column, select

from sqlobs.metrics.rate_change import Counts
from sqlobs.semconv.labels import UNKNOWN, model_label
from sqlobs_collector.store.incidents import RateName, rates_in
from sqlobs_collector.store.portable import each_value, whole_sum
from sqlobs_collector.store.rollup import HOUR_NS, Piece, changes_of, pieces, together
from sqlobs_collector.store.selection import RequestFilter
from sqlobs_collector.store.tables import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, CompoundSelect, Connection, Engine, Select, Table

    Place = tuple[str, ...]
    """Workspace, service, environment and workflow; then perhaps model and prompt version."""
    Windows = Mapping[Place, Mapping[RateName, Sequence[Counts]]]

WORKFLOW_PARTS: Final = 4
"""How many parts of a place name its workflow."""
_VERSION: Final = ("service_name", "environment", "workflow", "model", "prompt_version")
_SAID: Final = ("outcome", "verdict", "first_verdict", "syntactic", "hallucinated")
_RATES: Final[tuple[RateName, ...]] = get_args(RateName)


class AlertCountReader:
    """Counts; each call is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def counts(self, windows_s: Sequence[int], *, now_ns: int) -> Windows:
        """Return the requests of each window up to now, by rate, by place with its version.

        Args:
            windows_s: In seconds, the shortest first, as in the result.
            now_ns: The end of all windows.
        """
        found: dict[Place, list[list[Counts]]] = defaultdict(
            lambda: [[Counts()] * len(windows_s) for _ in _RATES]
        )
        with self._engine.connect() as connection:
            for workspace in connection.execute(each_value(UNIT.c.workspace)).scalars().all():
                query = _query(connection, workspace, windows_s, now_ns)
                for number, *version_and_sums in connection.execute(query):
                    # Several models of a provider can have one label.
                    known = found[_place(workspace, version_and_sums[: len(_VERSION)])]
                    sums = version_and_sums[len(_VERSION) :]
                    counts = map(Counts, sums[: len(_RATES)], sums[len(_RATES) :])
                    for of_rate, more in zip(known, counts, strict=True):
                        of_rate[number] += more
        return {
            place: {
                rate: list(accumulate(parts)) for rate, parts in zip(_RATES, known, strict=True)
            }
            for place, known in found.items()
        }


def _place(workspace: str, version: Sequence[str | None]) -> Place:
    *workflow, model, prompt = version
    label = UNKNOWN if model is None else model_label(model)
    return (workspace, *map(str, workflow), label, prompt or UNKNOWN)


def _query(
    connection: Connection, workspace: str, windows_s: Sequence[int], now_ns: int
) -> Select[Any] | CompoundSelect[Any]:
    """Select the requests of a workspace in each window but the next shorter one."""
    whole = RequestFilter(
        workspace=workspace,
        since_ns=now_ns - windows_s[-1] * 10**9,
        until_ns=now_ns,
        equal={"provenance": "live"},
    )
    changes = changes_of(connection, whole)
    starts_ns = [now_ns - seconds * 10**9 for seconds in (0, *windows_s)]
    queries = []
    for number, (until_ns, since_ns) in enumerate(pairwise(starts_ns)):
        between = whole.of(since_ns, until_ns)
        read: Iterator[Piece] = iter([Piece(UNIT, between.conditions, ((since_ns, until_ns),))])
        if until_ns - since_ns >= HOUR_NS:
            read = pieces(connection, between, by=(*_VERSION, *_SAID), changes=changes)
        queries += [_counted(piece, number) for piece in read]
    return together(queries)


def _counted(piece: Piece, number: int) -> Select[Any]:
    keys = [piece.table.c[name] for name in _VERSION]
    query: Select[Any] = select(literal_column(str(number)), *keys, *_sums(piece.table))
    return query.where(piece.is_chosen).group_by(*keys)


@cache
def _sums(table: Table) -> tuple[ColumnElement[int], ...]:
    """Select of each rate how many requests it is of; then of each how many are bad."""
    one = literal_column("1", Integer) if table is UNIT else table.c.requests
    zero = literal_column("0", Integer)
    rates = [rates_in(table)[name] for name in _RATES]
    chosen = [*(is_of for is_of, _ in rates), *(and_(is_of, is_bad) for is_of, is_bad in rates)]
    return tuple(whole_sum(case((condition, one), else_=zero)) for condition in chosen)
