"""The judges of each workspace: one endpoint, whose calls its budget pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs.check.fallback import LABELS
from sqlobs.judge.correctness import LabelJudge
from sqlobs.judge.fallback import LlmFallback
from sqlobs.judge.verdicts.categories import Categorizer
from sqlobs.judge.verdicts.roster import judge_named
from sqlobs_collector.settings.judging import FLEX, FLEX_NOREF, FURTHER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs_collector.judging.ledger import WorkspaceBudgets


@dataclass(frozen=True, slots=True)
class Judges:
    """What asks the model for one workspace."""

    by_evaluation: Mapping[str, Judge | LabelJudge]
    categorizer: Categorizer


class WorkspaceJudges:
    """Makes the judges of a workspace when they are first asked.

    Args:
        endpoint: The judge's endpoint.
        budgets: What each workspace may spend.
        votes: Number of votes of judges without a reference.
        examples: Examples of tuned judges, by evaluation.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        budgets: WorkspaceBudgets,
        *,
        votes: int,
        examples: Mapping[str, str],
    ) -> None:
        self._endpoint = endpoint
        self._budgets = budgets
        self._votes = votes
        self._examples = examples
        self._known: dict[str, Judges] = {}

    def of(self, workspace: str) -> Judges:
        """Return the judges of a workspace."""
        if workspace not in self._known:
            endpoint = self._endpoint.within(self._budgets.of(workspace))
            fallback = LlmFallback(endpoint, votes=self._votes)
            judges: dict[str, Judge | LabelJudge] = {**self._named(endpoint)}
            judges |= {name: LabelJudge(fallback, name) for name in LABELS}
            self._known[workspace] = Judges(judges, Categorizer(endpoint))
        return self._known[workspace]

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each judge, which is the same in all workspaces."""
        return {name: judge.fingerprint for name, judge in self._named(self._endpoint).items()}

    def _named(self, endpoint: Endpoint) -> dict[str, Judge]:
        return {
            name: judge_named(
                name,
                endpoint,
                votes=self._votes if name in FURTHER else 1,
                examples=self._examples.get(name, ""),
            )
            for name in (FLEX, FLEX_NOREF, *FURTHER)
        }
