"""Initializes the series of alerts to 0, so that `rate()` sees the first failure.

The zeros are written when metrics are collected for the first time after a function was decorated,
called or not: an observable instrument is registered on the application's meter provider, even
before that exists, and its callback runs in the process that collects. Without a provider of the
application the runtime writes the zeros, on ours. Tests: `tests/tracing/test_series.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from opentelemetry import metrics as metrics_api

from sqlobs import semconv
from sqlobs._version import __version__
from sqlobs.semconv import evaluations, metrics
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.sending.observable_metrics import build_info, show_build

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Meter, MeterProvider, Observation

    from sqlobs.types import Label

    Identity = Callable[[], dict[str, str | bool]]

WORKFLOW_LIMIT: Final = 100
"""Workflows with a label of their own; later ones are `other`."""

_LABELS: Final[tuple[Label, ...]] = ("pass", "fail", "not_evaluated")


def zero_series_on(provider: MeterProvider | None) -> ZeroSeries:
    """Return the zero series of a provider, by default the global one."""
    return _on_global() if provider is None else ZeroSeries(_meter_of(provider))


@cache
def _on_global() -> ZeroSeries:
    return ZeroSeries(_meter_of(metrics_api.get_meter_provider()))


def _meter_of(provider: MeterProvider) -> Meter:
    return provider.get_meter(semconv.SCOPE, __version__, schema_url=semconv.SCHEMA_URL)


class ZeroSeries:
    """The zeros on one meter, which may be a proxy until the application has a provider."""

    def __init__(self, meter: Meter) -> None:
        self._evaluations = meter.create_counter(**metrics.EVALUATIONS.described)
        self._waiting: list[tuple[str, Identity]] = []
        self._known: set[str] = set()
        self._identity: Identity = dict
        show_build(meter, self._collected)

    def declare(self, workflow: str, identity: Identity) -> None:
        """Write the zeros of a workflow at the next collection.

        Args:
            workflow: Its name.
            identity: Returns the labels of every series, in the process that collects.
        """
        if workflow not in self._known and len(self._known) < WORKFLOW_LIMIT:
            self._known.add(workflow)
            self._waiting.append((workflow, identity))
            self._identity = identity

    def _collected(self, _: CallbackOptions) -> Iterable[Observation]:
        with INTERNAL_ERRORS.contained("metrics"):
            while self._waiting:
                workflow, identity = self._waiting.pop()
                of = identity()
                for labels in evaluation_labels(workflow):
                    self._evaluations.add(0, {**of, **labels})
            return build_info(self._identity())
        return ()


def evaluation_labels(workflow: str) -> Iterator[dict[str, str | bool]]:
    """Yield the labels of each series of a workflow that alerts use."""
    for name in evaluations.ONLINE:
        for label in _LABELS:
            yield {
                semconv.SQLOBS_WORKFLOW: workflow,
                semconv.GEN_AI_EVALUATION_NAME: name,
                semconv.GEN_AI_EVALUATION_SCORE_LABEL: label,
            }
