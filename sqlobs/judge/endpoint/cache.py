"""Replies that were paid for, kept by the digest of what was asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.reply import Reply


class ReplyCache(Protocol):
    """Keeps replies; a persistent one lets a killed run continue without paying twice."""

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under a key."""
        ...

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it is durable when the call returns, where the cache is."""
        ...

    def forget(self, key: str) -> None:
        """Drop the reply kept under a key, if there is one."""
        ...


@dataclass(slots=True)
class MemoryCache:
    """A cache that lives as long as the process; the oldest replies leave first."""

    max_replies: int = 10_000
    _replies: dict[str, Reply] = field(default_factory=dict)

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under a key."""
        return self._replies.get(key)

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        self._replies[key] = reply
        if len(self._replies) > self.max_replies:
            del self._replies[next(iter(self._replies))]

    def forget(self, key: str) -> None:
        """Drop a reply."""
        self._replies.pop(key, None)


class NoCache:
    """Keeps nothing: to ask the same again is to ask the model again."""

    def get(self, key: str) -> Reply | None:
        """Return None: nothing is kept."""

    def put(self, key: str, reply: Reply) -> None:
        """Let a reply go."""

    def forget(self, key: str) -> None:
        """Do nothing."""
