"""Where the SQL lies in what a traced function returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

from sqlobs.tracing.faults import FAULTS
from sqlobs.tracing.requests.completion import field_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.report import CheckReport


class Auto:
    """The SQL is found in whatever is returned."""

    def __repr__(self) -> str:
        return "AUTO"


AUTO: Final = Auto()


class NothingReturned:
    """Stands for the value of a block, which returns nothing by its nature."""


NOTHING_RETURNED: Final = NothingReturned()


class Attempt:
    """A statement tried inside a request; its report may still be on its way."""

    __slots__ = ("report", "text", "worked")

    def __init__(self, text: str, *, worked: bool | None = None) -> None:
        self.text = text
        self.worked = worked
        """Whether its execution succeeded; None where it was not executed by an agent."""
        self.report: CheckReport | None = None


SqlOption: TypeAlias = "Auto | str | Callable[..., object] | None"
"""`AUTO`, the name of a field, a callable of the result, or None: executions tell."""


class Finder:
    """Finds the text with the SQL; the statement inside it is the checker's to find."""

    def __init__(self, option: object) -> None:
        self.option = option

    def find(self, value: object) -> str:
        """Return the text to check; "" where there is none, which the checker reports."""
        try:
            return _text_in(self._part_of(value))
        except Exception as error:  # noqa: BLE001 - the user's callable must not harm the request
            FAULTS.caught("sql", error)
            return ""

    def _part_of(self, value: object) -> object:
        option = self.option
        if option is AUTO:
            return value
        if isinstance(option, str):
            return field_of(value, option) if not isinstance(value, str) else value
        return cast("Callable[..., object]", option)(value)


def _text_in(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    from sqlobs.check.answers import text_of

    return text_of(value)
