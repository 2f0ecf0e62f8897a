"""A collector that has something to show on every page, with texts of the test's choice."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from sqlobs.judge.replay import ChatReply, ChatRequest, serving
from sqlobs.schema.model import Schema
from tests.collector import records
from tests.collector.running import RunningCollector, wait_until
from tests.collector.test_golden import Client, identity
from tests.collector.test_units import send, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id INTEGER, region TEXT, total REAL);", dialect="sqlite"
)
PASSED, INVENTED, JUDGED = range(1, 13), range(101, 105), range(201, 207)
MODELS = ("qwen2.5-coder", "gpt-4o")
_QUESTION = "What was the revenue of the region?"


def as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Scene:
    """A running collector, and the addresses of its pages by name."""

    collector: RunningCollector
    client: Client
    addresses: dict[str, str]


@contextmanager
def playing(launch, shop: Path, say: Callable[[str], str] = as_it_is, **settings) -> Iterator:
    """Run a collector with a judge on the shop, and send it requests whose texts `say` makes."""

    def reply(request: ChatRequest) -> ChatReply:
        is_correct = "count(*)" in request.fields["predicted_sql"]
        return ChatReply(json.dumps({"reasoning": say("It counts."), "correct": is_correct}))

    with serving(reply) as judge:
        collector = launch(
            targets={"shop": {"url": f"sqlite:///{shop}", "default": True}},
            judge__base_url=judge.base_url,
            judge__model="gpt-4o",
            judge__categories=False,
            evaluate__metrics={"*": ["execution", "ex", "flex"]},
            console__links={"Jaeger": "http://jaeger.example/trace/{trace_id}"},
            **settings,
        )
        client = Client(collector)
        _send(collector, client, say)
        addresses = _decide(client, say)
        wait_until(lambda: _is_evaluated(client), within_s=120)  # corrections are run again
        yield Scene(collector, client, addresses)


def _send(collector: RunningCollector, client: Client, say: Callable[[str], str]) -> None:
    httpx.put(
        f"{collector.http}/v1/schemas/{SCHEMA.version}",
        content=SCHEMA.to_json().encode(),
        headers={"Content-Type": "application/json"},
    )
    made = [
        *(_passed(number, say) for number in PASSED),
        *(_invented(number, say) for number in INVENTED),
        *(_judged(number, say) for number in JUDGED),
        _feedback(INVENTED[-1], say),
    ]
    send(collector, records.logs(*made))

    wait_until(lambda: _is_settled(client), within_s=120)


def _is_settled(client: Client) -> bool:
    """Return whether everything is evaluated, judged and added up."""
    flex = next(one for one in client.get("/v1/judges")["judges"] if one["name"] == "flex")
    corrected = client.get(f"/v1/requests/{identity(INVENTED[-1])[3:]}")["evaluations"]
    return (
        _is_evaluated(client)
        and flex["passed"] + flex["failed"] == len(JUDGED)
        and "correction" in {one["metric"] for one in corrected}
        and len(client.get("/v1/overview?since=7d")["deploys"]) > 0
    )


def _is_evaluated(client: Client) -> bool:
    return all(one["state"] == "done" for one in client.get("/v1/units")["units"])


def _passed(number: int, say: Callable[[str], str]) -> dict[str, object]:
    """An answered request, 100 seconds before the next one."""
    return _asked(
        number,
        {
            "sqlobs.question.text": say(f"How many orders are there in region {number}?"),
            "sqlobs.query.text": f"SELECT count(*) FROM orders WHERE id = {number}",
        },
        sqlobs__verdict="ok",
        sqlobs__schematic=True,
    )


def _invented(number: int, say: Callable[[str], str]) -> dict[str, object]:
    """A failed request with two attempts, each with an invented column."""
    name, sql = say("totals"), say("SELECT sum(totals)\nFROM orders\nWHERE region = 'north'")
    flaw = {
        "code": "schema.unknown_column",
        "message": say('Unknown column "totals" in "orders".'),
        "name": name,
        "suggestion": say("total"),
        "line": 1,
        "column": 12,
    }
    attempts = [
        {"number": one, "verdict": "failed", "sql": sql, "findings": [flaw]} for one in (1, 2)
    ]
    return _asked(
        number,
        {
            "sqlobs.question.text": say(_QUESTION),
            "sqlobs.query.text": sql,
            "sqlobs.attempt.texts": json.dumps(attempts),
            "sqlobs.hint.text": say("Revenue is the sum of all totals."),
        },
        sqlobs__verdict="failed",
        sqlobs__schematic=False,
        sqlobs__attempts=2,
        sqlobs__failure__code="schema.unknown_column",
        sqlobs__failure__codes=["schema.unknown_column"],
        sqlobs__hallucinated__columns=[name],
        sqlobs__suggestions=[f"{name} -> {say('total')}"],
        sqlobs__retrieval__duration=0.12,
        sqlobs__llm__duration=0.9,
        sqlobs__check__duration=0.004,
        sqlobs__execution__status="error",
        error__type=say("OperationalError"),
        sqlobs__tenant=say("acme"),
        gen_ai__conversation__id="conversation-1",
    )


def _judged(number: int, say: Callable[[str], str]) -> dict[str, object]:
    """A request with a reference; its result equals the reference's for even numbers."""
    text = say("north").replace("'", "''")
    count = f"SELECT '{text}' AS region, count(*) FROM orders"
    return _asked(
        number,
        {
            "sqlobs.question.text": say(f"How many orders, {number}?"),
            "sqlobs.query.text": count if number % 2 == 0 else f"SELECT '{text}' FROM orders",
            "sqlobs.reference.query.text": count,
        },
        sqlobs__verdict="ok",
        sqlobs__schematic=True,
    )


