"""Which types ClickHouse's operators and functions accept, found by describing queries.

A kind stands for the types that behave alike: `INT` for signed integers of up to 32 bits, whose
common type with `FLOAT` is a float, unlike that of `INT64`; `INTEGER[]` for every array.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TABLE = (
    "CREATE TABLE kinds (b Bool, u8 UInt8, u UInt32, u64 UInt64, i Int32, i64 Int64, h Int128,"
    " f Float64, c Decimal(10, 2), s String, fs FixedString(4), d Date, d32 Date32, t DateTime,"
    " t64 DateTime64(3), tm Time, id UUID, ip IPv4, ip6 IPv6, e Enum8('a' = 1), j JSON,"
    " v Variant(Int32, String), dy Dynamic, st AggregateFunction(sum, Int32), a Array(Int32),"
    " aa Array(String), m Map(String, Int32), r Tuple(x Int32, y String), ri Tuple(Int32, Int32),"
    " f16 FixedString(16), t7 DateTime64(7), tm3 Time64(3), bm AggregateFunction(groupBitmap,"
    " UInt32), af Array(Float64), au Array(UInt8), ad Array(DateTime), an Array(Array(Int32)),"
    " ar Array(Tuple(Float64, Float64)), ms Map(String, String), r1 Tuple(UInt8),"
    " rf Tuple(Float64, Float64), rt Tuple(Float64, Float64, Float64), f36 FixedString(36),"
    " mi Map(UInt32, UInt8))"
    " ENGINE = MergeTree ORDER BY i"
)
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_DAY = r"(?:0[1-9]|[12]\d)"
SHAPES = {
    "empty": ("", r""),
    "digit": ("1", r"[ \t\n]*\d{1,7}"),
    "negative": ("-12", r"-\d+"),
    "fraction": ("1.5", r"[-+]?\d*\.\d+|[-+]?\d+\.\d*"),
    "compact": ("20200101", r"[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"),
    "day": (
        "2020-01-01",
        rf"\d{{4}}-(?:(?:0[13578]|1[02])-(?:{_DAY}|3[01])|02-{_DAY}|(?:0[469]|11)-(?:{_DAY}|30))",
    ),
    "no_day": ("2020-13-40", r"\d{4}-\d{2}-\d{2}"),
    "slashes": ("01/02/2020", r"\d{1,2}/\d{1,2}/\d{4}"),
    "month": ("2020-01", r"\d{4}-\d{2}"),
    "moment": ("2020-01-01 10:00:00", r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"),
    "iso": ("2020-01-01T10:00:00Z", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"),
    "time": ("10:00:00", r"\d{2}:\d{2}:\d{2}"),
    "truth": ("true", r"(?i:true|false|yes|no|on|off|t|f|y|n|enabled?|disabled?)"),
    "uuid": (
        "61f0c404-5cb3-11e7-907b-a6006ad3dba0",
        r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    ),
    "address": ("127.0.0.1", rf"{_BYTE}(?:\.{_BYTE}){{3}}"),
    "no_address": ("999.1.1.1", r"\d+(?:\.\d+){3}"),
    "address6": ("::1", r"[0-9a-fA-F:.]*::[0-9a-fA-F:.]*|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}"),
    "array": ("[1]", r"\[.*\]"),
    "pair": ("(1,2)", r"\(.*\)"),
    "document": ('{"a": 1}', r"\{.*\}"),
    "infinity": ("inf", r"[-+]?(?i:inf|infinity|nan)"),
    "exponent": ("1e5", r"[-+]?\d+(?:\.\d+)?[eE][-+]?\d+"),
    "split_second": ("2020-01-01 10:00:00.123", r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}\.\d+"),
    "minute": ("2020-01-01 10:00", r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}"),
    "t_moment": ("2020-01-01T10:00:00", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"),
    "zoned": (
        "2020-01-01 10:00:00+01:00",
        r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z| ?UTC|[-+]\d{2}:?\d{2})",
    ),
    "day_and_word": ("2020-01-01 abc", r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})? ?[a-z]{3,}"),
    "american": ("07-08-2019", r"\d{2}-\d{2}-\d{4}"),
    "padded": ("1 ", r"\d+(?:\.\d+)? +| +\d+\.\d+"),
    "comma": ("1,5", r"\d+(?:,\d+)+"),
    "amount": ("1 foo", r"\d+ ?[A-Za-z]{2,}"),
    "word": ("a", r"[A-Za-z%][A-Za-z %_]*"),
    "text": ("N/A x@1", r"[^\d\s+\-.(\[{:'\"](?:.|\n)*"),
}
"""The shapes of texts that the checker tells apart, in this order: a text of each, and its
pattern."""
TEXTS = {name: text for name, (text, _) in SHAPES.items()}
FURTHER_TEXTS = {
    "digit": ("12", "2020", "100"),
    "fraction": ("0.5", "-1.5"),
    "word": ("day", "UTC", "Int", "en", "abc", "month", "NULL", "key", "Hello"),
    "text": ("Jan 1 2020", "a.b", "http://x.y/z?a=1", "x=1", "a,b", "$.a", "%F", "a|b", "ab12"),
    "array": ("[]", "['a']"),
    "document": ("{}", '{"a": "b"}'),
    "minute": ("2020-01-01T10:00",),
    "split_second": ("2020-01-01T10:00:00.5",),
    "zoned": ("2020-01-01 10:00:00Z", "2020-01-01 10:00:00 UTC", "2020-01-01T10:00:00.5Z"),
    "day_and_word": ("2020-01-01 10:00:00 abc", "2020-01-01 10:00:00abc", "2020-01-01abc"),
    "padded": ("1.5 ", " 1.5"),
    "amount": ("10 KiB", "1min", "10 kb", "5 days"),
}
"""More texts of a shape that functions may tell apart."""
_USEFUL = (",", "1", "2020-01-01", "day", "[1]", "UTC", "Int32", '{"a": 1}', "127.0.0.1", "::1")
"""Texts that some function needs."""
KINDS: dict[str, tuple[str, ...]] = {
    "BOOL": ("b",),
    "UINT8": ("u8",),
    "UINT": ("u",),
    "UINT64": ("u64",),
    "INT": ("i",),
    "INT64": ("i64",),
    "HUGEINT": ("h",),
    "FLOAT": ("f",),
    "DECIMAL": ("c",),
    "STRING": ("s",),
    "FIXEDSTRING": ("fs",),
    "DATE": ("d",),
    "DATE32": ("d32",),
    "DATETIME": ("t",),
    "DATETIME64": ("t64",),
    "TIME": ("tm",),
    "UUID": ("id",),
    "IPV4": ("ip",),
    "IPV6": ("ip6",),
    "ENUM": ("e",),
    "JSON": ("j",),
    "INTERVAL": ("toIntervalDay(1)", "toIntervalHour(1)"),
    "VARIANT": ("v",),
    "STATE": ("st",),
    "INTEGER[]": ("a", "aa"),
    "MAP": ("m",),
    "STRUCT": ("r", "ri"),
    "STRING_LITERAL": tuple(
        f"'{TEXTS[shape]}'"
        for shape in "digit word day uuid address array pair time document".split()
    ),
    "INTEGER_LITERAL": ("1",),
    "DECIMAL_LITERAL": ("1.5",),
}
"""Values of each kind; it is accepted where one of them is."""
VALUES = {
    **KINDS,
    "BOOL": ("b", "true"),
    "STRING_LITERAL": tuple(f"'{text}'" for text in _USEFUL),
    "INTEGER_LITERAL": ("1", "10000000000"),
    "FIXEDSTRING": ("fs", "f16", "f36"),
    "DATETIME64": ("t64", "t7"),
    "TIME": ("tm", "tm3"),
    "STATE": ("st", "bm"),
    "INTEGER[]": (*KINDS["INTEGER[]"], "au", "af", "ad", "an", "ar"),
    "MAP": ("m", "mi", "ms"),
    "STRUCT": (*KINDS["STRUCT"], "r1", "rf", "rt"),
    "INTERVAL": (*KINDS["INTERVAL"], "toIntervalNanosecond(1)", "toIntervalMonth(1)"),
}
"""Those that functions are called with."""
_AS_COLUMNS = {
    "UINT8": {"BOOL"},
    "STRING_LITERAL": {"STRING"},
    "INTEGER_LITERAL": {"UINT8", "UINT", "UINT64", "INT", "INT64"},
    "DECIMAL_LITERAL": {"FLOAT", "DECIMAL"},
}
"""A literal is accepted where a column of its type is: it may have any value. The checker takes
what is true or false for UINT8."""
LITERALS = {
    "STRING_LITERAL": "STRING",
    "INTEGER_LITERAL": "UINT8",
    "DECIMAL_LITERAL": "FLOAT",
    "BOOLEAN_LITERAL": "UINT8",
}
NAMES = {
    **dict.fromkeys(("BOOL", "BOOLEAN"), "BOOL"),
    "UINT8": "UINT8",
    **dict.fromkeys(("UINT16", "UINT32"), "UINT"),
    "UINT64": "UINT64",
    **dict.fromkeys("INT8 INT16 INT32 TINYINT SMALLINT INT INTEGER".split(), "INT"),
    **dict.fromkeys("INT64 BIGINT SIGNED".split(), "INT64"),
    **dict.fromkeys("INT128 INT256 UINT128 UINT256".split(), "HUGEINT"),
    **dict.fromkeys("FLOAT32 FLOAT64 BFLOAT16 FLOAT DOUBLE REAL".split(), "FLOAT"),
    "DOUBLE PRECISION": "FLOAT",
    **dict.fromkeys(
        "DECIMAL DEC NUMERIC FIXED DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256".split(), "DECIMAL"
    ),
    **dict.fromkeys("STRING TEXT VARCHAR CHAR BLOB LONGTEXT CLOB BYTEA NVARCHAR".split(), "STRING"),
    **dict.fromkeys(("FIXEDSTRING", "BINARY"), "FIXEDSTRING"),
    "DATE": "DATE",
    "DATE32": "DATE32",
    **dict.fromkeys(("DATETIME", "DATETIME32", "TIMESTAMP"), "DATETIME"),
    "DATETIME64": "DATETIME64",
    **dict.fromkeys(("TIME", "TIME64"), "TIME"),
    "UUID": "UUID",
    "IPV4": "IPV4",
    "INET4": "IPV4",
    "IPV6": "IPV6",
    "INET6": "IPV6",
    **dict.fromkeys(("ENUM", "ENUM8", "ENUM16"), "ENUM"),
    "JSON": "JSON",
    "VARIANT": "VARIANT",
    "DYNAMIC": "DYNAMIC",
    "AGGREGATEFUNCTION": "STATE",
}
"""Names of types in upper case, with their kinds. `DYNAMIC`, the type of a path of a document, is
known as a key only: nearly all functions and operators accept it."""
NODES = {
    "Extract": ("toYear", ("expression",)),
    "If": ("if", ("this", "true", "false")),
    "Ceil": ("ceil", ("this", "decimals")),
    "Floor": ("floor", ("this", "decimals")),
    "Substring": ("substring", ("this", "start", "length")),
    "Trim": ("trim", ("this",)),
    "StrPosition": ("position", ("this", "substr", "position")),
    "Struct": ("tuple", ("expressions",)),
    "ArgMax": ("argMax", ("this", "expression")),
    "ArgMin": ("argMin", ("this", "expression")),
    "Quantile": ("quantile", ("this",)),
    "Explode": ("arrayJoin", ("this",)),
    "GroupConcat": ("groupConcat", ("this",)),
    "Chr": ("char", ("expressions",)),
    "Initcap": ("initcap", ("this",)),
    "VarMap": ("map", ("keys", "values")),
    "Overlay": ("overlay", ("this", "expression", "from_", "for_")),
}
"""Calls that sqlglot reads its own way; all units of EXTRACT accept what `toYear` accepts."""
CONSTANTS = {"Interval": "INTERVAL", "CurrentDate": "DATE", "CurrentTimestamp": "DATETIME"}
OPERATORS = {
    "=": "{} = {}",
    "<": "{} < {}",
    "CASE": "CASE WHEN u8 = 1 THEN {} ELSE {} END",
    "+": "{} + {}",
    "-": "{} - {}",
    "*": "{} * {}",
    "/": "{} / {}",
    "~~": "{} LIKE {}",
    "IN": "{} IN ({})",
    "IN_QUERY": "{} IN (SELECT {} FROM kinds)",
    "UNION": "x FROM (SELECT {} AS x FROM kinds UNION ALL SELECT {} FROM kinds)",
    "ARRAY": "[{}, {}][1]",
    "COALESCE": "coalesce(toNullable({}), {})",
    "ITEM": "has([{}], {})",
    "GREATEST": "greatest({}, {})",
    "BETWEEN": "{0} BETWEEN {1} AND {1}",
    "%": "{} % {}",
    "||": "{} || {}",
    "//": "{} DIV {}",
    "~": "{} REGEXP {}",
}
MAY_BE_NULL = {
    "= NULL": "toNullable({}) = {}",
    "< NULL": "toNullable({}) < {}",
    "IN NULL": "toNullable({}) IN ({})",
    "IN_QUERY NULL": "toNullable({}) IN (SELECT {} FROM kinds)",
    "BETWEEN NULL": "toNullable({0}) BETWEEN {1} AND {1}",
}
"""Comparisons of a value that may be null, which are computed only where there are rows."""
SAME = {"<>": "=", "<=": "<", ">": "<", ">=": "<", "~~*": "~~", "LEAST": "GREATEST"}
"""Operators that accept the same types as another."""
ANALYZED = frozenset("CASE + - * / ~~ ARRAY COALESCE ITEM GREATEST % || // ~".split())
"""Operators whose types are checked before anything is planned, which is faster to ask."""
CONDITIONS = {
    "WHERE": "SELECT 1 FROM kinds WHERE {}",
    "HAVING": "SELECT 1 FROM kinds GROUP BY ALL HAVING any({})",
    "AND": "SELECT {} AND u8 FROM kinds",
    "OR": "SELECT {} OR u8 FROM kinds",
    "NOT": "SELECT NOT {} FROM kinds",
    "WHEN": "SELECT CASE WHEN {} THEN 1 END FROM kinds",
    "FILTER": "SELECT countIf({}) FROM kinds",
    "IS": "SELECT {} IS TRUE FROM kinds",
    "ON": "SELECT 1 FROM kinds AS l JOIN kinds AS r ON l.i = r.i AND {}",
}
JOINED = (
    "SELECT 1 FROM (SELECT {} AS k FROM kinds) AS l"
    " JOIN (SELECT {} AS k FROM kinds) AS r ON l.k = r.k"
)
KEYS = {"grouped": "SELECT 1 FROM kinds GROUP BY {}", "ordered": "SELECT 1 FROM kinds ORDER BY {}"}
MOST_MEASURED = 3
"""Arguments; calls with more are checked by their number only."""
OTHERS = ("i", "s", "d", "a", "aa", "'day'", "1", "f", "m", "u8", "','", "t", "id", "ip", "j", "r")
"""What stands in the other places while one is measured, until a call is accepted."""
FEW = ("i", "s", "d", "a", "'day'", "','", "t", "u8")
TypeOf = "Callable[[str], str | None]"
"""Returns the type of an expression over the table; None: it is rejected."""
TypesOf = "Callable[[list[str]], list[str] | None]"
"""Returns the types of several expressions; None: one is rejected."""


def kind_of(name: str) -> str:
    """Return the checker's name of a type (`Nullable(Int32)`, `Array(String)`); empty: none."""
    while name.startswith(("Nullable(", "LowCardinality(")):
        name = name.partition("(")[2][:-1]
    if name.startswith("Array("):
        return f"{kind_of(name[6:-1]) or '?'}[]"
    if name.startswith("SimpleAggregateFunction("):
        return kind_of(name.partition(", ")[2][:-1])
    plain = name.partition("(")[0].upper()
    if plain in {"MAP", "TUPLE"}:
        return "MAP" if plain == "MAP" else "STRUCT"
    return "INTERVAL" if plain.startswith("INTERVAL") else NAMES.get(plain, "")


