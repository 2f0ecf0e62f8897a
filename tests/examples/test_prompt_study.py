"""The study of prompts, run as its README says: from databases to the decision."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from sqlobs.runs.run import Run
from tests.servers import PostgresServer, free_port, has_postgres

STUDY = Path(__file__).parents[2] / "examples" / "prompt_study"
STEPS = re.findall(r"```sh\n(.*?)```", (STUDY / "README.md").read_text(), re.DOTALL)


@pytest.fixture
def place():
    """A PostgreSQL database, if there is one on this machine."""
    if not has_postgres():
        warnings.warn("no PostgreSQL: 40 of 60 questions of the study are run", stacklevel=1)
        yield {}
        return
    server = PostgresServer()
    try:
        yield {"STUDY_POSTGRES": server.start().url()}
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("default:no PostgreSQL")
def test_the_readme_leads_to_a_decision(tmp_path, place):
    """Every command of the README, in one shell: 6 runs, all ranked, a calibrated judge, a gate."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SQLOBS_")}
    path = f"{Path(sys.executable).parent}:{kept['PATH']}"
    own = {"STUDY": str(STUDY), "PORT": str(free_port()), "PATH": path, **place}
    script = "set -e\ntrap 'kill $MODEL_PID 2>/dev/null || true' EXIT\n" + "\n".join(STEPS)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**kept, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    count = 60 if place else 40
    runs = {path.name: Run.read(path) for path in sorted((tmp_path / "study").glob("run_*"))}
    assert len(runs) == 6
    rates = {}
    for name, run in runs.items():
        assert len(run.cases) == count
        assert all(case.generation.cost for case in run.cases)
        rates[name] = run.summary.execution.passed / count
    assert rates["run_small-plain"] < rates["run_small-schema"] < rates["run_small-rules"]
    assert max(rates, key=rates.get) == "run_large-rules"
    dialects = {case.dialect for case in runs["run_large-rules"].cases}
    assert dialects == ({"sqlite", "duckdb", "postgres"} if place else {"sqlite", "duckdb"})
    assert ("SKIPPED" in done.stderr) is (not place)
    assert f"not compared: {count} without a reference" in done.stdout
    assert (tmp_path / "without-references-large-rules.html").exists()
    assert re.search(r"^ +1 +- +large \(run_large-rules\)", done.stdout, re.MULTILINE)
    drawn = re.search(r"(\d+) items written to items.jsonl \(seed 1\)", done.stdout)
    assert int(drawn[1]) == (
        40 if place else len((tmp_path / "items.jsonl").read_text().split("\n")) - 1
    )
    assert "rate corrected" in done.stdout
    assert "regression>0: passed" in done.stdout
    assert "Statistically significant" in (tmp_path / "summary.md").read_text()
    assert "large-rules" in (tmp_path / "decision.html").read_text()
