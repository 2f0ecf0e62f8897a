"""An alert whose condition holds, and the labels of its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.monitoring.annotations import VERSION
from sqlobs.monitoring.promql import WORKFLOW
from sqlobs_collector.origin import DEFAULT_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.store.alert_counts import Place
    from sqlobs_collector.store.incidents import RateName

WORKSPACE: Final = "sqlobs_workspace"
"""The label of a workspace, if there are several."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alert whose condition holds."""

    alert: str
    labels: Mapping[str, str]
    """Those that the rules give it; a workspace is named if there are several."""
    value: float | None
    """Of the condition: what the rule's `$value` is."""
    rate: RateName | None = None
    """The store's rate that it is about."""

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What tells it from others."""
        return self.alert, tuple(sorted(self.labels.items()))


def labels_of(place: Place) -> dict[str, str]:
    """Return the labels of a workflow, or of its model and prompt version."""
    workspace, *values = place
    names = VERSION if len(values) > len(WORKFLOW) else WORKFLOW
    named = {
        name: value for name, value in zip(names, values, strict=True) if value or name in WORKFLOW
    }
    return named if workspace == DEFAULT_WORKSPACE else {WORKSPACE: workspace, **named}
