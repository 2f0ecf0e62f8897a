"""What an evaluation found about one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from sqlobs.runs.request import RequestRecord  # noqa: TC001 - as above
from sqlobs.types import ExecutionStatus, Outcome, Verdict  # noqa: TC001 - as above

Bucket = Literal[
    "ok",
    "mismatch",
    "skipped",
    "non_select",
    "gold_fail",
    "pred_fail",
    "timeout",
    "other_error",
]

BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
"""In the order in which they are shown; every case is in exactly one."""

NOT_ASKED = "not_asked"
"""The reason of a case that is `skipped` because execution was switched off."""
NO_REFERENCE = "no_reference"
"""The reason of a case that is `skipped` because there is nothing to compare it with."""

Value: TypeAlias = str | int | float | bool | None
"""A cell or a setting as JSON can hold it; other cells are shown as text."""

CellMode = Literal["canonical", "raw", "text"]
"""`canonical`: as a database user has it; `raw`: Python's equality; `text`: equal as printed."""

Assignment = Literal["greedy", "optimal"]

Decider = Literal["reference", "results", "tests"]
"""What a prediction is compared with: SQL, results in files, or the test cases of a task."""

Stage = Literal["checked", "executed", "judged"]
"""How far a request of production came: with each stage fewer are looked at."""

