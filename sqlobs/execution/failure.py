"""Maps an engine's error to a failure code."""

from __future__ import annotations

from typing import Final

from sqlobs.failure_codes import SQLSTATE_CODES

_OUT_OF_RESOURCES: Final = "53"
"""The SQLSTATE class of exhausted memory, disk, or a configured limit."""


def sqlstate_code(sqlstate: str) -> str:
    """Return the code of a SQLSTATE; exhausted resources are as good as a timeout."""
    if sqlstate.startswith(_OUT_OF_RESOURCES):
        return "execution.timeout"
    return SQLSTATE_CODES.get(sqlstate, "execution.engine_error")
