"""Daily budgets of the judge by workspace: one that is spent stops no other workspace."""

from __future__ import annotations

import json
import re
import time

import pytest

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import Amount, BudgetLimits
from sqlobs.judge.replay import ChatReply, serving
from sqlobs_collector.config import load
from sqlobs_collector.judging.ledger import StoreLedger
from sqlobs_collector.store.judge_budget import JudgeBudgetReader, WorkspaceUsage
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.stores import on_both
from tests.collector.test_golden import TOKENS, Client
from tests.collector.test_units import send, unit

both = on_both()
DAY = "2026-01-31"
ENDPOINT = {"judge.base_url": "http://127.0.0.1:1/v1", "judge.model": "a-judge"}


@pytest.fixture
def store(tmp_path, both):
    engine = both.open(tmp_path)
    yield Store(engine), JudgeBudgetReader(engine)
    engine.dispose()


def test_each_workspace_has_its_own_sums_beside_those_of_all(store):
    """A debit that does not fit changes nothing; the sums of all are what older collectors know."""
    writing, reader = store
    shared, alpha, beta = (StoreLedger(writing, name) for name in (None, "alpha", "beta"))
    limits = BudgetLimits(tokens=100)
    assert alpha.debit(DAY, Amount(90, 5), limits)
    assert not alpha.debit(DAY, Amount(11, 5), limits)
    assert beta.debit(DAY, Amount(100, 0), limits)
    assert shared.debit(DAY, Amount(190, 5), BudgetLimits(usd=1))
    alpha.settle(DAY, Amount(-40, -1))
    assert alpha.debit("2026-02-01", Amount(100, 0), limits)
    with writing.writing() as writer:
        writer.judge_budget.stopped(DAY, "alpha", "workspace_budget")
        for _ in range(2):
            writer.judge_budget.stopped(DAY, "gamma", "budget")
    assert alpha.used(DAY) == Amount(50, 4)
    assert reader.used(DAY) == (190, 5)
    assert [reader.of(DAY, name) for name in ("alpha", "beta", "gamma", "delta")] == [
        WorkspaceUsage(50, 4, beyond_own=1),
        WorkspaceUsage(100, 0),
        WorkspaceUsage(beyond_shared=2),
        WorkspaceUsage(),
    ]


def test_a_workspace_without_settings_has_no_budget_of_its_own():
    """Each setting alone; the usual rate unless it has its own."""
    judge = load(
        None,
        environ={},
        flags={
            **ENDPOINT,
            "auth.workspaces": ["alpha", "beta"],
            "judge.rate": 0.5,
            "judge.workspaces": {"alpha": {"daily_tokens": 10}, "beta": {"rate": 0.1}},
        },
    ).judge
    assert [judge.limits_of(name) for name in ("alpha", "beta", "default")] == [
        BudgetLimits(tokens=10),
        *[BudgetLimits()] * 2,
    ]
    assert [judge.rate_of(name) for name in ("alpha", "beta", "default")] == [0.5, 0.1, 0.5]


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ({"daily_usd": 1}, "a budget in USD needs the price of a-judge: give it in `prices`"),
        ({"daily_tokens": -1}, "judge.workspaces.alpha.daily_tokens: Input should be greater"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_rejected(own, sentence):
    flags = {**ENDPOINT, "auth.workspaces": ["alpha"], "judge.workspaces": {"alpha": own}}
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        load(None, environ={}, flags=flags)


def _asked(number):
    body = {
        "sqlobs.query.text": f"SELECT count(*) + {number} FROM orders",
        "sqlobs.question.text": "How many orders?",
        "sqlobs.reference.query.text": "SELECT count(*) FROM orders",
    }
    named = {"sqlobs__query__capture": "raw", "sqlobs__dialect": "sqlite"}
    return records.logs(unit(number, body=body, at_ns=time.time_ns(), **named))


def _flex(client):
    found = [one for one in client.get("/v1/judges")["judges"] if one["name"] == "flex"]
    return {name: found[0][name] for name in ("failed", "not_evaluated")} if found else {}


def test_a_workspace_that_has_spent_its_budget_stops_no_other(launch, shop):
    """Every question of the other is judged; metrics, JSON and page agree on what was stopped."""

    def wrong(_):
        return ChatReply(json.dumps({"reasoning": "No.", "correct": False}))

    with serving(wrong) as server:
        collector = launch(
            targets={
                "shop": {
                    "url": f"sqlite:///{shop}",
                    "default": True,
                    "workspaces": list(TOKENS),
                }
            },
            auth__tokens=TOKENS,
            judge={
                "base_url": server.base_url,
                "model": "a-judge",
                "categories": False,
                "daily_tokens": 10_000_000,
                "workspaces": {"alpha": {"daily_tokens": 100}},
            },
        )
        alpha, beta = (Client(collector, f"{name}-out") for name in ("alpha", "beta"))
        for number in range(1, 13):
            name = ("alpha", "beta")[number % 2]
            send(collector, _asked(number), Authorization=f"Bearer {name}-in")
        wait_until(lambda: _flex(beta) == {"failed": 6, "not_evaluated": 0}, within_s=30)
        wait_until(lambda: _flex(alpha) == {"failed": 0, "not_evaluated": 6}, within_s=30)
        budgets = [one.get("/v1/judges") for one in (alpha, beta)]
        page = alpha.ask("GET", "/judges").text
        metrics = {name: client.ask("GET", "/metrics").text for name, client in (
            ("alpha", alpha), ("beta", beta))}  # fmt: skip
    spent, free = (one["workspace_budget"] for one in budgets)
    assert spent == {
        "used_usd": 0.0,
        "daily_usd": None,
        "used_tokens": 0,
        "daily_tokens": 100,
        "stopped": {"workspace_budget": 6, "budget": 0},
    }
    assert free["stopped"] == {"workspace_budget": 0, "budget": 0}
    assert free["used_tokens"] == budgets[0]["budget"]["used_tokens"] > 0
    assert "budget is used up: 6." in page
    stopped = (
        r'sqlobs_collector_judge_stopped_questions\{[^}]*reason="workspace_budget"[^}]*\} (\S+)'
    )
    assert [re.findall(stopped, metrics[name]) for name in ("alpha", "beta")] == [["6.0"], ["0.0"]]
    rest = r'sqlobs_collector_budget_remaining\{[^}]*workspace="alpha"[^}]*\} (\S+)'
    assert [re.findall(rest, metrics[name]) for name in ("alpha", "beta")] == [["100.0"], []]
