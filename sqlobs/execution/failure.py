"""What an engine's error means: the code of the catalogue, and a message without values."""

from __future__ import annotations

import re
from typing import Final

from sqlobs.failure_codes import SQLSTATE_CODES
from sqlobs.schema.identifiers import PLAIN_NAME

_OUT_OF_RESOURCES: Final = "53"
"""The SQLSTATE class of exhausted memory, disk, or a configured limit."""

_NAMES: Final = re.compile(rf"{PLAIN_NAME}(\.{PLAIN_NAME})*")
_QUOTES: Final = "\"'“”«»"
_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'|“[^”]*”|«[^»]*»")
_PLAIN: Final = re.compile(r"\?.*|[a-z ]+ error")
"""What may follow a colon as it is: a quotation that was masked, or the engine's own words."""


def sqlstate_code(sqlstate: str) -> str:
    """Return the code of a SQLSTATE; exhausted resources are as good as a timeout."""
    if sqlstate.startswith(_OUT_OF_RESOURCES):
        return "execution.timeout"
    return SQLSTATE_CODES.get(sqlstate, "execution.engine_error")


def named_only(message: str) -> str:
    """Return the first line of a message about names; what is no name there becomes `?`.

    >>> named_only("no such column: customer_revenue")
    'no such column: customer_revenue'
    >>> named_only('column "North West" does not exist')
    'column ? does not exist'
    """
    return _masked(message, keeps_names=True)


def without_values(message: str) -> str:
    """Return the first line of an engine's message without what it quotes: a value, perhaps.

    >>> without_values('invalid input syntax for type integer: "Ann"')
    'invalid input syntax for type integer: ?'
    """
    return _masked(message, keeps_names=False)


def _masked(message: str, *, keeps_names: bool) -> str:
    def shown(found: re.Match[str]) -> str:
        is_name = keeps_names and _NAMES.fullmatch(found[0].strip(_QUOTES))
        return found[0] if is_name else "?"

    line = _QUOTED.sub(shown, message.partition("\n")[0])
    head, colon, tail = line.partition(": ")
    if not colon or _PLAIN.fullmatch(tail):
        return line
    return f"{head}: {tail if keeps_names and _NAMES.fullmatch(tail) else '?'}"
