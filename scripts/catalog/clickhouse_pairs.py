"""Which constants and which pairs of types ClickHouse's functions reject beside their signatures.

A parameter for values of any type (`ANY`) does not say that two arguments must fit each other, and
a function may convert a constant that it would not convert a column to. So every pair of kinds is
planned with columns, and every kind of constant alone. Kept is only what the checker accepts
without these sections.
"""

from __future__ import annotations

from itertools import product
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from clickhouse_asked import Entries, asked, counts, is_typed
from clickhouse_engine import Engine, each
from clickhouse_types import KINDS
from sqlglot import exp

from sqlobs.check.types.clickhouse import type_system
from sqlobs.dialects.catalog import catalog_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.check.types.clickhouse import ClickhouseTypes

OF_TYPES = frozenset({43, 44, 48, 386})
"""ILLEGAL_TYPE_OF_ARGUMENT, ILLEGAL_COLUMN, NOT_IMPLEMENTED, NO_COMMON_TYPE. Other errors say that
a value is wrong, or nothing about the types."""
CONSTANTS = {
    "INTEGER[]": ("[1]", "['a']", "[1.5]"),
    "STRUCT": ("(1, 2)", "('a', 1)"),
    "MAP": ("map('a', 1)", "map(1, 1)"),
    "STRING": (
        *("'a'", "'1'", "'2024-01-01'", "'1.2.3.4'", "'UTC'", "'day'", "''", "'12:00:00'"),
        *("'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", "'{}'", "'[1]'"),
    ),
    "FLOAT": ("1.5",),
    "INTEGER": ("1", "0", "-1"),
    "DATE": ("toDate('2024-01-01')",),
    "DATETIME": ("toDateTime('2024-01-01 00:00:00')",),
    "UUID": ("toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",),
    "IPV4": ("toIPv4('1.2.3.4')",),
    "INTERVAL": ("INTERVAL 1 DAY",),
    "BOOL": ("true",),
}
"""Constants of each kind; one is rejected if all of its values are."""
TYPES_OF_CONSTANTS = {
    "INTEGER[]": "UINT8[]",
    "STRUCT": 'STRUCT("1" UINT8, "2" UINT8)',
    "MAP": "MAP(STRING, UINT8)",
    "STRING": "STRING_LITERAL",
    "FLOAT": "DECIMAL_LITERAL",
    "INTEGER": "INTEGER_LITERAL",
}
"""How the checker calls their types."""
OF_MANY = ("BOOL", "JSON", "VARIANT", "STATE", "MAP", "STRUCT")
"""Kinds whose values behave unlike each other: no pair of them is kept."""
VALUES = {
    **{kind: values for kind, values in KINDS.items() if kind not in OF_MANY},
    "INTERVAL": ("toIntervalDay(i)",),
    "STRING_LITERAL": ("'a'", "'1'", "'2024-01-01'", "'day'", "'UTC'", "''"),
    "INTEGER_LITERAL": ("1", "0"),
    "DECIMAL_LITERAL": ("1.5", "0.5"),
}
"""Columns and literals of each kind; a pair is rejected if all pairs of its values are."""
FIRSTS = tuple(kind for kind in VALUES if not kind.endswith("_LITERAL"))
LETTERS = dict(zip(ascii_uppercase, sorted(VALUES), strict=False))
Pairs = dict[str, list[str]]
"""By the kind of the first argument, the kinds that the second may not have."""
PAIR = 2


def constant_kinds(document: Mapping[str, Any], folder: str) -> dict[str, list[str]]:
    """Return the kinds of constants that functions of one argument reject, by lower-case name."""
    types, found = _types(document), {}
    names = [
        name
        for name, entries in _without_parameters(document)
        if 1 in counts(entries) and entries[0][0] == "scalar"
    ]
    for name, rejected in zip(names, each(folder, _constants, names), strict=True):
        if kinds := [kind for kind in rejected if _accepts_constant(types, name, kind)]:
            found[name.lower()] = kinds
    return dict(sorted(found.items()))


