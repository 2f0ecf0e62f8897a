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


def loaded_by(statement: str) -> set[str]:
    """The modules that a statement loads in a fresh interpreter."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"  # a coverage run has loaded modules of its own
        f"{statement}\n"
        "print(*set(sys.modules) - before)"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(completed.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    """`import sqlobs` loads no sqlglot, OpenTelemetry or pydantic, in a fresh interpreter."""
    loaded = loaded_by("import sqlobs")
    assert loaded & {"sqlglot", "opentelemetry", "pydantic", "wrapt", "httpx", "openai"} == set()
    assert "sqlite3" not in loaded
    assert {name for name in loaded if name.startswith("sqlobs")} == {"sqlobs", "sqlobs._version"}


def test_a_collector_s_parts_load_nothing_that_they_may_not_need():
    """What checks, judges, migrates or shows pages is loaded when somebody first asks for it."""
    loaded = loaded_by("import sqlobs_collector.service")
    assert loaded & {"sqlglot", "fastapi", "jinja2", "alembic", "openai", "duckdb"} == set()


def test_public_names_are_sorted_and_every_one_can_be_had():
    """`__all__` is the public face: sorted, and each name resolves."""
    import sqlobs

    assert list(sqlobs.__all__) == sorted(sqlobs.__all__)
    assert all(getattr(sqlobs, name) is not None for name in sqlobs.__all__)
