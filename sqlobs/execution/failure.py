"""Maps an engine's error to a failure code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.failure_codes import SQLSTATE_CODES

if TYPE_CHECKING:
    import re

_OUT_OF_RESOURCES: Final = "53"
"""The SQLSTATE class of exhausted memory, disk, or a configured limit."""


def sqlstate_code(sqlstate: str) -> str:
    """Return the code of a SQLSTATE; exhausted resources are as good as a timeout."""
    if sqlstate.startswith(_OUT_OF_RESOURCES):
        return "execution.timeout"
    return SQLSTATE_CODES.get(sqlstate, "execution.engine_error")


_ABOUT_SQL: Final = ("schema.", "syntax.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineError:
    """What a warehouse says against a statement."""

    name: str
    """The warehouse's own name or number of the error."""
    code: str
    """Our failure code."""
    message: str

    @property
    def is_fault(self) -> bool:
        """Whether the fault is in the SQL itself."""
        return self.code.startswith(_ABOUT_SQL)


def code_by_message(message: str, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> str | None:
    """Return the code of the first pattern that a message contains."""
    return next((code for code, pattern in patterns if pattern.search(message)), None)
