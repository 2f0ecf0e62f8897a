"""What an engine's error means: the code of the catalogue, and a message without values."""

from __future__ import annotations

import re
from typing import Final

from sqlobs.failure_codes import SQLSTATE_CODES

_OUT_OF_RESOURCES: Final = "53"
"""The SQLSTATE class of exhausted memory, disk, or a configured limit."""

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_$]{0,62}"
_NAMES: Final = re.compile(rf"{_NAME}(\.{_NAME})*")
_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'|“[^”]*”|«[^»]*»")
_TAIL: Final = re.compile(r"(?<=: ).*\Z", re.DOTALL)


def sqlstate_code(sqlstate: str) -> str:
    """Return the code of a SQLSTATE; exhausted resources are as good as a timeout."""
    if sqlstate.startswith(_OUT_OF_RESOURCES):
        return "execution.timeout"
    return SQLSTATE_CODES.get(sqlstate, "execution.engine_error")


def without_values(message: str) -> str:
    """Return the first line of an engine's message with everything but names replaced by `?`.

    Engines quote what they stumbled on, and that may be a value of the user's:

    >>> without_values('invalid input syntax for type integer: "Ann Example"')
    'invalid input syntax for type integer: ?'
    >>> without_values("no such column: customer_revenue")
    'no such column: customer_revenue'
    >>> without_values("no such column: North West")
    'no such column: ?'
    """
    line = message.partition("\n")[0]
    line = _QUOTED.sub(lambda found: _named(found[0][1:-1], found[0]), line)
    return _TAIL.sub(lambda found: _tail(found[0]), line)


def _named(content: str, quoted: str) -> str:
    return quoted if _NAMES.fullmatch(content) else "?"


def _tail(text: str) -> str:
    is_plain = _NAMES.fullmatch(text) or "?" in text or _QUOTED.search(text) or "syntax" in text
    return text if is_plain else "?"
