from __future__ import annotations

from pathlib import Path

from tests.parity.vectors import OWN_VECTORS, read_vectors


def pytest_addoption(parser):
    """Let anybody check us against golden vectors of their own."""
    parser.addoption("--vectors", type=Path, default=None, help="a file of golden metric vectors")


def pytest_generate_tests(metafunc):
    """Make one test of each vector, named by its id."""
    if "vector" in metafunc.fixturenames:
        path = metafunc.config.getoption("--vectors", default=None) or OWN_VECTORS
        vectors = read_vectors(path)
        metafunc.parametrize("vector", vectors, ids=[vector.id for vector in vectors])
