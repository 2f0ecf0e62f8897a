"""All dashboards, by the name of their file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlobs.monitoring.dashboards import (
    collector,
    correctness,
    feedback_coverage,
    latency_cost,
    overview,
    quality,
)
from sqlobs.monitoring.dashboards.document import document_of

if TYPE_CHECKING:
    from sqlobs.monitoring.settings import RuleSettings


def dashboards(settings: RuleSettings) -> dict[str, dict[str, Any]]:
    """Return every dashboard as plain values, by its uid, the overview first."""
    pages = (
        overview.page(settings),
        quality.page(settings),
        latency_cost.page(),
        correctness.page(),
        feedback_coverage.page(),
        collector.page(settings),
    )
    return {page.uid: document_of(page) for page in pages}


def dashboard_files(settings: RuleSettings) -> dict[str, str]:
    """Return the dashboards' texts by file name: `sqlobs-overview.dashboard.json`."""
    return {
        f"{uid}.dashboard.json": json.dumps(document, indent=2, sort_keys=True) + "\n"
        for uid, document in dashboards(settings).items()
    }
