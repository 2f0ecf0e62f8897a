"""Creates a batch on a server, waits for it and stores its replies; a killed run pays once."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.batch_output import answered, batch_cost
from sqlobs.judge.endpoint.budget import Amount, micro_usd
from sqlobs.judge.endpoint.ticket import Ticket, TicketFile
from sqlobs.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai import AsyncOpenAI
    from openai.types import Batch

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.store import SqliteStore

CALLS_PATH: Final = "/v1/chat/completions"
MOST_CALLS: Final = 50_000
MOST_BYTES: Final = 100_000_000
"""Maximum size of one batch; the rest goes into the next."""
MOST_OUTPUT_BYTES: Final = 1_000_000_000
"""Maximum size of a batch's output file."""
LONGEST_S: Final = 26 * 3600.0
"""A server has one day; if it takes longer, stop waiting, but keep the ticket to resume."""
_MARK: Final = "sqlobs"
_UNDER_WAY: Final = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_SERVER_ERROR: Final = 500
"""From this status on, the batch may have been created: a gateway may have sent the status."""
_RETRIES: Final = 6
"""Retries of a status request: they cost nothing, and a day is long."""
_BYTES_PER_TOKEN: Final = 3


@dataclass(frozen=True, slots=True)
class BatchServer:
    """Creates batches, waits for them and stores their replies."""

    client: AsyncOpenAI
    config: EndpointConfig
    store: SqliteStore
    file: TicketFile
    poll_s: float

    async def take_up(self) -> set[str]:
        """Wait for the batch of an interrupted run; return the keys of its unanswered calls."""
        ticket = self.file.read()
        if ticket is not None and ticket.batch_id is None:
            ticket = await self._found(ticket)
        return set() if ticket is None else await self._finished(ticket)

    async def answer(self, lines: Mapping[str, bytes], *, window: str) -> set[str]:
        """Have lines answered, up to a batch's maximum; return the keys of the unanswered ones.

        Args:
            lines: Requests by the key under which the reply is stored.
            window: The budget's window.
        """
        fitting = _within(lines)
        ticket = Ticket.of(fitting, window=window, debit=self._most(fitting))
        self.file.keep(ticket)  # before the debit: a kill leaves none that no ticket names
        self._debit(ticket)
        return await self._finished(await self._made(ticket, b"\n".join(fitting.values())))

    def _most(self, lines: Mapping[str, bytes]) -> Amount:
        """Return the most that the lines may use."""
        asked = -(-sum(map(len, lines.values())) // _BYTES_PER_TOKEN)
        given = len(lines) * self.config.max_output_tokens
        return Amount(asked + given, micro_usd(batch_cost(self.config, asked, given) or 0.0))

    def _debit(self, ticket: Ticket) -> None:
        """Debit the most that a batch may use.

        Raises:
            ConfigError: The rest of the budget is smaller.
        """
        most = ticket.debit
        with self.store.together():
            is_affordable = self.store.debit(ticket.window, most, self.config.budget)
            if is_affordable:
                self.store.open_batch(ticket.mark)
        if not is_affordable:
            self.file.discard()
            raise ConfigError(
                f"the batch of {len(ticket.keys)} calls may use {most.tokens} tokens"
                f" ({most.micro_usd / 1e6:.2f} USD), more than the rest of the budget"
            )

    async def _made(self, ticket: Ticket, lines: bytes) -> Ticket:
        """Send the lines as a batch, and keep its ID."""
        import openai

        file_id = await self._sent(ticket, lines)
        try:
            made = await self.client.batches.create(
                input_file_id=file_id,
                endpoint=CALLS_PATH,
                completion_window="24h",
                metadata={_MARK: ticket.mark},
            )
        except openai.OpenAIError as error:
            if isinstance(error, openai.APIStatusError) and error.status_code < _SERVER_ERROR:
                self._give_back(ticket)  # rejected: nothing was created
                raise self._refused(error) from error
            raise ConfigError(
                f"whether {shown_url(self.config.base_url)} has made the batch is not known"
                f" ({type(error).__name__}): run this again, it looks for it first"
            ) from error
        return self.file.keep(ticket.named(made.id))

    async def _sent(self, ticket: Ticket, lines: bytes) -> str:
        """Upload the lines as a file and return its ID; this does not create a batch yet."""
        import openai

        try:
            file = await self.client.files.create(file=("judge.jsonl", lines), purpose="batch")
        except openai.OpenAIError as error:
            self._give_back(ticket)
            raise self._refused(error) from error
        return file.id

    async def _found(self, ticket: Ticket) -> Ticket | None:
        """Return the ticket with its batch's ID; None if the batch was never created."""
        import openai

        try:
            async for batch in self._looking.batches.list(limit=100):
                if (batch.metadata or {}).get(_MARK) == ticket.mark:
                    return self.file.keep(ticket.named(batch.id))
        except openai.OpenAIError as error:
            raise ConfigError(
                f"whether a batch was made is not known ({type(error).__name__}): look on the"
                f" server for one with the metadata {_MARK}={ticket.mark}, cancel it, and delete"
                f" {self.file.path}"
            ) from error
        self._give_back(ticket)
        return None

    async def _finished(self, ticket: Ticket) -> set[str]:
        """Wait for a batch and store its replies; return the keys of the unanswered calls."""
        import openai

        try:
            state = await self._ended(str(ticket.batch_id))
            text = ""
            if state.output_file_id is not None:
                text = (await self._looking.files.content(state.output_file_id)).text
        except openai.NotFoundError as error:
            raise ConfigError(
                f"{shown_url(self.config.base_url)} does not know batch {ticket.batch_id}; to"
                f" create a new one, delete {self.file.path}"
            ) from error
        except openai.OpenAIError as error:
            raise ConfigError(
                f"batch {ticket.batch_id} cannot be read ({type(error).__name__}): run this"
                " again to go on with it"
            ) from error
        kept = self._keep(text, ticket)
        if state.status == "completed":
            return set(ticket.keys) - kept
        if not kept:
            raise ConfigError(f"batch {ticket.batch_id} has {state.status}: {_why(state)}")
        return set()  # it expired: the rest may go into another batch

    async def _ended(self, batch_id: str) -> Batch:
        until = time.monotonic() + LONGEST_S
        while True:
            state = await self._looking.batches.retrieve(batch_id)
            if state.status not in _UNDER_WAY:
                return state
            if time.monotonic() > until:
                raise ConfigError(
                    f"batch {batch_id} is not done after {LONGEST_S / 3600:.0f} hours: run this"
                    " again to look once more"
                )
            await asyncio.sleep(self.poll_s)

    def _keep(self, text: str, ticket: Ticket) -> set[str]:
        """Store the replies, settle their usage and remove the ticket."""
        wanted = set(ticket.keys)
        kept: set[str] = set()
        tokens = cost = 0
        with self.store.together():
            for entry in answered(text, self.config):
                if entry.key in wanted - kept:
                    kept.add(entry.key)
                    self.store.put(entry.key, entry.reply)
                    tokens, cost = tokens + entry.spent.tokens, cost + entry.spent.micro_usd
            self._settle(ticket, Amount(tokens, cost))
        self.file.discard()
        return kept

    def _give_back(self, ticket: Ticket) -> None:
        with self.store.together():
            self._settle(ticket, Amount(0, 0))
        self.file.discard()

    def _settle(self, ticket: Ticket, spent: Amount) -> None:
        """Settle a batch once: a kill before its ticket is removed repeats this step."""
        if self.store.close_batch(ticket.mark):
            self.store.settle(ticket.window, spent - ticket.debit)

    @property
    def _looking(self) -> AsyncOpenAI:
        """The client for idempotent requests: status requests, not the creation of a batch."""
        return self.client.with_options(max_retries=_RETRIES)

    def _refused(self, error: Exception) -> ConfigError:
        return ConfigError(
            f"{shown_url(self.config.base_url)} rejected the batch ({type(error).__name__}); run"
            " without the Batch API"
        )


def _within(lines: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the first lines, up to a batch's maximum."""
    fitting: dict[str, bytes] = {}
    size = 0
    for key, line in islice(lines.items(), MOST_CALLS):
        size += len(line) + 1
        if size > MOST_BYTES:
            break
        fitting[key] = line
    return fitting


def _why(state: Batch) -> str:
    """Return the server's reason for a failed batch, on one line."""
    errors = state.errors.data if state.errors is not None and state.errors.data else []
    return " ".join(str(errors[0].message).split())[:200] if errors else "no call was answered"
