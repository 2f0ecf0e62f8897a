"""The resource of a process: whose spans, units and series they are.

Tests: `tests/telemetry/test_providers.py` and `tests/tracing/test_foreign_providers.py`.
"""

from __future__ import annotations

import os
import uuid
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api
from opentelemetry.sdk.environment_variables import (
    OTEL_EXPERIMENTAL_RESOURCE_DETECTORS,
    OTEL_RESOURCE_ATTRIBUTES,
    OTEL_SERVICE_NAME,
)
from opentelemetry.sdk.resources import Resource

from sqlobs import semconv

if TYPE_CHECKING:
    from sqlobs.tracing.configuration import Destination

Provider = TypeVar("Provider")

_API_PACKAGES = ("opentelemetry.trace", "opentelemetry.metrics", "opentelemetry._logs")
"""Packages of the API's proxies and no-ops, which are not real providers."""


def service_resource(service_name: str | None, destination: Destination) -> Resource:
    """Return the application's resource, or a detected one, with an instance id.

    Args:
        service_name: Replaces the name of the service.
        destination: The providers that replace the global ones; their resource counts.
    """
    tracers = destination.tracer_provider or real_provider(trace_api.get_tracer_provider())
    meters = destination.meter_provider or real_provider(metrics_api.get_meter_provider())
    theirs = _resource(tracers) or _resource(getattr(meters, "_sdk_config", None))
    base = theirs or found_resource()
    more = {} if service_name is None else {semconv.SERVICE_NAME: service_name}
    is_set = semconv.SERVICE_INSTANCE_ID in os.environ.get(OTEL_RESOURCE_ATTRIBUTES, "")
    if semconv.SERVICE_INSTANCE_ID not in base.attributes or (theirs is None and not is_set):
        more[semconv.SERVICE_INSTANCE_ID] = (
            _process_id(os.getpid()) if meters is not None else str(uuid.uuid4())
        )
    return base.merge(Resource(more))


def identity_labels(resource: Resource) -> dict[str, str | bool]:
    """Return the labels that say whose series it is; what the resource does not say is absent."""
    attributes = resource.attributes
    return {name: str(attributes[name]) for name in semconv.IDENTITY if attributes.get(name)}


def real_provider(provider: Provider) -> Provider | None:
    """Return a provider, or None for a proxy or no-op of the API."""
    return None if type(provider).__module__.startswith(_API_PACKAGES) else provider


def found_resource() -> Resource:
    """Return the detected resource of a process; cached, as detectors are slow."""
    names = (OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME, OTEL_EXPERIMENTAL_RESOURCE_DETECTORS)
    values = tuple(map(os.environ.get, names))
    return _resource_of(values, os.getpid() if values[-1] else None)


def _resource(holder: object) -> Resource | None:
    """Return the resource of a tracer provider, or of a meter provider's configuration."""
    resource = getattr(holder, "resource", None)
    return resource if isinstance(resource, Resource) else None


@lru_cache(maxsize=1)
def _process_id(pid: int) -> str:  # noqa: ARG001 - the key: a forked child is another instance
    return str(uuid.uuid4())


@lru_cache(maxsize=4)
def _resource_of(values: tuple[str | None, ...], pid: int | None) -> Resource:  # noqa: ARG001 - the key
    return Resource.create()
