"""Forms of SQL that some engines support and others reject, one table for each clause.

A form has one entry: its probe, its message and how it is recognized. `scripts/catalog` runs the
probes and records the verdicts; the rules `foreign-form` and `unsupported-form` report the forms
that an engine rejects.

Tests: `tests/check/test_forms.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sqlobs.check.forms.calls import Calls
from sqlobs.check.forms.conditions import Conditions, Operators
from sqlobs.check.forms.dml import Dml
from sqlobs.check.forms.form import Form
from sqlobs.check.forms.from_clause import FromClause, Joins
from sqlobs.check.forms.literals import Literals
from sqlobs.check.forms.queries import Ctes, Limits, Ordering, SetOperations, Statements
from sqlobs.check.forms.select_list import Grouping, SelectList, Windows

__all__ = [
    "FORMS",
    "OF_STATEMENTS",
    "Calls",
    "Conditions",
    "Ctes",
    "Dml",
    "Form",
    "FromClause",
    "Grouping",
    "Joins",
    "Limits",
    "Literals",
    "Operators",
    "Ordering",
    "SelectList",
    "SetOperations",
    "Statements",
    "Windows",
]

_CLAUSES: Final = (
    *(Literals, Operators, Conditions, Calls, Windows, SelectList, FromClause, Joins),
    *(Grouping, Ordering, Limits, SetOperations, Ctes, Dml),
)


def _forms(clauses: Iterable[type]) -> Iterator[Form]:
    for clause in clauses:
        for entry in vars(clause).values():
            if isinstance(entry, Form):
                yield entry
            elif isinstance(entry, dict):
                yield from entry.values()


FORMS: Final[dict[str, Form]] = {form.name: form for form in _forms(_CLAUSES)}
"""Every form of a clause by its name; every engine is asked about them."""
OF_STATEMENTS: Final[dict[str, Form]] = {form.name: form for form in _forms((Statements,))}
"""Every form of a whole statement by its name."""
