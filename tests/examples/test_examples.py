"""Every example, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sqlobs.demo.receiver import receive

ROOT = Path(__file__).parents[2]

PRINTED = {
    "repair_loop": """\
The SQL was rejected for postgres:
- schema.unknown_column (line 1, column 25): Unknown column order_amount. Did you mean total_amount?
SELECT customer_id, SUM(total_amount) AS revenue FROM orders GROUP BY customer_id
invoke_workflow generate_sql
  sqlobs.attempt
  sqlobs.attempt
sqlobs.verdict = ok
sqlobs.attempts = 2
sqlobs.first_attempt.verdict = failed
""",
    "streaming": """\
Here you are:
```sql
SELECT AVG(amount)
FROM orders
```
answered failed schema.unknown_column
cancelled not_evaluated None
""",
    "agent": """\
tool: no such column: price
The most expensive product costs 32.9 euros.
invoke_workflow agent
  sqlobs.execute
  sqlobs.execute
sqlobs.verdict = ok
sqlobs.attempts = 2
sqlobs.first_attempt.verdict = failed
executions that failed: 1
""",
    "sqlalchemy_engine": """\
(sqlite3.OperationalError) no such column: price
sqlobs.context
  invoke_workflow generate_sql
  sqlobs.execute
the engine agrees with the check: 1
""",
    "batch_job": """\
Revenue yesterday: ok
Orders yesterday: ok
Returns yesterday: failed
""",
    "nested_columns": """\
bigquery
  pass  SELECT o.buyer.name, i.sku FROM orders AS o, UNNEST(o.items) AS i
  fail  SELECT o.buyer.address.citi FROM orders AS o
        Unknown column citi in address. Did you mean city?
  fail  SELECT i.skuu FROM orders AS o, UNNEST(o.items) AS i
        Unknown column skuu in i. Did you mean sku?
clickhouse
  pass  SELECT buyer.name, items.sku FROM orders
  fail  SELECT buyer.address.citi FROM orders
        Unknown column citi in address. Did you mean city?
databricks
  pass  SELECT buyer.name, i.sku FROM orders LATERAL VIEW explode(items) t AS i
  fail  SELECT o.buyer.address.citi FROM orders AS o
        Unknown column citi in address. Did you mean city?
redshift
  pass  SELECT o.buyer.name, i.sku FROM orders AS o, o.items AS i
  fail  SELECT o.bayer.name FROM orders AS o
        Unknown table or alias bayer: no relation in scope has this name.
snowflake
  pass  SELECT buyer:name::STRING FROM orders
  fail  SELECT bayer:name::STRING FROM orders
        Unknown column bayer. Did you mean BUYER?
""",
    "fastapi_schemas": """\
acme 200 ok
globex 200 failed
  The SQL was rejected for mysql:
  - schema.unknown_table (line 1, column 26): Unknown table orders.
initech 404 {'detail': 'no such company'}
feedback 204
""",
    "offline_evaluation": """\
one pair            EX   EXP   EXR    F1  diagnosis
perfect            1.00  1.00  1.00  1.00  perfect
too many rows      0.00  0.30  1.00  0.46  over_prediction
too few rows       0.00  1.00  0.33  0.50  under_prediction
too many columns   0.00  0.25  1.00  0.40  over_prediction
other rows         0.00  0.00  0.00  0.00  wrong
does not run       0.00  0.00  0.00  0.00  wrong

subset   66.7 %
overlap  66.7 %
soft F1  0.667
ratio    0.81, reward 0.75

SELECT phone FROM schools           ['syntactic', 'schematic']
SELECT telephone FROM schools       ['syntactic']
SELECT TOP 3 phone FROM schools     ['schematic']
SELECT FROM WHERE                   []

=== EVAL SUMMARY ===
total: 5
empty_preds: 0 ; unanswerable: 1
EM  - 2/5 40.0% (of attempted: 2/5 40.0%)
ESM - 3/5 60.0% (of attempted: 3/5 60.0%)

=== ESM breakdown ===
          ok: 3
    mismatch: 1
     skipped: 0
  non_select: 0
   gold_fail: 0
   pred_fail: 1
     timeout: 0
 other_error: 0

count: ok, perfect
best: ok, perfect
near: mismatch, over_prediction
invented: pred_fail, wrong invented: sat_score
unknown: ok, no scores
""",
}
"""What each example prints, whole."""


def _run(*command, **variables):
    """Run a program as a user does, without the tester's telemetry settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OTEL_", "SQLOBS_"))
    }
    return subprocess.run(
        [sys.executable, *command],
        env={**kept, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_is_said_to(name):
    """Run as a program, without any backend: whole output, nothing on stderr."""
    completed = _run(f"examples/{name}.py")
    assert completed.stdout + completed.stderr == PRINTED[name]
    assert completed.returncode == 0


def test_the_batch_job_delivers_everything_before_it_ends(tmp_path):
    """With an endpoint in the environment: every span and count is there when the job is over."""
    with receive(tmp_path) as receiver:
        completed = _run(
            "examples/batch_job.py",
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
            OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
        )
    assert completed.stdout + completed.stderr == PRINTED["batch_job"]
    spans = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text().splitlines()]
    assert [
        (span["resource"]["service.name"], span["attributes"]["sqlobs.verdict"])
        for span in spans
        if span["name"] != "sqlobs.context"
    ] == [
        ("nightly-report", "ok"),
        ("nightly-report", "ok"),
        ("nightly-report", "failed"),
    ]
    points = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    counted = {
        point["attributes"]["sqlobs.verdict"]: point["value"]
        for point in points
        if point["name"] == "sqlobs.generations" and point["value"]
    }
    assert counted == {"ok": 2, "failed": 1}


def test_the_unit_test_example_passes_under_pytest():
    """A user's own test file, run by pytest with the plugin."""
    completed = _run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/test_my_generator.py"
    )
    summary = re.sub(r"in [\d.]+s", "in TIME", completed.stdout)
    assert summary.splitlines()[-1] == "2 passed in TIME", completed.stdout
    assert completed.stderr == ""
