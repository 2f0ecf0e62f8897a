"""The same statement gets the same report in every process, whatever its seed for hashes is."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.agreement.own import DIALECTS, statements

_PROGRAM = """
import sys
from sqlobs import check_sql
for sql in sys.stdin.read().splitlines():
    for dialect in ("sqlite", "mysql", "clickhouse"):
        print(check_sql(sql, dialect=dialect).explain())
"""


def _explained(texts: str, seed: int) -> str:
    run = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=texts,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    return run.stdout


def test_findings_at_one_place_have_one_order_in_every_process():
    """The text for the model would change from worker to worker otherwise."""
    own = dict.fromkeys(sql for dialect in DIALECTS for sql in statements(dialect))
    texts = "\n".join(list(own)[::10])
    assert _explained(texts, 1) == _explained(texts, 2)
