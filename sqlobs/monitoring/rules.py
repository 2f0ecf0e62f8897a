"""Prometheus recording and alerting rules as values and as a rule file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.settings import RuleSettings

Severity = Literal["page", "ticket", "info"]


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording rule: an expression that Prometheus precomputes under a name."""

    record: str
    expr: str

    def document(self, settings: RuleSettings) -> dict[str, Any]:  # noqa: ARG002 - as Alert's
        """Return the rule as an entry of the rule file."""
        return {"record": self.record, "expr": self.expr}


@dataclass(frozen=True, slots=True)
class Alert:
    """An alerting rule: a condition, its severity and its texts."""

    name: str
    severity: Severity
    expr: str
    hold_s: float
    """Seconds for which the condition must hold."""
    summary: str
    """One line with the relevant labels; a Prometheus template."""
    description: str
    """What happened and what to do first; a Prometheus template."""

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the rule as an entry of the rule file."""
        return {
            "alert": self.name,
            "expr": self.expr,
            **({"for": settings.duration(self.hold_s)} if self.hold_s else {}),
            "labels": {"severity": self.severity},
            "annotations": {
                "summary": self.summary,
                "description": self.description,
                "runbook": f"docs/alerts.md#{self.name.lower()}",
            },
        }


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that Prometheus evaluates in sequence at one interval."""

    name: str
    interval_s: float
    rules: Sequence[Recording | Alert]

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the group as an entry of the rule file."""
        return {
            "name": self.name,
            "interval": settings.duration(self.interval_s),
            "rules": [rule.document(settings) for rule in self.rules],
        }
