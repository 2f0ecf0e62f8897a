"""Judging by the Batch API, on a server that offers it over real HTTP."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing

import pytest

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint import batch_server
from sqlobs.judge.endpoint.batch import in_batches, judge_in_batch
from sqlobs.judge.endpoint.budget import Amount, BudgetLimits, micro_usd
from sqlobs.judge.endpoint.clock import SystemClock
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.endpoint.ticket import TicketFile
from sqlobs.judge.trust.dataset import flex_rows
from sqlobs.judge.verdicts.categories import INTERNAL_ERRORS
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.judge.verdicts.roster import judge_named
from sqlobs.prices import Price
from tests.judge.batches import batching
from tests.judge.servers import config, item

PRICE = {"prices": {"recorded": Price(2.0, 2.0)}}
DIRECT = "POST /v1/chat/completions"
MAKE = "POST /v1/batches"


@pytest.fixture
def server():
    """A server whose batches say `Batch.` and whose direct calls say `Direct.`."""
    with batching() as running:
        running.says = lambda _: json.dumps({"reasoning": "Batch.", "correct": True})
        running.direct = lambda _: json.dumps({"reasoning": "Direct.", "correct": False})
        yield running


def _items(count):
    return [item(question=f"Which boats lie in berth {number}?") for number in range(count)]


def _judge(server, tmp_path, *, count=5, make=FlexJudge, **changes):
    async def run(store):
        return await judge_in_batch(
            make, _items(count), config(server, **changes), store=store,
            ticket=tmp_path / "ticket", poll_s=0.01,
        )  # fmt: skip

    with SqliteStore(tmp_path / "judge.db") as store:
        return asyncio.run(run(store)), store.used(SystemClock().day())


def _told(found):
    return "".join(judgment.explanation[:1] for judgment in found)


def _number(fields):
    return int(fields["question"].rstrip("?").split()[-1])


LINES = {
    "failed": {"response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}},
    "without a response": {"response": None, "error": {"code": "batch_expired"}},
    "torn": {"raw": '{"custom_id": "'},
    "empty": {"raw": ""},
    "no object": {"raw": "[1, 2]"},
    "another's": {"custom_id": "f" * 64, "response": {"body": {"choices": []}}},
    "a tool call": {"response": {"body": {"choices": [{"message": {"content": None}}]}}},
    "deep": {"raw": "[" * 100_000},
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_calls_that_a_batch_leaves_open_are_made_directly(server, tmp_path, line):
    """Failed, broken and missing answers are asked for; the others cost half and no call."""
    server.says = lambda fields: (
        line
        if _number(fields) in {2, 3}
        else json.dumps({"reasoning": "B\u2028.", "correct": True})
    )
    found, used = _judge(server, tmp_path, **PRICE)
    assert _told(found) == "DBDDB"  # the first one is asked before the batch, to try the server
    assert [judgment.usage.calls for judgment in found] == [0, 0, 1, 1, 0]
    assert (server.paths.count(DIRECT), server.paths.count(MAKE)) == (3, 1)
    assert not (tmp_path / "ticket").exists()
    asked = sum(j.usage.input_tokens + j.usage.output_tokens for j in found)
    # Two dollars a million tokens, of which the batch's cost half
    assert 2 * asked < used.micro_usd < 2 * used.tokens


def test_an_unreadable_answer_is_asked_again_in_the_next_batch(server, tmp_path):
    """With the repair instruction; two of them are no verdict, and cost no direct call."""
    server.says = server.direct = lambda fields: (
        "Hm." if _number(fields) else json.dumps({"reasoning": "", "correct": True})
    )
    found, _ = _judge(server, tmp_path, count=3)
    assert [judgment.reason for judgment in found] == [None, "judge_malformed", "judge_malformed"]
    first, second = server.batches.values()
    assert [len(first["lines"]), len(second["lines"])] == [2, 1]
    asked = second["lines"][0]["body"]["messages"][1]["content"]
    assert "An earlier reply" in asked
    assert server.paths.count(DIRECT) == 2  # the first question of either batch


def test_calls_that_depend_on_others_go_into_the_next_batch(server, tmp_path):
    """Verdicts, then the categories of what is wrong."""

    def says(fields):
        if "judgement" in fields:
            return json.dumps(
                {
                    key: {"issued": key == INTERNAL_ERRORS[1], "explanation": "E"}
                    for key in INTERNAL_ERRORS
                }
            )
        return json.dumps({"reasoning": "No.", "correct": False})

    server.says = server.direct = says
    items = _items(4)

    async def run(store):
        return await in_batches(
            lambda endpoint: flex_rows(endpoint, items), config(server), store=store,
            ticket=tmp_path / "ticket", poll_s=0.01,
        )  # fmt: skip

    with SqliteStore(tmp_path / "judge.db") as store:
        rows = asyncio.run(run(store))
    assert [row.categorization.keys for row in rows] == [("incorrect_filtering_condition",)] * 4
    assert [len(batch["lines"]) for batch in server.batches.values()] == [3, 3]


def test_votes_are_lines_of_their_own(server, tmp_path):
    """Each with the temperature of votes."""
    server.says = server.direct = lambda _: json.dumps({"reasoning": "", "efficient": True})
    found, _ = _judge(
        server,
        tmp_path,
        count=2,
        make=lambda endpoint: judge_named("efficiency", endpoint, votes=3),
    )
    assert [judgment.score for judgment in found] == [1.0, 1.0]
    (batch,) = server.batches.values()
    assert [line["body"]["temperature"] for line in batch["lines"]] == [0.7] * 5


def test_a_second_run_finds_everything(server, tmp_path):
    """Nothing is sent again."""
    _judge(server, tmp_path)
    server.paths.clear()
    found, _ = _judge(server, tmp_path)
    assert (server.paths, len(found)) == ([], 5)


class Killed(BaseException):
    """What ends a run at once."""


@pytest.mark.parametrize("moment", ["before the id is heard", "while it waits", "while it keeps"])
def test_an_interrupted_run_resumes_with_its_batch(server, tmp_path, moment, monkeypatch):
    """By the ticket, or by the mark in the batch's metadata: one batch, and every line paid once."""
    target, name = {
        "before the id is heard": (batch_server.Ticket, "named"),
        "while it waits": (batch_server.asyncio, "sleep"),
        "while it keeps": (SqliteStore, "settle"),
    }[moment]
    settled, settle = [], SqliteStore.settle

    def kill(*arguments):
        settled.append(arguments)
        if moment == "while it keeps" and len(settled) == 1:
            return settle(*arguments)  # of the first question, which is asked directly
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(target, name, kill)
        with pytest.raises(Killed):
            _judge(server, tmp_path, **PRICE)
    assert (tmp_path / "ticket").exists()
    found, used = _judge(server, tmp_path, **PRICE)
    assert _told(found) == "DBBBB"
    assert (server.paths.count(MAKE), server.paths.count(DIRECT)) == (1, 1)
    assert not (tmp_path / "ticket").exists()
    (tmp_path / "whole").mkdir()
    assert used == _judge(server, tmp_path / "whole", **PRICE)[1]


