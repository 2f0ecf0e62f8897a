"""Journal entries as one transaction's rows, or record by record where one cannot be stored."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs_collector.store.database import is_trouble
from sqlobs_collector.store.erasures import Erasure
from sqlobs_collector.store.rows import SchemaRow
from sqlobs_collector.store.searchable import searchable_of
from sqlobs_collector.units import decoding
from sqlobs_collector.units.projection import report_row, span_row, unit_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlobs_collector.journal.entry import Recorded
    from sqlobs_collector.sampling import RulesOf
    from sqlobs_collector.store.rows import ReportRow, Stored, UnitKey, UnitRow
    from sqlobs_collector.store.searchable import Searchable
    from sqlobs_collector.store.writing import StoreWriter
    from sqlobs_collector.subjects import About, SubjectDigests
    from sqlobs_collector.units.decoding import Record


@dataclass(slots=True)
class Batch:
    """The rows that some entries lead to."""

    digests: SubjectDigests
    units: list[UnitRow] = field(default_factory=list)
    searchables: list[Searchable] = field(default_factory=list)
    reports: list[ReportRow] = field(default_factory=list)
    schemas: list[SchemaRow] = field(default_factory=list)
    about: dict[UnitKey, About] = field(default_factory=dict)
    """Whom the units and reports are about."""

    def put(self, writer: StoreWriter) -> Stored:
        """Store them; what is there already stays as it is, and what is erased is dropped."""
        for schema in self.schemas:
            writer.put_schema(schema)
        erased = writer.erasures.covering(self.about, self.digests)
        self._drop(erased, writer)
        writer.reports.put([row for row in self.reports if row.key not in erased])
        stored = writer.units.put([row for row in self.units if row.key not in erased])
        writer.searches.put(self.searchables, stored)
        return stored

    def add(self, row: UnitRow, record: Record) -> None:
        """Add a unit with what it is searched by."""
        self.units.append(row)
        self.about[row.key] = record.about
        self.searchables.append(
            searchable_of(row.key, record.attributes, record.texts, source=row.source)
        )

    def add_report(self, row: ReportRow, record: Record) -> None:
        """Add what was said about a unit; that says more about whom it is."""
        self.reports.append(row)
        self.about.setdefault(row.key, record.about)

    def _drop(self, erased: set[UnitKey], writer: StoreWriter) -> None:
        """Let everything else that comes about erased requests be dropped, too."""
        if erased:
            writer.reports.delete(erased)
            now_ns = max(self.about[key].at_ns for key in erased)
            writer.erasures.add(
                Erasure(
                    self.digests.of("request", key.workspace, self.about[key].request),
                    "request",
                    key.workspace,
                    now_ns,
                )
                for key in erased
            )


def batch_of(entries: Iterable[Recorded], rules: RulesOf, digests: SubjectDigests) -> Batch:
    """Return what entries say, as rows."""
    batch = Batch(digests)
    for recorded in entries:
        _read_entry(recorded, batch, rules)
    return batch


def put_apart(
    recorded: Recorded,
    put: Callable[[Recorded], None],
    set_aside: Callable[[Recorded], None],
) -> None:
    """Put each record of an entry by itself: one that cannot be stored does not stop the others.

    Args:
        recorded: The entry.
        put: Stores an entry of one record.
        set_aside: Told, while its exception is handled, of an entry that cannot be stored.
    """
    with _guarded(recorded, set_aside):
        for alone in decoding.apart(recorded):
            with _guarded(alone, set_aside):
                put(alone)


@contextmanager
def _guarded(recorded: Recorded, set_aside: Callable[[Recorded], None]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if is_trouble(error):
            raise
        set_aside(recorded)


def _read_entry(recorded: Recorded, batch: Batch, rules: RulesOf) -> None:
    entry = recorded.entry
    if entry.kind == "schema":
        document = decoding.content(entry)
        batch.schemas.append(
            SchemaRow(entry.workspace, entry.subject, document, recorded.received_ns)
        )
        return
    for record in decoding.records(recorded, batch.digests):
        if record.event == semconv.EVENT_UNIT:
            batch.add(unit_row(record, rules(record.workspace)), record)
        elif record.event:
            batch.add_report(report_row(record), record)
        else:
            batch.add(span_row(record), record)
