"""Endpoints and servers for the judge's tests."""

from __future__ import annotations

import asyncio
import json

from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.replay import ChatReply, serving

SCHEMA = (
    "CREATE TABLE boat (\n  id INTEGER PRIMARY KEY,\n  name TEXT NOT NULL,\n  berth INTEGER\n);"
)


class StillClock:
    """Time that passes only by sleeping."""

    def __init__(self):
        self.time = 0.0
        self.slept = []
        self.today = "2026-01-31"

    def now(self):
        """Return the time slept so far."""
        return self.time

    def day(self):
        """Return the day that the test says it is."""
        return self.today

    async def sleep(self, seconds):
        """Let time pass at once."""
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


def item(**changes):
    """Return an item that every judge can take."""
    fields = {
        "question": "How many boats lie in berth 7?",
        "sql": "SELECT COUNT(*) FROM boat WHERE berth = 7",
        "dialect": "sqlite",
        "schema": SCHEMA,
        "reference": "SELECT COUNT(id) FROM boat WHERE berth = 7",
        "results_equal": True,
    }
    return JudgeItem(**{**fields, **changes})


def config(server, **changes):
    """Return the configuration of a server's endpoint."""
    base_url = server if isinstance(server, str) else server.base_url
    return EndpointConfig(**{"base_url": base_url, "model": "recorded", **changes})


def verdict(correct, reasoning="Because."):
    """Return the reply that a well-behaved model gives."""
    return ChatReply(json.dumps({"reasoning": reasoning, "correct": correct}))


def script(*replies):
    """Return what answers with one reply after the other, the last one forever."""
    left = list(replies)

    def respond(request):
        return left.pop(0) if len(left) > 1 else left[0]

    return respond


def judged(make, items, respond, *, clock=None, cache=None, ledger=None, **changes):
    """Judge items one after the other; return the judgments and the server's requests."""

    async def run(server):
        endpoint = Endpoint(
            config(server, **changes), clock=clock or StillClock(), cache=cache, ledger=ledger
        )
        async with endpoint:
            return [await make(endpoint).judge(entry) for entry in items]

    with serving(respond) as server:
        return asyncio.run(run(server)), list(server.requests)
