"""What the HTML page about a run of 10,000 evaluated cases costs to write."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import process_time

from sqlobs.evaluation.session import evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from sqlobs.reporting.page.document import html_document, write_html
from tests.benchmarks.execution import SQLITE_SCRIPT
from tests.benchmarks.offline import distinct_cases
from tests.benchmarks.scale import scaled

CASES = scaled(10_000, least=100)
EVALUATED = 100
"""The cases of the page are copies of these; each is laid out by itself."""
BAR_S = 5.0


def main() -> None:
    """Print the CPU time of the page."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "shop.db"
        with closing(sqlite3.connect(path)) as plain:
            plain.executescript(SQLITE_SCRIPT)
            plain.commit()
        settings = SessionSettings(place=f"sqlite:///{path}")
        small = evaluate_run(distinct_cases(EVALUATED), Path(directory) / "run", settings)
        html_document(small)  # imports what it needs
        cases = [replace(small.cases[i % EVALUATED], index=i) for i in range(CASES)]
        started = process_time()
        write_html(replace(small, cases=tuple(cases)), Path(directory) / "page.html")
        spent = process_time() - started
    print(f"{CASES:,} cases, CPU of the page {spent:10.2f} s (bar {BAR_S:.0f})")
