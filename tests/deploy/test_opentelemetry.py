"""The recipes for upstream collectors: their structure, and the relay of sqlobs' own collector.

No OpenTelemetry Collector with an OTLP receiver can be installed from a package registry. What is
checked here is what it would reject first: components that are missing or unused, and unknown fields.
"""

from __future__ import annotations

import re

import pytest
import yaml

from tests.deploy.conftest import DEPLOY

RECIPES = ("queue", "fan-out")
KINDS = ("extensions", "receivers", "processors", "exporters")
FIELDS = {
    "file_storage": {"directory", "create_directory", "fsync", "timeout", "compaction"},
    "file_storage.compaction": {"on_start", "on_rebound", "directory"},
    "health_check": {"endpoint"},
    "otlp": {"protocols"},
    "otlp.protocols": {"grpc", "http"},
    "memory_limiter": {"check_interval", "limit_percentage", "spike_limit_percentage"},
    "filter": {"error_mode", "logs"},
    "filter.logs": {"log_record"},
    "otlp_http": {
        "endpoint", "headers", "compression", "timeout", "sending_queue", "retry_on_failure"
    },
    "otlp_http.sending_queue": {"storage", "sizer", "queue_size", "num_consumers"},
    "otlp_http.retry_on_failure": {"initial_interval", "max_interval", "max_elapsed_time"},
}  # fmt: skip
"""Fields by component and section, as its documentation names them (0.144)."""


@pytest.fixture(params=RECIPES)
def recipe(request):
    return yaml.safe_load((DEPLOY / f"opentelemetry/{request.param}.yaml").read_text())


def test_every_component_is_defined_and_used(recipe):
    service = recipe["service"]
    used = {kind: set() for kind in KINDS}
    used["extensions"] = set(service["extensions"])
    for name, pipeline in service["pipelines"].items():
        assert re.fullmatch(r"(logs|traces|metrics)(/\w+)?", name)
        for kind, components in pipeline.items():
            used[kind] |= set(components)
    assert used == {kind: set(recipe[kind]) for kind in KINDS}
    storages = {each["sending_queue"]["storage"] for each in recipe["exporters"].values()}
    assert storages <= set(service["extensions"])


def test_every_field_is_one_of_its_component(recipe):
    for kind in KINDS:
        for name, given in recipe[kind].items():
            component = name.split("/")[0]
            assert given.keys() <= FIELDS[component]
            for field, section in given.items():
                if f"{component}.{field}" in FIELDS:
                    assert section.keys() <= FIELDS[f"{component}.{field}"]


def test_what_is_sent_to_sqlobs_waits_for_it_without_end(recipe):
    """In a file, in all pipelines; `max_elapsed_time` of zero is documented as no limit."""
    exporter = recipe["exporters"]["otlp_http/sqlobs"]
    assert exporter["sending_queue"]["storage"].startswith("file_storage/")
    assert exporter["retry_on_failure"]["max_elapsed_time"] == "0s"
    reached = {
        name.split("/")[0]
        for name, pipeline in recipe["service"]["pipelines"].items()
        if "otlp_http/sqlobs" in pipeline["exporters"]
    }
    assert reached == {"logs", "traces", "metrics"}


def test_no_pipeline_of_logs_to_the_backend_has_units():
    recipe = yaml.safe_load((DEPLOY / "opentelemetry/fan-out.yaml").read_text())
    for name, pipeline in recipe["service"]["pipelines"].items():
        if name.startswith("logs") and "otlp_http/backend" in pipeline["exporters"]:
            assert "filter/sqlobs" in pipeline["processors"]


def test_the_collector_accepts_the_recipe_of_its_own_relay(validated):
    path = DEPLOY / "opentelemetry/relay.collector.yaml"
    found = yaml.safe_load(validated(["serve", "--config", str(path)]))
    assert found["forward"]["url"] == "http://127.0.0.1:14318/"
