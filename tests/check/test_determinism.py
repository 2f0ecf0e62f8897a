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
_PLACES = """
import sys
from sqlobs import Schema, check_sql
schema = Schema.from_mapping({"a": {"b": "date"}, "c": {"d": "array<string>"}}, dialect="spark")
for found in check_sql(sys.stdin.read(), schema=schema, native=False).findings:
    print(found.code, found.start, found.end)
"""


def _explained(texts: str, seed: int, program: str = _PROGRAM) -> str:
    run = subprocess.run(
        [sys.executable, "-c", program],
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


def test_a_set_operation_is_underlined_at_one_place_in_every_process():
    """sqlglot moves ORDER BY, LIMIT and OFFSET to a set operation in the order of a set."""
    sql = "SELECT b FROM a UNION ALL SELECT d FROM c ORDER BY b LIMIT 5 OFFSET 2"
    places = {_explained(sql, seed, _PLACES) for seed in (1, 3)}
    assert places == {"schema.type_mismatch 7 8\n"}
