"""Users' feedback over HTTP: becomes the record that `record_feedback` sends, in the journal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.semconv.evaluations import FEEDBACK
from sqlobs.semconv.feedback import OTHER, listed_opinion
from sqlobs_collector.errors import MAX_RETRY_AFTER_S, RetryableError
from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.origin import Origin
from sqlobs_collector.otlp.triage import SDK_SCOPE
from sqlobs_collector.receiver.rate_limit import RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlobs.semconv.feedback import Opinion
    from sqlobs_collector.masking import Masker
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.receiver.intake import Appendable

MOST_BYTES: Final = 64 * 1024
"""Of the body of a request."""
_GENERATION: Final = r"^00-[0-9a-f]{32}-[0-9a-f]{16}(-[0-9a-f]{2})?$"


class Feedback(BaseModel):
    """What a user says of one answer; several in a row are a history."""

    model_config = ConfigDict(extra="forbid")

    generation_id: str = Field(pattern=_GENERATION, description="`ctx.generation.id`.")
    kind: str = Field(description="`thumb`, `rating`, `edit` or `follow_up`.")
    value: str | int | float = Field(
        description="`up`, `down`; `1` to `5`; `accepted`, `corrected`, `rejected`; `reasked`,"
        " `abandoned`, `exported`."
    )
    reason: str | None = Field(default=None, max_length=4000, description="The user's own words.")
    corrected_sql: str | None = Field(
        default=None, max_length=32_000, description="The SQL as the user corrected it."
    )

    @field_validator("kind")
    @classmethod
    def _is_listed(cls, kind: str) -> str:
        if kind not in semconv.FEEDBACK_VALUES:
            raise ValueError(f"use one of {', '.join(semconv.FEEDBACK_VALUES)}")
        return kind

    @property
    def opinion(self) -> Opinion:
        """Kind and value as the closed lists spell them."""
        value = self.value
        return listed_opinion(self.kind, float(value) if isinstance(value, int) else value)

    @model_validator(mode="after")
    def _has_listed_value(self) -> Feedback:
        if self.opinion.value == OTHER:
            values = ", ".join(semconv.FEEDBACK_VALUES[self.kind])
            raise ValueError(f"unknown value of {self.kind}: use one of {values}")
        return self


class FeedbackIntake:
    """Accepts feedback; when `accept` returns, it is durable."""

    def __init__(
        self,
        journal: Appendable,
        flow: PipelineMetrics,
        *,
        masker: Masker,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._journal = journal
        self._flow = flow
        self._masker = masker
        self._clock_ns = clock_ns

    async def accept(self, workspace: str, said: Feedback) -> None:
        """Store feedback.

        Raises:
            RetryableError: It cannot be stored now.
        """
        request = _request(said, at_ns=self._clock_ns())
        if self._masker.is_active:
            self._masker.request(request, workspace)
        body = request.SerializeToString()
        await self._journal.append(Entry(workspace, "logs", "", "identity", 1, body))
        self._flow.received(
            signal="logs", kind="evaluation", origin=Origin(workspace, "", ""), count=1
        )


def _request(said: Feedback, *, at_ns: int) -> ExportLogsServiceRequest:
    _, trace_id, span_id, *_ = said.generation_id.split("-")
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.scope.name, scope.scope.version = SDK_SCOPE, __version__
    record = scope.log_records.add(
        time_unix_nano=at_ns,
        event_name=semconv.EVENT_EVALUATION,
        trace_id=bytes.fromhex(trace_id),
        span_id=bytes.fromhex(span_id),
    )
    record.attributes.extend(_attributes(said))
    return request


def _attributes(said: Feedback) -> Iterator[KeyValue]:
    opinion = said.opinion
    texts = {
        semconv.SQLOBS_GENERATION_ID: said.generation_id,
        semconv.SQLOBS_EVALUATOR_NAME: "user",
        semconv.SQLOBS_EVALUATOR_VERSION: __version__,
        semconv.SQLOBS_EVALUATOR_KIND: "human",
        semconv.SQLOBS_FEEDBACK_KIND: opinion.kind,
        semconv.SQLOBS_FEEDBACK_VALUE: opinion.value,
        semconv.SQLOBS_FEEDBACK_QUERY_TEXT: said.corrected_sql,
        semconv.GEN_AI_EVALUATION_NAME: FEEDBACK,
        semconv.GEN_AI_EVALUATION_SCORE_LABEL: opinion.label,
        semconv.GEN_AI_EVALUATION_EXPLANATION: said.reason,
    }
    for name, text in texts.items():
        if text is not None:
            yield KeyValue(key=name, value=AnyValue(string_value=text))
    if opinion.score is not None:
        score = AnyValue(double_value=opinion.score)
        yield KeyValue(key=semconv.GEN_AI_EVALUATION_SCORE_VALUE, value=score)


class FeedbackDoor:
    """Lets in feedback: who may send it, how much of it, and where it goes."""

    def __init__(
        self, intake: FeedbackIntake, *, origins: Sequence[str], by_address: int, by_token: int
    ) -> None:
        """Set up.

        Args:
            intake: Makes it durable.
            origins: Origins whose pages may send; `*` = any.
            by_address: Requests per minute, by token and address.
            by_token: Requests per minute, by token.
        """
        self.intake = intake
        self.origins = tuple(origins)
        self._by_address = RateLimit(by_address)
        self._by_token = RateLimit(by_token)

    def count(self, token: str, address: str) -> None:
        """Count a request.

        Raises:
            RetryableError: There were too many in the last minute.
        """
        if self._by_address.allows(f"{token} {address}") and self._by_token.allows(token):
            return
        raise RetryableError(
            "too much feedback in the last minute: send it again later",
            reason="rate",
            retry_after_s=MAX_RETRY_AFTER_S,
        )
