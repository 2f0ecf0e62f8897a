"""An ensemble of an odd number of judges with majority vote; undecided items go to humans."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlobs.errors import ConfigError
from sqlobs.judge.judgment import NOTHING_USED, Judgment
from sqlobs.metrics.agreement import cohen_kappa, fleiss_kappa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs.metrics.agreement import Kappa


@dataclass(frozen=True, slots=True)
class EnsembleJudge:
    """Asks all members concurrently; the majority of those with a verdict decides."""

    members: tuple[Judge, ...]
    name: str = "flex"

    def __post_init__(self) -> None:
        if len(self.members) % 2 == 0:
            raise ConfigError("an ensemble needs an odd number of judges")

    @property
    def fingerprint(self) -> str:
        """Digest over all members' fingerprints, to which a calibration belongs."""
        return hashlib.sha256("".join(m.fingerprint for m in self.members).encode()).hexdigest()

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return the majority's verdict; members without one abstain.

        Without a majority, the item is `not_evaluated(undecided)`, for human review.
        """
        members = tuple(await asyncio.gather(*(member.judge(item) for member in self.members)))
        votes = [member.is_correct for member in members if member.is_correct is not None]
        usage = sum((member.usage for member in members), NOTHING_USED)
        yes = sum(votes)
        if not votes:
            return replace(members[0], name=self.name, usage=usage, members=members)
        if 2 * yes == len(votes):
            return Judgment(
                name=self.name,
                label="not_evaluated",
                reason="undecided",
                explanation=f"{yes} of {len(votes)} judges accept it",
                usage=usage,
                suspicious=_all_suspicious(members),
                decided_by="nobody",
                case_id=item.case_id,
                members=members,
            )
        spokesman = next(m for m in members if m.is_correct == (2 * yes > len(votes)))
        return replace(
            spokesman,
            name=self.name,
            score=yes / len(votes),
            usage=usage,
            suspicious=_all_suspicious(members),
            members=members,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleAgreement:
    """Agreement of an ensemble's members."""

    fleiss: Kappa | None
    """Agreement among the members, over the items that all of them decided."""
    members: tuple[Kappa | None, ...]
    """Agreement of each member with the ensemble; no verdict is a third category."""
    undecided: tuple[str | None, ...]
    """The case IDs of the items for human review."""


def ensemble_agreement(judgments: Sequence[Judgment]) -> EnsembleAgreement:
    """Return the agreement of an ensemble's members, computed from its judgments."""
    voted = [judgment for judgment in judgments if judgment.members]
    complete = [
        votes
        for votes in ([member.is_correct for member in judgment.members] for judgment in voted)
        if None not in votes
    ]
    width = len(voted[0].members) if voted else 0
    return EnsembleAgreement(
        fleiss=fleiss_kappa([[votes.count(False), votes.count(True)] for votes in complete])
        if width > 1
        else None,
        members=tuple(_against_ensemble(voted, place) for place in range(width)),
        undecided=tuple(j.case_id for j in judgments if j.reason == "undecided"),
    )


def _against_ensemble(judgments: Sequence[Judgment], place: int) -> Kappa | None:
    order = (True, False, None)
    counts = Counter(
        (judgment.is_correct, judgment.members[place].is_correct) for judgment in judgments
    )
    return cohen_kappa([[counts[row, column] for column in order] for row in order])


def _all_suspicious(members: Sequence[Judgment]) -> tuple[str, ...]:
    return tuple(sorted({kind for member in members for kind in member.suspicious}))
