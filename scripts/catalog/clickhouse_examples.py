"""Calls of ClickHouse's functions that its documentation shows, and some that it does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_engine import Engine

Example = tuple[str, tuple[str, ...]]
"""Parameters and arguments of a call."""
OF_ATTRIBUTES = ("", "String")
SHOWN = {
    **{f"dictGet{one}": ("'flat', 'a', u64", "'ranged', 'a', u64, d") for one in OF_ATTRIBUTES},
    **{
        f"dictGet{one}OrDefault": ("'flat', 'a', u64, s", "'ranged', 'a', u64, d, s")
        for one in OF_ATTRIBUTES
    },
    "dictGetOrNull": ("'flat', 'a', u64", "'ranged', 'a', u64, d"),
    "dictHas": ("'flat', u64", "'ranged', u64, d"),
    "dictGetDescendants": ("'flat', u64", "'flat', u64, 1"),
    "tokens": (
        "s, 'splitByString', ['()']",
        "s, 'sparseGrams', 4, 10",
        "s, 'sparseGrams', 4, 10, 6",
    ),
    "JSONExtract": ("s, 'a', 1, 'Int8'", "s, 1, 'a', 'String'", "s, 'a', u, 'b', 'Int8'"),
    "concat": ("a, i",),
    "dotProduct": ("[1, 2], [1, 2]", "af, af"),
    "endsWith": ("a, a",),
    "groupArrayInsertAt": ("a, u", "au, u8"),
    "hilbertEncode": ("u64, 1, 1, u64",),
    "hopEnd": ("hop(t, toIntervalDay(1), toIntervalDay(3))",),
    "hopStart": ("hop(t, toIntervalDay(1), toIntervalDay(3))",),
    "IPv4ToIPv6": ("1",),
    "mapPopulateSeries": ("map(i, i)", "map(i, i), i"),
    "midpoint": ("i, i", "f, f, f"),
    "parseDateTimeBestEffort": ("fs, 1, 'UTC'",),
    "range": ("u64, u8",),
    "arrayElement": ("[1, 2], 1",),
    "substring": ("'abc', 1", "'abc', 1, 2"),
    "substringUTF8": ("'abc', 1", "'abc', 1, 2"),
    "startsWith": ("a, a",),
    "toDateTime": ("c, 1, 'UTC'",),
    "toStartOfInterval": (
        *("t, toIntervalHour(1)", "t64, toIntervalHour(1)", "d, toIntervalDay(1)"),
        *("t, toIntervalHour(1), t", "t64, toIntervalHour(1), t64", "d, toIntervalDay(1), d"),
        "d32, toIntervalDay(1), d32",
    ),
    "tumbleEnd": ("tumble(t, toIntervalDay(1))",),
    "tumbleStart": ("tumble(t, toIntervalDay(1))",),
    **{
        f"{way}{unit}s": ("t64, 1, 'UTC'",)
        for way in ("add", "subtract")
        for unit in "Year Quarter Month Week Day Hour Minute Second Millisecond".split()
    },
}
"""Calls that the engine accepts and that neither its documentation nor the probes show."""
EXAMPLES = """
SELECT name, replaceAll(arrayStringConcat(extractAll(
    examples, '(?s)```sql[^\\n]*\\n(.*?)```'), ' '), '\\n', ' ')
FROM system.functions WHERE origin = 'System' AND alias_to = '' AND examples <> ''
"""


def examples(engine: Engine) -> dict[str, list[Example]]:
    """Return, by function, the calls that the engine's documentation of it shows."""
    found: dict[str, list[Example]] = {}
    for name, text in engine.rows(EXAMPLES):
        calls = [call for call in calls_of(name, text) if "{" not in call[0]]
        found[name] = list(dict.fromkeys(calls))
    for name, shown in SHOWN.items():
        more = [call for text in shown for call in calls_of(name, f"{name}({text})")]
        found[name] = list(dict.fromkeys([*found.get(name, []), *more]))
    return found


def calls_of(name: str, text: str) -> Iterator[Example]:
    """Yield parameters and arguments of the calls of a function in a text.

    >>> list(calls_of("quantile", "quantile(0.5)(x), quantile(f(a, b))"))
    [('(0.5)', ('x',)), ('', ('f(a, b)',))]
    """
    for found in re.finditer(rf"\b{name}(?=\()", text, re.IGNORECASE):
        arguments, end = arguments_at(text, found.end())
        if text[end : end + 1] == "(":
            parameters = text[found.end() : end]
            yield parameters, arguments_at(text, end)[0]
        else:
            yield "", arguments


def arguments_at(text: str, begin: int) -> tuple[tuple[str, ...], int]:
    """Return the arguments in the parentheses that open at a place, and the place behind them."""
    arguments, depth, start = [], 0, begin + 1
    for token in re.finditer(r"'(?:[^'\\]|\\.)*'|[(\[{]|[)\]}]|,", text[begin:]):
        place, sign = begin + token.start(), token[0]
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or not depth:
            arguments.append(text[start:place].strip())
            start = place + 1
        if not depth:
            return tuple(filter(None, arguments)), start
    return (), len(text)
