"""Statements that run code of a database's users, and honest ones beside them.

`python -m tests.execution.hostile_names [engine …]` runs all of them; the suite runs some. For each
engine, `names/` holds a script that makes a database, attacks on it, and legitimate statements.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.execution.outcome import Request
from sqlobs.execution.target import Limits
from tests.execution.attacks import ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.executor import Executor

_DIRECTORY: Final = Path(__file__).parent / "names"
_LIMITS: Final = Limits(timeout_s=5, max_rows=1000)


def script(engine: str) -> str:
    """Return the script that makes an engine's database."""
    return (_DIRECTORY / f"{engine}.sql").read_text("utf-8")


def listed(engine: str, kind: str) -> list[str]:
    """Return an engine's statements of a kind: `attacks` or `legitimate`."""
    lines = (_DIRECTORY / f"{engine}_{kind}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def endings(executor: Executor, target: str, statements: Sequence[str]) -> dict[str, str]:
    """Run statements one by one and return in a word what came of each."""
    requests = ((sql, Request(sql=sql, target=target, limits=_LIMITS)) for sql in statements)
    return {sql: ending(executor.run(request).prediction) for sql, request in requests}
