"""Every score, once. A new entry appears in `/metrics`, reports, gates and `docs/scores.md`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.denodo import overlap, same_row_count, subset_of_texts
from sqlobs.metrics.execution_accuracy import ex_subset, ex_testsuite
from sqlobs.metrics.shared_rows import row_overlap
from sqlobs.metrics.soft_f1_score import soft_f1
from sqlobs.metrics.spider.exact_match import PARTS, Part
from sqlobs.scores.score import PERCENT, Need, Score
from sqlobs.semconv import collector as gauges
from sqlobs.semconv.evaluations import (
    CORRECTION,
    EXECUTION,
    FEEDBACK,
    HEADLINE,
    LOCAL_ENGINE,
    SCHEMA_HALLUCINATION,
    SCHEMA_HALLUCINATION_RATE,
)

if TYPE_CHECKING:
    from sqlobs.runs.declaration import MetricDeclaration, OwnNeed

_CHECK: Final = partial(Score, needs=frozenset({"check"}))
_RUN: Final = partial(Score, needs=frozenset({"execution"}))
_COMPARED: Final = partial(Score, needs=frozenset({"execution", "reference"}))
_PARTIAL: Final = partial(
    _COMPARED,
    is_graded=True,
    is_partial=True,
    is_online=True,
    from_digests=lambda whole: whole.sets.equal,
)
_TIMED: Final = partial(
    Score, needs=frozenset({"execution", "reference", "timing"}), is_graded=True
)
_CLAUSES: Final = partial(
    Score,
    needs=frozenset({"reference"}),
    denominator="cases whose reference is within Spider's grammar",
)
_PART: Final = partial(_CLAUSES, denominator="… if the reference or the prediction has the part")
_JUDGE: Final = partial(Score, needs=frozenset({"execution", "judge"}), is_published=False)
_USER: Final = partial(Score, needs=frozenset({"user"}), is_published=False)

_NO_WORD: Final = re.compile(r"\W+")
"""As `(` and the space in `select(no AGG)`."""
PART_SCORES: Final[dict[Part, str]] = {
    part: f"spider_{_NO_WORD.sub('_', part.lower()).strip('_')}" for part in PARTS
}
"""The names of the scores of the parts that Spider's exact set match compares."""

