"""Finds the SQL in the value that a traced function returned.

Tests: `tests/tracing/test_kinds.py`, `test_refusals.py` and `test_accepted_arguments.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from sqlobs.errors import InputError
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.model_response import model_of, usage_of

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.requests.request import Request
    from sqlobs.types import Outcome


class Marker:
    """A value that is no answer itself, recognized by identity."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


AUTO: Final = Marker("AUTO")
"""Find the SQL in any returned value."""
NOTHING_RETURNED: Final = Marker("NOTHING_RETURNED")
"""The value of a `with` block, which cannot return one."""
NOT_UNDERSTOOD: Final = Marker("NOT_UNDERSTOOD")
"""An answer of an unknown type: not evaluated, never failed."""


class Attempt:
    """A statement tried inside a request; `report` is None until it is checked."""

    __slots__ = ("report", "text", "worked")

    def __init__(self, text: str, *, worked: bool | None = None) -> None:
        self.text = text
        self.worked = worked
        """Whether its execution succeeded; None where no agent executed it."""
        self.report: CheckReport | None = None


SqlOption: TypeAlias = "Marker | str | Callable[..., object] | None"
"""`AUTO`, the name of a field, a callable of the result, or None: take the executed SQL."""


def text_to_check(value: object, option: object) -> str | None:
    """Return the text that the checker extracts the SQL from, by the option `sql`.

    "" for an answer without text, None for an unknown type.
    """
    if value is NOT_UNDERSTOOD:
        return None
    with INTERNAL_ERRORS.contained("sql"):
        part = value
        if isinstance(option, str):
            part = value if isinstance(value, str) else _field(value, option)
        elif option is not AUTO:
            part = cast("Callable[..., object]", option)(value)
        return "" if part is None else text_in(part)
    return None


def text_in(value: object) -> str | None:
    """Return the text of an answer as a plain `str`; None for an unknown type."""
    if isinstance(value, str):
        return str.__str__(value)
    from sqlobs.check.llm_output.answer_text import is_answer, text_of

    text = text_of(value)
    return text if text or is_answer(value) else None


def _field(value: object, name: str) -> object:
    """Return a field of an answer.

    Raises:
        InputError: There is no such field.
    """
    from sqlobs.check.llm_output.answer_text import field_of, has_field

    if has_field(value, name):
        return field_of(value, name)
    raise InputError(
        f"Unknown field sql={name!r} in the answer. Use one of its fields, or a callable"
    )


def answer_of(request: Request, value: object) -> tuple[Outcome, str | None]:
    """Return the outcome and the text to check; None where the answer has an unknown type.

    Where nothing is returned, the last attempt is the answer: a repair loop that gives up has
    failed, not abstained.
    """
    if type(value) is str and request.chunks is None and request.is_uncorrected:
        return "answered", value
    _note_completion(request, value)
    outcome = request.outcome_set or "answered"
    if outcome != "answered":
        return outcome, None
    if request.sql_set is not None:
        return "answered", request.sql_set
    if request.operation.is_agent or value is NOTHING_RETURNED or value is None:
        attempts = request.attempts
        worked = [attempt for attempt in attempts if attempt.worked]
        last = (worked or attempts)[-1:]
        return ("answered", last[0].text) if last else ("abstained", None)
    return "answered", text_to_check(value, request.operation.sql)


def _note_completion(request: Request, value: object) -> None:
    """Take model and tokens from a returned completion, where no child span has them."""
    chunks = request.chunks
    source = value if chunks is None else chunks
    if isinstance(source, str) or value is NOTHING_RETURNED:
        return
    rollup = request.rollup
    usage = usage_of(source)
    if usage is not None and rollup.usage.input_tokens is None:
        rollup.add_usage(usage, model=rollup.model or model_of(source))
    elif rollup.model is None and (model := model_of(source)):
        rollup.add_usage(Usage(), model=model)
