"""From a judge's answers to rows of the store; pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from sqlobs.judge.judgment import Judgment
from sqlobs.judge.verdicts.categories import ERROR, LLM_ERROR, MENUS, side_of
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store.judge_rows import Inquiry, Sorting
from sqlobs_collector.store.question import pack_question
from sqlobs_collector.store.rows import Evaluated

if TYPE_CHECKING:
    from sqlobs.failure_codes import Reason
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.verdicts.categories import Categorization
    from sqlobs_collector.store.judge_rows import Pending

SORTING: Final = "flex_categories"
"""The inquiry that asks why a verdict of `flex` is what it is; the answer stands beside it."""
INTERRUPTED: Final = (
    "the collector stopped during a judge call; the call may have been billed and is not repeated"
)
_EXPLANATION_CHARACTERS: Final = 4000
_UNREADABLE: Final = "judge_malformed"


def no_judgment(metric: str, explanation: str = "") -> Judgment:
    """Return the judgment for an internal error that prevented a verdict."""
    return Judgment(
        name=metric,
        label="not_evaluated",
        reason="error",
        explanation=explanation,
        decided_by="nobody",
    )


def evaluation_of(
    pending: Pending,
    judgment: Judgment,
    *,
    item: JudgeItem | None,
    at_ns: int,
    took_s: float,
    fingerprint: str | None = None,
) -> Evaluated:
    """Return a judgment as a row.

    Args:
        pending: The inquiry.
        judgment: The judgment.
        item: The judged item; None = do not record its side.
        at_ns: Current time.
        took_s: Duration in seconds.
        fingerprint: The judge's fingerprint, to which calibrations belong.
    """
    side = None
    if item is not None and pending.metric == FLEX:
        side = side_of(item, judgment)
    return Evaluated(
        unit_id=pending.unit_id,
        metric=pending.metric,
        version=pending.version,
        label=judgment.label,
        kind="llm",
        created_ns=at_ns,
        value=judgment.score,
        reason=judgment.reason,
        explanation=judgment.explanation[:_EXPLANATION_CHARACTERS] or None,
        detail=json.dumps({**_detail(judgment), **_known({"fingerprint": fingerprint})}),
        probability=pending.probability,
        duration_s=took_s,
        cost_usd=judgment.usage.cost_usd,
        side=side,
        categories=ERROR if side in MENUS and judgment.decided_by == "execution" else None,
    )


def sorting_inquiry(row: Evaluated, item: JudgeItem, judgment: Judgment) -> Inquiry | None:
    """Return the inquiry that categorizes a verdict; None if it needs no categories."""
    if row.side not in MENUS or row.categories is not None:
        return None
    return Inquiry(
        row.unit_id,
        SORTING,
        row.version,
        pack_question(item, judgment),
        row.probability,
        queued_ns=row.created_ns,
    )


def sorting_of(found: Categorization) -> Sorting:
    """Return the categories of a verdict; a missing answer is not a category."""
    is_answered = found.reason is None or found.reason == _UNREADABLE
    said = {category.key: category.explanation for category in found.categories}
    said.pop(LLM_ERROR, None)
    return Sorting(
        " ".join(found.keys) if is_answered else None,
        {"categories": said, "category_codes": found.codes, "unsorted": found.reason},
        found.usage.cost_usd,
    )


def unsorted(reason: Reason) -> Sorting:
    """Return the record of a verdict that stays uncategorized."""
    return Sorting(None, {"unsorted": reason})


def _detail(judgment: Judgment) -> dict[str, object]:
    """Return the known details of how the verdict was reached."""
    return _known(
        {
            "model": judgment.model,
            "prompt": judgment.prompt_version,
            "decided_by": judgment.decided_by,
            "codes": list(judgment.codes),
            "suspicious": list(judgment.suspicious),
            "is_repaired": judgment.is_repaired,
            "is_cached": judgment.is_cached,
            "input_tokens": judgment.usage.input_tokens,
            "output_tokens": judgment.usage.output_tokens,
        }
    )


def _known(said: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in said.items() if value}
