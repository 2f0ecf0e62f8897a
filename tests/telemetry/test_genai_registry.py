"""Our names against the registries of OpenTelemetry: GenAI's, and the main one as its package has it."""

from __future__ import annotations

import importlib
import pkgutil
from itertools import chain
from pathlib import Path

import pytest
import yaml

from sqlobs import semconv

REGISTRY = yaml.safe_load(Path(__file__).with_name("genai_registry.yaml").read_text())
MAIN = ("opentelemetry.semconv.attributes", "opentelemetry.semconv._incubating.attributes")
OUR_TYPES = {
    "string": "str",
    "any": "str",  # JSON: attributes of a span are no objects
    "int": "int",
    "double": "double",
    "string[]": "str[]",
    "boolean": "bool",
}
GENAI = [name for name in semconv.ATTRIBUTES if name.startswith("gen_ai.")]
OPENINFERENCE = {"openinference.span.kind", "input.value", "output.value"}
FOREIGN = {
    "model": semconv.FOREIGN_MODEL_NAMES,
    "input": semconv.FOREIGN_INPUT_TOKENS,
    "output": semconv.FOREIGN_OUTPUT_TOKENS,
}


def main_registry():
    """Yield the attribute names of OpenTelemetry's main conventions."""
    for package in MAIN:
        path = importlib.import_module(package).__path__
        for module in pkgutil.iter_modules(path, f"{package}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if name.isupper() and isinstance(value, str):
                    yield value


def test_spans_name_the_release_of_the_conventions_that_they_follow():
    assert REGISTRY["version"] == semconv.GENAI_VERSION
    assert semconv.SCHEMA_URL.endswith(f"/gen-ai/{REGISTRY['version']}")


@pytest.mark.parametrize("name", GENAI)
def test_a_genai_name_is_registered_with_our_type(name):
    assert OUR_TYPES[REGISTRY["attributes"][name]] == semconv.ATTRIBUTES[name].type


def test_operations_are_registered():
    operations = semconv.ATTRIBUTES[semconv.GEN_AI_OPERATION_NAME].values
    assert set(operations) <= set(REGISTRY["values"][semconv.GEN_AI_OPERATION_NAME])


def test_replaced_names_are_read_and_never_emitted():
    """Instrumentations still use them: tokens are read by the names of both generations."""
    assert REGISTRY["replaced"].keys().isdisjoint(REGISTRY["attributes"])
    assert REGISTRY["replaced"].keys().isdisjoint(semconv.ATTRIBUTES)
    read = set(chain(*FOREIGN.values()))
    tokens = {name for name in REGISTRY["replaced"] if name.startswith("gen_ai.usage.")}
    assert len(tokens) == 2
    assert tokens <= read
    assert {names[0] for names in FOREIGN.values()} <= REGISTRY["attributes"].keys()


def test_all_other_names_are_in_the_main_registry_or_ours():
    ours = {name for name in semconv.ATTRIBUTES if name.startswith("sqlobs.")}
    others = set(semconv.ATTRIBUTES) - ours - set(GENAI) - OPENINFERENCE
    assert others - set(main_registry()) == set()
    assert len(others) > 10
