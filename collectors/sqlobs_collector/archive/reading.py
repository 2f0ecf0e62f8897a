"""Reads archived requests as an export has them; those that are in the store, too, are left out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from sqlobs_collector.archive.files import FileName, day_name
from sqlobs_collector.archive.schemas import EVALUATION_COLUMNS, UNIT_COLUMNS
from sqlobs_collector.store.archiving import DAY_NS, stored_among
from sqlobs_collector.store.export import ArchivedUnit
from sqlobs_collector.store.feedback import Utterance, feedback_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from sqlobs_collector.archive.files import ArchiveFiles

_AT_ONCE: Final = 500
_OF_EVALUATION: Final = tuple(
    one.name for one in EVALUATION_COLUMNS[4:] if one.name != "emitted_ns"
)
_NO_EVALUATION: Final = {f"evaluation_{name}": None for name in _OF_EVALUATION}


class ArchiveReader:
    """Reads files beside an archiver."""

    def __init__(self, files: ArchiveFiles) -> None:
        self._files = files

    def units(
        self,
        connection: Connection,
        *,
        since_ns: int = 0,
        until_ns: int = 2**63 - 1,
        workspace: str | None = None,
    ) -> Iterator[ArchivedUnit]:
        """Yield requests by workspace and day, in a day by their time.

        Args:
            connection: To the store, whose requests are left out.
            since_ns: Of the first request.
            until_ns: Of the first one that is left out.
            workspace: Whose; None = all.
        """
        feedback: dict[str, dict[tuple[str, str], list[Utterance]]] = {}
        for name in self._files.names("unit", workspace):
            if not _day_ns(since_ns) <= name.day <= _day_ns(until_ns - 1):
                continue
            if name.workspace not in feedback:
                feedback = {name.workspace: self._feedback(name.workspace)}
            for one in self._of_day(connection, name, feedback[name.workspace]):
                if since_ns <= one.occurred_ns < until_ns:
                    yield one

    def _of_day(
        self,
        connection: Connection,
        name: FileName,
        feedback: dict[tuple[str, str], list[Utterance]],
    ) -> Iterator[ArchivedUnit]:
        evaluations = self._evaluations(name)
        order = [(one, "ascending") for one in ("occurred_ns", "trace_id", "span_id")]
        for batch in self._files.table(name).sort_by(order).to_batches(_AT_ONCE):
            rows = batch.to_pylist()
            spans = [(row["trace_id"], row["span_id"]) for row in rows]
            stored = stored_among(connection, name.workspace, spans)
            later = feedback_on(connection, name.workspace, spans)
            for span, row in zip(spans, rows, strict=True):
                if span not in stored:
                    said = {one.record_id: one for one in feedback.get(span, ())}
                    said |= {one.record_id: one for one in later.get(span, ())}
                    in_order = sorted(said.values(), key=lambda one: one[1::-1])
                    yield _unit(row, evaluations.get(span, ()), in_order)

    def _evaluations(self, name: FileName) -> dict[tuple[str, str], list[dict[str, Any]]]:
        found = defaultdict(list)
        table = self._files.table(FileName("evaluation", name.workspace, name.day))
        order = [(one, "ascending") for one in ("created_ns", "metric", "version")]
        for row in table.sort_by(order).to_pylist():
            found[row["trace_id"], row["span_id"]].append(row)
        return found

    def _feedback(self, workspace: str) -> dict[tuple[str, str], list[Utterance]]:
        found = defaultdict(list)
        for name in self._files.names("report", workspace):
            for row in self._files.table(name).to_pylist():
                if row["kind"] == "feedback":
                    said = Utterance(row["record_id"], row["occurred_ns"])
                    found[row["trace_id"], row["span_id"]].append(said)
        return found


def _unit(
    row: dict[str, Any], evaluations: Sequence[dict[str, Any]], feedback: Sequence[Utterance]
) -> ArchivedUnit:
    unit = {one.name: row[one.name] for one in UNIT_COLUMNS}
    rows = [
        {**unit, **{f"evaluation_{name}": one[name] for name in _OF_EVALUATION}}
        for one in evaluations
    ]
    return ArchivedUnit(rows or [unit | _NO_EVALUATION], feedback)


def _day_ns(time_ns: int) -> str:
    return day_name(min(max(time_ns, 0) // DAY_NS, _LAST_DAY))


_LAST_DAY: Final = 2_000_000
"""Of a calendar that ends with the year 9999, so that any time has a name."""
