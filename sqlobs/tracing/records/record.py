"""Immutable records of requests, executions and feedback, which the senders read.

A record is made once, after the check. Its texts have passed the user's `redact`; its report still
contains the original statement, so senders use `Texts` only. Tests: `tests/telemetry`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, Self

from sqlobs.types import Label, Outcome, Verdict, label_of, negated

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.failure_codes import Reason
    from sqlobs.unit import SpanIdentity

CheckStatus = Literal["complete", "pending", "dropped", "timeout", "error", "skipped"]
"""How far the check came; only `complete` has a report, made in time."""

CheckMethod = Literal["static", "native", "llm"]
ExecutionStatus = Literal["ok", "error", "timeout"]
Evaluator = Literal["static", "native", "llm", "engine", "human"]

_UNEVALUATED: dict[Outcome, Reason] = {
    "abstained": "abstained",
    "clarified": "clarified",
    "cancelled": "cancelled",
    "error": "call_failed",
}
"""Why a request is not evaluated, by outcome."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a generation after `redact`; None = unknown or withheld."""

    sql: str | None = None
    """The statement as generated, with literals: for units, and spans with raw capture."""
    masked_sql: str | None = None
    """The statement with every literal as `?`."""
    is_redacted: bool = False
    """`redact` changed the statement: the collector must not execute or judge it."""
    question: str | None = None
    question_digest: str | None = None
    """Keyed hash of the question before `redact`; None without a key."""
    reference: str | None = None
    hint: str | None = None
    syntax_message: str | None = None
    """The message of the first syntax error, masked."""
    attempts: str | None = None
    """The statements that were tried and their findings, as JSON; see `attempt_texts`."""


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One statement the model tried inside a generation."""

    number: int
    """1 for the first."""
    report: CheckReport

    @property
    def verdict(self) -> Verdict:
        """The verdict of this attempt."""
        return self.report.verdict

    @property
    def hallucination_label(self) -> Label:
        """The label of `schema_hallucination`."""
        return label_of(negated(self.report.hallucinated))


class _Sums:
    """Numbers of which None is unknown, never zero."""

    __slots__ = ()

    def updated(self, newer: Self) -> Self:
        """Return the numbers, replaced by newer ones of the same call; unknown ones stay."""
        known = {name: value for name, value in _numbers(newer).items() if value is not None}
        return replace(self, **known)  # type: ignore[type-var]  # its subclasses are dataclasses

    def plus(self, more: Self) -> Self:
        """Return the sums; an unknown number adds nothing."""
        mine, known = _numbers(self), _numbers(more)
        sums = {
            name: value + (mine[name] or 0) for name, value in known.items() if value is not None
        }
        return replace(self, **sums)  # type: ignore[type-var]  # likewise


def _numbers(sums: _Sums) -> dict[str, int | float | None]:
    return {each.name: getattr(sums, each.name) for each in fields(sums)}  # type: ignore[arg-type]  # likewise


@dataclass(frozen=True, slots=True)
class Usage(_Sums):
    """Tokens and cost of all model calls inside a generation."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class StageTimes(_Sums):
    """Sums over child spans, in seconds; None = there was no such stage."""

    llm_s: float | None = None
    retrieval_s: float | None = None
    execution_s: float | None = None
    first_token_s: float | None = None
    """From the call to the first chunk of a stream."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """The options of a request that are recorded."""

    dialect: str | None = None
    target: str | None = None
    """Alias of the database the SQL is meant for."""
    target_system: str | None = None
    tenant: str | None = None
    prompt_name: str | None = None
    prompt_version: str | None = None
    model: str | None = None
    """As set, or read from a child span or a returned completion; None = unknown."""
    conversation: str | None = None
    user: str | None = None
    session: str | None = None
    case_id: str | None = None
    """`sqlobs.reference.case_id`."""


@dataclass(frozen=True, slots=True)
class ExecutionRecord:
    """One execution of SQL by the application."""

    status: ExecutionStatus
    start_ns: int
    end_ns: int
    span: SpanIdentity
    """The `sqlobs.execute` span."""
    generation_id: str | None = None
    """Id of the generation this execution joined, or None."""
    workflow: str | None = None
    """Workflow of that generation."""
    target: str | None = None
    error_type: str | None = None
    """Fully qualified class of the exception."""
    sqlstate_class: str | None = None
    """The first two characters of SQLSTATE (`42`)."""
    rows: int | None = None
    columns: int | None = None
    is_empty: bool | None = None
    is_truncated: bool | None = None
    fingerprint: str | None = None
    static_label: Label | None = None
    """Both static labels together; None, as is `engine_label`, without a generation."""
    engine_label: Label | None = None
    joins_late: bool = False
    """The generation had ended: the execution is sent as a record of its own."""

    @property
    def duration_s(self) -> float:
        """Seconds from start to end."""
        return (self.end_ns - self.start_ns) / 1e9


@dataclass(frozen=True, slots=True)
class GenerationRecord:
    """One counted text-to-SQL request."""

    workflow: str
    span: SpanIdentity
    start_ns: int
    end_ns: int
    outcome: Outcome
    error_type: str | None = None
    """Fully qualified class of the exception, where the outcome is `error`."""
    report: CheckReport | None = None
    """The check of the final statement; None with the cause in `reason`."""
    reason: Reason | None = None
    """Why there is no report, unless the outcome explains it."""
    check_status: CheckStatus = "complete"
    check_method: CheckMethod = "static"
    check_duration_s: float = 0.0
    overhead_s: float = 0.0
    """Our own time on the caller's thread, in seconds."""
    texts: Texts = Texts()
    context: CallContext = CallContext()
    schema_version: str | None = None
    attempts: tuple[AttemptRecord, ...] = ()
    """In order; empty if nothing was checked."""
    executions: tuple[ExecutionRecord, ...] = ()
    """Those that ended inside the generation."""
    stages: StageTimes = StageTimes()
    usage: Usage = Usage()
    is_abandoned: bool = False
    """The stream was neither exhausted nor closed."""

    @property
    def duration_s(self) -> float:
        """Seconds from the call to the return, or to the end of the stream."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def evaluated(self) -> CheckReport | None:
        """The report if the outcome is `answered`, else None: the request is not evaluated."""
        return self.report if self.outcome == "answered" else None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the request."""
        report = self.evaluated
        return "not_evaluated" if report is None else report.verdict

    def reason_of(self, label: Literal["syntactic", "schematic"]) -> Reason | None:
        """Return why a label is not evaluated; None where it is."""
        report = self.evaluated
        if report is not None:
            decided = report.syntactic if label == "syntactic" else report.schematic
            return report.reasons.get(label, "undecided") if decided is None else None
        return _UNEVALUATED.get(self.outcome) or self.reason or "error"

    @property
    def evaluations(self) -> tuple[tuple[str, Label], ...]:
        """Names and labels of the three online evaluations of every request."""
        report = self.evaluated
        return (
            ("syntactic", label_of(None if report is None else report.syntactic)),
            ("schematic", label_of(None if report is None else report.schematic)),
            ("schema_hallucination", self.hallucination_label),
        )

    @property
    def hallucination_label(self) -> Label:
        """The label of `schema_hallucination`."""
        report = self.evaluated
        return label_of(None if report is None else negated(report.hallucinated))


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """A verdict after the end of its span, sent as `gen_ai.evaluation.result`."""

    span: SpanIdentity
    """The evaluated span."""
    name: str
    """`syntactic`, `schematic`, `schema_hallucination`, …"""
    label: Label
    kind: Evaluator
    evaluator: str
    evaluator_version: str
    score: float | None = None
    explanation: str | None = None
    """Masked and redacted."""
    error_type: str | None = None
    """Only where the evaluator itself failed."""


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """User feedback on a generation."""

    generation_id: str
    kind: str
    timestamp_ns: int
    value: str | float | None = None
    corrected_sql: str | None = None
    """Raw, after `redact`; masked by the sender unless it goes to the collector."""
    reason: str | None = None
    """After `redact`."""
