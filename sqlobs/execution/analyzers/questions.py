"""What an engine in a process of its own is asked, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table that a statement may read."""

    path: tuple[str, ...]
    """Its catalog and namespace, as far as known, then its name."""
    columns: tuple[tuple[str, str], ...]
    """Names and types, as the schema spells them."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An engine's error."""

    code: str
    """The failure code."""
    identifier: str | None = None
    """The name that the error is about, without its qualifier."""
    qualifier: str | None = None


class NoVerdictError(Exception):
    """The engine cannot decide, or must not be asked."""


class Analyzer(Protocol):
    """An engine that resolves statements over empty tables and runs none."""

    engine: str
    """Name and version, `spark 4.3.0`."""

    def rejection(self, sql: str, tables: Sequence[DeclaredTable]) -> Rejection | None:
        """Return the engine's error; None: it accepts the query.

        Raises:
            NoVerdictError: It cannot decide, or a table cannot be made.
        """
        ...


@dataclass(frozen=True, slots=True)
class Wording:
    """What an error's message means."""

    pattern: re.Pattern[str]
    """Its group `name`, if any, is the name that the error is about."""
    code: str | None
    """None: the error decides nothing."""


def wordings(*rows: tuple[str, str | None]) -> tuple[Wording, ...]:
    """Compile patterns of messages, the first that matches decides."""
    return tuple(Wording(re.compile(pattern, re.DOTALL), code) for pattern, code in rows)


_QUOTES: Final = "`'\""
_PARTS: Final = re.compile(r"`[^`]*`|[^.`]+")
"""The parts of `` `a b`.`c` `` and of `a.c`."""


def rejection_of(message: str, known: Sequence[Wording]) -> Rejection:
    """Return what an error message means.

    Raises:
        NoVerdictError: The message decides nothing.
    """
    for wording in known:
        if found := wording.pattern.search(message):
            if wording.code is None:
                break
            parts = _PARTS.findall(found.groupdict().get("name") or "")
            names = [part.strip(_QUOTES) for part in parts]
            return Rejection(
                wording.code,
                names[-1] if names else None,
                names[-2] if len(names) > 1 else None,
            )
    raise NoVerdictError(message)