def operators(type_of: TypeOf, analyzed: TypeOf) -> dict[str, list[list[str]]]:
    """Return, for each operator, the kinds of both sides and of the result."""
    templates = {**OPERATORS, **MAY_BE_NULL}
    found: dict[str, list[list[str]]] = {name: [] for name in templates}
    for (name, template), left, right in product(templates.items(), KINDS, KINDS):
        ask = analyzed if name in ANALYZED else type_of
        results = _results(ask, template, (left, right))
        if results:
            found[name].append([left, right, results.pop() if len(results) == 1 else ""])
    return found | {name: found[other] for name, other in SAME.items()}


def _results(type_of: TypeOf, template: str, kinds: tuple[str, ...]) -> set[str]:
    """Return the kinds of the results of all values of some kinds; of literals, one decides."""
    results: set[str] = set()
    for values in product(*(KINDS[kind] for kind in kinds)):
        if (found := type_of(template.format(*values))) is not None:
            results.add(kind_of(found))
            if "STRING_LITERAL" in kinds:
                break
    return results


def conditions(is_refused: Callable[[str], bool]) -> dict[str, list[str]]:
    """Return the kinds that are accepted as a condition, by place."""
    found = {}
    for place, template in CONDITIONS.items():
        accepted = {
            kind
            for kind, values in KINDS.items()
            if any(not is_refused(template.format(value)) for value in values)
        }
        accepted |= {kind for kind, like in _AS_COLUMNS.items() if accepted & like}
        found[place] = [kind for kind in KINDS if kind in accepted]
    return found


