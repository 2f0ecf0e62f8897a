"""The way to a model, over real HTTP: limits, failures, formats, cache and budget."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import sys
import threading
import time

import pytest

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.account import Account, Budget
from sqlobs.judge.endpoint.budget import Amount, BudgetLimits, MemoryLedger
from sqlobs.judge.endpoint.config import EndpointConfig
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.many import judge_all
from sqlobs.judge.replay import ChatReply, completion, serving
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.prices import Price
from tests.judge.servers import StillClock, config, item, judged, script, verdict


def _flex(items, respond, **changes):
    return judged(FlexJudge, items, respond, **changes)


def _told(judgment):
    return judgment.label, judgment.reason, judgment.explanation


def test_a_verdict_comes_with_everything_it_took():
    """Label, score, model, prompt, tokens and price stand on the judgment."""
    (found,), (request,) = _flex(
        [item(case_id="7")], script(verdict(False)), prices={"recorded": Price(2.0, 10.0)}
    )
    assert (found.name, found.label, found.score, found.decided_by) == (
        "flex",
        "fail",
        0.0,
        "judge",
    )
    assert (found.explanation, found.model, found.case_id) == ("Because.", "recorded", "7")
    assert (found.prompt_version, len(found.prompt_digest)) == ("flex_equal.v1", 64)
    usage = completion(request.document, found.text)["usage"]
    assert (found.usage.input_tokens, found.usage.output_tokens) == (
        usage["prompt_tokens"],
        usage["completion_tokens"],
    )
    cost = (usage["prompt_tokens"] * 2 + usage["completion_tokens"] * 10) / 1e6
    assert found.usage.cost_usd == pytest.approx(cost)
    assert found.usage.calls == 1


def test_results_are_shown_where_they_differ_only():
    """Equal: the strict criteria without results; different: the lenient ones with both."""
    pair = {"predicted_result": "| 1 |\nshape=(1, 1)", "reference_result": "| 2 |\nshape=(1, 1)"}
    _, (equal, different) = _flex(
        [item(**pair), item(results_equal=False, **pair)], script(verdict(True))
    )
    assert "predicted_result" not in equal.fields
    assert "reference_result" not in equal.fields
    assert different.fields["predicted_result"] == pair["predicted_result"]
    assert different.fields["reference_result"] == pair["reference_result"]
    assert equal.system != different.system


def test_a_statement_that_failed_is_incorrect_without_a_call():
    """Execution has decided: nobody is asked, nothing is paid."""
    (found,), requests = _flex([item(predicted_error="no such table: x")], script(verdict(True)))
    assert _told(found) == ("fail", None, "the statement did not run: no such table: x")
    assert (found.decided_by, requests) == ("execution", [])


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("question", "content_not_captured"),
        ("dialect", "no_dialect"),
        ("schema", "no_schema"),
        ("reference", "no_reference"),
        ("results_equal", "no_target"),
    ],
)
def test_what_lacks_something_is_not_evaluated(field, reason):
    """A verdict is never a guess: without its context there is none, and a reason is given."""
    (found,), requests = _flex([item(**{field: None})], script(verdict(True)))
    assert (found.label, found.reason, requests) == ("not_evaluated", reason, [])


FAILING = {
    "401": (
        ChatReply("bad key", 401),
        "judge_unavailable",
        "the endpoint rejects the API key (401); set a valid one",
        1,
    ),
    "402": (
        ChatReply("pay", 402),
        "judge_unavailable",
        "the endpoint requires payment (402); check the account",
        1,
    ),
    "403": (
        ChatReply("no", 403),
        "judge_unavailable",
        "the API key is not allowed to use the model or the endpoint (403)",
        1,
    ),
    "413": (
        ChatReply("big", 413),
        "too_large",
        "the request is too large for the endpoint (413)",
        1,
    ),
    "429": (
        ChatReply("slow down", 429),
        "judge_unavailable",
        "the endpoint's rate limit is exceeded (429)",
        4,
    ),
    "503": (
        ChatReply("later", 503),
        "judge_unavailable",
        "the endpoint returned status 503: 503 later",
        4,
    ),
    "no model": (
        ChatReply("no such model", 404),
        "judge_unavailable",
        "the endpoint has no model recorded, or base_url lacks its /v1 (404)",
        3,
    ),
    "no credit": (
        ChatReply("insufficient_quota", 429),
        "judge_unavailable",
        "the account has no credit left (insufficient_quota); add credit",
        1,
    ),
    "context": (
        ChatReply("maximum context length is 8192", 400),
        "too_large",
        "the endpoint returned status 400: 400 maximum context length is 8192",
        1,
    ),
    "garbage": (
        ChatReply("", raw=b"\x00\xff<html>"),
        "judge_malformed",
        "the endpoint's response cannot be read (JSONDecodeError)",
        4,
    ),
    "text": (
        ChatReply("", raw=b"hello", headers={"Content-Type": "text/plain"}),
        "judge_malformed",
        "the endpoint's response is not a chat completion",
        4,
    ),
    "other json": (
        ChatReply("", raw=b'{"hello": 1}'),
        "judge_malformed",
        "the endpoint's response is not a chat completion",
        4,
    ),
    "redirect": (
        ChatReply("", 307, headers={"Location": "http://127.0.0.1:9/v1"}),
        "judge_unavailable",
        "the endpoint returned status 307",
        1,
    ),
    "empty": (
        ChatReply(""),
        "judge_malformed",
        "neither of the model's two answers contains a readable verdict",
        2,
    ),
    "no verdict": (
        ChatReply("I think it is right"),
        "judge_malformed",
        "neither of the model's two answers contains a readable verdict",
        2,
    ),
}


@pytest.mark.parametrize(("reply", "reason", "sentence", "calls"), FAILING.values(), ids=FAILING)
def test_an_error_of_the_endpoint_gives_a_reason_and_a_sentence(reply, reason, sentence, calls):
    """Nothing raises; passing failures are tried again, lasting ones are not."""
    (found,), requests = _flex([item()], script(reply))
    assert _told(found) == ("not_evaluated", reason, sentence)
    assert len(requests) == calls


def test_an_unreachable_endpoint_is_reported():
    """A refused connection is retried, then told."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    (found,) = _asked(url)
    assert _told(found) == (
        "not_evaluated",
        "judge_unavailable",
        "the endpoint cannot be reached; check that it is up and that base_url is correct",
    )


