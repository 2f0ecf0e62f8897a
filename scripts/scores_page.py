"""The page of scores: one row per entry of the registry in `sqlobs.scores`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.scores.registry import CASE_SCORES, ONLINE_SCORES, PRODUCTION_SCORES, SCORES
from sqlobs.semconv.evaluations import CHECKED, EXECUTION

if TYPE_CHECKING:
    from sqlobs.scores.score import Score

_PAGE = """\
# Scores

<!-- Made by scripts/docs.py from sqlobs/scores/registry.py: do not edit. -->

The names are the same everywhere: in the telemetry, in `/metrics`, in gates, in reports and in JSON.
The collector and `sqlobs evaluate` compute a score with the same code, so the same request gets the
same score, label and reason online and offline.

## How a request is treated

| request | scores that compare with a reference |
|---|---|
| both statements ran | computed from the two results |
| the prediction fails, times out, or is rejected as unsafe or by the policy | 0, with the failure code or the rejection |
| the answer has no SQL | 0 (`syntax.no_sql`) |
| the system abstains | 1 if the reference is `None` (the question is unanswerable), 0 if the reference is SQL |
| the reference is `None` and the answer is SQL | 0 |
| the reference fails, times out or is rejected | `not_evaluated` (`reference_failed`) |
| a result was truncated and the fetched rows do not decide | `not_evaluated` (`truncated`), unless the digests of both complete results decide |
| no reference is known | `not_evaluated` (`no_reference`) |
| the database is unreachable | `not_evaluated` (`target_unavailable`) |

The collector has one more rule, because production data changes: if the results differ and a statement
may return different rows each time (`random()`, `LIMIT` without `ORDER BY`), the score is
`not_evaluated` (`nondeterministic`). Offline evaluation counts it as 0.

## All scores

Higher is better for all of them. A score *passes* at its highest value. In `/metrics`, the label
`evaluation` of the gauge is the score's name. *Gate* is the name for `--fail-on` and in JSON; the
page and the terminal show the same figure under its title. *Column* is the column of the workbook's
Details sheet.

| name | title | meaning | range | needs | computed by | gauges | gate | column | denominator |
|---|---|---|---|---|---|---|---|---|---|
{rows}
"""


def scores_page() -> str:
    """Return the page of scores, made from the registry."""
    return _PAGE.format(rows="\n".join(map(_row, SCORES.values())))


def _row(score: Score) -> str:
    cells = (
        f"`{score.name}`",
        score.title,
        score.about,
        score.range,
        _needs(score),
        _computed_by(score),
        " ".join(f"`{gauge.name}`" for gauge in score.gauges),
        f"`{score.figure}`" if _is_gated(score) else "",
        score.title if score.column else "",
        score.over,
    )
    return f"| {' | '.join(cells)} |"


def _needs(score: Score) -> str:
    digests = " (or result digests)" if score.from_digests else ""
    return ", ".join(sorted(score.needs)) + digests


def _computed_by(score: Score) -> str:
    if score.name in ONLINE_SCORES:
        return "collector, `sqlobs evaluate`"
    if score.name in CASE_SCORES:
        return "`sqlobs evaluate`"
    if "check" in score.needs:
        return "the check"
    if score.name == EXECUTION:
        return "collector, `sqlobs evaluate`"
    return "a judge" if "judge" in score.needs else "users"


def _is_gated(score: Score) -> bool:
    return score.name in CASE_SCORES | PRODUCTION_SCORES or score.name in {*CHECKED, "flex"}
