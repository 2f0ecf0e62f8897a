"""The selection of evaluations by workflow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs_collector.settings.evaluating import EVALUATIONS, OTHERS

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALL: Final[frozenset[str]] = frozenset(EVALUATIONS)


@dataclass(frozen=True, slots=True)
class EvaluationSelection:
    """Evaluations by workflow; if empty, all evaluations for all workflows."""

    by_workflow: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of(self, workflow: str) -> frozenset[str]:
        """Return the names of a workflow's evaluations."""
        return self.by_workflow.get(workflow, self.by_workflow.get(OTHERS, _ALL))
