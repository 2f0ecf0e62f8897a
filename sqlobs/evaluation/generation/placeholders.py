"""What stands in braces in a prompt or a request body, and its value for a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.evaluation.case import Case

PLACEHOLDERS: Final = ("question", "schema", "hints", "context", "dialect", "db", "id")
"""`context` is another name for `hints`."""
SCHEMA: Final = "schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of the databases that questions are about, by the names that cases use."""

    schemas: Mapping[str | None, str] = field(default_factory=dict)
    """As DDL."""
    dialects: Mapping[str | None, str] = field(default_factory=dict)
    dialect: str | None = None
    """The dialect where a database has none of its own."""

    def dialect_of(self, case: Case) -> str | None:
        """Return the dialect of a question's database."""
        return self.dialects.get(case.db, self.dialect)

    def require_schemas(self, cases: Iterable[Case]) -> None:
        """Raise if the schema of a question's database is unknown.

        Raises:
            InputError: the message names the database.
        """
        missing = next((case for case in cases if case.db not in self.schemas), None)
        if missing is not None:
            of = "" if missing.db is None else f" of {missing.db}"
            raise InputError(
                f"{{{SCHEMA}}} needs the schema{of}: give --dsn of the database, or --schema FILE"
            )

    def values(self, case: Case) -> dict[str, str]:
        """Return the values of all placeholders; "" where there is none."""
        known = {
            "question": case.question,
            "schema": self.schemas.get(case.db),
            "hints": case.hint,
            "context": case.hint,
            "dialect": self.dialect_of(case),
            "db": case.db,
            "id": case.label,
        }
        return {name: known[name] or "" for name in PLACEHOLDERS}
