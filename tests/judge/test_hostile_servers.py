"""Servers that break HTTP, JSON and the protocol: each is a reason and a sentence, or harmless."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest

from sqlobs import Schema, check_sql_async
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.fallback import LlmFallback
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.judge.verdicts.roster import judge_named
from tests.judge.servers import StillClock, config, item
from tests.judge.wire import answer, completion, wired

VERDICT = '{"reasoning": "r", "correct": true}'
TOO_LARGE = "the endpoint's answer is larger than 4000000 bytes"
UNREACHABLE = "the endpoint cannot be reached; check that it is up and that base_url is correct"
NO_COMPLETION = "the endpoint's response is not a chat completion"
NO_VERDICT = "neither of the model's two answers contains a readable verdict"
CUT = f"{NO_VERDICT}; the second was truncated (max_output_tokens, or a filter)"
BUSY = "the endpoint's rate limit is exceeded (429)"


def _busy(retry_after):
    headers = (f"Retry-After: {retry_after}",)
    return answer({"error": {"message": "busy"}}, status="429 No", headers=headers)


REFUSED = {
    "half closed": (answer(completion(VERDICT))[:80], UNREACHABLE),
    "nothing": (b"", UNREACHABLE),
    "no HTTP": (b"hello there", UNREACHABLE),
    "100 without an end": (b"HTTP/1.1 100 Continue\r\n\r\n" * 500, UNREACHABLE),
    "a length too long": (answer(completion(VERDICT), length=9_999), UNREACHABLE),
    "a length below zero": (answer(completion(VERDICT), length=-5), UNREACHABLE),
    "a login page": (answer(b"<html>log in</html>", kind="text/html"), NO_COMPLETION),
    "an event stream": (answer(b"data: {}\n\n", kind="text/event-stream"), NO_COMPLETION),
    "204": (b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", NO_COMPLETION),
    "a length too short": (
        answer(completion(VERDICT), length=20),
        "the endpoint's response cannot be read (JSONDecodeError)",
    ),
    "no UTF-8": (
        answer(b'{"choices": [{"message": {"content": "\xff"}}]}'),
        "the endpoint's response cannot be read (UnicodeDecodeError)",
    ),
    "a deep body": (
        answer(b'{"choices":' + b"[" * 200_000),
        "the endpoint's response cannot be read (RecursionError)",
    ),
    "50 MB": (answer(completion("x" * 50_000_000)), TOO_LARGE),
    "50 MB before a verdict": (answer(completion("x" * 50_000_000 + VERDICT)), TOO_LARGE),
    "a packed answer": (
        answer(gzip.compress(b" " * 10_000_000), headers=("Content-Encoding: gzip",)),
        "the endpoint sent a compressed response, which was not requested",
    ),
    "no choices": (answer(completion(VERDICT, choices=[])), NO_COMPLETION),
    "choices of texts": (answer(completion(VERDICT, choices=["x"])), NO_COMPLETION),
    "no message": (answer(completion(VERDICT, choices=[{"message": None}])), NO_COMPLETION),
    "an error with 200": (answer({"error": {"message": "overloaded"}}), NO_COMPLETION),
    "a list of parts": (answer(completion([{"type": "text", "text": VERDICT}])), NO_VERDICT),
    "a tool call": (
        answer(completion(None, message={"tool_calls": [{"function": {"arguments": VERDICT}}]})),
        NO_VERDICT,
    ),
    "a refusal": (answer(completion(None, message={"refusal": "No."})), NO_VERDICT),
    "a polite refusal": (answer(completion("I'm sorry, I can't help with that.")), NO_VERDICT),
    "another language": (answer(completion('{"correct": "richtig"}')), NO_VERDICT),
    "another key": (answer(completion('{"correcto": true}')), NO_VERDICT),
    "not a number": (answer(completion('{"correct": true, "score": NaN}')), NO_VERDICT),
    "a number": (answer(completion('{"correct": 1}')), NO_VERDICT),
    "a verdict within": (answer(completion('{"answer": {"correct": true}}')), NO_VERDICT),
    "a cut answer": (answer(completion('{"reasoning": "and', finish_reason="length")), CUT),
    "a cut answer that quoted a verdict": (
        answer(completion(f"{VERDICT} is what the data says, but", finish_reason="length")),
        CUT,
    ),
    "a filtered answer": (answer(completion(VERDICT, finish_reason="content_filter")), CUT),
    "a redirect": (
        answer(b"", status="308 X", headers=("Location: http://127.0.0.1:9/",)),
        "the endpoint returned status 308",
    ),
    "ten days": (_busy("864000"), BUSY),
    "for ever": (_busy("inf"), BUSY),
    "minus five": (_busy("-5"), BUSY),
    "no time": (_busy("nan"), BUSY),
    "a date long gone": (_busy("Wed, 21 Oct 2015 07:28:00 GMT"), BUSY),
    "a date far away": (_busy("Wed, 21 Oct 2099 07:28:00 GMT"), BUSY),
    "no date": (_busy("Wed, 99 Oct 99999"), BUSY),
    "what steers a terminal": (
        answer({"error": {"message": "\x1b[2J\u202eevil\n\nline sk-key"}}, status="418 X"),
        "the endpoint returned status 418: [2J evil line [key]",
    ),
    "a huge error": (answer({"error": {"message": "x" * 5_000_000}}, status="400 X"), TOO_LARGE),
}


def _judged(server, *, make=FlexJudge, store=None, **changes):
    settings = {"retries": 1, "timeout_s": 20, "api_key": "sk-key", **changes}

    async def run():
        endpoint = Endpoint(
            config(server, **settings), clock=StillClock(), cache=store, ledger=store
        )
        async with endpoint:
            return await make(endpoint).judge(item())

    return asyncio.run(run())


@pytest.mark.parametrize(("sent", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_answer_is_a_reason_and_a_sentence(sent, sentence):
    """Nothing raises, nothing is guessed, and at most two attempts in three forms are made."""
    with wired(sent) as server:
        found = _judged(server)
        assert server.calls <= 6
    assert (found.label, found.explanation) == ("not_evaluated", sentence)
    assert found.reason in {"judge_malformed", "judge_unavailable"}


@pytest.mark.parametrize(
    ("sent", "pause_s"),
    [(answer(completion(VERDICT)), 0.05), (b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 99, 0.01)],
)
def test_a_slow_response_is_a_timeout(sent, pause_s):
    """The limit holds for the whole of a call."""
    with wired(sent, pause_s=pause_s) as server:
        found = _judged(server, timeout_s=0.4, retries=0)
    assert (found.reason, found.explanation) == ("timeout", "no answer within 0.4 s")


def test_what_never_ends_is_not_read_to_its_end():
    """Reading ends at four million bytes."""
    with wired(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b" " * 65_536, pause_s=0
    ) as server:
        assert _judged(server).explanation == TOO_LARGE


HARMLESS = {
    "in a fence": f"```json\n{VERDICT}\n```",
    "in an open fence": f"```json\n{VERDICT}",
    "after a bracket": f"[{VERDICT}]",
    "after twenty thousand braces": '{"a":' * 20_000 + VERDICT,
    "said twice": '{"correct": false}' + VERDICT,
    "keys said twice": '{"reasoning": "r", "correct": false, "correct": true}',
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_the_latest_feedback_counts(text):
    """However it is wrapped."""
    with wired(answer(completion(text))) as server:
        assert _judged(server).is_correct is True


WILD = {
    "usage": {"prompt_tokens": 10**30, "completion_tokens": -1},
    "usage of texts": {"prompt_tokens": "many", "completion_tokens": None},
    "no usage": [1],
}


@pytest.mark.parametrize("usage", WILD.values(), ids=WILD)
def test_what_is_stored_can_be_stored(usage, tmp_path):
    """Counts no server can have, halves of characters, zeros, names without an end."""
    text = '{"reasoning": "\\ud800 and \\u0000\\u001b", "correct": true}'
    sent = answer(completion(f"\ud83d\x00{text}", usage=usage, model="m" * 100_000))
    with SqliteStore(tmp_path / "judge.db") as store, wired(sent) as server:
        found = _judged(server, store=store)
        again = _judged(server, store=store)
    assert found.explanation == again.explanation == "\ufffd and \ufffd\ufffd"
    assert (len(found.model), again.is_cached) == (200, True)
    assert 0 < found.usage.input_tokens < 10_000
    json.dumps(found.text, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("points", "score"), [("99", 1.0), ("-3", 0.0), ("4", 0.75), ("1e999", None), ("NaN", None)]
)
def test_grades_are_clamped_and_infinite_ones_are_none(points, score):
    """A grade beyond the scale is the end of the scale, flagged; no number is no grade."""
    with wired(answer(completion(f'{{"reasoning": "r", "points": {points}}}'))) as server:
        found = _judged(server, make=lambda endpoint: judge_named("rubric", endpoint))
    assert (found.score, found.is_coerced) == (score, points in {"99", "-3"})


def test_a_retry_after_of_days_is_shortened_to_one_hour():
    """Afterwards the endpoint is looked at again."""
    clock = StillClock()

    async def run(server):
        async with Endpoint(
            config(server, retries=0, breaker_failures=99), clock=clock
        ) as endpoint:
            judge = FlexJudge(endpoint)
            told = []
            for _ in range(2):
                told.append((await judge.judge(item())).explanation)
                clock.time += 1800
            clock.time += 1
            return [*told, (await judge.judge(item())).explanation]

    with wired(_busy("inf")) as server:
        told = asyncio.run(run(server))
        assert server.calls == 2
    assert told == [BUSY, "the endpoint asked for a pause longer than max_wait_s", BUSY]


@pytest.mark.parametrize(
    "name", ["half closed", "50 MB", "a cut answer", "a tool call", "for ever"]
)
def test_the_checker_s_fallback_bears_the_same(name):
    """The label stays open, with the reason of the endpoint."""
    schema = Schema.from_mapping({"boat": {"name": "text"}}, dialect="hive")
    sent, _ = REFUSED[name]

    async def run(server):
        async with Endpoint(config(server, retries=0), clock=StillClock()) as endpoint:
            return await check_sql_async(
                "SELECT ai_complete(name) FROM boat", schema=schema,
                fallback=LlmFallback(endpoint), fallback_mode="wait",
            )  # fmt: skip

    with wired(sent) as server:
        report = asyncio.run(run(server))
    assert (report.syntactic, report.reasons["syntactic"]) == (None, "undecided")
    assert report.fallback.reason in {"judge_malformed", "judge_unavailable"}
