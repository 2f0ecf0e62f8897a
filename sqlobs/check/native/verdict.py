"""What an engine says about a statement: accepted, or refused with its first error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NativeVerdict:
    """An engine's own verdict. Its words are not kept: they may quote literals."""

    engine: str
    """Name and version, `sqlite 3.40.1`."""
    code: str | None = None
    """The failure code of its error; None: accepted."""
    identifier: str | None = None
    """The name that its error is about."""
    message: str = ""
    """One sentence without literals."""
    detail: str | None = None
    is_grammar_only: bool = False
    """It comes from a parser: accepted says nothing about names, types and functions."""
    qualifier: str | None = None
    """What stands before that name in the error (`t1` of `t1.name`): it may be what is wrong."""
