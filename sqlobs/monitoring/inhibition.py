"""Which alerts are not told while another one fires in the same place: one message for one cause.

The collector's notifier applies these rules; Alertmanager's are in `examples/observability`.

Tests: `tests/monitoring/test_example.py`, `tests/collector/test_notifying.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.promql import SERVICE, WORKFLOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Inhibition:
    """While an alert fires, some others are not told where the values of labels are the same."""

    source: str
    targets: tuple[str, ...]
    equal: tuple[str, ...]


_PAGE: Final = "SqlobsSchemaHallucination"
_FOLLOWS: Final = (f"{_PAGE}Slow", f"{_PAGE}First")

INHIBITIONS: Final = (
    Inhibition(_PAGE, (*_FOLLOWS, f"{_PAGE}InSample", "SqlobsFirstAttemptFailures"), WORKFLOW),
    Inhibition(f"{_PAGE}Version", _FOLLOWS, WORKFLOW),
    Inhibition("SqlobsNoTraffic", ("SqlobsServiceSilent",), SERVICE),
    Inhibition("SqlobsSchemaStale", ("SqlobsVerdictsMissing",), SERVICE),
    # No collector answers: what is said of one collector follows from it.
    Inhibition("SqlobsCollectorGone", ("SqlobsCollectorDown",), ("job",)),
)
SOURCES: Final = frozenset(each.source for each in INHIBITIONS)


def inhibitions_of(alert: str) -> Iterable[Inhibition]:
    """Return the rules by which other alerts mute one."""
    return (each for each in INHIBITIONS if alert in each.targets)


def inhibit_rules() -> Sequence[dict[str, list[str]]]:
    """Return the rules in Alertmanager's form, `inhibit_rules`."""
    return [
        {
            "source_matchers": [f'alertname="{each.source}"'],
            "target_matchers": [f'alertname=~"{"|".join(each.targets)}"'],
            "equal": [*each.equal],
        }
        for each in INHIBITIONS
    ]
