"""Holds the runtime of one instance: made at first use, in the process that uses it.

It is made anew after `configure`, after `shutdown` and in a forked child.
Tests: `tests/tracing/test_processes.py`, `test_forks.py` and `test_series.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlobs.fork_guard import IMPORTS, forget_in_child
from sqlobs.tracing.configuration import Configuration, Destination
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.runtime import Runtime
from sqlobs.tracing.sending.observable_metrics import ZeroSeries, zero_series_on
from sqlobs.tracing.sending.service_resource import identity_labels, service_resource

if TYPE_CHECKING:
    from sqlobs.tracing.requests.generation import Generation

_RETIRE_S = 2.0


class RuntimeHolder:
    """The runtime of one instance, and what decorators declare for it."""

    def __init__(self, destination: Destination, *, outside: Generation) -> None:
        self.configuration = Configuration(destination=destination)
        self.outside = outside
        """The handle outside any request."""
        self._lock = threading.Lock()  # guards the making of the runtime
        self._runtime: Runtime | None = None
        self._workflows: tuple[str, ...] = ()
        self._traces_executions = False
        self._meter_provider = destination.meter_provider
        self._zero_series: ZeroSeries | None = None
        forget_in_child(self)

    @property
    def runtime(self) -> Runtime:
        """The runtime; the first call makes it."""
        return self._runtime or self._make()

    def _make(self) -> Runtime:
        with self._lock:
            with IMPORTS:
                self._runtime = self._runtime or Runtime(
                    self.configuration,
                    workflows=lambda: self._workflows,
                    keeps_recent=self._traces_executions,
                    retire=self._let_go,
                )
            return self._runtime

    def _let_go(self, runtime: Runtime) -> None:
        """Forget a runtime that ends with its process; a later request makes a new one."""
        if self._runtime is runtime:
            self._runtime = None

    def declare(self, workflow: str) -> None:
        """Add a workflow: its series start at zero, even if it is never called."""
        if workflow in self._workflows:
            return
        self._workflows = (*self._workflows, workflow)
        with INTERNAL_ERRORS.contained("metrics"):
            self._zero_series = self._zero_series or zero_series_on(self._meter_provider)
            self._zero_series.declare(workflow, self._identity)

    def _identity(self) -> dict[str, str | bool]:
        """Return the labels of every series, as this process's runtime sets them."""
        settings, _ = self.configuration.with_environment()
        return identity_labels(
            service_resource(settings.service_name, self.configuration.destination)
        )

    def declare_executions(self) -> None:
        """Remember recent generations from now on: executions are traced and join them."""
        self._traces_executions = True
        if self._runtime is not None:
            self._runtime.keeps_recent = True

    def configure(self, configuration: Configuration) -> None:
        """Apply a configuration; an equal one changes nothing."""
        with self._lock:
            if configuration == self.configuration:
                return
            self.configuration = configuration
            retired, self._runtime = self._runtime, None
        if retired is not None:
            retired.shutdown(_RETIRE_S)

    @contextmanager
    def rerouted(self, destination: Destination) -> Iterator[None]:
        """Send to this destination only, in a `with` block; other options stay as configured."""
        before = self.configuration.destination
        self.configure(replace(self.configuration, destination=destination))
        try:
            yield
        finally:
            self.configure(replace(self.configuration, destination=before))

    def flush(self, timeout_s: float) -> bool:
        """Flush the runtime, which is made now if a generation is declared; never raises."""
        with INTERNAL_ERRORS.contained("begin"):
            runtime = self.runtime if self._workflows else self._runtime
            return runtime is None or runtime.flush(timeout_s)
        return True

    def shutdown(self, timeout_s: float) -> bool:
        """Shut the runtime down; a later request makes a new one."""
        with self._lock:
            runtime, self._runtime = self._runtime, None
        return runtime is None or runtime.shutdown(timeout_s)

    def forget(self) -> None:
        """Start anew in a forked child: threads, queues and instance id are the parent's."""
        self._lock = threading.Lock()
        self._runtime = None