def test_a_slow_endpoint_is_a_timeout():
    """The limit holds for the whole call, whatever trickles in."""
    release = threading.Event()

    def respond(request):
        release.wait(10)
        return verdict(True)

    with serving(respond) as server:
        (found,) = _asked(server.base_url, timeout_s=0.2, retries=0)
        release.set()
    assert _told(found) == ("not_evaluated", "timeout", "no answer within 0.2 s")


def test_an_untrusted_certificate_is_named_in_the_error(tmp_path):
    """The sentence says what to set; with the issuer named the call goes through."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [
            *"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(script(verdict(True))) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        url = server.base_url.replace("http:", "https:")
        (distrusted,) = _asked(url)
        (trusted,) = _asked(url, ca_file=str(certificate))
    assert _told(distrusted) == (
        "not_evaluated",
        "judge_unavailable",
        "the endpoint's certificate is not trusted; set ca_file to its issuer's certificate",
    )
    assert trusted.label == "pass"


def _asked(url, **changes):
    async def run():
        async with Endpoint(config(url, **changes), clock=StillClock()) as endpoint:
            return [await FlexJudge(endpoint).judge(item())]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "1500"}, 1.5),
        (
            {
                "Date": "Sat, 31 Jan 2026 10:00:00 GMT",
                "Retry-After": "Sat, 31 Jan 2026 10:00:09 GMT",
            },
            9.0,
        ),
    ],
)
def test_retry_after_is_honored(headers, waits):
    """Seconds, milliseconds or a date: the next call comes then, not earlier."""
    clock = StillClock()
    (found,), requests = _flex(
        [item()], script(ChatReply("slow", 429, headers), verdict(True)), clock=clock
    )
    assert (found.label, len(requests)) == ("pass", 2)
    assert sum(clock.slept) == pytest.approx(waits)


def test_a_retry_after_beyond_the_limit_ends_the_call():
    """Beyond `max_wait_s` the call is given up, and the calls after it do not hammer the server."""
    found, requests = _flex(
        [item(), item(question="And berth 8?")],
        script(ChatReply("slow", 429, {"Retry-After": "3600"})),
    )
    assert [judgment.explanation for judgment in found] == [
        "the endpoint's rate limit is exceeded (429)",
        "the endpoint asked for a pause longer than max_wait_s",
    ]
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("refused", "status"),
    [({"json_schema"}, 400), ({"json_schema"}, 500), ({"json_schema", "json_object"}, 422)],
)
def test_a_server_without_response_formats_gets_a_plain_request(refused, status):
    """json_schema, json_object, plain text: found out once, remembered afterward."""

    def respond(request):
        return ChatReply("no such format", status) if request.form in refused else verdict(True)

    found, requests = _flex([item(), item(question="Which boats?")], respond)
    assert [judgment.label for judgment in found] == ["pass", "pass"]
    forms = ["json_schema", "json_object", "text"][: len(refused) + 1]
    assert [request.form for request in requests] == [*forms, forms[-1]]


def test_parameters_that_a_model_does_not_take_are_left_out():
    """Reasoning models want max_completion_tokens and no temperature."""

    def respond(request):
        for name in ("max_tokens", "temperature"):
            if name in request.document:
                return ChatReply(f"Unsupported parameter: '{name}'", 400)
        return verdict(True)

    (found,), requests = _flex([item()], respond)
    assert found.label == "pass"
    assert requests[-1].document["max_completion_tokens"] == 2048
    assert requests[-1].form == "json_schema"


def test_an_unreadable_answer_is_asked_for_once_more():
    """The repair quotes nothing of the first answer, which may echo hostile data."""
    (found,), requests = _flex([item()], script(ChatReply("It is SOUND."), verdict(False)))
    assert (found.label, found.is_repaired, found.usage.calls) == ("fail", True, 2)
    assert "SOUND" not in requests[1].user
    assert len(requests) == 2


def test_the_breaker_opens_with_a_reason_and_closes_after_a_probe():
    """A refused key stops all calls at once; after the pause one call finds out."""
    clock = StillClock()

    async def run(server):
        async with Endpoint(config(server, breaker_pause_s=30), clock=clock) as endpoint:
            judge = FlexJudge(endpoint)
            first = await judge.judge(item())
            second = await judge.judge(item())
            clock.time += 31
            third = await judge.judge(item())
            return first, second, third

    with serving(script(ChatReply("bad key", 401), verdict(True))) as server:
        first, second, third = asyncio.run(run(server))
    assert first.explanation == "the endpoint rejects the API key (401); set a valid one"
    assert second.explanation == (
        "calls to the endpoint are paused for 30 s: the endpoint rejects the API key (401); set a valid one"
    )
    assert third.label == "pass"
    assert len(server.requests) == 2


def test_calls_per_minute_are_kept_by_waiting_or_refused():
    """Two a minute: the third waits for its minute where that is allowed, else it is rejected."""
    items = [item(question=f"Berth {number}?") for number in range(3)]
    clock = StillClock()
    found, _ = _flex(items, script(verdict(True)), calls_per_minute=2, clock=clock)
    assert [judgment.label for judgment in found] == ["pass"] * 3
    assert clock.slept == [60.0]
    found, _ = _flex(items, script(verdict(True)), calls_per_minute=2, max_wait_s=10)
    assert [judgment.reason for judgment in found] == [None, None, "budget"]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_budget_is_debited_before_and_settled_after_the_call(kind, tmp_path):
    """A call whose most could pass the limit is not made; what it really took is what counts."""
    ledger = SqliteStore(tmp_path / "judge.db") if kind == "sqlite" else None
    items = [item(question=f"Berth {number}?") for number in range(9)]
    found, requests = _flex(
        items,
        script(verdict(True)),
        ledger=ledger,
        budget=BudgetLimits(tokens=4000),
        max_output_tokens=500,
    )
    spent = sum(j.usage.input_tokens + j.usage.output_tokens for j in found)
    reasons = [judgment.reason for judgment in found]
    assert reasons == [None] * len(requests) + ["budget"] * (9 - len(requests))
    assert 0 < len(requests) < 9
    assert spent <= 4000
    if ledger is not None:
        assert ledger.used("2026-01-31") == Amount(spent, 0)
        ledger.close()


def test_debits_under_way_refuse_nothing_that_is_affordable():
    """The most of sixteen calls is beyond the budget, what sixty of two models take is not."""
    items = [item(question=f"Berth {number}?") for number in range(30)]

    async def run(server):
        account = Account(MemoryLedger())
        settings = {"budget": BudgetLimits(tokens=100_000), "max_output_tokens": 20_000}
        one, two = (
            Endpoint(config(server, model=model, **settings), ledger=account)
            for model in ("one", "two")
        )
        async with one, two:
            found = await asyncio.gather(
                *(judge_all(FlexJudge(asked), items, concurrency=16) for asked in (one, two))
            )
            return [judgment for judged in found for judgment in judged], two.used

    with serving(script(verdict(True))) as server:
        found, used = asyncio.run(run(server))
    assert [judgment.label for judgment in found] == ["pass"] * 60
    spent = sum(j.usage.input_tokens + j.usage.output_tokens for j in found)
    assert used == Amount(spent, 0)


def test_a_call_canceled_while_it_waits_for_the_budget_blocks_no_other_call():
    """The one behind it is called up in its place."""

    async def run():
        account, limits = Account(MemoryLedger()), BudgetLimits(tokens=10)
        assert await account.debit("run", Amount(10, 0), limits)
        first, second = (
            asyncio.create_task(account.debit("run", Amount(5, 0), limits)) for _ in range(2)
        )
        await asyncio.sleep(0)
        account.settle("run", Amount(-10, 0))
        first.cancel()
        taken = await second
        refused = asyncio.create_task(account.debit("run", Amount(6, 0), limits))
        await asyncio.sleep(0)
        account.settle("run", None)
        return first.cancelled(), taken, await refused, account.ledger.used("run")

    assert asyncio.run(run()) == (True, True, False, Amount(5, 0))


def test_a_budget_of_its_own_stops_only_the_calls_that_it_pays():
    """They use no slot of the rate limit, and give back what another budget was debited."""
    clock = StillClock()
    one, two = Account(MemoryLedger()), Account(MemoryLedger())

    async def run(server):
        limits = {"budget": BudgetLimits(tokens=4000), "max_output_tokens": 500}
        async with Endpoint(config(server, calls_per_minute=2, **limits), clock=clock) as endpoint:
            spent = endpoint.within(
                Budget(one, BudgetLimits(tokens=1), "workspace_budget", "alpha has spent its own")
            )
            rich = endpoint.within(Budget(two, BudgetLimits(tokens=10**6)))
            asked = [spent, spent, spent, rich, rich]
            found = [
                await FlexJudge(by).judge(item(question=f"Berth {number}?"))
                for number, by in enumerate(asked)
            ]
            rest = [await FlexJudge(rich).judge(item(question=f"{n}?")) for n in range(9)]
            return found, rest, endpoint.used

    with serving(script(verdict(True))) as server:
        found, rest, used = asyncio.run(run(server))
    refused = ("not_evaluated", "workspace_budget", "alpha has spent its own")
    assert [_told(judgment) for judgment in found[:3]] == [refused] * 3
    assert [judgment.label for judgment in found[3:]] == ["pass", "pass"]
    assert {judgment.reason for judgment in rest} == {None, "budget"}
    assert one.ledger.used("2026-01-31") == Amount(0, 0)
    assert two.ledger.used("2026-01-31") == used != Amount(0, 0)


def test_a_failed_call_is_not_paid():
    """A refusal of the server gives the debit back."""
    clock = StillClock()

    async def run(server):
        async with Endpoint(config(server), clock=clock) as endpoint:
            await FlexJudge(endpoint).judge(item())
            return endpoint.used

    with serving(script(ChatReply("no", 401))) as server:
        assert asyncio.run(run(server)) == Amount(0, 0)


def test_a_new_day_has_a_new_budget():
    """The window is a day of UTC."""
    clock = StillClock()

    async def run(server):
        limits = BudgetLimits(tokens=1500)
        async with Endpoint(
            config(server, budget=limits, max_output_tokens=100), clock=clock
        ) as endpoint:
            judge = FlexJudge(endpoint)
            labels = [(await judge.judge(item(question=f"{n}?"))).reason for n in range(2)]
            clock.today = "2026-02-01"
            labels.append((await judge.judge(item(question="3?"))).reason)
            return labels

    with serving(script(verdict(True))) as server:
        assert asyncio.run(run(server)) == [None, "budget", None]


def test_what_was_paid_for_is_not_asked_again(tmp_path):
    """After a kill the same run continues from its file; a cached judgment costs nothing."""
    items = [item(question=f"Berth {number}?") for number in range(3)]
    price = {"prices": {"recorded": Price(1, 1)}}
    with SqliteStore(tmp_path / "judge.db") as store:
        _, asked = _flex(items[:2], script(verdict(True)), cache=store, ledger=store, **price)
    with SqliteStore(tmp_path / "judge.db") as store:
        again, then = _flex(items, script(verdict(False)), cache=store, ledger=store, **price)
    assert [judgment.label for judgment in again] == ["pass", "pass", "fail"]
    assert [judgment.is_cached for judgment in again] == [True, True, False]
    assert [judgment.usage.cost_usd for judgment in again][:2] == [0.0, 0.0]
    assert (len(asked), len(then)) == (2, 1)


class _KilledStore(SqliteStore):
    """Ends before the cost of a reply is written, as a kill may."""

    def settle(self, window, difference):
        """Stand for the kill."""
        raise KeyboardInterrupt


def test_a_reply_is_stored_with_its_cost_or_not_at_all(tmp_path):
    """Its call then counts as interrupted: it is made again, and its cost is known."""
    path = tmp_path / "judge.db"
    with pytest.raises(KeyboardInterrupt), _KilledStore(path) as store:
        _flex([item()], script(verdict(True)), cache=store, ledger=store)
    with SqliteStore(path) as store:
        assert (store.total(), store.interrupted()) == (Amount(0, 0), 1)
        _, asked = _flex([item()], script(verdict(True)), cache=store, ledger=store)
        assert (len(asked), store.interrupted()) == (1, 1)
        assert store.total().tokens > 0


def test_equal_questions_at_once_are_one_call():
    """Who comes second waits for the first one's reply."""

    async def run(server):
        async with Endpoint(config(server)) as endpoint:
            judge = FlexJudge(endpoint)
            return await asyncio.gather(*(judge.judge(item()) for _ in range(8)))

    with serving(script(verdict(True))) as server:
        found = asyncio.run(run(server))
    assert len(server.requests) == 1
    assert sorted(judgment.is_cached for judgment in found) == [False] + [True] * 7


