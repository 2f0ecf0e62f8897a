"""Prometheus' recording and alerting rules as values, and as the file that Prometheus reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.settings import RuleSettings

Severity = Literal["page", "ticket", "info"]


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
    """A condition that somebody is told of."""

    name: str
    severity: Severity
    expr: str
    hold_s: float
    """Seconds that the condition must last."""
    summary: str
    """One line with the labels that matter; a template of Prometheus."""
    description: str
    """What is the case and what to do first; a template of Prometheus."""

    def document(self, settings: RuleSettings) -> dict[str, Any]:
        """Return the rule as the file's YAML has it."""
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
