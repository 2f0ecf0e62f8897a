"""Words, colors and links that panels of several dashboards have in common."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sqlobs import semconv
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, label
from sqlobs.monitoring.queries import MODEL, PROMPT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.monitoring.settings import RuleSettings

SHARE: Final = "percentunit"
USD: Final = "currencyUSD"
WORKFLOW_LEGEND: Final = f"{{{{{SERVICE[0]}}}}} {{{{{WORKFLOW[-1]}}}}}"
VERSION_LEGEND: Final = f"{{{{{MODEL}}}}} {{{{{PROMPT}}}}}"
CODE: Final = label(semconv.SQLOBS_FAILURE_CODE)

VERDICT_COLORS: Final[Mapping[str, str]] = {
    "ok": "green",
    "suspect": "yellow",
    "not_evaluated": "blue",
    "failed": "red",
}
OUTCOME_COLORS: Final[Mapping[str, str]] = {
    "answered": "green",
    "abstained": "yellow",
    "clarified": "blue",
    "cancelled": "purple",
    "error": "red",
}
STATUS_COLORS: Final[Mapping[str, str]] = {"ok": "green", "error": "red", "timeout": "orange"}
FEEDBACK_COLORS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("up", "accepted", "exported", "5"), "green"),
    "4": "blue",
    "3": "yellow",
    **dict.fromkeys(("reasked", "abandoned", "2"), "orange"),
    **dict.fromkeys(("down", "corrected", "rejected", "1"), "red"),
}
LABEL_COLORS: Final[Mapping[str, str]] = {
    "pass": "green",
    "fail": "red",
    "not_evaluated": "blue",
}
FIRST_ATTEMPT: Final = "First attempts with verdict ok or suspect, out of those evaluated."
BARS_ADD_UP: Final = (
    "Bars add up to the count; the first one after a gap has what was counted during it."
)
NOT_BY_VERSION: Final = " Not narrowed by model and prompt version."
_VARIABLES: Final = ("environment", "service", "workflow", "model", "prompt_version")


def legend(*names: str) -> str:
    """Return the legend that shows the values of labels."""
    return " ".join(f"{{{{{name}}}}}" for name in names)


def traces_link(service: str) -> str:
    """Return the address of the failed requests of a service in Grafana's Explore.

    Args:
        service: Its name, or a variable of Grafana with it.
    """
    query = {
        "refId": "A",
        "queryType": "search",
        "service": service,
        "tags": f"{semconv.SQLOBS_VERDICT}=failed",
    }
    times = {"from": "${__from}", "to": "${__to}"}
    panes = {"a": {"datasource": "${traces}", "queries": [query], "range": times}}
    return f"/explore?schemaVersion=1&panes={quote(json.dumps(panes), safe='${}')}"


def dashboard_link(uid: str, *, workflow: str) -> str:
    """Return the address of another dashboard with the same variables and one workflow."""
    kept = "&".join(f"${{{name}:queryparam}}" for name in _VARIABLES if name != "workflow")
    return f"/d/{uid}?{kept}&var-workflow={workflow}&from=${{__from}}&to=${{__to}}"


def point_links(settings: RuleSettings) -> dict[str, str]:
    """Return the links on each point of a graph by workflow."""
    service = f"${{__field.labels.{SERVICE[0]}}}"
    workflow = f"${{__field.labels.{WORKFLOW[-1]}}}"
    return {
        "Failed requests": traces_link(service),
        "What explains it?": explain_link(settings, service, workflow, "${__value.time}"),
    }


def explain_link(settings: RuleSettings, service: str, workflow: str, at: str) -> str:
    """Return the address of the explanation of a workflow's rate at a time."""
    labels = f'{SERVICE[0]}="{service}",{WORKFLOW[-1]}="{workflow}"'
    return f"{settings.links.console}/failures?labels={quote(labels, safe='${}=,')}&at={at}"
