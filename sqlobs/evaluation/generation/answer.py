"""The answer of a system under test to one question."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from sqlobs.errors import InputError, SqlobsError
from sqlobs.runs.case import GenerationRecord  # noqa: TC001 - pydantic reads it at run time
from sqlobs.runs.lines import json_fault

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from sqlobs.evaluation.case import Case


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: its statement (None for a refusal or an error), attempts, times and cost."""

    index: int
    """Position of the question, from 0."""
    sql: str | None
    record: GenerationRecord


class System(Protocol):
    """Protocol: a system under test. An exception becomes an answer with an error."""

    async def ask(self, case: Case) -> Answer:
        """Ask one question."""

    async def close(self) -> None:
        """Give up connections."""


class RefusedError(Exception):
    """The system's response is invalid; the message describes the problem."""


class CostLimitError(SqlobsError):
    """The next call could exceed the cost limit; the message says what was spent."""


def answer_line(answer: Answer) -> str:
    """Return an answer as one line of JSON."""
    return json.dumps(asdict(answer))


def answer_of(line: str) -> Answer:
    """Read what `answer_line` wrote.

    Raises:
        InputError: the line does not have this form.
    """
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(json.loads(line))
    except ValidationError:
        raise InputError("not an answer") from None
    except ValueError as error:
        raise InputError(f"not JSON ({json_fault(error)})") from None


@cache
def _adapter() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter

    return TypeAdapter(Answer)