def rejected_pairs(document: Mapping[str, Any], folder: str) -> dict[str, str]:
    """Return the pairs of kinds that functions of two arguments reject, by lower-case name.

    Each is rows of letters of first and second arguments: `KL:AB M:C`.
    """
    types, found = _types(document), {}
    names = [name for name, entries in _without_parameters(document) if _may_have_any(entries)]
    for name, rejected in zip(names, each(folder, _pairs, names), strict=True):
        if rows := _rows(_unseen(types, name, rejected)):
            found[name.lower()] = rows
    return dict(sorted(found.items()))


def _types(document: Mapping[str, Any]) -> ClickhouseTypes:
    """Return the types of the checker without these sections."""
    return type_system(catalog_in({**document, "constant_kinds": {}, "rejected_pairs": {}}))


def _without_parameters(document: Mapping[str, Any]) -> Iterator[tuple[str, Entries]]:
    """Yield the functions that are asked about and that no parameter is needed for."""
    for name, entries in asked(document):
        if 0 in document["parameters"].get(name.lower(), [0]):
            yield name, entries


def _may_have_any(entries: Entries) -> bool:
    """Return whether a call of two arguments may have one of any type."""
    is_any = any(not is_typed(one) or ("ANY" in one[2] and len(one[2]) == PAIR) for one in entries)
    return is_any and PAIR in counts(entries)


def _constants(engine: Engine, name: str) -> list[str]:
    codes = {
        kind: [engine.code(f"SELECT {name}({value})") for value in values]
        for kind, values in CONSTANTS.items()
    }
    if not any(0 in found for found in codes.values()):
        return []
    return [kind for kind, found in codes.items() if OF_TYPES.issuperset(found)]


def _pairs(engine: Engine, name: str) -> Pairs:
    """Return the rejected pairs; none where no pair at all is accepted."""
    is_known, found = False, {}
    for first in FIRSTS:
        given = {second: _code(engine, name, first, second) for second in VALUES}
        is_known |= 0 in given.values()
        found[first] = [second for second, code in given.items() if code in OF_TYPES]
    return found if is_known or _accepts_some(engine, name) else {}


def _code(engine: Engine, name: str, first: str, second: str) -> int:
    """Return 0 for accepted kinds, else an error of some of their values; one of types last."""
    found = set()
    for values in product(VALUES[first], VALUES[second]):
        code = engine.code(f"SELECT {name}({', '.join(values)}) FROM kinds")
        if not code:
            return 0
        found.add(code)
    return min(found, key=OF_TYPES.__contains__)


def _accepts_some(engine: Engine, name: str) -> bool:
    """Return whether a pair with a kind of many values is accepted."""
    pairs_of_many = (pair for pair in product(KINDS, KINDS) if {*OF_MANY} & {*pair})
    calls = (
        f"SELECT {name}({left}, {right}) FROM kinds"
        for first, second in pairs_of_many
        for left, right in product(KINDS[first], KINDS[second])
    )
    return any(not engine.code(call) for call in calls)


def _accepts_constant(types: ClickhouseTypes, name: str, kind: str) -> bool:
    """Return whether the checker accepts a constant; that of truth is a number to it."""
    node = exp.Literal.string("zz") if kind == "STRING" else exp.Literal.number(1)
    given = TYPES_OF_CONSTANTS.get(kind, kind)
    return kind != "BOOL" and types.call(name, [given], [node]).fault is None


def _unseen(types: ClickhouseTypes, name: str, rejected: Pairs) -> Iterator[tuple[str, str]]:
    """Yield the pairs that the checker accepts."""
    nodes = [exp.column("x")] * 2
    for first, seconds in rejected.items():
        for second in seconds:
            given = ["INT[]" if kind == "INTEGER[]" else kind for kind in (first, second)]
            if types.call(name, given, nodes).fault is None:
                yield first, second


def _rows(found: Iterator[tuple[str, str]]) -> str:
    """Return the letters of pairs, those of first arguments with the same others together."""
    letters = {kind: letter for letter, kind in LETTERS.items()}
    others: dict[str, str] = {}
    for first, second in found:
        others[letters[first]] = others.get(letters[first], "") + letters[second]
    firsts: dict[str, str] = {}
    for first, seconds in others.items():
        firsts[seconds] = firsts.get(seconds, "") + first
    return " ".join(f"{first}:{seconds}" for seconds, first in firsts.items())
