"""Engines that are not at hand: what the vendors' manuals decide, and what stays undecided."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sqlobs import Schema, check_sql

VERDICTS = yaml.safe_load((Path(__file__).parent / "verdicts.yaml").read_text())
LABELS = {True: "T", False: "F", None: "N"}


def cases():
    """Return dialect, schema, statement and both labels of every statement."""
    return [
        (dialect, groups["schema"], sql, labels)
        for dialect, groups in VERDICTS.items()
        for labels, statements in groups.items()
        for sql in (statements if labels != "schema" else ())
    ]


@pytest.mark.parametrize(("dialect", "ddl", "sql", "labels"), cases())
def test_a_label_is_true_only_where_known_and_false_only_where_sure(dialect, ddl, sql, labels):
    """What neither the schema nor a manual tells is None, with a reason."""
    report = check_sql(sql, schema=Schema.from_ddl(ddl, dialect=dialect))
    found = f"{LABELS[report.syntactic]}/{LABELS[report.schematic]}"
    assert found == labels, report.explain()
    assert len(report.reasons) == labels.count("N")
