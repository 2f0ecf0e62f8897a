"""The file of objectives, and what it changes in the rules."""

from __future__ import annotations

import pytest
import yaml

from sqlobs.errors import InputError
from sqlobs.monitoring.files import GRAFANA_ALERTS, PROMETHEUS_RULE, RULES, generate, rules_document
from sqlobs.monitoring.objectives import Objectives, objectives_of, read_objectives
from sqlobs.monitoring.settings import Links, RuleSettings


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"shema_hallucination": 0.02}, "unknown key shema_hallucination. Did you mean schema_hall"),
        ({"syntax_failures": 2}, "write 2 % as 0.02"),
        ({"workflows": [{"schedule": {}}]}, "workflows.0.workflow is missing"),
        ({"workflows": [{"workflow": "a", "schedule": {"start": "03:00", "end": "01:00"}}]},
         "end must be later than start"),
        ([], "must contain a mapping of objectives"),
    ],
    ids=str,
)  # fmt: skip
def test_an_invalid_value_gives_one_sentence_with_the_valid_form(document, said):
    """With the file's name, and without pydantic's own layout."""
    with pytest.raises(InputError) as raised:
        objectives_of(document, origin="objectives.yaml")
    message = str(raised.value)
    assert message.startswith("objectives.yaml")
    assert said in message
    assert "\n" not in message


def test_the_file_of_the_page_is_the_default(repository, tmp_path):
    """Apart from its exceptions for one workflow."""
    page = (repository / "docs" / "alerts.md").read_text()
    path = tmp_path / "objectives.yaml"
    path.write_text(page.partition("```yaml\n")[2].partition("```")[0])
    objectives = read_objectives(path)
    assert objectives.model_copy(update={"workflows": ()}) == Objectives()
    assert [each.workflow for each in objectives.workflows] == ["nightly"]


def test_a_workflow_has_objectives_and_a_schedule_of_its_own():
    """Its objective comes first, and outside its hours silence is no alert."""
    own = {
        "workflow": "nightly",
        "schema_hallucination": 0.1,
        "schedule": {"days": ["mon"], "start": "01:00", "end": "03:00"},
    }
    objectives = objectives_of({"workflows": [own]}, origin="")
    rules = {
        rule.get("record") or rule["alert"]: rule["expr"]
        for group in rules_document(RuleSettings(objectives))["groups"]
        for rule in group["rules"]
    }
    objective = rules["workflow:sqlobs_schema_hallucination:objective"]
    first, rest = objective.split("\nor\n")
    assert 'sqlobs_workflow="nightly"' in first
    assert first.endswith("+ 0.1")
    assert rest.endswith("+ 0.02")
    assert "day_of_week() == 1" in rules["SqlobsNoTraffic"]


def test_all_forms_have_the_same_alerts_with_labels_and_links():
    """Prometheus' file, the operator's resource, and Grafana's provisioning."""
    settings = RuleSettings(labels={"team": "data"}, links=Links(docs="https://docs.example.com"))
    plain = yaml.safe_load(generate(settings)[RULES])
    operator = yaml.safe_load(generate(settings, "kubernetes")[PROMETHEUS_RULE])
    grafana = yaml.safe_load(generate(settings, "grafana")[GRAFANA_ALERTS])
    assert operator["spec"] == plain
    assert operator["kind"] == "PrometheusRule"
    alerts = [rule for group in plain["groups"] for rule in group["rules"] if "alert" in rule]
    provisioned = [rule for group in grafana["groups"] for rule in group["rules"]]
    assert [rule["title"] for rule in provisioned] == [rule["alert"] for rule in alerts]
    assert len({rule["uid"] for rule in provisioned}) == len(alerts)
    for rule in (*alerts, *provisioned):
        assert rule["labels"]["team"] == "data"
        assert rule["annotations"]["runbook_url"].startswith("https://docs.example.com/alerts.md#")
    recordings = yaml.safe_load(generate(settings, "grafana")[RULES])
    assert all("record" in rule for group in recordings["groups"] for rule in group["rules"])
