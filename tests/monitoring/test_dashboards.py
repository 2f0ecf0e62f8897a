"""The generated dashboards: Grafana's schemas, the contract's names, and a layout without holes."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import jsonschema
import pytest
from inline_snapshot import snapshot

from sqlobs.monitoring.dashboards.pages import dashboard_files, dashboards
from sqlobs.monitoring.settings import RuleSettings
from sqlobs.semconv.collector import COLLECTOR_METRICS
from sqlobs.semconv.metrics import METRICS
from tests.monitoring.expressions import OF_PROMETHEUS, known_series, selectors, substituted

DASHBOARDS = dashboards(RuleSettings())
PANELS = {
    f"{uid} {panel['title']}": panel
    for uid, document in DASHBOARDS.items()
    for panel in document["panels"]
    if panel["type"] != "row"
}
QUERIES = {
    f"{name} {target['refId']}": target["expr"]
    for name, panel in PANELS.items()
    for target in panel["targets"]
} | {
    f"{uid} {annotation['name']}": annotation["expr"]
    for uid, document in DASHBOARDS.items()
    for annotation in document["annotations"]["list"]
}
LEFT_OUT = {
    "sqlobs_start_time_seconds": "a label of the other counters' births, not a figure",
    "sqlobs_collector_journal_lost_requests": "its records are shown",
}
"""Metrics on no panel, and why."""


def schema(name):
    path = Path(__file__).parent / "grafana_schemas" / f"{name}.jsonschema.json"
    found = json.loads(path.read_text())
    if (
        name == "dashboard"
    ):  # Grafana's own kind allows any value; the generated schema, objects alone
        found["definitions"]["MatcherConfig"]["properties"]["options"] = {}
        found["definitions"]["DynamicConfigValue"]["properties"]["value"] = {}
    return found


def errors(document, of, definition=None):
    found = schema(of)
    if definition is not None:
        found = {**found, "$ref": f"#/definitions/{definition}"}
    return [
        f"{error.json_path}: {error.message}" for error in validator(found).iter_errors(document)
    ]


def validator(found):
    return jsonschema.validators.validator_for(found)(found)


@pytest.mark.parametrize("document", DASHBOARDS.values(), ids=DASHBOARDS)
def test_a_dashboard_is_valid_by_grafanas_schema(document):
    """The schema allows no key that Grafana does not know."""
    assert errors(document, "dashboard") == []


def test_a_broken_dashboard_is_not():
    """The schemas that hold ours refuse a misspelled key and a wrong type."""
    broken = json.loads(json.dumps(DASHBOARDS["sqlobs-overview"]))
    broken["panels"][1]["titel"] = "x"
    broken["refresh"] = 30
    assert len(errors(broken, "dashboard")) >= 2


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_a_panel_is_valid_by_its_own_json_schema(panel):
    """Options, custom field settings and queries, which the dashboard's schema leaves open."""
    assert errors(panel.get("options", {}), panel["type"], "Options") == []
    custom = panel.get("fieldConfig", {}).get("defaults", {}).get("custom")
    if custom is not None:
        assert errors(custom, panel["type"], "FieldConfig") == []
    for target in panel["targets"]:
        assert errors(target, "prometheus") == []


@pytest.mark.parametrize("expression", QUERIES.values(), ids=QUERIES)
def test_a_query_reads_only_series_and_labels_that_exist(expression):
    """A misspelled name would be a panel that stays empty."""
    known = known_series()
    for selector in selectors(substituted(expression)):
        assert selector.name in known.keys() | OF_PROMETHEUS
        labels = known.get(selector.name)
        if labels is not None:
            assert {matcher.name for matcher in selector.matchers.matchers} <= labels


def test_every_metric_is_on_a_panel_or_left_out_for_a_reason():
    """What is emitted is looked at."""
    shown = {
        selector.name.removesuffix("_bucket")
        for name, expression in QUERIES.items()
        if name in {f"{panel} {letter}" for panel in PANELS for letter in "ABCDEFGH"}
        for selector in selectors(substituted(expression))
    }
    emitted = {metric.prometheus_name for metric in METRICS.values()} | set(COLLECTOR_METRICS)
    births = set(LEFT_OUT) & shown
    assert emitted - (shown - births) == set(LEFT_OUT)


