"""Times a prediction with the correct set of rows against its reference, alternately."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.metrics.runtime_efficiency import efficiency, timing_order
from sqlobs.runs.case import TimedRuns
from sqlobs.scores.registry import TIMED_SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.execution.outcome import Execution

_WARM_UPS: Final = 2


@dataclass(frozen=True, slots=True)
class Timing:
    """The scores that need times, and how they were measured."""

    scores: Mapping[str, float | None] = field(default_factory=dict)
    runs: TimedRuns | None = None


NOT_TIMED: Final = Timing()
UNKNOWN: Final = Timing(dict.fromkeys(TIMED_SCORES))
"""It is unknown whether the result is right, or a statement failed when it was timed."""
WRONG: Final = Timing(dict.fromkeys(TIMED_SCORES, 0.0))
"""A wrong result has no efficiency, however fast it came."""


def timing_of(
    reference_sql: str,
    predicted_sql: str,
    run: Callable[[Sequence[str]], Sequence[Execution]],
    *,
    runs: int,
) -> Timing:
    """Time a prediction that returns the set of rows of its reference, and the reference.

    Args:
        reference_sql: The statement that it agrees with.
        predicted_sql: The prediction.
        run: Runs statements one after the other.
        runs: How often each is timed, after one run to warm up.
    """
    order = list(timing_order(runs))
    texts = {"reference": reference_sql, "predicted": predicted_sql}
    executions = run([texts[side] for side in order])
    if any(execution.outcome.status != "ok" for execution in executions):
        return UNKNOWN
    timed = list(zip(order, executions, strict=True))[_WARM_UPS:]
    reference_s, predicted_s = (
        [execution.outcome.elapsed_s for at, execution in timed if at == side] for side in texts
    )
    found = efficiency(reference_s, predicted_s, is_correct=True)
    return Timing(
        {
            "ves_reward": found.reward,
            "time_ratio": found.time_ratio,
            "median_ratio": found.median_ratio,
        },
        TimedRuns(count=runs, kept=found.kept_count, is_below_resolution=found.is_below_resolution),
    )
