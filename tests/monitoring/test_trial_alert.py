"""`sqlobs rules test-fire` through a real Alertmanager to a webhook."""

from __future__ import annotations

import pytest

from sqlobs.cli import main
from tests.collector.running import wait_until
from tests.monitoring.running import alertmanager, webhook
from tests.servers import free_port


@pytest.mark.slow
def test_the_alert_reaches_the_webhook_and_resolves(tmp_path, capsys):
    """With the labels of its place, the links of the rules, and no template left."""
    with webhook() as listener, alertmanager(tmp_path, webhook=listener.url) as address:
        fired = main(
            [
                *("rules", "test-fire", "--alertmanager", f"http://{address}", "--lasts", "2"),
                *("--set", "service_name=shop", "--label", "team=data"),
                *("--docs-url", "https://docs.example.com"),
            ]
        )
        assert fired == 0, capsys.readouterr().err
        told = wait_until(lambda: listener.told("SqlobsSchemaHallucination", "firing"), within_s=20)
        wait_until(lambda: listener.told("SqlobsSchemaHallucination", "resolved"), within_s=20)
    assert told.labels == {
        "alertname": "SqlobsSchemaHallucination",
        "severity": "page",
        "team": "data",
        "service_name": "shop",
        "deployment_environment_name": "test",
        "sqlobs_workflow": "test",
    }
    assert told.annotations["summary"] == (
        "TEST: shop, workflow test: 100% of the SQL names tables or columns that do not exist"
    )
    assert told.annotations["runbook_url"] == (
        "https://docs.example.com/alerts.md#sqlobsschemahallucination"
    )
    assert not any("{{" in text for text in told.annotations.values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--alert", "SqlobsCst"), "--alert SqlobsCst: no such alert; did you mean SqlobsCost?"),
        (("--set", "shop"), "--set shop: write NAME=VALUE, such as team=data"),
        (("--lasts", "0"), "--lasts 0 must be above 0 and at most 86400"),
        (
            ("--docs-url", "docs"),
            "docs URL docs: write an absolute URL such as https://host/path",
        ),
    ],
)
def test_an_option_that_is_not_possible_is_one_sentence(options, said, capsys):
    """With exit code 2."""
    assert main(["rules", "test-fire", "--alertmanager", "http://127.0.0.1:1", *options]) == 2
    assert capsys.readouterr().err == f"sqlobs rules: {said}\n"


def test_an_alertmanager_that_does_not_answer_is_one_sentence(capsys):
    """With exit code 2."""
    url = f"http://127.0.0.1:{free_port()}"
    assert main(["rules", "test-fire", "--alertmanager", url]) == 2
    said = f"sqlobs rules: cannot reach Alertmanager at {url}: [Errno 111] Connection refused\n"
    assert capsys.readouterr().err == said
