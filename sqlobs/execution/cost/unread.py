"""The cost of a text that cannot be parsed, for servers that compute when they prepare it."""

from __future__ import annotations

import re
from typing import Final

from sqlobs.dialects.registry import dialect_of

_MOST_CHARACTERS: Final = 10_000
_CALL: Final = re.compile(r"([\w$]+|`[^`]*`)(?:\s|/\*.*?\*/|(?:--\s|#)[^\n]*\n)*\(", re.DOTALL)
"""A name before a parenthesis: repeat in `repeat /* x */ ('a', 5)`."""
_LARGE: Final = re.compile(r"\d{6,}|\d[eE]\d|0[xX]")
"""Numbers that may be lengths: the one of CAST(x AS BINARY(16000000))."""
_MAKING_LITTLE: Final = frozenset(
    "abs all and any as avg by case cast ceil ceiling char char_length coalesce concat concat_ws"
    " convert count cume_dist curdate date date_add date_format date_sub datediff day dayname"
    " dayofmonth dayofweek dayofyear decimal dense_rank distinct else exists extract find_in_set"
    " first_value floor format from greatest group_concat having hour if ifnull in instr interval"
    " isnull join json_array json_extract json_object json_unquote lag last_day last_value lead"
    " least left length limit locate lower ltrim max min minute mod month monthname not now ntile"
    " nullif numeric on or over partition percent_rank position quarter rank right round row_number"
    " rtrim second select sign signed str_to_date substr substring substring_index sum then time"
    " timestamp timestampdiff trim truncate union unsigned upper using values varchar week weekday"
    " when where with year yearweek".split()
)
"""Calls and keywords whose values are as long as the text together, or short."""


def costly_call(sql: str, *, dialect: str) -> str | None:
    """Return the call for which a text must not even be prepared; None if there is none.

    Args:
        sql: A statement that does not parse.
        dialect: sqlglot's name.
    """
    if not dialect_of(dialect).execution.computes_when_preparing:
        return None
    names = [found.strip("`").lower() for found in _CALL.findall(sql)]
    if len(sql) > _MOST_CHARACTERS or _LARGE.search(sql):
        return names[0] if names else None
    return next((name for name in names if name not in _MAKING_LITTLE), None)
