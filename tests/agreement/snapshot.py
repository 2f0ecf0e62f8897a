"""Records what the checker says of every statement of a corpus, so that two versions compare.

`python -m tests.agreement.snapshot --corpora DIRECTORY --output FILE [--every N]` writes one line
a statement: labels, reasons and findings without their sentences. Compare two files with `diff`.
It imports from `sqlobs` only, so that it runs on any version.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs import Schema, check_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs import CheckReport

RUNS = (
    ("sqlite", "sqlite:3.40"),
    ("postgres", "postgres:15"),
    ("postgres", "postgres"),
    ("mysql", "mariadb:10.11"),
    ("mysql", "mysql"),
    ("duckdb", "duckdb:2.0"),
    ("bigquery", "bigquery"),
    ("spark", "spark"),
    ("spark", "databricks"),
    ("clickhouse", "clickhouse"),
    ("sqlite", "snowflake"),
    ("sqlite", "oracle"),
    ("sqlite", "tsql"),
    ("sqlite", "trino"),
    ("sqlite", "redshift"),
)
"""Which corpus is checked in which dialect; the last ones have no corpus of their own."""
OWN = Path(__file__).parent / "statements"


def main() -> None:
    """Write the file."""
    options = _options()
    with options.output.open("w", encoding="utf-8") as output:
        for corpus, dialect in RUNS:
            schemas = _schemas(options.corpora / "schemas.jsonl.gz", corpus, dialect)
            for row in list(_rows(options.corpora / f"{corpus}.jsonl.gz"))[:: options.every]:
                schema = schemas.get(row["schema"])
                report = check_sql(row["sql"], schema=schema, dialect=dialect)
                output.write(f"{dialect} {row['id']} {_said(report)}\n")
        for dialect, report in _own():
            output.write(f"{dialect} own {_said(report)}\n")


def _own() -> Iterator[tuple[str, CheckReport]]:
    """Check our own statements in every dialect, without a schema."""
    texts = [line for path in sorted(OWN.glob("*.sql")) for line in path.read_text().splitlines()]
    for _, dialect in RUNS:
        for sql in texts:
            if sql and not sql.startswith("-- "):
                yield dialect, check_sql(sql, dialect=dialect)


def _schemas(path: Path, corpus: str, dialect: str) -> dict[str, Schema]:
    return {
        row["schema"]: Schema.from_ddl(";\n".join(row["ddl"]) + ";", dialect=dialect)
        for row in _rows(path)
        if row["dialect"] == corpus
    }


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _said(report: CheckReport) -> str:
    """Return everything but sentences and times."""
    findings = [
        [one.code, one.severity, one.identifier, one.suggestion, one.start, one.end, one.detail]
        for one in report.findings
    ]
    return json.dumps(
        [
            report.syntactic,
            report.schematic,
            dict(report.reasons),
            findings,
            report.decided_by,
            report.engine,
            report.tables,
            report.columns,
            report.statement,
            report.summary,
            report.fingerprint,
            report.fixed_sql,
        ]
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="take every n-th statement")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