_ALL: Final = (
    _CHECK("syntactic", "Syntactically valid", "Valid for its dialect.", is_published=False),
    _CHECK("schematic", "Grounded in the schema", "Grounded in the schema.", is_published=False),
    _CHECK(
        SCHEMA_HALLUCINATION,
        "Free of invented names",
        "Passes without an invented or misplaced name; alerts watch the share that fails.",
        rate=SCHEMA_HALLUCINATION_RATE,
        own_gauge=gauges.SCHEMA_HALLUCINATION_RATE,
        is_published=False,
    ),
    _CHECK(
        HEADLINE,
        "Valid and grounded",
        "Valid and grounded: both labels hold; an answer without SQL fails.",
        is_published=False,
        denominator="answered requests that are decided",
    ),
    Score(
        LOCAL_ENGINE,
        "Accepted by the local engine",
        "The engine of BigQuery, Spark or ClickHouse on this machine accepts the statement.",
        needs=frozenset({"engine"}),
        is_online=True,
        is_published=False,
    ),
    _RUN(
        EXECUTION,
        "Accepted by the engine",
        "The engine ran the statement.",
        is_online=True,
        is_published=False,
    ),
    _COMPARED(
        "ex",
        "Execution accuracy",
        "The result equals the reference's, in order if the reference is ordered.",
        compute=lambda pair: pair.match,
        from_digests=lambda whole: whole.match.equal,
        cells="canonical",
        is_online=True,
        column="1 if the results are equal",
    ),
    _COMPARED(
        "ex_set",
        "Execution accuracy (BIRD, sets)",
        "Equal as sets of rows (BIRD).",
        compute=lambda pair: pair.sets,
        from_digests=lambda whole: whole.sets.equal,
        cells="raw",
        is_online=True,
    ),
    _COMPARED(
        "ex_testsuite",
        "Execution accuracy (test suite)",
        "Equal as bags of rows under a permutation of columns (test suite).",
        compute=lambda pair: ex_testsuite(
            pair.reference, pair.predicted, is_ordered=pair.ordering.is_ordered
        ),
        from_digests=lambda whole: whole.is_same_under_permutation,
        cells="raw",
    ),
    _COMPARED(
        "ex_subset",
        "Execution accuracy (subset)",
        "The reference's columns are among the answer's, or the answer's among the reference's.",
        compute=lambda pair: ex_subset(
            pair.reference, pair.predicted, is_ordered=pair.ordering.is_ordered
        ),
        from_digests=lambda whole: whole.is_same_bag,
        cells="canonical",
    ),
    _COMPARED(
        "row_overlap",
        "Row overlap (Jaccard)",
        "Rows in both results, out of the rows in either, as bags (Jaccard index).",
        compute=lambda pair: (
            1.0 if pair.match.equal else row_overlap(pair.reference, pair.predicted)
        ),
        from_digests=lambda whole: whole.is_same_bag,
        cells="canonical",
        is_graded=True,
        is_online=True,
        column="Rows in both results, out of those in either",
    ),
    _PARTIAL(
        "exp",
        "Execution precision",
        "Share of the predicted cells that are correct.",
        compute=lambda pair: pair.credit.exp,
    ),
    _PARTIAL(
        "exr",
        "Execution recall",
        "Share of the reference's cells that were predicted.",
        compute=lambda pair: pair.credit.exr,
    ),
    _PARTIAL(
        "f1",
        "Execution F1",
        "Harmonic mean of `exp` and `exr`.",
        compute=lambda pair: pair.credit.f1,
        column="Share of correct cells on both sides",
    ),
    _COMPARED(
        "soft_f1",
        "Soft F1 (BIRD)",
        "F1 over cells, row by row (BIRD).",
        compute=lambda pair: soft_f1(pair.reference, pair.predicted).f1,
        cells="raw",
        is_graded=True,
    ),
    _COMPARED(
        "results_match",
        "Results Match",
        "Equal as sets of rows (Denodo).",
        compute=lambda pair: pair.sets,
        from_digests=lambda whole: whole.sets.equal,
        cells="raw",
        column="1 if both return the same set of rows",
        group="Evaluation Metrics",
    ),
    _COMPARED(
        "subset",
        "Subsetting Percentage",
        "Share of each reference row found in the predicted row of its position, in percent "
        "(Denodo).",
        best=PERCENT,
        compute=lambda pair: subset_of_texts(*pair.texts),
        cells="text",
        is_graded=True,
        column="Reference row found in the row of its position",
        group="Evaluation Metrics",
    ),
    _COMPARED(
        "overlap",
        "Percent Overlap",
        "Share of the reference's values found anywhere in the prediction, in percent (Denodo).",
        best=PERCENT,
        compute=lambda pair: overlap(pair.reference, pair.predicted),
        from_digests=lambda whole: whole.sets.equal,
        cells="raw",
        is_graded=True,
        column="Reference cells found in any order",
        group="Evaluation Metrics",
    ),
    _COMPARED(
        "same_row_count",
        "Have Same Row Count",
        "Both results have the same number of rows (Denodo).",
        compute=lambda pair: same_row_count(pair.reference, pair.predicted),
        from_digests=lambda whole: whole.has_same_count,
        column="1 if both have the same number of rows",
        group="Evaluation Metrics",
    ),
    _COMPARED(
        "bird_f1",
        "Bird Standard F1",
        "Soft F1 over cells as text (Denodo).",
        compute=lambda pair: soft_f1(*pair.texts).f1,
        cells="text",
        is_graded=True,
        column="Soft-F1 over cells as text",
        group="BIRD Bench Metrics",
    ),
    _CLAUSES(
        "spider_em",
        "Exact set match (Spider)",
        "The clauses are equal as sets, without literals and DISTINCT (Spider).",
    ),
    *(
        _PART(name, f"… {part}", f"The part `{part}` is equal (Spider).")
        for part, name in PART_SCORES.items()
    ),
    _COMPARED(
        "spider2_match",
        "Result match (Spider 2.0)",
        "All columns of a gold result that count are among the prediction's (Spider 2.0).",
        cells="raw",
        denominator="cases with gold results",
    ),
    _COMPARED(
        "tests_pass",
        "Test cases pass (LiveSQLBench)",
        "All test cases of the task pass on a copy of the database.",
        denominator="tasks with test cases or a solution",
    ),
    _TIMED(
        "ves_reward",
        "VES Score",
        "Reward for speed against the reference (BIRD's R-VES).",
        best=1.25,
        column="Reward for speed; 0 unless the results match",
        group="BIRD Bench Metrics",
    ),
    _TIMED(
        "time_ratio",
        "Reference time / prediction time",
        "Mean of the reference's time over the prediction's, without outliers.",
    ),
    _TIMED(
        "median_ratio",
        "… by the median of the runs",
        "Median of the reference's time over the prediction's.",
    ),
    _JUDGE("flex", "Judged correct", "A judge that knows the reference agrees.", is_published=True),
    _JUDGE(
        "flex_noref",
        "Judged correct, without a reference",
        "A judge without a reference agrees.",
        is_published=True,
    ),
    _JUDGE("rubric", "Points of a rubric", "Points of a rubric.", is_graded=True),
    _JUDGE("equivalence", "Judged equivalent", "Means the same as the reference."),
    _JUDGE("adherence", "Judged to do what the question asks", "Does what the question asks."),
    _JUDGE("efficiency", "Judged to do no needless work", "Does no needless work."),
    _JUDGE("injection", "Judged free of injected instructions", "Free of injected instructions."),
    _RUN(
        CORRECTION,
        "Correction runs",
        "A user's corrected SQL passes the check and runs: a candidate, never a reference.",
        is_published=False,
        denominator="corrections that were run",
    ),
    _USER(FEEDBACK, "Approved by users", "Users' ratings: up is 1, down is 0."),
)

