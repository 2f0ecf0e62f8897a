"""Families of types, as declarations spell them in any dialect: what may be compared with what."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.check.types.literals import is_readable

if TYPE_CHECKING:
    from collections.abc import Mapping

Family = Literal["number", "text", "date", "boolean"]

_FAMILIES: Final[Mapping[str, Family]] = {
    **dict.fromkeys(
        (
            "int integer bigint smallint tinyint mediumint hugeint serial bigserial int2 int4 int8"
            " int64 decimal numeric number dec real float float4 float8 float64 double bignumeric"
            " money"
        ).split(),
        "number",
    ),
    **dict.fromkeys(
        (
            "text varchar char character nvarchar nchar varchar2 nvarchar2 clob string longtext"
            " mediumtext tinytext bpchar"
        ).split(),
        "text",
    ),
    **dict.fromkeys("date datetime datetime2 timestamp timestamptz smalldatetime".split(), "date"),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
}
_FIRST_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@lru_cache(maxsize=1024)
def family_of(declared: str | None) -> Family | None:
    """Return the family of a declared type; None: it is in none of them, or not known.

    >>> family_of("VARCHAR(80)"), family_of("numeric(10, 2)"), family_of("jsonb")
    ('text', 'number', None)
    """
    word = _FIRST_WORD.match(declared.strip()) if declared else None
    return _FAMILIES.get(word[0].lower()) if word is not None else None


def takes(family: Family, text: str, *, is_string: bool) -> bool:
    """Say whether a literal can be meant as a value of a family.

    Args:
        family: of the column that it is compared with.
        text: the literal without its quotes.
        is_string: it is written in quotes.
    """
    if not is_string:
        return family not in {"text", "date"}
    if family == "number":
        return is_readable(text, "numeric")
    return family != "date" or is_readable(text, "date")
