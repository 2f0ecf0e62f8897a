"""Our own statements in every dialect: the static verdict is the engine's."""

from __future__ import annotations

import pytest

from tests.agreement.own import DIALECTS, clinic, is_refused, refusals, report_of, statements

KNOWN = {
    "sqlite": {
        "SELECT group_concat(DISTINCT title ORDER BY title) FROM wards",
        "SELECT w.id FROM wards w JOIN doctors d JOIN visits v ON v.doctor_id = d.id ON d.ward_id = w.id",
        "SELECT title FROM wards ORDER BY title COLLATE ghost",
        "SELECT count(DISTINCT (id, title)) FROM wards",
    },
    "postgres": {
        "SELECT string_agg(title) FROM wards",
        "SELECT * FROM wards WHERE title COLLATE NOCASE = 'x'",
        "SELECT title FROM wards ORDER BY title COLLATE ghost",
    },
    "mysql": {
        "SELECT extract(ghost FROM born) FROM patients",
        "SELECT * FROM doctors d WHERE (WITH c AS (SELECT d.id AS x) SELECT x FROM c) = 1",
        "SELECT * FROM wards WHERE title COLLATE NOCASE = 'x'",
        'SELECT title COLLATE "C" FROM wards',
        "SELECT title FROM wards ORDER BY title COLLATE ghost",
        "SELECT count(DISTINCT (id, title)) FROM wards",
    },
    "duckdb": {
        "SELECT title + 'x' FROM wards",
        "SELECT extract(YEAR FROM full_name) FROM patients",
        "SELECT extract(ghost FROM born) FROM patients",
        "SELECT title FROM wards ORDER BY title COLLATE ghost",
    },
}
"""Refused by the engine, and not known to the checker: collations, units, rows as arguments."""


def wrong(dialect):
    """Return the statements on which the checker and the engine differ."""
    schema = clinic(dialect)
    return {
        sql
        for sql, refusal in refusals(dialect).items()
        if is_refused(report_of(sql, schema, dialect)) != (refusal is not None)
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_static_verdict_is_the_engines(dialect):
    """Refused by the engine, a label fails; taken by the engine, none does."""
    assert wrong(dialect) == KNOWN.get(dialect, set())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_has_a_verdict(dialect):
    """What was recorded is what stands in the files; `python -m tests.agreement.own --record`."""
    assert list(refusals(dialect)) == statements(dialect)
