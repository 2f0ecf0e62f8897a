"""The README's programs, commands, links and numbers."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import names as benchmarks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PRINTS = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", README, re.DOTALL)
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)


def _environment():
    """Return the tester's environment without telemetry settings, with our commands first."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OTEL_", "SQLOBS_"))
    }
    commands = str(Path(sys.executable).parent)
    return {**kept, "PATH": f"{commands}{os.pathsep}{kept['PATH']}"}


@pytest.mark.parametrize(("program", "printed"), PRINTS)
def test_a_program_of_the_readme_prints_what_it_says(tmp_path, program, printed):
    """Run as written, in a fresh interpreter."""
    completed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=_environment(),
    )
    assert (completed.stdout, completed.stderr, completed.returncode) == (printed, "", 0)


@pytest.mark.parametrize(("command", "printed"), CONSOLE)
def test_a_command_of_the_readme_prints_what_it_says(tmp_path, command, printed):
    """Run as written, beside a schema that holds the shop's tables."""
    (tmp_path / "shop.sql").write_text((ROOT / "sqlobs/demo/shop.sql").read_text())
    completed = subprocess.run(
        shlex.split(command),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=_environment(),
    )
    here = f"sqlite {sqlite3.sqlite_version}"
    assert completed.stdout + completed.stderr == re.sub(r"sqlite [\d.]+", here, printed)


def test_the_readme_has_examples_that_were_run():
    """A change of its form must not leave the examples untested."""
    assert (len(PRINTS), len(CONSOLE)) == (1, 1)


PAGES = (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("[cd]*/README.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_links_to_exists(page):
    """No dead link inside the repository."""
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_benchmarks_on_the_page_are_those_that_exist():
    """`docs/performance.md` lists each benchmark with the first line of its docstring."""
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    trees = {
        name: ast.parse((ROOT / f"tests/benchmarks/{name}.py").read_text()) for name in benchmarks()
    }
    assert dict(rows) == {
        name: (ast.get_docstring(tree) or "").splitlines()[0] for name, tree in trees.items()
    }


def test_the_stated_number_of_recorded_answers_is_correct():
    """The README says how many questions the demo holds."""
    from sqlobs.demo.recordings import load_recordings

    assert f"({len(load_recordings())} questions" in README