def _asked(number: int, body: dict[str, str], **named: object) -> dict[str, object]:
    return unit(
        number,
        at_ns=time.time_ns() - (number % 100) * 100 * 10**9 - 10**9,
        body=body,
        sqlobs__workflow="answer",
        sqlobs__outcome="answered",
        sqlobs__syntactic=True,
        sqlobs__query__capture="raw",
        sqlobs__schema__version=SCHEMA.version,
        sqlobs__generation__duration=0.4 * (1 + number % 5),
        sqlobs__usage__cost=0.0021,
        gen_ai__request__model=MODELS[number % 2],
        gen_ai__prompt__version=f"v{1 + number % 2}",
        **named,
    )


def _feedback(number: int, say: Callable[[str], str]) -> dict[str, object]:
    return records.log(
        number,
        event="gen_ai.evaluation.result",
        at_ns=time.time_ns(),
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        gen_ai__evaluation__explanation=say("That is not our revenue."),
        sqlobs__feedback__kind="edit",
        sqlobs__feedback__value="corrected",
        sqlobs__feedback__query__text=say("SELECT sum(total) FROM orders"),
    )


def _decide(client: Client, say: Callable[[str], str]) -> dict[str, str]:
    """Decide in every way that pages show; returns the pages' addresses."""
    sql = say("SELECT sum(total) FROM orders")
    case = client.promote(INVENTED[0], "corrected", sql=sql)["case"]["id"]
    client.post(f"/v1/golden/{case}/run")
    client.ask("POST", "/v1/views", json={"name": say("North")[:100], "query": "verdict=failed"})
    group = client.get("/v1/failures")["groups"][0]
    kept = {name: group[name] for name in ("failure_code", "name", "model", "prompt_version")}
    decision = {**kept, "status": "acknowledged", "assignee": say("ada")[:200]}
    client.ask("POST", "/v1/failures", json={**decision, "note": say("Prompt is fixed.")})
    wrong = {"generation_id": identity(JUDGED[0]), "evaluation": "flex", "author": "ada"}
    client.ask("POST", "/v1/review/wrong", json={**wrong, "critique": say("It does count.")})
    client.ask("POST", "/v1/review/sample", json={"count": len(JUDGED), "labels": 2})
    for rater, is_correct in (("ada", True), ("grace", False)):
        form = {"rater": rater}
        item = client.ask("POST", "/v1/review/next", json=form).json()["task"]["item_id"]
        label = {**form, "is_correct": is_correct, "critique": say("The join is missing.")}
        client.ask("POST", f"/v1/review/{item}/label", json=label)
    return {
        "runbook": "/docs/alerts.md#sqlobslatency",
        "overview": "/?since=1h&by=model",
        "overview-filtered": "/?since=7d&workflow=answer&rate=sql_correctness",
        "overview-empty": "/?since=1h&workflow=nobody",
        "failures": "/failures?since=24h",
        "requests": "/requests?since=24h",
        "requests-empty": "/requests?q=nobody",
        "request": f"/requests/{identity(INVENTED[-1])[3:]}",
        "request-judged": f"/requests/{identity(JUDGED[0])[3:]}",
        "compare": "/compare?by=model&before=gpt-4o&now=qwen2.5-coder",
        "golden": "/golden",
        "golden-case": f"/golden/{case}",
        "review": "/review?rater=linus",
        "judges": "/judges",
        "settings": "/settings?probe=true",
        "problem": "/nothing",
    }
