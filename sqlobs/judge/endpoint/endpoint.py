"""Access to a model with cache, rate limit, budget and retries; failures are values with a reason.

async with Endpoint(EndpointConfig(base_url=..., model=...), cache=store, ledger=store) as e:
    reply = await e.complete(prompt)          # `Reply` or `Failure`, never an exception
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import WeakValueDictionary

from sqlobs.judge.endpoint.account import Account, Budget, debit_all
from sqlobs.judge.endpoint.breaker import Breaker
from sqlobs.judge.endpoint.budget import NOTHING, Amount, Ledger, MemoryLedger, micro_usd
from sqlobs.judge.endpoint.cache import MemoryCache, ReplyCache
from sqlobs.judge.endpoint.client import Client, Completion
from sqlobs.judge.endpoint.clock import Clock, SystemClock
from sqlobs.judge.endpoint.config import EndpointConfig
from sqlobs.judge.endpoint.pacing import Pacer
from sqlobs.judge.endpoint.reply import Failure, Outcome, Reply
from sqlobs.judge.envelope import new_delimiter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from sqlobs.judge.endpoint.account import Debit
    from sqlobs.judge.endpoint.refusal import Refusal
    from sqlobs.judge.verdicts.prompt import Messages, Prompt

__all__ = ["Endpoint", "EndpointConfig"]

_BYTES_PER_TOKEN: Final = 3
"""A high estimate for the debit; the settlement uses the server's count."""
_FIRST_WAIT_S: Final = 0.5
_LONGEST_HOLD_S: Final = 3600.0
"""Maximum pause: a server that asks for days is tried again every hour."""
_RUN: Final = "run"


