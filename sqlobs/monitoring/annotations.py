"""What an alert says: where, what, which model, prompt and code, and the links to look next.

The names of model, prompt version and failure code are no labels of a workflow's alert, since a
label that changes would make it another alert: they are looked up when the alert is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlobs import semconv
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.monitoring.rules import Alert
    from sqlobs.monitoring.settings import RuleSettings

Scope = Literal["version", "workflow", "service", "collector"]

MODEL: Final = label(semconv.GEN_AI_REQUEST_MODEL)
PROMPT: Final = label(semconv.GEN_AI_PROMPT_VERSION)
CODE: Final = label(semconv.SQLOBS_FAILURE_CODE)
VERSION: Final = (*WORKFLOW, MODEL, PROMPT)
FAILED_BY_VERSION: Final = "version:sqlobs_failed:increase30m"
"""Recorded: failed requests by model and prompt version."""
FAILED_BY_CODE: Final = "code:sqlobs_failed:increase30m"
"""Recorded: failed requests by primary code."""

AT: Final = '{{ query "time()" | first | value | printf "%.0f" }}'
"""The time of the evaluation; a template of Prometheus."""

_OVERVIEW: Final = "sqlobs-overview"
_QUALITY: Final = "sqlobs-quality"
_COLLECTOR: Final = "sqlobs-collector"
_VARIABLES: Final = (
    *("var-service", "var-environment", "var-workflow"),
    *("var-model", "var-prompt_version"),
)
"""The dashboards' variables, in the order of `VERSION`."""


def annotations_of(alert: Alert, settings: RuleSettings) -> dict[str, str]:
    """Return the annotations of an alert; templates of Prometheus."""
    names = _labels(alert.scope)
    return {
        "summary": f"{_place(alert.scope)}{alert.summary}",
        "description": alert.description,
        **dict(_culprits(alert.scope)),
        "runbook_url": f"{settings.links.docs}/alerts.md#{alert.name.lower()}",
        "dashboard_url": _dashboard(alert, settings, names),
        "console_url": _console(alert, settings, names),
    }


def _labels(scope: Scope) -> Sequence[str]:
    """Return the labels that name an alert's place: service, environment, workflow, version."""
    return {
        "version": VERSION,
        "workflow": WORKFLOW,
        "service": SERVICE,
        "collector": (),
    }[scope]


def _value(name: str) -> str:
    return f"{{{{ $labels.{name} }}}}"


def _place(scope: Scope) -> str:
    names = _labels(scope)
    if not names:
        return ""
    service = _value(names[0])
    if len(names) < len(WORKFLOW):
        return f"{service}: "
    workflow = f"{service}, workflow {_value(names[2])}"
    if scope != "version":
        return f"{workflow}: "
    return f"{workflow}, model {_value(MODEL)}, prompt version {_value(PROMPT)}: "


def _culprits(scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield workflow, model, prompt version and top failure code, as far as they are known."""
    if scope not in {"version", "workflow"}:
        return
    yield "workflow", _value(WORKFLOW[2])
    for name, shown in (("model", MODEL), ("prompt_version", PROMPT)):
        known = _value(shown)
        yield name, known if scope == "version" else _top(FAILED_BY_VERSION, shown)
    yield "failure_code", _top(FAILED_BY_CODE, CODE)


def _top(recorded: str, shown: str) -> str:
    """Return the template of a label's value at which most requests of a workflow failed."""
    matchers = f"{WORKFLOW[0]}=%q, {WORKFLOW[1]}=%q, {WORKFLOW[2]}=%q"
    query = f"topk(1, sum by ({shown}) ({recorded}{{{matchers}}}) > 0)"
    names = " ".join(f"$labels.{name}" for name in WORKFLOW)
    return f"{{{{ range query (printf `{query}` {names}) }}}}{{{{ .Labels.{shown} }}}}{{{{ end }}}}"


def _encoded(name: str) -> str:
    return f"{{{{ $labels.{name} | urlquery }}}}"


def _dashboard(alert: Alert, settings: RuleSettings, names: Sequence[str]) -> str:
    query = "&".join(
        f"{variable}={_encoded(name)}" for variable, name in zip(_VARIABLES, names, strict=False)
    )
    uid = _QUALITY if alert.explained else _OVERVIEW if names else _COLLECTOR
    page = f"{settings.links.dashboard}/d/{uid}"
    return f"{page}?{query}" if query else page


def _console(alert: Alert, settings: RuleSettings, names: Sequence[str]) -> str:
    """Return the link to the console: failures and what explains them, else what the alert shows.

    Every page of requests takes the alert's labels and its time.
    """
    if not names:
        return f"{settings.links.console}/"
    labels = ",".join(f"{name}%3D%22{_encoded(name)}%22" for name in names)
    page = f"/failures?rate={alert.explained}" if alert.explained else alert.shows
    return f"{settings.links.console}{page}{'&' if '?' in page else '?'}labels={labels}&at={AT}"