Generated = Literal["answered", "refused", "error", "timeout"]
"""How the system under test ended; only `answered` gives SQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """One thing that the checker found; `start` and `end` count in `CheckSummary.sql`."""

    code: str
    severity: Literal["error", "warning", "info"]
    message: str
    identifier: str | None = None
    """The wrong name as written."""
    suggestion: str | None = None
    start: int | None = None
    end: int | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSummary:
    """The result of checking the predicted statement."""

    sql: str
    """The statement that was checked: what the findings' places count in."""
    verdict: Verdict
    syntactic: bool | None = None
    schematic: bool | None = None
    failure_code: str | None = None
    """The primary code of the errors."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a label is None, by label."""
    strict_labels: tuple[str, ...] | None = None
    """The labels that hold as SQL Correctness is defined: what the engine tolerates fails, and so
    does what could not be evaluated; `None`: not requested."""
    findings: tuple[CheckFinding, ...] = ()
    hallucinated: bool | None = None
    """A name is invented, as it was counted when the statement came; None = the findings tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineVerdict:
    """What the dialect's engine on the evaluator's machine says of the predicted statement."""

    engine: str
    """Name and version, `spark 4.3.0`."""
    failure_code: str | None = None
    """The code of its error; None = it accepts the statement."""
    identifier: str | None = None
    """The name that the error is about."""

    @property
    def accepts(self) -> bool:
        """The engine accepts the statement."""
        return self.failure_code is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What running one statement gave, without its rows."""

    status: ExecutionStatus
    elapsed_ms: float = 0.0
    """0 = not measured."""
    error: str | None = None
    engine_class: str | None = None
    """The engine's name of the error: a SQLSTATE, or its own word."""
    failure_code: str | None = None
    rows: int | None = None
    """How many rows were fetched; `None` without a result."""
    columns: tuple[str, ...] = ()
    is_truncated: bool = False
    digest: str | None = None
    """Of the rows in any order, to vote among samples of one question; `None` where there are no
    rows or no samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDifference:
    """The first rows in which two results differ, with their cells fit to be shown."""

    missing: tuple[tuple[Value, ...], ...] = ()
    """Rows of the reference that the prediction lacks."""
    extra: tuple[tuple[Value, ...], ...] = ()
    """Rows of the prediction that the reference lacks."""
    missing_count: int = 0
    """How many rows are missing in all."""
    extra_count: int = 0
    first_at: int | None = None
    """The first position at which ordered results differ, from 0; None if order is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRuns:
    """How a prediction with the right set of rows was timed beside its reference, in turns."""

    count: int
    """Runs of each side, the warm-up aside."""
    kept: int
    """Runs left after the outlier rule."""
    is_below_resolution: bool = False
    """The prediction is so fast that the clock is measured as much as the statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseMatch:
    """How Spider's exact set match compared the clauses of a prediction with its reference's."""

    parts: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """By part (`select`, `where(no OP)`, …): units of the reference, of the prediction, in both."""
    is_supported: bool = True
    """The prediction is within Spider's grammar; else it counts as the empty query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecord:
    """How the system under test came to its answer; times in seconds, cost in its own currency."""

    status: Generated = "answered"
    error: str | None = None
    model: str | None = None
    prompt: str | None = None
    """The name of the prompt template."""
    temperature: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    attempts: int | None = None
    sql_execution_time: float | None = None
    vector_store_search_time: float | None = None
    llm_time: float | None = None
    total_execution_time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdict:
    """The verdict of an LLM judge on the case."""

    judge: str
    """Name and version of the judge."""
    correct: bool | None
    """None = no verdict; `explanation` says why."""
    score: float | None = None
    explanation: str | None = None
    categories: tuple[str, ...] = ()
    category_reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a category applies, by its key."""
    suspicious: tuple[str, ...] = ()
    """Kinds of content in the case that looks as if it wants to steer a judge."""
    reason: str | None = None
    """Why there is no verdict: `judge_unavailable`, `budget`, `judge_malformed`, …"""
    results_equal: bool | None = None
    """Whether the results are equal by the dataset's rule, as shown to the judge."""
    votes: Mapping[str, bool | None] = field(default_factory=dict)
    """The verdict of each model of an ensemble; empty for one model."""

    @property
    def is_of_execution(self) -> bool:
        """The prediction did not run: it is incorrect, and no model was called."""
        return self.judge.endswith("/execution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilities:
    """How probable it was that a request of production was looked at; None = not known.

    A rate weights each request by the inverse of the one that belongs to it.
    """

    checked: float | None = None
    """That it arrived with the checker's verdict."""
    executed: float | None = None
    """That it was run and compared as well."""
    judged: float | None = None
    """That a judge was called as well."""

    def of(self, stage: Stage) -> float | None:
        """Return the probability that a request came so far."""
        return {"checked": self.checked, "executed": self.executed, "judged": self.judged}[stage]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case with all results of its evaluation."""

    index: int
    """Position in the run, from 0."""
    reference_sql: str | None = None
    """The correct statement, the first where several are; None = the question is unanswerable, or
    no reference is known."""
    has_reference: bool = True
    """Whether a reference is known: a statement, or that nothing answers the question."""
    predicted_sql: str | None = None
    """The statement as the system returned it; `None`: the system abstained."""
    bucket: Bucket = "ok"
    reason: str | None = None
    em: bool | None = None
    """Exact match of the canonical texts; `None` where it was not requested."""
    id: str | None = None
    question: str | None = None
    sample_of: str | None = None
    """The question's id, where the system was asked it several times; `id` is this sample's."""
    difficulty: str | None = None
    category: str | None = None
    """A category of the question, such as its topic."""
    db: str | None = None
    """The database's name, never its address."""
    suite: tuple[str, ...] = ()
    """Further databases on which test-suite accuracy had to hold, too."""
    dialogue: str | None = None
    """The dialogue that the question is a turn of."""
    turn: int | None = None
    """Its place in the dialogue, from 1."""
    hint: str | None = None
    """Further input of the system, beyond the question."""
    dialect: str | None = None
    workflow: str | None = None
    """The traced function, of a request of production."""
    alternatives: tuple[str, ...] = ()
    """Further statements that are right as well."""
    decided_by: Decider = "reference"
    matched_alternative: int | None = None
    """The reference that the prediction agrees with, or comes closest to: 0 = `reference_sql`,
    1 = the first alternative, …; None = it was compared with none. Scores, outcomes, the verdict
    and the difference are beside this one."""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """By the names of `sqlobs.scores.registry`; None = not evaluated."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Why a score is None, by name: `truncated`, `budget`, `reference_failed`, …"""
    cell_mode: Mapping[str, CellMode] = field(default_factory=dict)
    """How each score compared cells; empty where no results were compared."""
    assignment: Assignment | None = None
    """How rows that are partly equal were matched; None if the technique matches none."""
    approximate: tuple[str, ...] = ()
    """Scores of a sample of the rows."""
    mistake: str | None = None
    """The diagnosis: perfect, over_prediction, under_prediction, partial, wrong."""
    is_close: bool = False
    """Execution accuracy is 0 but the partial credit is high."""
    shape: Mapping[str, int] = field(default_factory=dict)
    """Features of the reference to slice by (`joins`, `subqueries`, …), as counts."""
    check: CheckSummary | None = None
    local_engine: EngineVerdict | None = None
    """`None` where the local engine was not asked, or decided nothing."""
    reference: RunOutcome | None = None
    predicted: RunOutcome | None = None
    difference: ResultDifference | None = None
    clauses: ClauseMatch | None = None
    """`None` without Spider's tables, or if the reference is outside its grammar."""
    timed: TimedRuns | None = None
    """`None` where nothing was timed: timing was off, or the sets of rows differ."""
    generation: GenerationRecord | None = None
    judge: JudgeVerdict | None = None
    verdicts: Mapping[str, JudgeVerdict] = field(default_factory=dict)
    """Of judges that need no reference, by evaluation: `flex_noref`, `adherence`, …"""
    probabilities: Probabilities | None = None
    """None if all cases there are were evaluated; else the case is a request of production."""
    request: RequestRecord | None = None
    """What else is known of a request of production."""

    @property
    def is_match(self) -> bool:
        """The case passes by execution."""
        return self.bucket == "ok"

    @property
    def esm(self) -> bool | None:
        """Execution match; None if nothing was compared, which an empty prediction fails."""
        if not self.has_reference:
            return None
        if self.request is not None and not self.request.is_compared:
            return None
        is_undecided = self.bucket == "skipped" and not self.is_empty_prediction
        return None if is_undecided or self.reason == NOT_ASKED else self.is_match

    @property
    def closest_sql(self) -> str | None:
        """The reference that everything else in the case is about; None = unanswerable, or none."""
        place = self.matched_alternative or 0
        return self.references[place if place < len(self.references) else 0]

    @property
    def references(self) -> tuple[str | None, ...]:
        """All statements that are right, in the order of `matched_alternative`."""
        return self.reference_sql, *self.alternatives

    @property
    def outcome(self) -> Outcome:
        """How the request ended; the system under test abstains by returning `None`."""
        if self.request is not None:
            return self.request.outcome
        status = "answered" if self.generation is None else self.generation.status
        if status in {"error", "timeout"}:
            return "error"
        is_refused = status == "refused" or self.predicted_sql is None
        return "abstained" if is_refused else "answered"

    @property
    def is_answered(self) -> bool:
        """The request was answered: no other one is in the denominator of a rate."""
        return self.outcome == "answered"

    @property
    def is_unanswerable(self) -> bool:
        """The reference says that nothing answers the question; production's never do."""
        is_known = self.has_reference and self.probabilities is None
        return is_known and self.reference_sql is None and self.decided_by == "reference"

    @property
    def is_empty_prediction(self) -> bool:
        """The system gave no statement without saying that there is none."""
        return self.predicted_sql is not None and not self.predicted_sql.strip()
