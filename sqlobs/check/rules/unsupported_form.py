from __future__ import annotations

from sqlobs.check.rules.foreign_form import FormRule


class UnsupportedForm(FormRule, code="syntax.parse_error"):
    """A form that is a syntax error in the engine.

    What it finds: `LIMIT 1, 2` and `AS 'name'` in PostgreSQL, `INTERVAL '1 day'` in MySQL, `DATE
    '2024-01-01'` in SQLite, a subquery in `FROM` without an alias in PostgreSQL 15.
    Why it matters: sqlglot parses them in every dialect; the engine reports an error.
    Example: `SELECT name AS 'full name' FROM customers` in PostgreSQL
    Instead: `SELECT name AS "full name" FROM customers`
    """
