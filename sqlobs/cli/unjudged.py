"""Items without a judge verdict: reasons and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.failure_codes import Reason
    from sqlobs.judge.judgment import Judgment


@dataclass(slots=True)
class Unjudged:
    """One reason for which items have no verdict."""

    reason: Reason
    items: int
    sentence: str
    """The explanation of the first such item."""


def silences(judgments: Sequence[Judgment]) -> list[Unjudged]:
    """Return the distinct reasons for missing verdicts in order of occurrence."""
    found: dict[Reason, Unjudged] = {}
    for judgment in judgments:
        if judgment.reason is not None:
            known = found.setdefault(
                judgment.reason, Unjudged(judgment.reason, 0, judgment.explanation)
            )
            known.items += 1
    return list(found.values())


def silence_lines(judgments: Sequence[Judgment]) -> Iterator[str]:
    """Yield the number of items without a verdict and the reasons; nothing if all have one."""
    found = silences(judgments)
    if found:
        yield f"not evaluated: {sum(one.items for one in found)}"
    for one in found:
        yield f"  {one.items} {one.reason}: {one.sentence}"


def refuse_silence(judgments: Sequence[Judgment]) -> None:
    """Raise if the judge gave no verdict on any item.

    Raises:
        ConfigError: There is no verdict; the message gives the reasons.
    """
    if any(judgment.is_correct is not None for judgment in judgments):
        return
    reasons = "; ".join(f"{one.reason}, {one.sentence}" for one in silences(judgments))
    raise ConfigError(
        f"the judge evaluated none of {len(judgments)} items, so nothing is saved: {reasons}"
    )
