"""A cache of paid replies, by the digest of the request."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sqlobs.judge.endpoint.reply import Reply


class ReplyCache(Protocol):
    """Stores replies; with a persistent cache, a killed run resumes without paying twice."""

    def get(self, key: str) -> Reply | None:
        """Return the reply for a key; None if there is none."""
        ...

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply; in a persistent cache it is durable when the call returns."""
        ...

    def forget(self, key: str) -> None:
        """Drop the reply for a key, if there is one."""
        ...

    def begin(self, key: str) -> None:
        """Note that a call for a key is about to be sent."""
        ...

    def end(self, key: str) -> None:
        """Note that the call has ended, with or without a reply."""
        ...

    def together(self) -> AbstractContextManager[object]:
        """Return a context whose writes a kill keeps all, or none."""
        ...


@dataclass(slots=True)
class MemoryCache:
    """An in-memory cache that evicts the oldest replies first."""

    max_replies: int = 10_000
    _replies: dict[str, Reply] = field(default_factory=dict)

    def get(self, key: str) -> Reply | None:
        """Return the reply for a key; None if there is none."""
        return self._replies.get(key)

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        self._replies[key] = reply
        if len(self._replies) > self.max_replies:
            del self._replies[next(iter(self._replies))]

    def forget(self, key: str) -> None:
        """Drop a reply."""
        self._replies.pop(key, None)

    def begin(self, key: str) -> None:
        """Do nothing: a kill loses the replies, too."""

    def end(self, key: str) -> None:
        """Do nothing."""

    def together(self) -> AbstractContextManager[object]:
        """Return a context that does nothing."""
        return nullcontext()


class NoCache:
    """A disabled cache: every request goes to the model."""

    def get(self, key: str) -> Reply | None:
        """Return None: nothing is stored."""

    def put(self, key: str, reply: Reply) -> None:
        """Discard the reply."""

    def forget(self, key: str) -> None:
        """Do nothing."""

    def begin(self, key: str) -> None:
        """Do nothing."""

    def end(self, key: str) -> None:
        """Do nothing."""

    def together(self) -> AbstractContextManager[object]:
        """Return a context that does nothing."""
        return nullcontext()
