"""Large runs by the Batch API: half the price, within a day instead of minutes.

    judgements = await judge_in_batch(FlexJudge, items, config, store=store, ticket=path)

What the judge would ask is collected, sent as one batch, and its replies are kept like any others;
then the judge is run and finds them. What the batch left unanswered, or answered unreadably, is
asked directly. A killed run finds its batch again by the ticket.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import Amount, micro_usd, within
from sqlobs.judge.endpoint.client import open_openai, request_parameters
from sqlobs.judge.endpoint.endpoint import Endpoint, reply_key
from sqlobs.judge.endpoint.reply import Failure, Reply
from sqlobs.judge.endpoint.suppression import unobserved
from sqlobs.judge.envelope import new_delimiter
from sqlobs.judge.many import judge_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from openai import AsyncOpenAI

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.reply import Outcome
    from sqlobs.judge.endpoint.store import SqliteStore
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgement import Judgement
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs.judge.verdicts.prompt import Prompt

PRICE_SHARE: Final = 0.5
"""What a call in a batch costs of one made directly."""
_BYTES_PER_TOKEN: Final = 3
_CALLS: Final = "/v1/chat/completions"
_UNDER_WAY: Final = frozenset({"validating", "in_progress", "finalizing"})
_PENDING: Final = Failure(reason="pending", message="waits for its batch")


async def judge_in_batch(
    make: Callable[[Endpoint], Judge],
    items: Sequence[JudgeItem],
    config: EndpointConfig,
    *,
    store: SqliteStore,
    ticket: Path,
    poll_s: float = 30.0,
) -> list[Judgement]:
    """Judge items by a batch; waits until the server has done it.

    Args:
        make: Returns the judge over an endpoint.
        items: What to judge.
        config: The endpoint; it must offer `/v1/files` and `/v1/batches`.
        store: Where replies and spending are kept.
        ticket: A file that holds the batch's id while it is under way.
        poll_s: Seconds between looks at it.

    Raises:
        ConfigError: The batch may take more than the budget, or the server refuses it.
    """
    collecting = _CollectingEndpoint(config, store=store)
    await judge_all(make(collecting), items, concurrency=config.concurrency)
    if collecting.calls:
        batch = _Batch(config, collecting.calls, store, collecting.window)
        async with open_openai(config) as client:
            with unobserved():
                await _answered(client, batch, ticket=_Ticket(ticket), poll_s=poll_s)
    async with Endpoint(config, cache=store, ledger=store) as endpoint:
        return await judge_all(make(endpoint), items, concurrency=config.concurrency)


class _CollectingEndpoint(Endpoint):
    """Answers from the store, and notes what it would have to ask."""

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
        """Return the kept reply, or that there is none yet."""
        heat = self.config.temperature if temperature is None else temperature
        key = reply_key(self.config, prompt, temperature=heat, vote=vote, repair=repair)
        kept = self._store.get(key)
        if kept is None:
            self.calls[key] = _Call(self.config, prompt, heat)
        return _PENDING if kept is None else kept


@dataclass(frozen=True, slots=True)
class _Call:
    config: EndpointConfig
    prompt: Prompt
    temperature: float

    def body(self) -> dict[str, Any]:
        messages = self.prompt.messages(new_delimiter())
        return request_parameters(
            self.config, messages, answer=self.prompt.answer, temperature=self.temperature
        )


@dataclass(frozen=True, slots=True)
class _Ticket:
    """The id of the batch under way, for whoever goes on after a kill."""

    path: Path

    def batch_id(self) -> str | None:
        return self.path.read_text(encoding="utf-8") if self.path.exists() else None

    def keep(self, batch_id: str) -> str:
        self.path.write_text(batch_id, encoding="utf-8")
        return batch_id

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Batch:
    """The calls of one batch, and where their replies and costs are kept."""

    config: EndpointConfig
    calls: dict[str, _Call]
    store: SqliteStore
    window: str

    def lines(self) -> bytes:
        """Return the file to be sent, if the budget allows for the most that it may take.

        Raises:
            ConfigError: It does not.
        """
        lines = (
            {"custom_id": key, "method": "POST", "url": _CALLS, "body": call.body()}
            for key, call in self.calls.items()
        )
        text = "\n".join(map(json.dumps, lines)).encode()
        most = self._most(len(text))
        used, limits = self.store.used(self.window), self.config.budget
        if not within(Amount(used.tokens + most.tokens, used.micro_usd + most.micro_usd), limits):
            raise ConfigError(
                f"the batch of {len(self.calls)} calls may take {most.tokens} tokens"
                f" ({most.micro_usd / 1e6:.2f} USD), more than the budget leaves"
            )
        return text

    def keep(self, text: str) -> None:
        """Keep the replies of a batch and book them; lines that are no reply are left out."""
        for line in text.splitlines():
            try:
                record = json.loads(line)
                body = record["response"]["body"]
                content, usage = body["choices"][0]["message"]["content"], body.get("usage") or {}
            except (ValueError, KeyError, TypeError, IndexError):
                continue
            if isinstance(content, str) and record["custom_id"] in self.calls:
                reply = self._reply(content, body.get("model"), usage)
                self.store.put(record["custom_id"], reply)
                tokens = reply.input_tokens + reply.output_tokens
                self.store.settle(self.window, Amount(tokens, micro_usd(reply.cost_usd or 0.0)))

    def _most(self, size: int) -> Amount:
        asked = -(-size // _BYTES_PER_TOKEN)
        answered = len(self.calls) * self.config.max_output_tokens
        return Amount(asked + answered, micro_usd(self._cost(asked, answered) or 0.0))

    def _cost(self, asked: int, answered: int) -> float | None:
        price = self.config.price
        if price is None:
            return None
        return PRICE_SHARE * price.of(input_tokens=asked, output_tokens=answered)

    def _reply(self, text: str, model: object, usage: dict[str, Any]) -> Reply:
        asked, answered = (
            int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")
        )
        return Reply(
            text=text,
            model=str(model or self.config.model),
            input_tokens=asked,
            output_tokens=answered,
            cost_usd=self._cost(asked, answered),
        )


async def _answered(client: AsyncOpenAI, batch: _Batch, *, ticket: _Ticket, poll_s: float) -> None:
    """Have the calls answered by a batch, that of the ticket where there is one."""
    import openai

    try:
        batch_id = ticket.batch_id() or ticket.keep(await _submit(client, batch.lines()))
        state = await client.batches.retrieve(batch_id)
        while state.status in _UNDER_WAY:
            await asyncio.sleep(poll_s)
            state = await client.batches.retrieve(batch_id)
        if state.output_file_id is not None:
            content = await client.files.content(state.output_file_id)
            batch.keep(content.text)
    except openai.OpenAIError as error:
        raise ConfigError(
            f"{batch.config.base_url} does not do the batch ({type(error).__name__}):"
            " judge without it"
        ) from error
    ticket.discard()


async def _submit(client: AsyncOpenAI, lines: bytes) -> str:
    file = await client.files.create(file=("judge.jsonl", lines), purpose="batch")
    made = await client.batches.create(
        input_file_id=file.id, endpoint=_CALLS, completion_window="24h"
    )
    return made.id
