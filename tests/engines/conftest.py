"""Engines for the tests: those that are installed, and one that stands in."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pytest

from sqlobs.execution import local
from sqlobs.execution.analyzers import kinds, process
from sqlobs.execution.analyzers.kinds import KINDS

INSTALLED = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            find_spec(kind.package) is None,
            reason=f"{kind.package} is NOT INSTALLED: run `make test-integrations`",
        ),
    )
    for name, kind in KINDS.items()
]


@pytest.fixture(scope="module", params=INSTALLED)
def dialect(request):
    """A dialect whose engine is installed."""
    yield request.param
    local.close_local_engines()


@pytest.fixture
def stand_in(monkeypatch):
    """BigQuery's engine is the stand-in, which hangs for two seconds at most."""
    kind = replace(KINDS["bigquery"], module="tests.engines.stand_in", package="sqlobs")
    monkeypatch.setitem(kinds.KINDS, "bigquery", kind)
    service = local._Service(kind)
    monkeypatch.setitem(local._SERVICES, "bigquery", service)
    monkeypatch.setattr(process, "ANSWER_S", 2.0)
    yield kind
    service.close()
