"""The alerts as Grafana provisions them: one query of Prometheus each, evaluated by Grafana.

They read recordings, which stay in Prometheus. Templates of Grafana cannot ask Prometheus: what an
annotation would look up there is left out.

Tests: `tests/monitoring/test_objectives.py`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from sqlobs.monitoring.annotations import AT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.rules import Alert
    from sqlobs.monitoring.settings import RuleSettings

DATA_SOURCE: Final = "prometheus"
"""The uid of the data source, as the example provisions it."""
_FOLDER: Final = "sqlobs"
_LOOKS_UP: Final = "{{ range query"
_IS_THERE: Final = {
    "refId": "B",
    "relativeTimeRange": {"from": 600, "to": 0},
    "datasourceUid": "__expr__",
    # Prometheus fires for every series of the condition, also where its value is 0.
    "model": {"refId": "B", "type": "math", "expression": "is_number($A)"},
}


def alert_rules_document(alerts: Sequence[Alert], settings: RuleSettings) -> dict[str, Any]:
    """Return the content of a file for `provisioning/alerting`."""
    group = {
        "orgId": 1,
        "name": "sqlobs",
        "folder": _FOLDER,
        "interval": settings.duration(60),
        "rules": [_rule(alert, settings) for alert in alerts],
    }
    return {"apiVersion": 1, "groups": [group]}


def _rule(alert: Alert, settings: RuleSettings) -> dict[str, Any]:
    document = alert.document(settings)
    return {
        "uid": hashlib.sha256(alert.name.encode()).hexdigest()[:16],
        "title": alert.name,
        "condition": "B",
        "data": [_query(alert.expr), _IS_THERE],
        # A series that is missing does not fire: as in Prometheus.
        "noDataState": "OK",
        "execErrState": "Error",
        "for": document.get("for", "0s"),
        "keepFiringFor": document.get("keep_firing_for", "0s"),
        "labels": document["labels"],
        "annotations": {
            name: _with_values(text)
            for name, text in document["annotations"].items()
            if _LOOKS_UP not in text
        },
    }


def _query(expression: str) -> dict[str, Any]:
    return {
        "refId": "A",
        "relativeTimeRange": {"from": 600, "to": 0},
        "datasourceUid": DATA_SOURCE,
        "model": {"refId": "A", "expr": expression, "instant": True, "range": False},
    }


def _with_values(text: str) -> str:
    """Return a template with the condition's value as Grafana names it, and without the time."""
    return text.replace("{{ $value", "{{ $values.A.Value").replace(f"&at={AT}", "")
