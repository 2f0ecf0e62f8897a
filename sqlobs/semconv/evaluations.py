"""Every evaluation name, once: range, direction and denominator of its rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of the contract."""

    name: str
    brief: str
    """What is asked of a request, in one sentence."""
    low: float
    high: float
    """The range of `gen_ai.evaluation.score.value`."""
    better: Direction
    denominator: str
    """Over which requests its rate or mean is taken."""


_LABELLED = "requests with a label"
_REFERENCE = "executed requests with an executable reference"
_JUDGED = "requests the judge decided"

EVALUATIONS: Final[dict[str, Evaluation]] = {
    entry.name: entry
    for entry in (
        Evaluation("syntactic", "Valid for its dialect.", 0, 1, "higher", _LABELLED),
        Evaluation("schematic", "Grounded in the schema.", 0, 1, "higher", _LABELLED),
        Evaluation(
            "schema_hallucination",
            "Passes without an invented or misplaced name; the alerts watch the share that fails.",
            *(0, 1, "higher", _LABELLED),
        ),
        Evaluation(
            "sql_correctness",
            "Valid and grounded: both labels hold; an answer without SQL fails.",
            *(0, 1, "higher", "answered requests that are decided"),
        ),
        Evaluation("execution", "The engine ran it.", 0, 1, "higher", "executed requests"),
        Evaluation("ex", "The rows are those of the reference.", 0, 1, "higher", _REFERENCE),
        Evaluation("ex_set", "Equal as sets of rows (BIRD).", 0, 1, "higher", _REFERENCE),
        Evaluation("exp", "Precision of the rows.", 0, 1, "higher", _REFERENCE),
        Evaluation("exr", "Recall of the rows.", 0, 1, "higher", _REFERENCE),
        Evaluation("f1", "F1 over cells.", 0, 1, "higher", _REFERENCE),
        Evaluation("soft_f1", "F1 over cells, row by row (BIRD).", 0, 1, "higher", _REFERENCE),
        Evaluation(
            "ex_testsuite",
            "Equal as bags of rows under a permutation of columns (test suite).",
            *(0, 1, "higher", _REFERENCE),
        ),
        Evaluation(
            "ex_subset",
            "The reference's columns are among the answer's.",
            0,
            1,
            "higher",
            _REFERENCE,
        ),
        Evaluation(
            "overlap", "Share of values in common, in percent.", 0, 100, "higher", _REFERENCE
        ),
        Evaluation("subset", "Share of rows contained, in percent.", 0, 100, "higher", _REFERENCE),
        Evaluation(
            "ves_reward", "Reward for speed against the reference.", 0, 1.25, "higher", _REFERENCE
        ),
        Evaluation("flex", "A judge that knows the reference agrees.", 0, 1, "higher", _JUDGED),
        Evaluation("flex_noref", "A judge without a reference agrees.", 0, 1, "higher", _JUDGED),
        Evaluation("rubric", "Points of a rubric.", 0, 1, "higher", _JUDGED),
        Evaluation("equivalence", "Means the same as the reference.", 0, 1, "higher", _JUDGED),
        Evaluation("adherence", "Does what the question asks.", 0, 1, "higher", _JUDGED),
        Evaluation("efficiency", "Does no needless work.", 0, 1, "higher", _JUDGED),
        Evaluation("injection", "Free of injected instructions.", 0, 1, "higher", _JUDGED),
        Evaluation(
            "correction",
            "A user's corrected SQL passes the check and runs: a candidate, never a reference.",
            *(0, 1, "higher", "corrections that were run"),
        ),
        Evaluation(
            "feedback",
            "What users said: up is 1, down is 0.",
            0,
            1,
            "higher",
            "requests with feedback",
        ),
    )
}
"""Every evaluation by name, in the order of the contract."""

ONLINE: Final = ("syntactic", "schematic", "schema_hallucination")
"""The evaluations of every request, made in the application's process."""

HEADLINE: Final = EVALUATIONS["sql_correctness"].name
CHECKED: Final = (*ONLINE, HEADLINE)
"""The evaluations that follow from what the checker said."""

FEEDBACK: Final = EVALUATIONS["feedback"].name
CORRECTION: Final = EVALUATIONS["correction"].name

SCHEMA_HALLUCINATION_RATE: Final = "schema_hallucination_rate"
"""The share of evaluated requests that invented a name, on every surface."""
FIRST_ATTEMPT_RATE: Final = "first_attempt_pass_rate"
"""The share of evaluated first attempts that are ok or suspect."""
FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: Final = "first_attempt_schema_hallucination_rate"
"""The share of evaluated first attempts that invented a name."""


def pass_rate(evaluation: str) -> str:
    """Return the name of the share that passes an evaluation: `schematic_pass_rate`."""
    return f"{evaluation}_pass_rate"
