from __future__ import annotations

from pathlib import Path

from sqlobs.testing.vectors import load_vectors

OWN_VECTORS = Path(__file__).with_name("vectors.jsonl")


def pytest_addoption(parser):
    """Let anybody check us against golden vectors of their own."""
    parser.addoption("--vectors", type=Path, default=None, help="a file of golden metric vectors")


def pytest_generate_tests(metafunc):
    """Make one test of each vector, named by its id."""
    if "vector" in metafunc.fixturenames:
        path = metafunc.config.getoption("--vectors", default=None) or OWN_VECTORS
        vectors = load_vectors(path)
        metafunc.parametrize("vector", vectors, ids=[vector.id for vector in vectors])