def test_no_more_calls_are_in_flight_than_allowed():
    """The bound on concurrency is the server's view."""
    running, most, lock = 0, 0, threading.Lock()

    def respond(request):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return verdict(True)

    async def run(server):
        async with Endpoint(config(server, concurrency=3)) as endpoint:
            judge = FlexJudge(endpoint)
            return await asyncio.gather(*(judge.judge(item(question=f"{n}?")) for n in range(12)))

    with serving(respond) as server:
        assert len(asyncio.run(run(server))) == 12
    assert most == 3


def test_a_canceled_call_does_not_break_the_endpoint():
    """Its slot is free again; its debit stays, since the server may bill it."""
    arrived, release = threading.Event(), threading.Event()

    def respond(request):
        if "slow" in request.fields["question"]:
            arrived.set()
            release.wait(10)
        return verdict(True)

    async def run(server):
        limits = BudgetLimits(tokens=100_000)
        async with Endpoint(config(server, concurrency=1, budget=limits)) as endpoint:
            judge = FlexJudge(endpoint)
            slow = asyncio.create_task(judge.judge(item(question="slow?")))
            await asyncio.to_thread(arrived.wait, 10)
            slow.cancel()
            await asyncio.wait([slow])
            debited = endpoint.used
            found = await judge.judge(item())
            release.set()
            return slow.cancelled(), debited.tokens > 0, found.label

    with serving(respond) as server:
        assert asyncio.run(run(server)) == (True, True, "pass")


