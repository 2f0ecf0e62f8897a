"""Large runs by the Batch API: half the price, results within a day instead of minutes.

    judgments = await judge_in_batch(FlexJudge, items, config, store=store, ticket=path)

The calls are collected and sent as a batch, and the replies go to the store. Then the work runs
again and finds them there, until it needs no new calls (a call that depends on an earlier reply is
in the next batch). Calls that a batch left unanswered or answered unreadably are made directly;
calls that it had no time for go into the next one. After an interruption, a run finds its batch by
the ticket and pays for nothing twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.batch_server import CALLS_PATH, MOST_OUTPUT_BYTES, BatchServer
from sqlobs.judge.endpoint.client import open_openai
from sqlobs.judge.endpoint.endpoint import Endpoint, reply_key
from sqlobs.judge.endpoint.reply import Failure
from sqlobs.judge.endpoint.suppression import unobserved
from sqlobs.judge.endpoint.ticket import TicketFile
from sqlobs.judge.many import judge_all

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.reply import Outcome
    from sqlobs.judge.endpoint.store import SqliteStore
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs.judge.verdicts.prompt import Prompt

R = TypeVar("R")

_PENDING: Final = Failure(reason="pending", message="waits for its batch")


async def judge_in_batch(
    make: Callable[[Endpoint], Judge],
    items: Sequence[JudgeItem],
    config: EndpointConfig,
    *,
    store: SqliteStore,
    ticket: Path,
    poll_s: float = 30.0,
) -> list[Judgment]:
    """Judge items by batches; waits until the server has completed them.

    Args:
        make: Returns the judge for an endpoint.
        items: The items to judge.
        config: The endpoint; it must support `/v1/files` and `/v1/batches`.
        store: Stores replies and spending.
        ticket: File that identifies the batch while it is running.
        poll_s: Polling interval in seconds.

    Raises:
        ConfigError: The batch may exceed the budget, or the server rejects it.
    """

    async def work(endpoint: Endpoint) -> list[Judgment]:
        return await judge_all(make(endpoint), items, concurrency=config.concurrency)

    return await in_batches(work, config, store=store, ticket=ticket, poll_s=poll_s)


async def in_batches(
    work: Callable[[Endpoint], Awaitable[R]],
    config: EndpointConfig,
    *,
    store: SqliteStore,
    ticket: Path,
    poll_s: float = 30.0,
) -> R:
    """Run work over an endpoint whose calls are answered by batches.

    Args:
        work: Calls the given endpoint; runs several times, until all replies are stored.
        config: The endpoint; it must support `/v1/files` and `/v1/batches`.
        store: Stores replies and spending.
        ticket: File that identifies the batch while it is running.
        poll_s: Polling interval in seconds.

    Returns:
        The result of the last run of the work.

    Raises:
        ConfigError: A batch may exceed the budget, or the server rejects it.
    """
    async with Endpoint(config, cache=store, ledger=store) as endpoint:
        async with open_openai(config, most_bytes=MOST_OUTPUT_BYTES) as client:
            with unobserved():
                server = BatchServer(client, config, store, TicketFile(ticket), poll_s)
                await _answer(server, work, endpoint)
        return await work(endpoint)


async def _answer(
    server: BatchServer, work: Callable[[Endpoint], Awaitable[R]], endpoint: Endpoint
) -> None:
    """Run batches until the work needs no new calls; first resume an interrupted batch."""
    tried = await server.take_up()
    while True:
        collecting = _CollectingEndpoint(server.config, store=server.store)
        await work(collecting)
        calls = {key: call for key, call in collecting.calls.items() if key not in tried}
        if not calls:
            return
        tried |= await _opened(calls, endpoint)
        lines = {key: call.line(key, endpoint) for key, call in calls.items() if key not in tried}
        if lines:
            tried |= await server.answer(lines, window=endpoint.window)


async def _opened(calls: dict[str, _Call], endpoint: Endpoint) -> set[str]:
    """Make the first call directly and return its key.

    It shows whether the endpoint works, and which parameters it supports, before thousands are
    sent.

    Raises:
        ConfigError: The call failed.
    """
    key, call = next(iter(calls.items()))
    outcome = await call.asked(endpoint)
    if isinstance(outcome, Failure):
        raise ConfigError(f"no batch was created: {outcome.message}")
    return {key}


class _CollectingEndpoint(Endpoint):
    """Answers from the store and collects the calls that are missing there."""

    def __init__(self, config: EndpointConfig, *, store: SqliteStore) -> None:
        super().__init__(config, cache=store, ledger=store)
        self._store = store
        self.calls: dict[str, _Call] = {}

    async def complete(
        self,
        prompt: Prompt,
        *,
        vote: int = 0,
        temperature: float | None = None,
        repair: bool = False,
    ) -> Outcome:
        """Return the stored reply, or a failure if there is none yet."""
        heat = self.config.temperature if temperature is None else temperature
        key = reply_key(self.config, prompt, temperature=heat, vote=vote, repair=repair)
        kept = self._store.get(key)
        if kept is None:
            self.calls[key] = _Call(prompt, vote, heat, repair)
        return _PENDING if kept is None else kept

    def forget(self, prompt: Prompt, *, vote: int = 0, temperature: float | None = None) -> None:
        """Keep unreadable replies: the work runs again and must not pay for them again."""


@dataclass(frozen=True, slots=True)
class _Call:
    prompt: Prompt
    vote: int
    temperature: float
    repair: bool

    async def asked(self, endpoint: Endpoint) -> Outcome:
        return await endpoint.complete(
            self.prompt, vote=self.vote, temperature=self.temperature, repair=self.repair
        )

    def line(self, key: str, endpoint: Endpoint) -> bytes:
        body = endpoint.request(self.prompt, temperature=self.temperature, repair=self.repair)
        document = {"custom_id": key, "method": "POST", "url": CALLS_PATH, "body": body}
        return json.dumps(document).encode()