@pytest.mark.parametrize(
    ("holder", "name", "is_late"),
    [
        (TicketFile, "keep", False),
        (TicketFile, "keep", True),
        (batch_server.BatchServer, "_sent", False),
        (batch_server.BatchServer, "_sent", True),
        (batch_server.BatchServer, "_keep", True),
        (TicketFile, "discard", False),
    ],
)
def test_a_kill_at_any_step_of_a_batch_books_each_reply_once(
    server, tmp_path, holder, name, is_late, monkeypatch
):
    """What is booked in the end is what the stored replies cost, and no line is sent twice."""
    step = getattr(holder, name)

    def killed(*arguments):
        if is_late:
            found = step(*arguments)
            if asyncio.iscoroutine(found):
                return _killed_after(found)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(holder, name, killed)
        with pytest.raises(Killed):
            _judge(server, tmp_path, **PRICE)
    _, used = _judge(server, tmp_path, **PRICE)
    assert used == _stored(tmp_path / "judge.db")
    asked = server.asked()
    assert len(asked) == len(set(asked))
    assert not (tmp_path / "ticket").exists()


async def _killed_after(step):
    await step
    raise Killed


def _stored(path):
    """Return what the replies in a store cost."""
    with closing(sqlite3.connect(path)) as connection:
        texts = connection.execute("SELECT reply FROM replies").fetchall()
    replies = [json.loads(text) for (text,) in texts]
    tokens = sum(reply["input_tokens"] + reply["output_tokens"] for reply in replies)
    return Amount(tokens, sum(micro_usd(reply["cost_usd"]) for reply in replies))


def test_a_batch_that_was_never_created_is_created(server, tmp_path):
    """The ticket was kept, and then the server was gone: its list tells that there is none."""
    server.refuses[MAKE] = 0
    with pytest.raises(ConfigError, match=r"has made the batch is not known \(APIConn"):
        _judge(server, tmp_path)
    server.refuses["GET /v1/batches"] = 404
    with pytest.raises(ConfigError, match=r"is not known \(NotFoundError\): look on the server"):
        _judge(server, tmp_path)
    server.refuses.clear()
    assert _told(_judge(server, tmp_path)[0]) == "DDBBB"  # either run opens with a direct call


@pytest.mark.parametrize("status", [0, 500, 504])
def test_a_batch_whose_id_was_never_received_is_found_by_its_metadata(server, tmp_path, status):
    """The server made it and hung up, or a gateway answered: the next run finds it in the list."""
    server.refuses["answer of POST /v1/batches"] = status
    with pytest.raises(ConfigError, match=r"not known .*: run this again, it looks for it first"):
        _judge(server, tmp_path)
    server.refuses.clear()
    assert _told(_judge(server, tmp_path)[0]) == "DBBBB"
    assert server.paths.count(MAKE) == 1


