"""Tells other processes, by the store, why this one cannot write its journal, and shows it.

Tests: `tests/collector/test_journal_trouble.py`.
"""

from __future__ import annotations

import math
import socket
from collections import Counter
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import DBAPIError

from sqlobs.semconv.collector import JOURNALS_STOPPED
from sqlobs_collector.journal.writer import TROUBLES
from sqlobs_collector.pipeline_metrics import OURS
from sqlobs_collector.polling_worker import PollingWorker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs_collector.journal.writer import JournalWriter
    from sqlobs_collector.store.journals import StoppedJournalReader
    from sqlobs_collector.store.writing import Store

_EVERY_S: Final = 2.0


class JournalTrouble:
    """Writes to the store when the journal cannot be written, and when it can be again."""

    def __init__(self, journal: JournalWriter, store: Store) -> None:
        self._journal = journal
        self._store = store
        self._is_told = True  # by the process that had this journal before
        self._worker = PollingWorker("journal trouble", self.tell)

    def start(self) -> None:
        """Begin to look."""
        self._worker.start()

    def stop(self) -> None:
        """End; what was told is soon too old. Idempotent."""
        self._worker.stop()

    def tell(self) -> float:
        """Tell the store of trouble as long as it lasts: who is silent about it has ended."""
        reason = self._journal.trouble
        if reason is None and not self._is_told:
            return _EVERY_S
        with self._store.writing() as writer:
            writer.journals.put_trouble(self._journal.identity, socket.gethostname(), reason)
        self._is_told = reason is not None
        return _EVERY_S


class StoppedJournals(Collector):
    """Shows how many journals of all processes cannot be written, by reason.

    Args:
        reader: Asked once for all reasons, whenever metrics are collected.
    """

    def __init__(self, reader: StoppedJournalReader) -> None:
        self._reader = reader

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield them; NaN while the store does not respond."""
        metric = JOURNALS_STOPPED
        family = GaugeMetricFamily(metric.name, metric.brief, labels=metric.labels)
        try:
            counts: dict[str, float] = dict(Counter(one.reason for one in self._reader.stopped()))
        except DBAPIError:
            counts = dict.fromkeys(TROUBLES, math.nan)
        for reason in TROUBLES:
            family.add_metric((reason, *OURS), counts.get(reason, 0))
        yield family
