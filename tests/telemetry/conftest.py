from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.otlp import Backend, backend

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    """The telemetry settings of the machine that runs the tests do not leak in."""
    for name in os.environ:
        if name.startswith(("OTEL_", "SQLOBS_")):
            monkeypatch.delenv(name)


@pytest.fixture
def vendor() -> Iterator[Backend]:
    """The backend that `OTEL_*` variables name."""
    with backend() as received:
        yield received


@pytest.fixture
def collector() -> Iterator[Backend]:
    """The collector that `SQLOBS_COLLECTOR_ENDPOINT` names."""
    with backend() as received:
        yield received
