"""The items of a judge from the cases of a run: both statements run once more, for their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.databases import Databases
from sqlobs.evaluation.evaluator_settings import LIMITS
from sqlobs.evaluation.judging import Pair
from sqlobs.evaluation.pairing import PairRunner
from sqlobs.execution.executor import Executor
from sqlobs.scores.comparison import ScoreSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Place
    from sqlobs.judge.item import JudgeItem
    from sqlobs.runs.case import CaseResult

_RAN: Final = frozenset({"ok", "mismatch"})
"""Buckets of cases with two results: all others need no judge."""


def is_comparable(row: CaseResult) -> bool:
    """Return whether a judge and a person have something to compare: both statements ran."""
    return row.bucket in _RAN and row.reference is not None and row.predicted is not None


def judge_items(
    cases: Sequence[Case], place: Place, *, functions: frozenset[str] = frozenset()
) -> Iterator[JudgeItem]:
    """Yield an item for each case, with schema and rendered rows, as the judge of a run gets it.

    Raises:
        ConfigError: a database cannot be reached.
        InputError: a case names no database although the DSN wants one.
        SchemaUnavailableError: a catalog cannot be read.
    """
    databases = Databases.of(place, cases, functions=functions)
    with Executor(databases.distinct, workers=1) as executor:
        databases.require_reachable(executor, LIMITS)
        if databases.has_catalogs:
            databases = databases.with_schemas({case.db for case in cases})
        pairs = PairRunner(databases, executor, limits=LIMITS, scores=ScoreSettings())
        for case in cases:
            best = pairs.best(case)
            yield Pair(
                case=case,
                reference_sql=case.references[best.position],
                reference=best.reference,
                predicted=best.predicted,
                results_equal=best.match.is_match,
                dialect=databases.target_of(case).dialect,
                schema=databases.schema_of(case),
            ).as_item()
