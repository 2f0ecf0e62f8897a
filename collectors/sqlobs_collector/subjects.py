"""Whom a request is about, as keyed digests: stored requests are found without storing a name.

Tests: `tests/collector/test_erasure.py`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SubjectKind: TypeAlias = Literal["user", "conversation", "tenant", "trace", "request"]
"""What requests are erased by. `request` is a single one, by trace and span."""
_PSEUDONYM: Final = re.compile(r"hmac-([0-9a-f]{32})")  # hmac-0f3c…, in place of a user's id
_DIGITS: Final = 32


class About(NamedTuple):
    """Whom a record is about, and since when it exists."""

    workspace: str
    trace_id: str
    span_id: str
    user: str | None
    conversation: str | None
    tenant: str | None
    at_ns: int
    """When the request ended or was received, whichever is earlier."""

    @property
    def request(self) -> str:
        """The value of the subject `request`."""
        return request_value(self.trace_id, self.span_id)


class SubjectDigests:
    """Digests of subjects under the collector's keys.

    Args:
        keys: The key in use, then earlier ones, under which older rows are still found.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = tuple(keys)

    def of(self, kind: SubjectKind, workspace: str, value: str) -> str:
        """Return the digest of a subject, 32 hex digits; a pseudonym has that of its subject."""
        return self.known(kind, workspace, value)[0]

    def known(self, kind: SubjectKind, workspace: str, value: str) -> tuple[str, ...]:
        """Return the digests that a subject may be stored under, that of the key in use first."""
        if (found := _PSEUDONYM.fullmatch(value)) is not None:
            return (found[1],)
        text = f"{kind}\0{workspace}\0{value}".encode(errors="replace")
        return tuple(
            hmac.new(key, text, hashlib.sha256).hexdigest()[:_DIGITS] for key in self._keys
        )

    def of_record(self, about: About) -> Iterator[str]:
        """Yield all digests by which a record may have been erased."""
        values: dict[SubjectKind, str | None] = {
            "user": about.user,
            "conversation": about.conversation,
            "tenant": about.tenant,
            "trace": about.trace_id,
            "request": about.request,
        }
        for kind, value in values.items():
            if value is not None:
                yield from self.known(kind, about.workspace, value)


def request_value(trace_id: str, span_id: str) -> str:
    """Return the value of the subject `request`."""
    return f"{trace_id}-{span_id}"


def pseudonym(digest: str) -> str:
    """Return what is stored in place of a subject's value."""
    return f"hmac-{digest}"
