"""The metrics that one workspace may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from sqlobs.semconv.collector import QUALITY_SCORE
from sqlobs_collector.disclosure import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client.samples import Sample

_WORKSPACE: Final = "workspace"


class WorkspaceView(Collector):
    """The series of one workspace plus those of the collector as a whole."""

    def __init__(
        self, registry: CollectorRegistry, workspace: str, *, is_named: bool = True
    ) -> None:
        """Set up.

        Args:
            registry: All series.
            workspace: The only workspace whose series are shown.
            is_named: Whether they show its name.
        """
        self._registry = registry
        self._workspace = workspace
        self._is_named = is_named

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families, each with its visible series."""
        for family in self._registry.collect():
            shown = Metric(family.name, family.documentation, family.type, family.unit)
            shown.samples = [self._told(one) for one in family.samples if self._is_shown(one)]
            yield shown

    def _is_shown(self, sample: Sample) -> bool:
        return sample.labels.get(_WORKSPACE, "") in {"", self._workspace}

    def _told(self, sample: Sample) -> Sample:
        if sample.name == QUALITY_SCORE.name:
            sample = sample._replace(value=rounded(sample.value))
        if self._is_named:
            return sample
        labels = {name: value for name, value in sample.labels.items() if name != _WORKSPACE}
        return sample._replace(labels=labels)
