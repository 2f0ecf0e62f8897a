"""Caches span attributes by answer text: a repeated answer costs the caller one lookup.

The checker caches reports; this caches their attributes, for one workflow.
Tests: `tests/tracing/test_repeated_answers.py`.
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
class CachedVerdict:
    """One statement's verdict, and its span attributes."""

    report: CheckReport
    attempts: tuple[AttemptRecord, ...]
    verdict: Verdict
    attributes: dict[str, AttributeValue]
    """Of a request without attempts, stages or corrections; durations are replaced."""


class VerdictCache:
    """A bounded map from answer text to verdict, for the options used last."""

    def __init__(self) -> None:
        self._resolved: Resolved | None = None
        self._verdicts: dict[str, CachedVerdict] = {}

    def find(self, text: str, resolved: Resolved) -> CachedVerdict | None:
        """Return the verdict of a text under equal options, or None."""
        return self._verdicts.get(text) if self._holds(resolved) else None

    def keep(
        self,
        text: str,
        resolved: Resolved,
        report: CheckReport,
        attributes: dict[str, AttributeValue],
    ) -> None:
        """Keep a verdict; other options, or too many texts, clear the cache."""
        if not self._holds(resolved) or len(self._verdicts) >= CAPACITY:
            self._verdicts = {}
            self._resolved = resolved
        attempts = (AttemptRecord(1, report),)
        self._verdicts[text] = CachedVerdict(report, attempts, report.verdict, attributes)

    def _holds(self, resolved: Resolved) -> bool:
        """Compare options; those of a schema source are equal, not identical."""
        return resolved is self._resolved or resolved == self._resolved
