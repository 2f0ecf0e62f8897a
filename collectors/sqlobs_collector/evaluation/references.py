"""The reference of a unit: its own, else that of a golden case.

SQL that a user corrected is a candidate (`candidates`), never a reference by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sqlobs_collector.evaluation.content import Content
    from sqlobs_collector.evaluation.golden_set import GoldenSet
    from sqlobs_collector.store.rows import Queued

ReferenceSource = Literal["unit", "golden"]


@dataclass(frozen=True, slots=True)
class Reference:
    """SQL that is assumed to be correct."""

    sql: str
    source: ReferenceSource
    golden_set: str | None = None
    """The name of the set that contains it: the store's, or the golden file."""


def reference_of(
    unit: Queued,
    content: Content,
    *,
    golden: GoldenSet | None,
    target: str | None,
) -> Reference | None:
    """Return the reference of a unit: the first source that has one.

    Args:
        unit: The unit.
        content: Its content.
        golden: The golden cases.
        target: The alias of the unit's target, if it has one.
    """
    if content.reference is not None:
        return Reference(content.reference, "unit")
    if golden is None:
        return None
    found = golden.find(
        workspace=unit.workspace,
        question=content.question,
        digest=unit.question_digest,
        target=target,
    )
    return None if found is None else Reference(found[0].sql, "golden", found[1])
