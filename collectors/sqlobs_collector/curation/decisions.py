"""Why a decision of a person cannot be stored, and what all decisions have in common."""

from __future__ import annotations

import re
from typing import Final

from sqlobs_collector.store.rows import UnitKey

MOST_TEXT: Final = 64 * 1024
"""Maximum number of characters of a statement, a question or a critique."""
MOST_NAME: Final = 80
_GENERATION: Final = re.compile(
    # 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
    r"(?:00-)?(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})(?:-[0-9a-f]{2})?"
)


class DecisionError(Exception):
    """The decision is invalid; the message describes a valid one."""


class UnknownSubjectError(Exception):
    """What was decided about does not exist in the workspace."""


def unit_key(workspace: str, generation_id: str) -> UnitKey:
    """Return the key of a request by its generation id.

    Raises:
        DecisionError: It is no generation id.
    """
    found = _GENERATION.fullmatch(generation_id.strip().lower())
    if found is None:
        raise DecisionError("give a generation id: 00-TRACE-SPAN-FLAGS, or TRACE-SPAN")
    return UnitKey(workspace, found["trace"], found["span"])


def person(name: str) -> str:
    """Return the name of the person who decides.

    Raises:
        DecisionError: It is empty or too long.
    """
    stripped = " ".join(name.split())
    if not stripped or len(stripped) > MOST_NAME:
        raise DecisionError(f"give a name of 1 to {MOST_NAME} characters")
    return stripped


def bounded(text: str, *, name: str) -> str:
    """Return a text that is short enough to store.

    Raises:
        DecisionError: It is too long.
    """
    if len(text) > MOST_TEXT:
        raise DecisionError(
            f"{name} has {len(text):,} characters: at most {MOST_TEXT:,} are allowed"
        )
    return text
