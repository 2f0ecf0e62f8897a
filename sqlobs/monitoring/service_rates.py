"""The failure rates that have objectives, and the objective of each workflow as a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.monitoring.annotations import CODE, FAILED_BY_CODE, FAILED_BY_VERSION, VERSION
from sqlobs.monitoring.increments import DAY, HOUR, MINUTES_30, gained
from sqlobs.monitoring.promql import SERVICE, WORKFLOW, AnyOf, Selection, number
from sqlobs.monitoring.rates import FAST_WINDOWS, Rate
from sqlobs.monitoring.rules import Group, Recording
from sqlobs.semconv import metrics
from sqlobs.semconv.evaluations import SCHEMA_HALLUCINATION, SCHEMA_HALLUCINATION_RATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.monitoring.objectives import WorkflowObjectives
    from sqlobs.monitoring.settings import RuleSettings

_DECIDED: Final = AnyOf(("pass", "fail"))
_NEGATIVE: Final = AnyOf(("down", "1", "2", "corrected", "rejected", "reasked", "abandoned"))
"""Values of feedback that say that the answer was not right."""


def _evaluated(evaluation: str, label: str | AnyOf) -> Selection:
    where = {
        semconv.GEN_AI_EVALUATION_NAME: evaluation,
        semconv.GEN_AI_EVALUATION_SCORE_LABEL: label,
    }
    return Selection(metrics.EVALUATIONS, where)


def _compared(static: str | AnyOf, engine: str | AnyOf) -> Selection:
    where = {semconv.SQLOBS_STATIC_LABEL: static, semconv.SQLOBS_ENGINE_LABEL: engine}
    return Selection(metrics.COMPARISONS, where)


def _first_attempts(verdict: str | AnyOf) -> Selection:
    where = {semconv.SQLOBS_ATTEMPT_NUMBER: "1", semconv.SQLOBS_VERDICT: verdict}
    return Selection(metrics.ATTEMPTS, where)


def _by_version(verdict: str | AnyOf) -> Selection:
    where = {semconv.SQLOBS_SCHEMA_HALLUCINATION_LABEL: verdict}
    return Selection(metrics.VERSION_GENERATIONS, where)


_ANSWERED: Final = {semconv.SQLOBS_OUTCOME: "answered"}
_EXECUTED: Final = {semconv.SQLOBS_EXECUTION_STATUS: AnyOf(("error", "timeout"))}
_INVENTED: Final = f"sqlobs_{SCHEMA_HALLUCINATION_RATE}"

HALLUCINATION: Final = Rate(
    "workflow:sqlobs_schema_hallucination",
    failed=(_evaluated(SCHEMA_HALLUCINATION, "fail"),),
    evaluated=(_evaluated(SCHEMA_HALLUCINATION, _DECIDED),),
    ratio_name=f"workflow:{_INVENTED}",
)
BY_VERSION: Final = Rate(
    "version:sqlobs_schema_hallucination",
    failed=(_by_version("fail"),),
    evaluated=(_by_version(_DECIDED),),
    by=VERSION,
    ratio_name=f"version:{_INVENTED}",
)
SYNTAX: Final = Rate(
    "workflow:sqlobs_syntax_failures",
    failed=(_evaluated("syntactic", "fail"),),
    evaluated=(_evaluated("syntactic", _DECIDED),),
)
ERRORS: Final = Rate(
    "workflow:sqlobs_application_errors",
    failed=(Selection(metrics.GENERATIONS, {semconv.SQLOBS_OUTCOME: "error"}),),
    evaluated=(Selection(metrics.GENERATIONS),),
)
EXECUTIONS: Final = Rate(
    "workflow:sqlobs_execution_errors",
    failed=(Selection(metrics.EXECUTIONS, _EXECUTED),),
    evaluated=(Selection(metrics.EXECUTIONS),),
)
UNCHECKED: Final = Rate(
    "workflow:sqlobs_unchecked",
    failed=(
        Selection(metrics.GENERATIONS, {**_ANSWERED, semconv.SQLOBS_VERDICT: "not_evaluated"}),
    ),
    evaluated=(Selection(metrics.GENERATIONS, _ANSWERED),),
)
FIRST_ATTEMPTS: Final = Rate(
    "workflow:sqlobs_first_attempt_failures",
    failed=(_first_attempts("failed"),),
    evaluated=(_first_attempts(AnyOf(("ok", "suspect", "failed"))),),
)
DISAGREEMENT: Final = Rate(
    "workflow:sqlobs_checker_disagreement",
    failed=(_compared("pass", "fail"), _compared("fail", "pass")),
    evaluated=(_compared(_DECIDED, _DECIDED),),
)
FEEDBACK: Final = Rate(
    "service:sqlobs_negative_feedback",
    failed=(Selection(metrics.FEEDBACK, {semconv.SQLOBS_FEEDBACK_VALUE: _NEGATIVE}),),
    evaluated=(Selection(metrics.FEEDBACK),),
    by=SERVICE,
)

OBJECTIVES: Final = {
    "schema_hallucination": HALLUCINATION,
    "syntax_failures": SYNTAX,
    "application_errors": ERRORS,
    "execution_errors": EXECUTIONS,
    "missing_verdicts": UNCHECKED,
    "first_attempt_failures": FIRST_ATTEMPTS,
    "checker_disagreement": DISAGREEMENT,
}
"""The rates of workflows by their key in the file of objectives."""


def objective(key: str) -> str:
    """Return the name of the series that has each workflow's objective."""
    return f"workflow:sqlobs_{key}:objective"


