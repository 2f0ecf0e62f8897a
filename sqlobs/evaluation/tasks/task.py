"""A task: what runs before and after the prediction, and the test cases that decide."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_SPLIT: Final = re.compile(r"\[split\]\s*")
"""What parts statements that a model wrote into one text: `UPDATE …; [split] SELECT …`."""
_JOINED: Final = "\n[split]\n"
_MARKS: Final = ("test_cases", "preprocess_sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedTask:
    """One task of LiveSQLBench, as far as it runs beside its prediction."""

    setup: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    """The reference's statements; empty in the public files, which keep them back."""
    tests: tuple[str, ...] = ()
    """Python code that defines `test_case`; without any, both results are compared."""
    clean_up: tuple[str, ...] = ()
    conditions: Mapping[str, object] = field(default_factory=dict)
    """`order`: the rows' order counts."""

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> TestedTask | None:
        """Return the task of a record; None if it is none."""
        if not any(name in fields for name in _MARKS):
            return None
        conditions = fields.get("conditions")
        return cls(
            setup=statements_of(fields.get("preprocess_sql")),
            solution=statements_of(fields.get("sol_sql")),
            tests=statements_of(fields.get("test_cases")),
            clean_up=statements_of(fields.get("clean_up_sqls", fields.get("clean_up_sql"))),
            conditions=conditions if isinstance(conditions, Mapping) else {},
        )

    @property
    def fields(self) -> dict[str, object]:
        """The fields of which `of` makes this task."""
        return {
            "preprocess_sql": list(self.setup),
            "sol_sql": list(self.solution),
            "test_cases": list(self.tests),
            "clean_up_sqls": list(self.clean_up),
            "conditions": dict(self.conditions),
        }

    @property
    def is_decidable(self) -> bool:
        """There is something to decide by: test cases, or a result to compare with."""
        return bool(self.tests or self.solution)


def statements_of(value: object) -> tuple[str, ...]:
    """Return the statements of a field: a list, or a text with `[split]` between them."""
    parts = value if isinstance(value, list | tuple) else _SPLIT.split(str(value or ""))
    return tuple(text for part in parts if (text := str(part).strip()))


def joined(statements: tuple[str, ...]) -> str:
    """Return statements as one text, which `statements_of` parts again."""
    return _JOINED.join(statements)
