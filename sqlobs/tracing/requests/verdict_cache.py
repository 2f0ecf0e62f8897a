"""Verdicts of one workflow that were given before, ready to be written again.

The checker keeps reports; this keeps what a report looks like on a span, so that a repeated
answer costs the request thread a lookup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.tracing.records.record import AttemptRecord

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.options.option_resolution import Resolved
    from sqlobs.types import Verdict
    from sqlobs.unit import AttributeValue

CAPACITY: Final = 256


@dataclass(frozen=True, slots=True)
class Remembered:
    """One statement's verdict, and what it looks like on a span."""

    report: CheckReport
    attempts: tuple[AttemptRecord, ...]
    verdict: Verdict
    attributes: dict[str, AttributeValue]
    """Those of a request without attempts, stages or corrections; durations are put in anew."""


class VerdictCache:
    """A bounded map from an answer's text to its verdict, for one schema and configuration."""

    def __init__(self) -> None:
        self._resolved: Resolved | None = None
        self._verdicts: dict[str, Remembered] = {}

    def find(self, text: str, resolved: Resolved) -> Remembered | None:
        """Return the verdict of a text under the same conditions, or None."""
        return self._verdicts.get(text) if self._holds(resolved) else None

    def keep(
        self,
        text: str,
        resolved: Resolved,
        report: CheckReport,
        attributes: dict[str, AttributeValue],
    ) -> None:
        """Keep a verdict; other conditions, or too many texts, make it forget the rest."""
        if not self._holds(resolved) or len(self._verdicts) >= CAPACITY:
            self._verdicts = {}
            self._resolved = resolved
        attempts = (AttemptRecord(1, report),)
        self._verdicts[text] = Remembered(report, attempts, report.verdict, attributes)

    def _holds(self, resolved: Resolved) -> bool:
        """Say whether these are the conditions of the verdicts; a source makes equal ones."""
        return resolved is self._resolved or resolved == self._resolved
