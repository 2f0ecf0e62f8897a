"""The page about schemas says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from sqlobs import Schema
from sqlobs.dialects.registry import DIALECTS, identifier_rules

PAGE = (Path(__file__).parents[2] / "docs" / "schemas.md").read_text()
STORED = {"in lower case": "lower", "in upper case": "upper", "as written": "kept"}


def test_every_reader_of_the_schema_is_on_the_page():
    """A reader that is not documented is not found."""
    readers = [name for name in dir(Schema) if name.startswith("from_")]
    assert [name for name in readers if f"Schema.{name}" not in PAGE] == []


def test_the_table_of_case_rules_is_that_of_the_code():
    """Each dialect stands in the row of its rules; the last row holds the rest."""
    rows = re.findall(r"^\| ([a-z, ]+) \| ([\w ]+) \| (exactly|without case) \| (exactly|without case) \|$", PAGE, re.MULTILINE)  # fmt: skip
    told = {
        name: (STORED[stored], tables == "without case", columns == "without case")
        for names, stored, tables, columns in rows
        for name in names.replace(" and all others", "").split(", ")
    }
    others = told["sqlite"]
    rules = {name: identifier_rules(name) for name in DIALECTS}
    assert {name: told.get(name, others) for name in rules if name != "spark2"} == {
        name: (rule.unquoted, rule.tables_ignore_case, rule.columns_ignore_case)
        for name, rule in rules.items()
        if name != "spark2"
    }
