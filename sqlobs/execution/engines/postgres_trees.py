"""What PostgreSQL's own trees of a statement refer to: functions, operators and types by OID.

The server prints a tree as text (`{OPEXPR :opno 98 :opfuncid 67 …}`), and stores those of views,
policies and indexes in the same form. Names in it are escaped: none can hide or end a field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACES: Final = re.compile(r"\s+")
_FUNCTION: Final = re.compile(r":(?:\w*[Ff]unc|\w*func(?:no)?id|\w*fnoid|\w*handler) (\d+)")
""":opfuncid 67, :aggfnoid 2803, :winfnoid 3100, :startInRangeFunc 4128, :tsmhandler 3313"""
_OPERATOR: Final = re.compile(r":(?:\w*op|opno|opnos|\w*neop) (?:\(o )?([\d ]+)")
""":opno 98, :eqop 96, :sortop 97, :opnos (o 97 664)"""
_CONVERTED: Final = re.compile(
    r":(?:resulttype|consttype|typid|funccoltypes|coltypes) (?:\(o )?([\d ]+)"
)
""":resulttype 16390 of a cast, :consttype 23 of a literal, :coltypes (o 23 25) of XMLTABLE"""
_COMPARED: Final = re.compile(r":minmaxtype (\d+)")
""":minmaxtype 23 of GREATEST and LEAST, which name no operator"""
_TYPE: Final = re.compile(r":\w*type (\d+)")
""":vartype 16390"""
_CALL: Final = re.compile(r"\{FUNCEXPR :funcid (\d+) :funcresulttype (\d+) [^{}]*?:funcformat (\d)")
_AGGREGATE: Final = re.compile(r":(?:aggfnoid|winfnoid) (\d+)")
_WRITTEN: Final = frozenset({"0", "3"})
"""Formats of calls; the others are casts, which the parser adds."""
_NODE: Final = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class References:
    """OIDs of what a tree refers to."""

    functions: frozenset[int] = frozenset()
    """All that run, whether called, or behind operators, casts and aggregates."""
    calls: frozenset[int] = frozenset()
    """Those that the text calls by name."""
    operators: frozenset[int] = frozenset()
    types: frozenset[int] = frozenset()
    converted: frozenset[int] = frozenset()
    """Types whose values the statement makes out of others."""
    compared: frozenset[int] = frozenset()
    """Types whose values the statement compares without an operator."""
    results: frozenset[int] = frozenset()
    """Types that functions return."""


def references(tree: str) -> References:
    """Return what a tree refers to; fields without a value are 0 and stay out."""
    flat = _SPACES.sub(" ", tree)
    calls = [found.groups() for found in _CALL.finditer(flat)]
    return References(
        functions=_numbers(_FUNCTION, flat),
        calls=_numbers(_AGGREGATE, flat)
        | {int(function) for function, _, form in calls if form in _WRITTEN},
        operators=_numbers(_OPERATOR, flat),
        types=_numbers(_TYPE, flat),
        converted=_numbers(_CONVERTED, flat),
        compared=_numbers(_COMPARED, flat),
        results=frozenset(int(result) for _, result, _ in calls),
    )


def constant_calls(tree: str) -> frozenset[int]:
    """Return the functions and operators that a tree calls without a column among the arguments.

    The planner runs them when it reads an index or a constraint: `CREATE INDEX ON t ((f(1) + a))`.
    """
    flat = _SPACES.sub(" ", tree)
    found = (references(node) for node in _nodes(flat) if "{VAR " not in node)
    return frozenset(oid for part in found for oid in part.functions)


def _nodes(tree: str) -> Iterator[str]:
    """Yield the text of every node, inner ones first."""
    starts: list[int] = []
    for found in _NODE.finditer(tree):
        if found[0] == "{":
            starts.append(found.start())
        elif found[0] == "}" and starts:
            yield tree[starts.pop() : found.end()]


def _numbers(field: re.Pattern[str], tree: str) -> frozenset[int]:
    found = (number for match in field.finditer(tree) for number in match[1].split())
    return frozenset(map(int, found)) - {0}
