"""The ticket file of a running batch, by which an interrupted run finds it and pays once."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.budget import Amount

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A batch: its calls, and the debit for it."""

    mark: str
    """A mark in the batch's metadata, to find a batch whose ID was never received."""
    keys: tuple[str, ...]
    """The IDs of its lines: the keys of the stored replies."""
    window: str
    tokens: int
    micro_usd: int
    batch_id: str | None = None
    """None = the server was asked to create it and has not responded yet."""

    @classmethod
    def of(cls, keys: Iterable[str], *, window: str, debit: Amount) -> Ticket:
        """Return the ticket of a batch to create."""
        return cls(
            mark=secrets.token_hex(16),
            keys=tuple(keys),
            window=window,
            tokens=debit.tokens,
            micro_usd=debit.micro_usd,
        )

    @property
    def debit(self) -> Amount:
        """The maximum usage of the batch, as debited."""
        return Amount(self.tokens, self.micro_usd)

    def named(self, batch_id: str) -> Ticket:
        """Return the ticket with the server's batch ID."""
        return replace(self, batch_id=batch_id)


@dataclass(frozen=True, slots=True)
class TicketFile:
    """The file of the ticket while its batch is running."""

    path: Path

    def read(self) -> Ticket | None:
        """Return the ticket; None if no batch is running.

        Raises:
            ConfigError: The file is not a ticket.
        """
        if not self.path.exists():
            return None
        try:
            held = json.loads(self.path.read_text(encoding="utf-8"))
            return Ticket(**{**held, "keys": tuple(held["keys"])})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{self.path} is not a batch ticket; delete it if no batch is running"
            ) from error

    def keep(self, ticket: Ticket) -> Ticket:
        """Write the ticket atomically: after a kill, the old or the new one exists."""
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(asdict(ticket)), encoding="utf-8")
        beside.replace(self.path)
        return ticket

    def discard(self) -> None:
        """Remove the ticket after its batch is complete."""
        self.path.unlink(missing_ok=True)
