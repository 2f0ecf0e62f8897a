"""The generated rules: every name is the contract's, and promtool's verdict on them."""

from __future__ import annotations

import subprocess

import pytest
import yaml

from sqlobs.errors import InputError
from sqlobs.monitoring.files import RULE_TESTS, RULES, SLOW_RULE_TESTS, generate, rules_document
from sqlobs.monitoring.objectives import Objectives
from sqlobs.monitoring.settings import RuleSettings
from tests.monitoring import side_by_side
from tests.monitoring.expressions import OF_PROMETHEUS, known_series, selectors
from tests.servers import installed

RULES_OF_ALL = [
    rule for group in rules_document(RuleSettings())["groups"] for rule in group["rules"]
]
RECORDED = {rule["record"] for rule in RULES_OF_ALL if "record" in rule}
ALERTS = {rule["alert"]: rule for rule in RULES_OF_ALL if "alert" in rule}


@pytest.mark.parametrize(
    "rule", RULES_OF_ALL, ids=lambda rule: rule.get("alert", rule.get("record"))
)
def test_a_rule_reads_only_series_and_labels_that_exist(rule):
    """A misspelled name would be an alert that can never fire."""
    known = known_series()
    for selector in selectors(rule["expr"]):
        assert selector.name in known.keys() | RECORDED | OF_PROMETHEUS
        labels = known.get(selector.name)
        if labels is not None:
            assert {matcher.name for matcher in selector.matchers.matchers} <= labels


def test_every_recorded_series_is_recorded_once():
    """Two rules under one name would mix their samples."""
    names = [rule["record"] for rule in RULES_OF_ALL if "record" in rule]
    assert sorted(names) == sorted(RECORDED)


@pytest.mark.parametrize(
    ("objective", "thresholds"),
    [(0.02, (0.288, 0.12, 0.06, 0.02)), (0.1, (0.5, 0.5, 0.3, 0.1)), (0.5, (0.5, 0.5, 0.5, 0.5))],
)
def test_a_large_objective_keeps_thresholds_that_a_rate_can_reach(objective, thresholds):
    """Burn factors stop at a rate of one half: 14.4 times 10 % would be more than all."""
    settings = RuleSettings(Objectives(schema_hallucination=objective))
    assert tuple(settings.threshold(burn) for burn in (14.4, 6, 3, 1)) == pytest.approx(thresholds)


@pytest.mark.parametrize(
    ("scale", "seconds", "written"),
    [(1, 3600, "1h"), (1, 5400, "90m"), (0.01, 3600, "36s"), (0.01, 30, "300ms"), (1, 86400, "1d")],
)
def test_a_duration_is_written_exactly(scale, seconds, written):
    """In the largest unit that divides it, at the chosen scale."""
    assert RuleSettings(scale=scale).duration(seconds) == written


@pytest.mark.parametrize(
    "wrong",
    [{"scale": 0}, {"scale": 60}, {"job": ""}, {"job": 'a"b'}, {"labels": {"a-b": "c"}},
     {"labels": {"severity": "page"}}],
    ids=str,
)  # fmt: skip
def test_an_invalid_choice_is_rejected(wrong):
    """One sentence, before anything is written."""
    with pytest.raises(InputError):
        RuleSettings(**wrong)


def test_every_alert_says_what_to_do(repository):
    """A summary, a description, and a section of the page on alerts."""
    page = (repository / "docs" / "alerts.md").read_text()
    assert sorted(ALERTS) == sorted(
        line.removeprefix("## ") for line in page.splitlines() if line.startswith("## Sqlobs")
    )
    for name, rule in ALERTS.items():
        said = rule["annotations"]
        assert {"summary", "description", "runbook_url", "dashboard_url", "console_url"} <= {*said}
        assert said["runbook_url"] == f"http://localhost:4319/docs/alerts.md#{name.lower()}"
        assert said["dashboard_url"].startswith("http://localhost:3000/d/sqlobs-")
        assert said["console_url"].startswith("http://localhost:4319/")
        assert ("&at={{" in said["console_url"]) == ("labels=" in said["console_url"])


def test_rules_at_another_scale_come_without_their_unit_tests():
    """The tests tell of hours; Prometheus' own five minutes of staleness do not scale."""
    assert RULE_TESTS not in generate(RuleSettings(scale=0.01))


def test_promtool_finds_no_flaw_in_the_rules(tmp_path):
    """Syntax, templates and names."""
    (tmp_path / RULES).write_text(generate(RuleSettings())[RULES])
    command = [installed("promtool"), "check", "rules", RULES]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("group", side_by_side.GROUPS)
def test_alerts_fire_in_their_histories_and_no_others(group):
    """What fires when, and what does not; `side_by_side` as a program runs each history alone."""
    assert not side_by_side.differences(group)


def test_every_history_is_in_one_group():
    """None is left out."""
    found = [case.name for group in side_by_side.GROUPS.values() for case in group()[0]]
    written = generate(RuleSettings())
    documents = [yaml.safe_load(written[name]) for name in (RULE_TESTS, SLOW_RULE_TESTS)]
    assert sorted(found) == sorted(one["name"] for each in documents for one in each["tests"])