def test_unanswered_calls_of_an_expired_batch_go_into_another(server, tmp_path):
    """What it answered is kept; nothing is asked at the full price."""
    server.ends, server.answers_first = ["expired", "completed"], 2
    found, _ = _judge(server, tmp_path, count=7)
    assert _told(found) == "DBBDBBB"  # the fourth question opens the second batch
    assert [len(batch["lines"]) for batch in server.batches.values()] == [6, 3]
    assert len(server.asked()) == len(set(server.asked())) + 3


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        ("failed", "batch batch-0 has failed: the file has too many"),
        ("expired", "batch batch-0 has expired: no call was answered"),
        ("cancelled", "batch batch-0 has cancelled: no call was answered"),
    ],
)
def test_a_batch_without_answers_is_reported(server, tmp_path, end, sentence):
    """One sentence; the debit is given back, and the next run makes another."""
    server.ends, server.answers_first = [end], 0
    with pytest.raises(ConfigError, match=sentence):
        _judge(server, tmp_path, **PRICE)
    with SqliteStore(tmp_path / "judge.db") as store:
        assert store.used(SystemClock().day()).tokens < 1500  # the direct call's
    server.ends.append("completed")
    assert _told(_judge(server, tmp_path)[0]) == "DDBBB"


def test_a_batch_beyond_the_budget_is_not_sent(server, tmp_path):
    """The most that it may take is debited before; one call is all that was made."""
    limits = BudgetLimits(usd=0.01, window="run")
    with pytest.raises(ConfigError, match=r"the batch of 4 calls may use \d+ tokens \(0.0\d USD\)"):
        _judge(server, tmp_path, budget=limits, **PRICE)
    assert server.paths == [DIRECT]


def test_a_server_without_the_batch_api_is_reported(server, tmp_path):
    """One sentence; nothing is kept that would hinder the next run."""
    server.refuses["POST /v1/files"] = 404
    with pytest.raises(
        ConfigError, match=r"rejected the batch \(NotFoundError\); run without the Batch API"
    ):
        _judge(server, tmp_path)
    assert not (tmp_path / "ticket").exists()
    with SqliteStore(tmp_path / "judge.db") as store:
        assert store.used(SystemClock().day()).tokens < 1500


@pytest.mark.parametrize(("path", "status"), [("POST /v1/files", 0), (MAKE, 429)])
def test_what_was_refused_is_not_paid(server, tmp_path, path, status):
    """Neither a file that could not be sent nor a batch that was refused keeps its debit."""
    server.refuses[path] = status
    with pytest.raises(ConfigError, match="rejected the batch"):
        _judge(server, tmp_path, **PRICE)
    (tmp_path / "one").mkdir()
    with SqliteStore(tmp_path / "judge.db") as store:
        assert (
            store.used(SystemClock().day())
            == _judge(server, tmp_path / "one", count=1, **PRICE)[1]  # the call that tries it
        )


def test_a_failing_endpoint_gets_no_batch(server, tmp_path):
    """The first question is asked directly: a refused key costs one call, not a day."""
    server.refuses[DIRECT] = 401
    with pytest.raises(ConfigError, match="no batch was created: the endpoint rejects the API key"):
        _judge(server, tmp_path)
    assert server.paths == [DIRECT]


def test_a_lost_batch_and_a_broken_ticket_are_named(server, tmp_path):
    """With what to do."""
    (tmp_path / "ticket").write_text("batch-1")
    with pytest.raises(ConfigError, match="is not a batch ticket; delete it"):
        _judge(server, tmp_path)
    made = batch_server.Ticket.of(["a"], window="run", debit=Amount(0, 0)).named("gone")
    TicketFile(tmp_path / "ticket").keep(made)
    with pytest.raises(
        ConfigError, match=r"does not know batch gone; to create a new one, delete .*ticket"
    ):
        _judge(server, tmp_path)


def test_more_calls_than_a_batch_may_hold_go_into_several(server, tmp_path, monkeypatch):
    """One after the other; by their number, and by their size."""
    monkeypatch.setattr(batch_server, "MOST_CALLS", 2)
    _judge(server, tmp_path, count=6)
    assert [len(batch["lines"]) for batch in server.batches.values()] == [2, 2]
    monkeypatch.setattr(batch_server, "MOST_BYTES", 5_000)
    monkeypatch.setattr(batch_server, "MOST_CALLS", 100)
    (tmp_path / "other").mkdir()
    _judge(server, tmp_path / "other", count=4)
    assert [len(batch["lines"]) for batch in server.batches.values()][2:] == [1, 1]


def test_an_empty_store_has_used_nothing(tmp_path):
    """The budget begins at zero."""
    with SqliteStore(tmp_path / "judge.db") as store:
        assert store.used("run") == Amount(0, 0)
