"""The measurement of the console runs; its figures come from a store of a million requests."""

from __future__ import annotations

import time

import pytest

from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.writing import Store
from tests.console.chromium import needs_chromium
from tests.console.measuring import PAGES, QUERIES, main
from tests.console.million import fill


@pytest.mark.slow
@needs_chromium
def test_the_measurement_prints_its_figures(tmp_path, capsys):
    """Each endpoint, each page, and the intake."""
    engine = open_store(tmp_path)
    fill(Store(engine), 200, end_ns=time.time_ns())
    engine.dispose()
    main([str(tmp_path), "--rounds", "1", "--seconds", "0.3"])
    lines = capsys.readouterr().out.splitlines()
    named = [line.split()[0] for line in lines]
    assert named == [*QUERIES, "API", *PAGES, "intake:"]
