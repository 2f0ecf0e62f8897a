"""The generated dashboard: Grafana's schemas, the contract's names, and a layout without holes."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import jsonschema
import pytest
from inline_snapshot import snapshot

from sqlobs.monitoring.dashboard import dashboard_document, dashboard_json
from sqlobs.monitoring.files import rules_document
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring.expressions import OF_PROMETHEUS, known_series, selectors, substituted

DASHBOARD = dashboard_document(RuleSettings())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in PANELS
    for target in panel["targets"]
}
RECORDED = {
    rule["record"]
    for group in rules_document(RuleSettings())["groups"]
    for rule in group["rules"]
    if "record" in rule
}


def schema(name):
    path = Path(__file__).parent / "grafana_schemas" / f"{name}.jsonschema.json"
    return json.loads(path.read_text())


def errors(document, of, definition=None):
    found = schema(of)
    if definition is not None:
        found = {**found, "$ref": f"#/definitions/{definition}"}
    return [
        f"{error.json_path}: {error.message}" for error in validator(found).iter_errors(document)
    ]


def validator(found):
    return jsonschema.validators.validator_for(found)(found)


def test_the_dashboard_is_valid_by_grafanas_schema():
    """The schema allows no key that Grafana does not know."""
    assert errors(DASHBOARD, "dashboard") == []


def test_a_broken_dashboard_is_not():
    """The schemas that hold ours refuse a misspelt key and a wrong type."""
    broken = json.loads(json.dumps(DASHBOARD))
    broken["panels"][1]["titel"] = "x"
    broken["refresh"] = 30
    assert len(errors(broken, "dashboard")) >= 2


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_is_valid_by_its_own_schema(panel):
    """Options, custom field settings and queries, which the dashboard's schema leaves open."""
    assert errors(panel.get("options", {}), panel["type"], "Options") == []
    custom = panel.get("fieldConfig", {}).get("defaults", {}).get("custom")
    if custom is not None:
        assert errors(custom, panel["type"], "FieldConfig") == []
    for target in panel["targets"]:
        assert errors(target, "prometheus") == []


@pytest.mark.parametrize("expression", QUERIES.values(), ids=QUERIES)
def test_a_query_reads_only_series_and_labels_that_exist(expression):
    """A misspelt name would be a panel that stays empty."""
    known = known_series()
    for selector in selectors(substituted(expression)):
        assert selector.name in known.keys() | RECORDED | OF_PROMETHEUS
        labels = known.get(selector.name)
        if labels is not None:
            assert {matcher.name for matcher in selector.matchers.matchers} <= labels


def test_panels_answer_what_somebody_on_call_asks():
    """The first row is read in half a minute; the others say where to look."""
    assert [panel["title"] for panel in DASHBOARD["panels"]] == snapshot(
        [
            "At a glance",
            "Requests",
            "Schema-hallucination rate, 1 h",
            "Error budget left, 3 days",
            "First-attempt pass rate",
            "Execution accuracy (EX)",
            "Judged correct",
            "Verdicts (all requests)",
            "Verdict mix",
            "Schema-hallucination rate against its objective",
            "Top failure codes",
            "First-attempt pass rate by workflow",
            "First-attempt schema-hallucination rate",
            "Failed by model and prompt",
            "Correctness (sampled requests)",
            "EX with 95 % interval",
            "Cell F1 with 95 % interval",
            "Judged correct with 95 % interval",
            "Failing requests",
            "Latest failing workflows",
            "Failures, with their traces",
            "Latency and cost",
            "Latency by stage",
            "Judge cost",
            "Judge budget left today",
            "Judge tokens",
            "Blind spots",
            "Answers without a verdict",
            "Units by state",
            "Collector lag",
            "Firing alerts",
        ]
    )


def test_panels_fill_the_grid_without_overlap():
    """24 columns, each panel in a place of its own."""
    for one, other in combinations([panel["gridPos"] for panel in DASHBOARD["panels"]], 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in PANELS)


def test_the_same_choices_give_the_same_bytes():
    """A dashboard under version control changes when its meaning does."""
    assert dashboard_json(RuleSettings()) == dashboard_json(RuleSettings())


def test_the_objective_is_drawn_where_the_rules_have_it():
    """The dashed line and the alert speak of one figure."""
    document = dashboard_document(RuleSettings(objective=0.07))
    panel = next(
        each for each in document["panels"] if each["title"].endswith("against its objective")
    )
    assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"][-1]["value"] == 0.07