SCORES: Final = {score.name: score for score in _ALL}
"""All scores by name, in the order in which they are shown."""


def _where(holds: Callable[[Score], bool]) -> dict[str, Score]:
    return {name: score for name, score in SCORES.items() if holds(score)}


COMPARED_SCORES: Final = _where(lambda score: score.compute is not None)
"""Scores that compare a prediction's result with its reference's."""
ONLINE_SCORES: Final = _where(lambda score: score.is_online and score.compute is not None)
"""Those of them that the collector computes."""
CLAUSE_SCORES: Final = {name: SCORES[name] for name in ("spider_em", *PART_SCORES.values())}
"""Scores of the text, of a run that has Spider's tables."""
RESULT_SCORES: Final = {name: SCORES[name] for name in ("spider2_match", "tests_pass")}
"""Scores of cases that test cases or results in files decide."""
TIMED_SCORES: Final = _where(lambda score: score.is_timed)
CASE_SCORES: Final = COMPARED_SCORES | CLAUSE_SCORES | RESULT_SCORES | TIMED_SCORES
"""Scores that a case of an offline run may have."""
PARTIAL_SCORES: Final = tuple(_where(lambda score: score.is_partial).values())
"""Scores that say how close a wrong prediction comes."""
_OF_PRODUCTION: Final = (
    *(LOCAL_ENGINE, EXECUTION),
    *("flex_noref", "adherence", "efficiency", "injection", FEEDBACK),
)
PRODUCTION_SCORES: Final = {name: SCORES[name] for name in _OF_PRODUCTION}
"""Scores without a comparison of results: 1 = passed, 0 = failed."""
SHOWN_SCORES: Final = CASE_SCORES | PRODUCTION_SCORES
"""Scores that a report shows; those of the check and of FLEX are rates of their own."""

OWN_SCORES: Final[dict[str, Score]] = {}
"""Further techniques and metrics of the user's own, of runs that this process has evaluated or
read."""
_NEEDS: Final[Mapping[OwnNeed, Need]] = {
    "reference": "reference",
    "execution": "execution",
    "rows": "execution",
    "judge": "judge",
}


def register(declared: MetricDeclaration) -> None:
    """Show a metric that not every run has in reports, gates and comparisons of this process.

    A name that is a score of sqlobs keeps its meaning.
    """
    if declared.name in SCORES:
        return
    is_bounded = declared.high is not None and 0 < declared.high <= PERCENT
    score = Score(
        declared.name,
        declared.title,
        declared.about,
        needs=frozenset(_NEEDS[need] for need in declared.needs) or frozenset({"check"}),
        best=declared.high if declared.high is not None and is_bounded else 1.0,
        better=declared.better,
        is_graded=not declared.is_share,
    )
    for shown in (CASE_SCORES, SHOWN_SCORES, OWN_SCORES):
        shown[score.name] = score


_VES: Final = replace(SCORES["ves_reward"], best=PERCENT)
RUN_SCORES: Final = {
    "ves": replace(_VES, name="ves", title="VES"),
    "r_ves": replace(_VES, name="r_ves", title="R-VES", best=PERCENT * 1.25**0.5),
}
"""Scores of a run, computed from its cases' `time_ratio` and `ves_reward`."""