def test_panels_answer_the_questions_of_someone_on_call():
    """The overview is read in half a minute; the others say where to look."""
    overview = DASHBOARDS["sqlobs-overview"]
    assert [panel["title"] for panel in overview["panels"]] == snapshot(
        [
            "Healthy?",
            "Alerts firing",
            "Worst schema-hallucination rate, 1 h",
            "Worst failed share, 1 h",
            "Worst error share, 1 h",
            "Slowest p95, 1 h",
            "Cost",
            "Workflows, the worst first",
            "Workflows, the worst first",
            "Schema-hallucination rate against its objective",
            "Failed share",
            "Traffic and alerts",
            "Requests a minute",
            "Firing alerts",
        ]
    )
    assert {uid: document["title"] for uid, document in DASHBOARDS.items()} == snapshot(
        {
            "sqlobs-overview": "Text-to-SQL: overview",
            "sqlobs-quality": "Text-to-SQL: quality",
            "sqlobs-latency-cost": "Text-to-SQL: latency and cost",
            "sqlobs-correctness": "Text-to-SQL: correctness",
            "sqlobs-feedback-coverage": "Text-to-SQL: feedback and coverage",
            "sqlobs-collector": "Text-to-SQL: collector",
        }
    )


@pytest.mark.parametrize("document", DASHBOARDS.values(), ids=DASHBOARDS)
def test_panels_fill_the_grid_without_overlap(document):
    """24 columns, each panel in a place of its own."""
    for one, other in combinations([panel["gridPos"] for panel in document["panels"]], 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in document["panels"])


def test_the_panels_of_the_runbooks_exist(repository):
    """`docs/alerts.md` sends people to panels by their titles."""
    titles = {panel["title"] for panel in PANELS.values()}
    assert {"Latest failing workflows", "Failures, with their traces"} <= titles
    assert "*Latest failing workflows*" in (repository / "docs/alerts.md").read_text()


def test_the_same_choices_give_the_same_bytes():
    """A dashboard under version control changes when its meaning does."""
    assert dashboard_files(RuleSettings()) == dashboard_files(RuleSettings())


@pytest.mark.parametrize("document", DASHBOARDS.values(), ids=DASHBOARDS)
def test_dashboards_share_variables_annotations_and_links(document):
    """A step from one to the next keeps what was selected; releases and alerts are on all."""
    names = [variable["name"] for variable in document["templating"]["list"]]
    assert names == [
        *("datasource", "traces", "environment", "service", "workflow", "model"),
        *("prompt_version", "window", "resolution"),
    ]
    assert [one["name"] for one in document["annotations"]["list"]] == ["Deployments", "Alerts"]
    [link] = document["links"]
    assert (link["tags"], link["includeVars"], link["keepTime"]) == (["sqlobs"], True, True)


@pytest.mark.parametrize("title", ["Verdict mix", "Requests a minute"])
def test_colors_are_bound_to_names(title):
    """Red is what failed, whatever series there are."""
    [panel] = [panel for panel in PANELS.values() if panel["title"] == title]
    colors = {
        re.sub(r"\W|\^", "", one["matcher"]["options"]): each["value"]["fixedColor"]
        for one in panel["fieldConfig"]["overrides"]
        for each in one["properties"]
    }
    assert colors[{"Verdict mix": "failed"}.get(title, "error")] == "red"
    assert colors[{"Verdict mix": "ok"}.get(title, "answered")] == "green"


def test_graphs_have_no_points_closer_than_the_export():
    """Else a window has no export, or one too many."""
    graphs = [panel for panel in PANELS.values() if panel["type"] == "timeseries"]
    intervals = {target["interval"] for panel in graphs for target in panel["targets"]}
    assert intervals == {"${resolution}s"}


def test_the_objective_is_drawn_where_the_rules_have_it():
    """The dashed line and the alert speak of one figure."""
    drawn = [
        panel["fieldConfig"]["defaults"]["thresholds"]["steps"][-1]["value"]
        for panel in PANELS.values()
        if panel["title"].endswith("against its objective")
    ]
    assert drawn == [RuleSettings().objective] * 2
