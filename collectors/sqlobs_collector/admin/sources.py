"""What the endpoints and pages answer from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from prometheus_client import CollectorRegistry

    from sqlobs_collector.archive.reading import ArchiveReader
    from sqlobs_collector.audit import AuditLog
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.curation.desk import Desk
    from sqlobs_collector.evaluation.cases import CaseReader
    from sqlobs_collector.evaluation.schemas import Schemas
    from sqlobs_collector.explaining.explanation import Explainer
    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.probing import Prober
    from sqlobs_collector.receiver.credentials import Credentials
    from sqlobs_collector.receiver.feedback import FeedbackDoor
    from sqlobs_collector.sdkmetrics import ShownSeries
    from sqlobs_collector.settings.origins import Origins
    from sqlobs_collector.store.comparison import ComparisonReader
    from sqlobs_collector.store.failures import FailureReader
    from sqlobs_collector.store.hours import HourReader
    from sqlobs_collector.store.intake import IntakeReader
    from sqlobs_collector.store.journals import StoppedJournalReader
    from sqlobs_collector.store.quality import QualityReader
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.requests import RequestReader
    from sqlobs_collector.store.saved_views import SavedViewReader
    from sqlobs_collector.store.snapshots import Snapshots
    from sqlobs_collector.store.writing import Store


@dataclass(frozen=True, slots=True)
class JournalHealth:
    """Losses by journal damage, and how far the store is behind the journal."""

    unprojected_records: int = 0
    lag_s: float = 0.0
    lost_requests: int = 0
    """Acknowledged requests that were lost to damage before they were in the store."""
    lost_records: int = 0
    quarantined_files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Readiness:
    """The response of `/readyz`."""

    ready: bool
    """Whether the collector accepts records now."""
    reasons: list[str]
    """Why it does not."""
    store_trouble: str | None
    """Why work on the store failed in the last 20 s; None: it did not. Records are accepted."""
    journal: JournalHealth


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """What the admin port of every process shows."""

    registry: CollectorRegistry
    """The collector's own metrics."""
    sdk_metrics: ShownSeries
    """The metrics of the applications, on the same page."""
    readiness: Callable[[], Awaitable[Readiness]]
    """Returns whether records are accepted now, and the journal's health."""
    credentials: Credentials
    """The tokens and their workspaces."""
    audit: AuditLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources(Vitals):
    """What the console and the admin API answer from."""

    reading: Snapshots
    """What the readers of the console read with."""
    store: StoreReader
    cases: CaseReader
    """Reads the units that can be evaluated offline."""
    explainer: Explainer
    """Explains changes of rates."""
    desk: Desk
    """What people decide with: golden set, review queue, calibrations."""
    feedback: FeedbackDoor
    """Lets in users' feedback."""
    requests: RequestReader
    failures: FailureReader
    comparisons: ComparisonReader
    quality: QualityReader
    views: SavedViewReader
    schemas: Schemas
    writing: Store
    """Writes what people decide."""
    links: Mapping[str, str]
    """Templates of a request's addresses in other tools, by name."""
    hours: HourReader
    intake: IntakeReader
    journals: StoppedJournalReader
    """Reads which receivers acknowledge nothing."""
    config: CollectorConfig
    """In effect."""
    origins: Origins
    """Where its settings come from."""
    notifier: Notifier
    """Evaluates the objectives."""
    archive: ArchiveReader | None
    """Reads what has left the store."""
    prober: Prober
    """Connects to targets and judge on request."""
