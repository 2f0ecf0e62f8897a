"""The page to which an alert's `runbook_url` leads by default."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from sqlobs.monitoring.files import rules_document
from sqlobs.monitoring.settings import RuleSettings
from tests.console.browser import Browser

LINK = re.compile(r'href="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')


def test_every_alert_of_the_rule_file_has_its_part_before_anybody_logs_in(launch):
    rules = [rule for group in rules_document(RuleSettings())["groups"] for rule in group["rules"]]
    runbooks = [urlsplit(one["annotations"]["runbook_url"]) for one in rules if "alert" in one]
    assert runbooks
    [path] = {one.path for one in runbooks}
    browser = Browser(launch(auth__tokens={"alpha": {"read": ["alpha-read"]}}).admin)
    shown = browser.get(path)
    assert shown.status_code == 200
    assert {one.fragment for one in runbooks} <= set(ID.findall(shown.text))
    assert "<table>" in shown.text


def test_its_links_are_not_dead(launch):
    """Other files of the repository are not served: their names are text."""
    browser = Browser(launch().admin)
    shown = browser.get("/docs/alerts.md").text
    assert "alertmanager.yml" in shown
    [document] = re.findall(r"<article.*</article>", shown, re.DOTALL)
    links = LINK.findall(document)
    assert [one for one in links if not one.startswith(("https://", "http://", "#"))] == []
    assert {one[1:] for one in links if one.startswith("#")} <= set(ID.findall(document))
