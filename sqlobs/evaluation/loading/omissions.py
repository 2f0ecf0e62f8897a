"""Records that are not cases of a run: why, and how many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

OmissionReason = Literal["other_dialect", "no_target", "no_sql", "no_pair", "no_case"]
OF_PREDICTIONS: Final = "prediction_"
"""Begins the name of a reason why a prediction, not a case, is not in the run."""
NO_NAME: Final = "no database"
"""What the target of a case that names none is called."""


class Omission(NamedTuple):
    """Why a record is no case of the run."""

    reason: OmissionReason
    name: str = ""
    """The other dialect, or the target that has no DSN."""


def by_reason(
    left_out: Mapping[Omission, int], predictions: Mapping[Omission, int] | None = None
) -> dict[str, int]:
    """Return the counts by reason alone, as a run stores them.

    Args:
        left_out: The records that are no cases.
        predictions: The predictions that belong to no case of the run.
    """
    counts: Counter[str] = Counter()
    for omission, count in left_out.items():
        counts[omission.reason] += count
    for omission, count in (predictions or {}).items():
        counts[f"{OF_PREDICTIONS}{omission.reason}"] += count
    return dict(counts)


def sentences(left_out: Mapping[Omission, int], noun: str, dialect: str | None) -> list[str]:
    """Return one line for each reason, with the fix.

    Args:
        left_out: The counts.
        noun: What was left out: `cases`, `predictions`.
        dialect: The only dialect that runs; None if each target has its own.
    """
    lines = (
        _line(reason, {each.name: n for each, n in left_out.items() if each.reason == reason})
        for reason in dict.fromkeys(each.reason for each in left_out)
    )
    runs = f"this DSN runs {dialect} only" if dialect else "their targets run another dialect"
    return [line.format(noun=noun, runs=runs) for line in lines]


def _line(reason: OmissionReason, counts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{count} for {name}" for name, count in counts.items())
    shown = listed.replace("{", "{{").replace("}", "}}")
    if reason == "other_dialect":
        return f"{{noun}} skipped: {shown}; {{runs}}, so evaluate them with their own DSN"
    if reason == "no_case":
        name = next(iter(counts)).replace("{", "{{").replace("}", "}}")
        return f"{{noun}} skipped: {sum(counts.values())} belong to no case, such as {name}"
    if reason == "no_target":
        return f"{{noun}} skipped: {shown}; give --dsn NAME=URL for each"
    fault = "no raw SQL" if reason == "no_sql" else "no raw SQL, or no reference (see --no-gold)"
    return f"{sum(counts.values())} units skipped: they have {fault}"
