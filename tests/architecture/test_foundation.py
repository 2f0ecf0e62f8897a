from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_lock_holds_names_versions_and_hashes_only():
    """A lock that names an index or a host works for its author only."""
    requirement = re.compile(r"[a-z0-9][a-z0-9._-]*(\[[a-z0-9,_-]+\])?==[^\s/:@]+( ; [^/:@]+)? \\")
    checksum = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert lines
    strange = [
        line for line in lines if not (requirement.fullmatch(line) or checksum.fullmatch(line))
    ]
    assert strange == []


def test_importing_the_package_loads_nothing_heavy():
    """`import sqlobs` loads no sqlglot, OpenTelemetry or pydantic, in a fresh interpreter."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"  # a coverage run has loaded modules of its own
        "import sqlobs\n"
        "heavy = {'sqlglot', 'opentelemetry', 'pydantic', 'wrapt', 'httpx', 'openai', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules) - before))\n"
        "print(sorted(name for name in sys.modules if name.startswith('sqlobs')))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert completed.stdout.splitlines() == ["[]", "['sqlobs', 'sqlobs._version']"]


def test_a_collector_s_parts_load_nothing_that_they_may_not_need():
    """What checks, judges, migrates or shows pages is loaded when somebody first asks for it."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import sqlobs_collector.service\n"
        "heavy = {'sqlglot', 'fastapi', 'jinja2', 'alembic', 'openai', 'duckdb', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules) - before))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert completed.stdout == "[]\n"


def test_public_names_are_sorted_and_every_one_can_be_had():
    """`__all__` is the public face: sorted, and each name resolves."""
    import sqlobs

    assert list(sqlobs.__all__) == sorted(sqlobs.__all__)
    assert all(getattr(sqlobs, name) is not None for name in sqlobs.__all__)