def keys(is_refused: Callable[[str], bool]) -> dict[str, list[str]]:
    """Return the kinds that rows are grouped by, and those that they are ordered by."""
    kinds = {**KINDS, "DYNAMIC": ("dy",)}
    return {
        what: [
            kind
            for kind, values in kinds.items()
            if kind not in LITERALS and not is_refused(template.format(values[0]))
        ]
        for what, template in KEYS.items()
    }


def join_keys(is_refused: Callable[[str], bool]) -> list[list[str]]:
    """Return the pairs of kinds that a join can compare, like the rows of operators."""
    kinds = {kind: values[0] for kind, values in KINDS.items() if kind not in LITERALS}
    return [
        [left, right, ""]
        for left, right in product(kinds, kinds)
        if not is_refused(JOINED.format(kinds[left], kinds[right]))
    ]


def negated(type_of: TypeOf) -> dict[str, str]:
    """Return the kinds that a minus before a value accepts, and its result."""
    results = {kind: type_of(f"-{values[0]}") for kind, values in KINDS.items()}
    found = {kind: kind_of(result) for kind, result in results.items() if result is not None}
    return found | {"DECIMAL_LITERAL": "DECIMAL_LITERAL"}


CAST_TO = (
    "Bool UInt8 UInt32 UInt64 Int32 Int64 Int128 UInt128 Float64 Decimal(10,2) String"
    " FixedString(4) Date Date32 DateTime DateTime64(3) Time UUID IPv4 IPv6 JSON"
).split()
"""Types of each kind that casts lead to."""


