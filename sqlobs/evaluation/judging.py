"""An LLM judge beside the execution: what it says about each pair that ran."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.runs.case import JudgeVerdict

if TYPE_CHECKING:
    from types import TracebackType

    from sqlobs.evaluation.case import Case
    from sqlobs.execution.outcome import Execution
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.judgement import Judgement
    from sqlobs.schema.model import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An executed prediction with the reference that it is judged by."""

    case: Case
    reference_sql: str
    reference: Execution
    predicted: Execution
    results_equal: bool | None
    dialect: str | None = None
    schema: Schema | None = None


class CaseJudge:
    """FLEX, asked from any thread; a context that ends its connections.

    Judges live on an event loop, evaluation on threads: the loop runs in a thread of its own.
    """

    def __init__(self, config: EndpointConfig) -> None:
        """Set up; connections are made by the first question.

        Args:
            config: The endpoint, its limits and budget.

        Raises:
            ConfigError: the key is to come from a variable that is not set.
        """
        self._endpoint = Endpoint(config)
        self._judge = FlexJudge(self._endpoint)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="sqlobs-judge", daemon=True
        )

    def verdict(self, pair: Pair) -> JudgeVerdict:
        """Return the judge's verdict on a pair; without one, the reason stands in its place."""
        item = JudgeItem.of_outcomes(
            sql=pair.case.predicted_sql or "",
            predicted=pair.predicted.outcome,
            reference_outcome=pair.reference.outcome,
            results_equal=pair.results_equal,
            question=pair.case.question,
            dialect=pair.dialect,
            schema=None if pair.schema is None else pair.schema.render(),
            hints=pair.case.hint,
            reference=pair.reference_sql,
            case_id=pair.case.label,
        )
        asked = asyncio.run_coroutine_threadsafe(self._judge.judge(item), self._loop)
        try:
            return _row(asked.result())
        except CancelledError:
            return JudgeVerdict(judge=self._judge.name, correct=None, explanation="stopped")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._endpoint.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _row(judgement: Judgement) -> JudgeVerdict:
    version = judgement.prompt_version or judgement.name
    return JudgeVerdict(
        judge=f"{version} {judgement.model}" if judgement.model else version,
        correct=judgement.is_correct,
        score=judgement.score,
        explanation=judgement.explanation or judgement.reason,
        categories=judgement.codes,
    )
