"""Statements that change rows."""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.sequence import Sequence, reads

CHANGES: Final = (
    Sequence(
        "update_bare_alias",
        "UPDATE probe p SET x = 1",
        r"\A UPDATE name name (?=SET)",
        "UPDATE takes no alias without AS.",
        rare="UPDATE",
    ),
    Sequence(
        "delete_bare_alias",
        "DELETE FROM probe p WHERE p.x = 1",
        r"\A DELETE FROM name (?=name)",
        "DELETE takes no alias without AS.",
        rare="DELETE",
    ),
    Sequence(
        "delete_alias",
        "DELETE FROM probe AS p WHERE p.x = 1",
        r"\A DELETE FROM name (?=ALIAS)",
        "DELETE takes no alias.",
        rare="DELETE",
    ),
    Sequence(
        "insert_set",
        "INSERT INTO probe SET x = 1",
        r"\A INSERT INTO? joined+(?=SET)",
        "INSERT takes no SET.",
        rare="INSERT",
    ),
    Sequence(
        "insert_without_into",
        "INSERT probe (x) VALUES (1)",
        r"\A INSERT (?=name)",
        "INTO is missing behind INSERT.",
        rare="INSERT",
    ),
    Sequence(
        "conflict_without_set",
        None,
        ". UPDATE (?!SET)",
        "SET is missing behind DO UPDATE.",
        rare="UPDATE (?!SET)",
        text=reads(r"do\s+update\b"),
    ),
    Sequence(
        "duplicate_with_set",
        None,
        ". UPDATE (?=SET)",
        "ON DUPLICATE KEY UPDATE takes no SET.",
        rare="UPDATE SET",
        text=reads(r"key\s+update\s+set\b"),
    ),
    Sequence(
        "insert_value",
        "INSERT INTO probe (x) VALUE (1)",
        r"\A INSERT INTO? joined+(?:list VAR)?(?=open)",
        "The rows of INSERT stand behind VALUES.",
        rare="INSERT",
        text=reads(r"""insert\b[^'\"`]*?\bvalue\s*\("""),
    ),
)