def casts(type_of: TypeOf) -> list[list[str]]:
    """Return the casts from a kind to a type that the engine accepts."""
    found = {
        (kind, kind_of(name)): None
        for kind, name in product(KINDS, CAST_TO)
        if any(type_of(f"CAST({value} AS {name})") is not None for value in KINDS[kind])
    }
    return [[*pair] for pair in found]


def texts_of(shape: str) -> list[str]:
    """Return texts of a shape, with their quotes doubled as in a literal."""
    texts = (TEXTS[shape], *FURTHER_TEXTS.get(shape, ()))
    return [text.replace("'", "''") for text in texts]


def readable(type_of: TypeOf) -> dict[str, dict[str, list[str]]]:
    """Return the shapes of texts that each kind can be compared with, and that a cast reads."""
    columns = {kind: values[0] for kind, values in KINDS.items() if values[0].isalnum()}
    types = {kind: type_of(column) for kind, column in columns.items()}
    templates = {
        "=": "{column} = '{text}'",
        "IN": "{column} IN ('{text}')",
        "CAST": "CAST('{text}' AS {type})",
    }
    return {
        name: {
            kind: [
                shape
                for shape in TEXTS
                if any(
                    type_of(template.format(column=column, text=text, type=types[kind])) is not None
                    for text in texts_of(shape)
                )
            ]
            for kind, column in columns.items()
            if kind not in {"STATE", "ENUM", "FIXEDSTRING"}  # their parameters decide
        }
        for name, template in templates.items()
    }


