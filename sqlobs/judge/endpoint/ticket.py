"""What a batch under way is known by, in a file: a killed run finds it again and pays once."""

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
    """One batch: what it was made of, and what was debited for it."""

    mark: str
    """Stands in the batch's metadata: by it a batch is found whose id was never heard."""
    keys: tuple[str, ...]
    """The ids of its lines: under these the replies are kept."""
    window: str
    tokens: int
    micro_usd: int
    batch_id: str | None = None
    """None = the server has been asked to make it, and has not answered yet."""

    @classmethod
    def of(cls, keys: Iterable[str], *, window: str, debit: Amount) -> Ticket:
        """Return the ticket of a batch to be made."""
        return cls(
            mark=secrets.token_hex(16),
            keys=tuple(keys),
            window=window,
            tokens=debit.tokens,
            micro_usd=debit.micro_usd,
        )

    @property
    def debit(self) -> Amount:
        """The most that the batch may take, as it was debited."""
        return Amount(self.tokens, self.micro_usd)

    def named(self, batch_id: str) -> Ticket:
        """Return the ticket with the id that the server gave."""
        return replace(self, batch_id=batch_id)


@dataclass(frozen=True, slots=True)
class TicketFile:
    """Where the ticket lies while its batch is under way."""

    path: Path

    def read(self) -> Ticket | None:
        """Return the ticket; None where no batch is under way.

        Raises:
            ConfigError: The file holds something else.
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
        """Write the ticket; a kill leaves the old one or the new one."""
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(asdict(ticket)), encoding="utf-8")
        beside.replace(self.path)
        return ticket

    def discard(self) -> None:
        """Remove the ticket: its batch is done with."""
        self.path.unlink(missing_ok=True)