def test_calls_of_sqlobs_are_hidden_from_instrumentation():
    """Within a call both suppression keys are set and the current span is not sampled."""
    from opentelemetry import context, trace

    from sqlobs.judge.endpoint.suppression import unobserved

    with unobserved():
        assert context.get_value(context._SUPPRESS_INSTRUMENTATION_KEY) is True
        assert context.get_value("suppress_instrumentation") is True
        assert not trace.get_current_span().get_span_context().trace_flags.sampled
    assert context.get_value(context._SUPPRESS_INSTRUMENTATION_KEY) is None


def test_a_schema_that_is_too_large_is_not_judged_in_part():
    """Too long a field is a reason, not a cut."""
    (found,), requests = _flex([item(schema="x" * 200_001)], script(verdict(True)))
    assert _told(found) == (
        "not_evaluated",
        "too_large",
        "schema exceeds the size limit (200001 characters)",
    )
    assert requests == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"base_url": "localhost:8000"},
            "the judge's base_url is not a URL; write it as https://host/v1",
        ),
        (
            {"base_url": "https://me:pw@host/v1"},
            "the judge's base_url contains a password; set the key as api_key",
        ),
        ({"model": ""}, "the judge needs a model; set `model`"),
        ({"concurrency": 0}, "the judge's concurrency must be at least 1"),
        ({"timeout_s": 0}, "the judge's timeout_s must be greater than 0"),
        ({"retries": -1}, "the judge's retries and max_wait_s must not be negative"),
        (
            {"budget": BudgetLimits(usd=1)},
            "a budget in USD needs the price of m: give it in `prices` (--judge-price)",
        ),
    ],
)
def test_wrong_configuration_is_an_error_at_once(changes, sentence):
    """The one thing that raises."""
    with pytest.raises(ConfigError) as caught:
        EndpointConfig(**{"base_url": "http://127.0.0.1/v1", "model": "m", **changes})
    assert str(caught.value) == sentence