Rows = list[list[Any]]


class Joined:
    """Names a set of kinds by all of them, until the main process knows every set."""

    @staticmethod
    def named(kinds: Iterable[str]) -> str:
        """Return the kinds in one text; `ANY` for all."""
        known = [*kinds]
        return "ANY" if len(known) == len(KINDS) else "|".join(known)


class Calls:
    """Measures the calls of functions."""

    def __init__(self, type_of: TypeOf, types_of: TypesOf) -> None:
        self._type_of = type_of
        self._types_of = types_of
        self._kinds = {value: kind for kind, values in VALUES.items() for value in values}
        self._values = frozenset(self._kinds)
        self._known: dict[Call, dict[Call, str]] = {}
        """For each call from which arguments were varied, those accepted with their results."""

    def signatures(
        self, template: str, counts: Iterable[int], examples: Iterable[Call]
    ) -> dict[int, Rows]:
        """Return, by the number of arguments, result and parameters of the calls accepted.

        `examples` are the arguments of calls in the documentation.
        """
        found: dict[int, Rows] = {}
        working: list[Call] = []
        self._known = {}
        for count in counts:
            own = [call for call in examples if len(call) == count]
            if count < MORE_THAN_ONE:
                found[count] = self._plain(template, count, own)
            elif working := self._working(template, count, working, own):
                found[count] = self._several(template, working)
        return {count: rows for count, rows in found.items() if rows}

    def _plain(self, template: str, count: int, examples: Iterable[Call]) -> Rows:
        """Return the signatures of calls of no argument or of one."""
        if not count:
            found = self._type_of(template.format(""))
            return [] if found is None else [[kind_of(found) or "?", []]]
        given: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for value, result in self._varied(template, ("",), 0).items():
            given[self.kind(value)].add(_generalized(result, value) or "?")
        for kind, like in _AS_COLUMNS.items():
            results = set[str]().union(*(given[one] for one in like))
            if results:
                given[kind] = given[kind] or results
        for (value,) in islice(examples, MOST_EXAMPLES):
            kind = self.kind(value)
            if kind in KINDS and self._type_of(template.format(value)) is not None:
                given[kind] = given[kind] or {"?"}
        return self._grouped(
            [(kind, _only(results), ()) for kind, results in given.items() if results]
        )

    def _varied(self, template: str, call: Call, place: int) -> dict[str, str]:
        """Return the values that are accepted at a place of a call, with the results."""

        def made(value: str) -> str:
            return template.format(", ".join((*call[:place], value, *call[place + 1 :])))

        found: dict[str, str] = {}
        for family in FAMILIES:
            found |= self._of_family(made, family)
        for kind in KINDS:
            known = any(self._kinds[one] in _AS_COLUMNS.get(kind, ()) for one in found)
            for value in () if known else _values(kind, is_first=not place):
                if found.keys() & {*VALUES[kind]} and value not in COMPARED:
                    break
                if (given := self._type_of(made(value))) is not None:
                    found[value] = given
        return {value: kind_of(given) for value, given in found.items()}

    def _of_family(self, made: Callable[[str], str], family: Call) -> dict[str, str]:
        if (types := self._types_of([made(value) for value in family])) is not None:
            return dict(zip(family, types, strict=True))
        found: dict[str, str] = {}
        for number, value in enumerate(family):
            if number == REPRESENTATIVES and not found:
                break
            if (given := self._type_of(made(value))) is not None:
                found[value] = given
        return found

    def _several(self, template: str, working: list[Call]) -> Rows:
        results = self._results(template, working)
        rows = []
        for is_array in (True, False):
            own = {
                call: one
                for call, one in results.items()
                if (self.kind(call[0]) == "INTEGER[]") is is_array
            }
            if not own:
                continue
            taken = [self._kinds_at(own, place) for place in range(len(working[0]))]
            rest = tuple(
                "ANY"
                if self._is_like_first(template, list(own), place, kinds)
                else Joined.named(kinds)
                for place, kinds in enumerate(taken[1:], start=1)
            )
            if not all(rest):
                continue  # no kind of some argument: that of the working call has no name
            if is_array and len(rest) == 1:
                rest = self._items(template) or rest
            for first in taken[0]:
                given = self._given(own, {first}) or self._given(own, _AS_COLUMNS.get(first, set()))
                rows.append((first, _only(given), rest))
        return self._grouped(rows)

    def _given(self, results: dict[Call, str], firsts: set[str]) -> set[str]:
        """Return the results of the calls whose first argument is of some kinds."""
        return {
            _generalized(one, call[0])
            for call, one in results.items()
            if self.kind(call[0]) in firsts and call[0] in self._values
        }

    def _is_like_first(
        self, template: str, working: list[Call], place: int, taken: list[str]
    ) -> bool:
        """Return whether an argument must be like the first: what it accepts depends on that."""
        firsts = {call[0]: call for call in reversed(working)}
        for call, kind in product([*firsts.values()][:MOST_WORKING], UNLIKE):
            if kind in taken:
                continue
            value = VALUES[kind][0]
            same = (value, *call[1:place], value, *call[place + 1 :])
            if self._type_of(template.format(", ".join(same))) is not None:
                return True
        return False

    def with_lambda(self, template: str, count: int) -> Rows:
        """Return result and parameters of the calls whose first argument is a lambda.

        The parameter of the lambda is the type of its value.
        """
        for names, first, rest in product(("x", "(x, y)"), ("u8", "i", "x"), ("a", "m", "aa")):
            others = [rest] * (count - 1)
            if self._type_of(_call(template, f"{names} -> {first}", others)) is not None:
                return self._of_lambda(template, names, first, others)
        return []

    def _of_lambda(self, template: str, names: str, first: str, others: list[str]) -> Rows:
        def is_accepted(body: str, item: str) -> bool:
            call = _call(template, f"{names} -> {body}", [item, *others[1:]])
            return self._type_of(call) is not None

        bodies = [
            kind
            for kind, values in VALUES.items()
            if any(is_accepted(one, others[0]) for one in values)
        ]
        items = [kind for kind, values in VALUES.items() if is_accepted(first, values[0])]
        results = []
        for body, item in product(("i", "s", "u8"), ("a", "aa")):
            found = self._type_of(_call(template, f"{names} -> {body}", [item] * len(others)))
            if found is not None:
                results.append((body, item, kind_of(found)))
        result = next((one for one in _RESULTS if _explains(one, results)), "?")
        rest = ["T[]" if items == ["INTEGER[]"] else Joined.named(items)]
        rest += ["ANY[]" if rest == ["T[]"] else "ANY"] * (len(others) - 1)
        return [[result, ["V" if len(bodies) == len(KINDS) else Joined.named(bodies), *rest]]]

    def _working(
        self, template: str, count: int, shorter: list[Call], examples: Iterable[Call]
    ) -> list[Call]:
        """Return a few calls that are accepted, with unlike first arguments.

        Those of the documentation come first, then longer ones of those known.
        """
        shown = [call for call in examples if self._type_of(template.format(", ".join(call)))]
        found = [*{self.kind(call[0]): call for call in reversed(shown)}.values()]
        del found[MOST_EXAMPLES:]
        choices: Iterable[Call] = ((*call, value) for call in shorter for value in OTHERS)
        if found:
            choices = ((value, *found[0][1:]) for value in FEW)
        elif not shorter and count == MORE_THAN_ONE:
            choices = product(FEW, FEW)
        for values in choices:
            if len(found) >= MOST_WORKING:
                break
            if not any(one[0] == values[0] for one in found) and (
                self._type_of(template.format(", ".join(values))) is not None
            ):
                found.append(values)
        return found

    def kind(self, value: str) -> str:
        """Return the kind of an argument."""
        if value not in self._kinds:
            self._kinds[value] = kind_of(self._type_of(value) or "")
            if self._kinds[value].endswith("[]"):
                self._kinds[value] = "INTEGER[]"
            if found := _LITERAL.fullmatch(value):
                self._kinds[value] = str(found.lastgroup)
        return self._kinds[value]

    def _kinds_at(self, calls: Iterable[Call], place: int) -> list[str]:
        """Return the kinds that some calls have at a place, in order."""
        given = {self.kind(call[place]) for call in calls}
        literals = {literal for literal, kinds in _AS_COLUMNS.items() if given & kinds}
        return [kind for kind in KINDS if kind in given | literals]

    def _results(self, template: str, working: list[Call]) -> dict[Call, str]:
        """Return the accepted calls that differ from a working one in one argument.

        The first arguments of a call that is longer than a known one by an argument may be those
        of that one; its results are the same if that of the call itself is.
        """
        found: dict[Call, str] = {}
        for values in working:
            own: dict[Call, str] = {}
            shorter = self._known.get(values[:-1], {})
            result = kind_of(self._type_of(template.format(", ".join(values))) or "")
            is_same = shorter.get(values[:-1]) == result
            for call, given in shorter.items():
                own[*call, values[-1]] = given if is_same else "?"
            for place in range(len(values) - 1 if shorter else 0, len(values)):
                for value, given in self._varied(template, values, place).items():
                    own[*values[:place], value, *values[place + 1 :]] = given
            own[values] = result
            self._known[values] = own
            found |= own
        return found

    def _items(self, template: str) -> tuple[str, ...]:
        """Return T or T[] for the second argument of an array's call; nothing: it may be any."""
        given = {
            (array, other): self._type_of(template.format(f"{array}, {other}")) is not None
            for array, other in product(ARRAYS, ("i", "s", *ARRAYS))
        }
        for second, (own, others) in {"T": ("i", "s"), "T[]": ARRAYS}.items():
            fits = given["a", own] and given["aa", others]
            if fits and not given["a", others] and not given["aa", own]:
                return (second,)
        return ()

    def _grouped(self, found: Iterable[tuple[str, str, tuple[str, ...]]]) -> Rows:
        """Return rows of signatures: those of first arguments that give and need the same."""
        groups: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        for first, result, rest in found:
            groups[result or "?", rest].append(first)
        rows = []
        for (result, rest), firsts in groups.items():
            others = [kind for kind in firsts if kind != "INTEGER[]"]
            if len(others) < len(firsts):
                rows.append([result, ["T[]", *rest]])
            if others:
                rows.append([result, [Joined.named(others), *rest]])
        return rows


