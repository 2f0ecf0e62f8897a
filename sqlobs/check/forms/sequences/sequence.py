"""What a sequence is: words that some engine does not take one after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from sqlobs.check.forms.sequences.spelling import spelled


@dataclass(frozen=True)
class Sequence:
    """One sequence: how it is recognised, which engines refuse it, and what is said of it."""

    name: str
    sample: str | None
    """A statement over `probe (x)` that shows which engines refuse it; None: all of them do."""
    shape: str
    """What it is (`spelled`); it begins at the token that a finding underlines."""
    message: str
    rare: str = ""
    """The shape of what is in all such sequences and in few statements; else its own shape."""
    words: tuple[str, ...] = ()
    """Upper-case tokens; it is looked for where the statement has one of them."""
    text: re.Pattern[str] | None = None
    """How the text reads there, where the shape does not tell."""
    is_call: bool = False
    """It is a fault of functions that the engine has: of others, the name is the fault."""
    is_of_queries: bool = False
    """It means something in a definition (`name text NOT NULL`)."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds it in the shape of a statement."""
        return re.compile(spelled(self.shape))


def reads(text: str) -> re.Pattern[str]:
    """Return what tells how a text reads, in whatever case."""
    return re.compile(text, re.IGNORECASE)