def test_a_key_from_a_variable_must_be_there(monkeypatch):
    """`env:NAME` is read when the endpoint is made; keys are in no repr."""
    monkeypatch.delenv("BOAT_KEY", raising=False)
    made = EndpointConfig(base_url="http://127.0.0.1/v1", model="m", api_key="env:BOAT_KEY")
    with pytest.raises(ConfigError, match="environment variable BOAT_KEY is not set"):
        Endpoint(made)
    monkeypatch.setenv("BOAT_KEY", "secret")
    assert Endpoint(made).config.key == "secret"
    assert "BOAT_KEY" not in repr(made)


def test_the_key_travels_as_a_bearer_token():
    """As every OpenAI-compatible server expects."""
    _, (request,) = _flex([item()], script(verdict(True)), api_key="k-1")
    assert {name.lower(): text for name, text in request.headers.items()}[
        "authorization"
    ] == "Bearer k-1"


def test_a_store_that_is_no_database_is_refused(tmp_path):
    """One sentence, no traceback of sqlite3."""
    path = tmp_path / "judge.db"
    path.write_text(json.dumps({"no": "database"}) * 100)
    with pytest.raises(ConfigError, match="cannot be used: file is not a database"):
        SqliteStore(path)


_RUN = """
import asyncio, sys
from sqlobs.judge.endpoint.budget import BudgetLimits
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.judge.many import judge_all
from sqlobs.judge.endpoint.store import SqliteStore
from tests.judge.servers import config, item

async def main(url, path):
    items = [item(question=f"Berth {number}?") for number in range(60)]
    with SqliteStore(path) as store:
        limits = BudgetLimits(tokens=10_000_000, window="run")
        settings = config(url, concurrency=8, budget=limits)
        async with Endpoint(settings, cache=store, ledger=store) as endpoint:
            found = await judge_all(FlexJudge(endpoint), items, concurrency=8)
            print(sum(judgment.label == "pass" for judgment in found))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
def test_an_interrupted_run_resumes_without_paying_twice(tmp_path):
    """Killed at an answer in the middle: only what was in flight is asked again."""
    middle = threading.Event()
    asked = []

    def respond(request):
        asked.append(request.fields["question"])
        if len(asked) == 30:
            middle.set()
        time.sleep(0.02)
        return verdict(True)

    with serving(respond) as server:
        command = [sys.executable, "-c", _RUN, server.base_url, str(tmp_path / "judge.db")]
        first = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert middle.wait(30)
        first.kill()
        first.communicate()
        completed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert completed.stdout == "60\n"
    assert len(set(asked)) == 60
    assert len(asked) - 60 <= 8