Call = tuple[str, ...]
ARRAYS = KINDS["INTEGER[]"]
COMPARED = frozenset({*ARRAYS, "af", "m", "mi", "st", "bm", "r", "ri", "rf", *KINDS["INTERVAL"]})
"""Values of one kind whose types inside may decide about the result."""
FAMILIES = (
    ("u8", "i", "u", "u64", "i64", "h", "b"),
    ("f", "c"),
    ("d", "t", "d32", "t64"),
    ("s", "fs"),
)
"""Values that are mostly accepted together or not at all: one statement asks for all."""
_IN_FAMILY = frozenset(chain(*FAMILIES))
REPRESENTATIVES = 2
"""Where these are rejected, the rest of the family is taken to be."""
FEW_VALUES = 2
"""Values of a kind that are tried for other arguments than the first."""
UNLIKE = ("STRING", "DATE", "INTEGER[]", "INT")
"""Kinds that tell whether an argument must be like the first."""
MORE_THAN_ONE = 2
MOST_WORKING = 2
"""Accepted calls from which one argument at a time is varied."""
MOST_EXAMPLES = 3
_LITERAL = re.compile(
    r"(?P<STRING_LITERAL>'(?:[^'\\]|\\.|'')*')"
    r"|(?P<INTEGER_LITERAL>-?\d+)|(?P<DECIMAL_LITERAL>-?\d+\.\d*)"
)
"""`'text'`, `12`, `-1.5`."""
_RESULTS = ("V[]", "T[]", "V", "T", "UINT8", "UINT", "UINT64", "INT", "INT64", "FLOAT", "STRING")
_KINDS_OF = {
    "i": "INT",
    "s": "STRING",
    "u8": "UINT8",
    "a": "INT",
    "aa": "STRING",
    "au": "UINT8",
    "af": "FLOAT",
    "ad": "DATETIME",
}
"""Kinds of values, and of the items of arrays."""


