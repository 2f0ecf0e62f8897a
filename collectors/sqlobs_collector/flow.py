"""The flow counters of this process, as Prometheus metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge

if TYPE_CHECKING:
    from collections.abc import Callable

PREFIX: Final = "sqlobs_collector"
OWN_SERVICE: Final = "sqlobs-collector"
"""`service_name` of the series that are about the collector as a whole."""
_MAX_SERVICES: Final = 200
_SERVICE: Final = ("service_name", "deployment_environment_name")


class Flow:
    """What went through, and what did not; counts start at zero with the process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._services: set[tuple[str, str]] = set()
        self._received = Counter(
            f"{PREFIX}_received",
            "Records acknowledged, by what they are.",
            ("signal", "kind", *_SERVICE),
            registry=registry,
        )
        self._rejected = Counter(
            f"{PREFIX}_rejected",
            "Requests and records refused; a retryable refusal is counted each time.",
            ("signal", "reason", *_SERVICE),
            registry=registry,
        )
        self._relayed = Counter(
            f"{PREFIX}_relayed",
            "Requests for the backend, by how they ended.",
            ("signal", "outcome", *_SERVICE),
            registry=registry,
        )

        self._units = Counter(
            f"{PREFIX}_units",
            "Units that entered a state, by the reason for it.",
            ("state", "reason", *_SERVICE),
            registry=registry,
        )

        self._evaluations = Counter(
            f"{PREFIX}_evaluations",
            "Evaluations made here.",
            ("evaluation", "label", "kind", *_SERVICE),
            registry=registry,
        )
        self._comparisons = Counter(
            f"{PREFIX}_comparisons",
            "Statements run here, by the checker's label and the engine's.",
            ("static_label", "engine_label", *_SERVICE),
            registry=registry,
        )

    def received(self, *, signal: str, kind: str, service: tuple[str, str], count: int) -> None:
        """Count acknowledged records of one service (name, environment)."""
        self._received.labels(signal, kind, *self._known(service)).inc(count)

    def rejected(self, *, signal: str, reason: str, count: int = 1) -> None:
        """Count refused requests, or records refused out of accepted requests."""
        self._rejected.labels(signal, reason, OWN_SERVICE, "").inc(count)

    def relayed(self, *, signal: str, outcome: str) -> None:
        """Count a request for the backend: `sent`, `dropped` or `refused`."""
        self._relayed.labels(signal, outcome, OWN_SERVICE, "").inc()

    def unit(self, *, service: tuple[str, str], state: str, reason: str) -> None:
        """Count a unit that enters a state."""
        self._units.labels(state, reason, *self._known(service)).inc()

    def evaluation(self, *, service: tuple[str, str], name: str, label: str, kind: str) -> None:
        """Count an evaluation by its label and the kind of its evaluator."""
        self._evaluations.labels(name, label, kind, *self._known(service)).inc()

    def comparison(self, *, service: tuple[str, str], static: str, engine: str) -> None:
        """Count what the checker said of a statement against what the engine said."""
        self._comparisons.labels(static, engine, *self._known(service)).inc()

    def watch(self, name: str, *, documentation: str, read: Callable[[], float]) -> None:
        """Show a gauge that is read at each scrape."""
        gauge = Gauge(f"{PREFIX}_{name}", documentation, _SERVICE, registry=self._registry)
        gauge.labels(OWN_SERVICE, "").set_function(read)

    def _known(self, service: tuple[str, str]) -> tuple[str, str]:
        """Return the service, or `other` once there are too many to tell apart."""
        if service not in self._services:
            if len(self._services) >= _MAX_SERVICES:
                return ("other", "")
            self._services.add(service)
        return service
