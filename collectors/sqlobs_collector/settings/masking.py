"""Settings: what is masked before anything is written to the disk."""

from __future__ import annotations

import re
from typing import Final

from pydantic import Field, field_validator

from sqlobs_collector.settings import values

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")  # credit_card
_COLUMN: Final = re.compile(r"[^\W.]+(\.[^\W.]+)?")  # email, customers.email


class Masking(values.Section):
    """The second masking pass, behind that of the applications."""

    patterns: dict[str, str] = Field(
        default_factory=dict,
        description="Regular expressions (Python's `re`) by name: what they match in questions,"
        " SQL, hints, errors, attributes, feedback, and results for the judge becomes `<NAME>`.",
    )
    columns: list[str] = Field(
        default_factory=list,
        description="Columns, as `email` or `customers.email`: SQL that names one loses all its"
        " literals, and its results are not stored for the judge.",
    )

    @field_validator("patterns")
    @classmethod
    def _are_patterns(cls, patterns: dict[str, str]) -> dict[str, str]:
        """Reject what cannot be compiled, matches everywhere, or has a name of other characters."""
        for name, text in patterns.items():
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"the name {name!r} must be lowercase letters, digits and underscores"
                )
            try:
                matches_nothing = re.compile(text).search("") is not None
            except re.error as error:
                raise ValueError(f"{name} is not a regular expression: {error}") from None
            if matches_nothing:
                raise ValueError(f"{name} matches the empty text: require at least one character")
        return patterns

    @field_validator("columns")
    @classmethod
    def _are_columns(cls, columns: list[str]) -> list[str]:
        """Reject what is no name."""
        for column in columns:
            if not _COLUMN.fullmatch(column):
                raise ValueError(f"{column!r} is not a column: write email or customers.email")
        return columns