def _call(template: str, first: str, others: Iterable[str]) -> str:
    return template.format(", ".join([first, *others]))


def _explains(result: str, measured: Iterable[tuple[str, str, str]]) -> bool:
    """Return whether a result with a letter gives what was measured for values and arrays."""
    rows = list(measured)
    letter, rest = result[0], result[1:]
    for body, item, found in rows:
        if letter in "VT" and rest in {"", "[]"}:
            expected = _KINDS_OF[body if letter == "V" else item] + rest
        else:
            expected = result
        if expected != found:
            return False
    return bool(rows)


def _generalized(result: str, first: str) -> str:
    """Return a result in terms of the items of the first argument, if that is an array."""
    item = _KINDS_OF.get(first) if first in VALUES["INTEGER[]"] else None
    return result.replace(item, "T") if item and result in {item, f"{item}[]"} else result


def typed(
    calls: Calls, template: str, known: list[list[Any]], examples: list[Call]
) -> list[list[Any]]:
    """Return the entries of a function: signatures where these are known, else counts."""
    found: list[list[Any]] = []
    for kind, least, most in known:
        if kind == "table":
            found.append([kind, least, most])
            continue
        last = max(least, MOST_MEASURED) if most < 0 else most
        rows = calls.signatures(template, range(least, min(last, MOST_MEASURED) + 1), examples)
        for count in range(least, last + 1):
            is_open = most < 0 and count == last
            if count in rows:
                found += [
                    [kind, result, taken, _further(taken) if is_open else ""]
                    for result, taken in rows[count]
                ]
            else:
                found.append([kind, count, most if is_open else count])
    return found


def _values(kind: str, *, is_first: bool) -> list[str]:
    """Return the values of a kind that no family has; fewer for an argument behind the first."""
    values = [value for value in VALUES[kind] if value not in _IN_FAMILY]
    return values if is_first or kind == "STRING_LITERAL" else values[:FEW_VALUES]


def _only(results: set[str]) -> str:
    return next(iter(results)) if len(results) == 1 else "?"


def _further(taken: list[str]) -> str:
    """Return what further arguments may be: like the last two, if these are alike."""
    return taken[-1] if taken[-1:] == taken[-2:-1] else "ANY"
