"""What a run says of how it was evaluated, and by what an interrupted one is recognized."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from sqlobs._version import __version__
from sqlobs.evaluation.databases import shown
from sqlobs.evaluation.resumption import digest_of
from sqlobs.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlobs.evaluation.batch_judging import BatchJudge
    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.judging import CaseJudge, JudgeSettings
    from sqlobs.evaluation.session_settings import SessionSettings
    from sqlobs.runs.case import CaseResult, Value

_MICRO_USD: Final = 1_000_000
_DECIDING_PACKAGES: Final = ("sqlglot", "psycopg", "pyarrow")


def described(
    settings: SessionSettings, directory: Path, earlier: Sequence[CaseResult]
) -> Mapping[str, Value]:
    """Return the settings with the place of the executions, which may be an earlier run's."""
    found = _settings(settings)
    if settings.place is not None or not earlier:
        return found
    return {**found, "dsn_redacted": Run.read(directory).settings.get("dsn_redacted")}


def spent_on(judge: CaseJudge | BatchJudge | None) -> dict[str, Value]:
    """Return what the run's verdicts cost, answers of interrupted attempts included."""
    if judge is None:
        return {}
    spent = judge.spent
    usd = spent.micro_usd / _MICRO_USD if spent.micro_usd else None
    return {
        "judge_tokens": spent.tokens,
        "judge_cost_usd": usd,
        "judge_repeated_calls": judge.repeated,
    }


def session_digest(cases: Sequence[Case], settings: SessionSettings) -> str:
    """Return a digest of all that decides the rows of a run."""
    schema = settings.schema.version if settings.schema is not None else None
    place = getattr(settings.place, "url", settings.place)
    access = settings.access and (sorted(settings.access.settings.items()), settings.access.cost)
    judge = settings.judge and (
        settings.judge.name,
        settings.judge.alone,
        settings.judge.votes,
        settings.judge.examples,
        settings.judge.equality,
        [(endpoint.base_url, endpoint.model) for endpoint in settings.judge.endpoints],
    )
    return digest_of(
        (
            *(__version__, place, access, sorted(settings.functions), settings.evaluator),
            *(schema, judge, settings.is_rescored, settings.data_version, *cases),
        )
    )


def versions() -> dict[str, str]:
    """Return the versions of sqlobs and of the packages that decide."""
    found = {"sqlobs": __version__}
    for name in _DECIDING_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _settings(settings: SessionSettings) -> Mapping[str, Value]:
    """Return the settings as a run shows them: no secret in them."""
    evaluator = settings.evaluator
    return {
        "dsn_redacted": None if settings.place is None else shown(settings.place),
        "exec_timeout": evaluator.limits.timeout_s,
        "max_rows": evaluator.limits.max_rows,
        "em": evaluator.with_em,
        "esm": evaluator.with_esm,
        "check": evaluator.with_check,
        "local_engine": evaluator.with_local_engine,
        "technique": ", ".join((evaluator.scores.technique, *evaluator.scores.further)),
        "assignment": evaluator.scores.credit.matching.assignment,
        "penalize_extra_pred_cols": evaluator.scores.credit.penalize_extra_pred_cols,
        "timing_runs": evaluator.timing_runs,
        "judge_model": None if settings.judge is None else _models(settings.judge),
        "judges": None if settings.judge is None else ", ".join(settings.judge.names),
        "judge_ex": None if settings.judge is None else settings.judge.equality,
        "model": settings.system,
        "model_type": settings.system_type,
    }


def _models(judge: JudgeSettings) -> str:
    return ", ".join(endpoint.model for endpoint in judge.endpoints)
