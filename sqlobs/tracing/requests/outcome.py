"""The outcome of a request that returned, and the text to check.

Tests: `tests/tracing/test_refusals.py` and `test_requests.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.tracing.requests.answer import NOTHING_RETURNED
from sqlobs.tracing.requests.model_response import model_of, usage_of

if TYPE_CHECKING:
    from sqlobs.tracing.requests.request import Request
    from sqlobs.types import Outcome


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
    return "answered", request.operation.finder.find(value)


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
        rollup.set_model(model)
