"""Prometheus' recording and alerting rules as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlobs.monitoring.annotations import annotations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.annotations import Scope
    from sqlobs.monitoring.settings import RuleSettings

Severity = Literal["page", "ticket", "info"]
KEPT_S: int = 900
"""Seconds that an alert goes on firing when its condition is over: an incident is one notice."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An expression that is computed ahead and kept under a name."""

    record: str
    expr: str

    def document(self, settings: RuleSettings) -> dict[str, Any]:  # noqa: ARG002 - as Alert's
        """Return the rule as the file's YAML has it."""
        return {"record": self.record, "expr": self.expr}


@dataclass(frozen=True, slots=True)
class Alert:
    """A condition that notifies someone."""

    name: str
    severity: Severity
    expr: str
    hold_s: float
    """Seconds that the condition must last."""
    scope: Scope
    """What the labels of the condition name."""
    summary: str
    """One line on what is the case; the place is put in front of it. A template of Prometheus."""
    description: str
    """What it means and what to do first; a template of Prometheus."""
    kept_s: float = KEPT_S
    """Seconds that it goes on firing after the condition."""
    explained: str = ""
    """The rate that the console explains, if it is one."""
    shows: str = "/requests"
    """Else: the console's page that shows its requests."""

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the rule as the file's YAML has it."""
        return {
            "alert": self.name,
            "expr": self.expr,
            **({"for": settings.duration(self.hold_s)} if self.hold_s else {}),
            **({"keep_firing_for": settings.duration(self.kept_s)} if self.kept_s else {}),
            "labels": {"severity": self.severity, **settings.labels},
            "annotations": annotations_of(self, settings),
        }


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that are evaluated one after the other, at an interval of their own."""

    name: str
    interval_s: float
    rules: Sequence[Recording | Alert]

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the group as the file's YAML has it."""
        return {
            "name": self.name,
            "interval": settings.duration(self.interval_s),
            "rules": [rule.document(settings) for rule in self.rules],
        }