def groups(settings: RuleSettings) -> Iterator[Group]:
    """Yield the recordings that alerts and dashboards share."""
    rules = [
        rule
        for key, rate in OBJECTIVES.items()
        if rate is not HALLUCINATION
        for rule in (*rate.recordings(FAST_WINDOWS, settings), _objective(key, rate, settings))
    ]
    rules += FEEDBACK.recordings(FAST_WINDOWS, settings)
    yield Group("sqlobs-rates", 30, (*rules, *_culprits(settings)))
    yield Group("sqlobs-rates-long", 300, tuple(UNCHECKED.recordings((DAY,), settings)))


def hallucination_objective(settings: RuleSettings) -> Recording:
    """Return the recording of each workflow's objective on invented names."""
    return _objective("schema_hallucination", HALLUCINATION, settings)


def _objective(key: str, rate: Rate, settings: RuleSettings) -> Recording:
    """Return the objective of each workflow that the rate is known of: its own, else the file's."""
    known = rate.evaluated_in(HOUR)
    chosen = settings.objectives
    own = [
        f"0 * {known}{matchers(each)} + {number(getattr(each, key))}"
        for each in chosen.workflows
        if getattr(each, key) is not None
    ]
    return Recording(
        objective(key), "\nor\n".join((*own, f"0 * {known} + {number(getattr(chosen, key))}"))
    )


def matchers(chosen: WorkflowObjectives) -> str:
    """Return the matchers of the workflows that an entry of the file is about."""
    values = (chosen.service, chosen.environment, chosen.workflow)
    parts = [
        f'{name}="{value}"'
        for name, value in zip(WORKFLOW, values, strict=True)
        if value is not None
    ]
    return f"{{{', '.join(parts)}}}"


def _culprits(settings: RuleSettings) -> Iterator[Recording]:
    failed = Selection(metrics.VERSION_GENERATIONS, {semconv.SQLOBS_VERDICT: "failed"})
    coded = Selection(metrics.FAILURES)
    yield Recording(FAILED_BY_VERSION, gained((failed,), MINUTES_30, by=VERSION, settings=settings))
    yield Recording(
        FAILED_BY_CODE, gained((coded,), MINUTES_30, by=(*WORKFLOW, CODE), settings=settings)
    )