@dataclass(slots=True)
class _Bound:
    """State that belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    client: Client
    slots: asyncio.Semaphore
    locks: WeakValueDictionary[str, asyncio.Lock]


@dataclass(slots=True)
class _Loops:
    """The state of the event loop that calls now; all budgets of an endpoint share it."""

    bound: _Bound | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """One request and the cache key of its reply."""

    prompt: Prompt
    key: str
    temperature: float
    is_repair: bool

    def messages(self) -> Messages:
        return self.prompt.messages(new_delimiter(), repair=self.is_repair)


class Endpoint:
    """One model on one server, shared by all judges that use it."""

    def __init__(
        self,
        config: EndpointConfig,
        *,
        cache: ReplyCache | None = None,
        ledger: Ledger | Account | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Set up; the first call opens connections.

        Args:
            config: Address, model and limits.
            cache: Stores replies; in memory by default.
            ledger: Records usage; in memory by default. A `SqliteStore` is both cache and ledger.
                Endpoints with the same ledger share an `Account`.
            clock: Time source, for tests.

        Raises:
            ConfigError: The environment variable of the key is not set.
        """
        self.config = config
        self._key = config.key  # fail now, not in the middle of a run
        self._clock = clock or SystemClock()
        self._cache = cache if cache is not None else MemoryCache()
        self._account = ledger if isinstance(ledger, Account) else Account(ledger or MemoryLedger())
        self._pacer = Pacer(self._clock, config.calls_per_minute)
        self._breaker = Breaker(self._clock, config.breaker_failures, config.breaker_pause_s)
        self._loops = _Loops()
        self._further: tuple[Budget, ...] = ()

    def within(self, budget: Budget) -> Endpoint:
        """Return this endpoint for calls that must fit into one more budget.

        Connections, cache, rate limit, breaker and its own budget are shared with it.
        """
        other = copy.copy(self)
        other._further = (budget, *self._further)  # noqa: SLF001 - of this class
        return other

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the endpoint may be used again."""
        bound, self._loops.bound = self._loops.bound, None
        if bound is not None and bound.loop is asyncio.get_running_loop():
            await bound.client.close()

    @property
    def used(self) -> Amount:
        """Usage of the budget's current window, including open calls."""
        return self._account.ledger.used(self.window)

    async def complete(
        self,
        prompt: Prompt,
        *,
        vote: int = 0,
        temperature: float | None = None,
        repair: bool = False,
    ) -> Outcome:
        """Return the reply to a prompt, from the cache if it was paid for before.

        Args:
            prompt: The prompt.
            vote: The index among several votes on the same prompt; each is cached separately.
            temperature: Overrides the configured one.
            repair: Whether an earlier answer was malformed.
        """
        heat = self.config.temperature if temperature is None else temperature
        key = reply_key(self.config, prompt, temperature=heat, vote=vote, repair=repair)
        bound = self._bind()
        # One call at a time per key: waiters find the reply in the cache
        lock = bound.locks.setdefault(key, asyncio.Lock())
        async with lock:
            kept = self._cache.get(key)
            if kept is not None:
                return replace(kept, is_cached=True)
            async with bound.slots:
                return await self._ask(bound.client, _Call(prompt, key, heat, repair))

    def request(
        self, prompt: Prompt, *, temperature: float | None = None, repair: bool = False
    ) -> dict[str, Any]:
        """Return the body of a request, in the format that the server has accepted so far."""
        heat = self.config.temperature if temperature is None else temperature
        messages = prompt.messages(new_delimiter(), repair=repair)
        return self._bind().client.parameters(messages, answer=prompt.answer, temperature=heat)

    def forget(self, prompt: Prompt, *, vote: int = 0, temperature: float | None = None) -> None:
        """Drop the unreadable replies to a prompt from the cache; a later one may be readable."""
        heat = self.config.temperature if temperature is None else temperature
        for repair in (False, True):
            key = reply_key(self.config, prompt, temperature=heat, vote=vote, repair=repair)
            self._cache.forget(key)

    def _bind(self) -> _Bound:
        loop = asyncio.get_running_loop()
        bound = self._loops.bound
        if bound is None or bound.loop is not loop:
            slots = asyncio.Semaphore(self.config.concurrency)
            client = Client.open(self.config)
            bound = self._loops.bound = _Bound(loop, client, slots, WeakValueDictionary())
        return bound

    async def _ask(self, client: Client, call: _Call) -> Outcome:
        attempt = 0
        while True:
            outcome = await self._try(client, call)
            if isinstance(outcome, Reply | Failure):
                return outcome
            wait_s = self._wait(outcome, attempt)
            if wait_s is None:
                return Failure(reason=outcome.reason, message=outcome.message)
            await self._clock.sleep(wait_s)
            attempt += 1

    def _wait(self, refusal: Refusal, attempt: int) -> float | None:
        """Return the seconds before the next attempt; None if there is none."""
        if refusal.retry_after_s is not None and refusal.status is not None:
            self._pacer.hold(min(refusal.retry_after_s, _LONGEST_HOLD_S))
        if not refusal.is_passing or attempt >= self.config.retries:
            return None
        if refusal.retry_after_s is not None:
            return (
                refusal.retry_after_s if refusal.retry_after_s <= self.config.max_wait_s else None
            )
        spread = random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, guards nothing
        return min(self.config.max_wait_s, math.ldexp(_FIRST_WAIT_S, attempt)) * spread

    async def _try(self, client: Client, call: _Call) -> Outcome | Refusal:
        """Make one call if breaker, budgets and rate limit allow it."""
        refused = self._breaker.refusal()
        if refused is not None:
            return Failure(reason="judge_unavailable", message=refused)
        try:
            outcome = await self._pay_and_call(client, call)
        except BaseException:
            self._breaker.abandoned()
            raise
        if isinstance(outcome, Failure):
            self._breaker.abandoned()
        return outcome

    async def _take_slot(self) -> Failure | None:
        if self._pacer.held() > self.config.max_wait_s:
            return Failure(
                reason="judge_unavailable",
                message="the endpoint asked for a pause longer than max_wait_s",
            )
        if self._pacer.delay() > self.config.max_wait_s:
            return Failure(
                reason="budget",
                message=f"the limit of {self.config.calls_per_minute} calls per minute is reached",
            )
        wait_s = self._pacer.book()
        if wait_s:
            await self._clock.sleep(wait_s)
        return None

    async def _pay_and_call(self, client: Client, call: _Call) -> Outcome | Refusal:
        """Debit before a slot is taken: what no budget allows takes none from other calls."""
        messages = call.messages()
        debits = await debit_all(self._budgets, self.window, self._most(messages))
        if isinstance(debits, Budget):
            return Failure(reason=debits.reason, message=debits.message)
        try:
            unpaced = await self._take_slot()
        except BaseException:
            _settle(debits, NOTHING)
            raise
        if unpaced is not None:
            _settle(debits, NOTHING)
            return unpaced
        return await self._call_and_book(client, call, messages, debits)

    async def _call_and_book(
        self, client: Client, call: _Call, messages: Messages, debits: Sequence[Debit]
    ) -> Reply | Refusal:
        used: Amount | None = None  # a call that was canceled may be billed
        outcome: Reply | Refusal | None = None
        self._cache.begin(call.key)
        try:
            outcome = await self._call(client, call, messages)
            if isinstance(outcome, Reply):
                used = _spent(outcome)
            elif not outcome.was_sent:
                used = NOTHING
        finally:
            with self._cache.together():  # a kill keeps the reply and its cost, or neither
                if isinstance(outcome, Reply):
                    self._cache.put(call.key, outcome)
                self._cache.end(call.key)
                _settle(debits, used)
        return outcome

    async def _call(self, client: Client, call: _Call, messages: Messages) -> Reply | Refusal:
        started = self._clock.now()
        outcome = await client.complete(
            messages, answer=call.prompt.answer, temperature=call.temperature
        )
        if isinstance(outcome, Completion):
            self._breaker.succeeded()
            return self._reply(outcome, messages, self._clock.now() - started)
        self._note(outcome)
        return outcome

    def _note(self, refusal: Refusal) -> None:
        if refusal.is_lasting or refusal.is_passing:
            self._breaker.failed(refusal.message, is_lasting=refusal.is_lasting)
        else:
            self._breaker.succeeded()  # it rejected this prompt, but works

    @property
    def _budgets(self) -> tuple[Budget, ...]:
        return (*self._further, Budget(self._account, self.config.budget))

    def _most(self, messages: Messages) -> Amount:
        """Return the maximum usage of a call; zero if nothing is limited."""
        if all(budget.limits.is_unlimited for budget in self._budgets):
            return NOTHING
        size = sum(len(message["content"].encode()) for message in messages)
        tokens, most = -(-size // _BYTES_PER_TOKEN), self.config.max_output_tokens
        price = self.config.price
        cost = price.of(input_tokens=tokens, output_tokens=most) if price else 0.0
        return Amount(tokens + most, micro_usd(cost))

    def _reply(self, completion: Completion, messages: Messages, latency_s: float) -> Reply:
        asked = sum(len(message["content"]) for message in messages)
        input_tokens = _counted(completion.input_tokens, asked)
        output_tokens = _counted(completion.output_tokens, len(completion.text))
        price = self.config.price
        return Reply(
            text=completion.text,
            model=completion.model or self.config.model,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_usd=price.of(input_tokens=input_tokens, output_tokens=output_tokens)
            if price
            else None,
            latency_s=latency_s,
            is_cut=completion.is_cut,
        )

    @property
    def window(self) -> str:
        """The name of the budget's current window in the ledger."""
        return _RUN if self.config.budget.window == _RUN else self._clock.day()


def reply_key(
    config: EndpointConfig, prompt: Prompt, *, temperature: float, vote: int, repair: bool
) -> str:
    """Return the cache key of a reply: model, prompt and parameters."""
    parts = [config.model, prompt.digest, temperature, config.max_output_tokens, vote, repair]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _settle(debits: Sequence[Debit], used: Amount | None) -> None:
    for debit in debits:
        debit.settle(used)


def _spent(reply: Reply) -> Amount:
    return Amount(reply.input_tokens + reply.output_tokens, micro_usd(reply.cost_usd or 0.0))


def _counted(reported: int | None, characters: int) -> int:
    """Return the server's token count, else an estimate by length."""
    return reported if reported is not None else -(-characters // 4)
