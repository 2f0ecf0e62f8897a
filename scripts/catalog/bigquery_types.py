"""Which types BigQuery combines, converts, groups, orders and stores, by trying all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from googlesql import KINDS, GoogleSql
from zetasql.wasi._pb2.zetasql.proto import function_pb2
from zetasql.wasi._pb2.zetasql.public import function_pb2 as public
from zetasql.wasi._pb2.zetasql.public import type_pb2

BASE = (*KINDS, "ARRAY<INT64>", "STRUCT<x INT64>", "RANGE<DATE>")
"""Types whose combinations are tried; one of those that hold others stands for all of its kind."""
NAMES = {"ARRAY<INT64>": "INTEGER[]", "STRUCT<x INT64>": "STRUCT", "RANGE<DATE>": "RANGE"}
TEXTS = ("'a'", "'2024-01-31'", "'12:30:00'", "'2024-01-31 12:30:00'", "'{}'")
"""A string literal is tried as each of these: it must be readable as the type that it meets."""
LITERALS = {"STRING_LITERAL": TEXTS, "INTEGER_LITERAL": ("1",), "DECIMAL_LITERAL": ("1.5",)}
OPERATORS = {
    **{name: f"{{}} {name} {{}}" for name in "= <> < <= > >= + - * / % || AND OR".split()},
    **{name: f"{{}} {name} {{}}" for name in "& | << >>".split()},
    "#": "{} ^ {}",
    "~~": "{} LIKE {}",
    "IN": "{} IN ({})",
    "IN_QUERY": "{} IN (SELECT {})",
    "BETWEEN": "{0} BETWEEN {1} AND {1}",
    "COALESCE": "IF(true, {}, {})",
}
"""Ways to combine two values; a UNION is tried by its own statement."""


_DAY = r"(?!0000)(\d{4})-(\d{1,2})-(\d{1,2})"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]?\d:(?:[0-5]?\d|60)(?:\.\d{1,6})?"
_ZONE = r"(?: ?[+-]\d{1,2}(?::?\d\d)?|[Zz]| [A-Za-z][\w/+-]*)"
_NUMBER = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
FORMATS = {
    "DATE": _DAY,
    "TIME": _CLOCK,
    "DATETIME": rf"{_DAY}(?:[Tt ]{_CLOCK})?",
    "TIMESTAMP": rf"{_DAY}(?:[Tt ]{_CLOCK})?{_ZONE}?",
    "NUMERIC": _NUMBER,
    "BIGNUMERIC": _NUMBER,
}
"""The texts of typed literals, by "Canonical format" in the chapter "Data types" of the manual."""
_SAMPLES = {
    "DATE": "2024-1-1|9999-12-31|204-01-01| 2024-01-01|0000-01-01|2024/01/01|2024-01|20240101|x",
    "TIME": "1:2:3|10:00|24:00:00|23:59:60|10:00:00.123456|10:00:00.1234567|10:00:00.|28:00:00",
    "DATETIME": "2024-01-01|2024-1-1 1:2:3|2024-01-01t10:00:00|2024-01-01 10|2024-01-01T10:00:00Z",
    "TIMESTAMP": "2024-01-01|2024-01-01 00:00:00 UTC|2024-01-01 +01:00|2024-01-01 00:00:00+0100"
    "|2024-01-01T00|2024-01-01 00:00|2024-01|2024-01-01 00:00:00.1234567|01.01.2024",
    "NUMERIC": "1e3|+.5 |1.|1,000|x|",
    "BIGNUMERIC": "1.5e10|abc",
}
SAMPLES_OF_FORMATS = [(kind, text) for kind, texts in _SAMPLES.items() for text in texts.split("|")]


def casts(engine: GoogleSql) -> list[list[str]]:
    """Return the pairs of a type or literal and the type that it can be cast to."""
    return [
        [source, to]
        for source in operands()
        for to in KINDS
        if result_of(engine, f"CAST({{}} AS {to})", source, source)
    ]


def tables() -> list[str]:
    """Return the tables of the probes."""
    made = [f"CREATE TABLE base{place} (x {kind})" for place, kind in enumerate(BASE)]
    return [
        "CREATE TABLE probe (x INT64)",
        "CREATE TABLE keyed (x INT64)",
        *(one for one in made if "RANGE" not in one),
    ]


def operands() -> dict[str, tuple[str, ...]]:
    """Return the values of each type and literal, as expressions over the base tables."""
    columns = {
        NAMES.get(kind, kind): (f"base{place}.x",)
        for place, kind in enumerate(BASE)
        if kind != "RANGE<DATE>"
    }
    return {**columns, "RANGE": ("RANGE<DATE> '[2024-01-01, 2025-01-01)'",), **LITERALS}


def sources(*values: str) -> str:
    """Return the FROM list that the values need."""
    names = sorted({value.partition(".")[0] for value in values if value.startswith("base")})
    return ", ".join(names) or "probe"


def result_of(engine: GoogleSql, template: str, left: str, right: str) -> str:
    """Return the type of a combination; empty: the analyzer rejects it."""
    for first in operands()[left]:
        for second in operands()[right]:
            query = f"SELECT {template.format(first, second)} FROM {sources(first, second)}"
            if found := engine.type_of("probing", query):
                return kind_of(found)
    return ""


def kind_of(found: str) -> str:
    """Return the type that stands for all of its kind."""
    return "INTEGER[]" if found.endswith("[]") else found.partition("(")[0]


def negated(engine: GoogleSql) -> dict[str, str]:
    """Return the types that a minus may stand before."""
    return {kind: kind for kind in operands() if result_of(engine, "-({})", kind, kind)}


def operators(engine: GoogleSql) -> dict[str, list[list[str]]]:
    """Return, for each operator, left and right type and the type of the result."""
    found = {
        name: [
            [left, right, result]
            for left in operands()
            for right in operands()
            if (result := result_of(engine, template, left, right))
        ]
        for name, template in OPERATORS.items()
    }
    found["CASE"] = found["COALESCE"]
    found["UNION"] = [
        [left, right, result]
        for left in operands()
        for right in operands()
        if (result := result_of_union(engine, left, right))
    ]
    return found


def never_null_operands(engine: GoogleSql) -> list[str]:
    """Return the operators that reject the word NULL."""
    templates = {**OPERATORS, "NOT": "NOT {1}"}
    return sorted(name for name, one in templates.items() if _rejects_null(engine, one))


def _rejects_null(engine: GoogleSql, template: str) -> bool:
    columns = [value for values in operands().values() for value in values]
    written = (
        f"SELECT {template.format(value, 'NULL')} FROM {sources(value)}" for value in columns
    )
    return any("literal NULL" in (engine.refusal("probing", one) or "") for one in written)


def result_of_union(engine: GoogleSql, left: str, right: str) -> str:
    """Return the type of a column of UNION ALL; empty: the analyzer rejects it."""
    for first in operands()[left]:
        for second in operands()[right]:
            query = (
                f"SELECT {first} FROM {sources(first)} UNION ALL"
                f" SELECT {second} FROM {sources(second)}"
            )
            if found := engine.type_of("probing", query):
                return kind_of(found)
    return ""


def takers() -> list[Any]:
    """Return a function `takes_<type>` for each plain type, by which conversions are tried."""
    made = []
    for name, kind in KINDS.items():
        function = function_pb2.FunctionProto(name_path=[f"takes_{name}"], group="probing")
        signature = function.signature.add()
        for part in (signature.argument.add(), signature.return_type):
            part.kind = public.ARG_TYPE_FIXED
            part.num_occurrences = 1
            part.type.type_kind = type_pb2.TypeKind.Value(f"TYPE_{kind}")
        made.append(function)
    return made


def implicit(engine: GoogleSql) -> dict[str, list[str]]:
    """Return, for each type and literal, the types it is converted to without a cast."""
    order = ("STRING", "INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", *KINDS)
    found = {
        source: [
            to
            for to in dict.fromkeys(order)
            if result_of(engine, f"takes_{to}({{}})", source, source)
        ]
        for source in operands()
    }
    found["DECIMAL_LITERAL"].sort(key="FLOAT64".__ne__)  # 1.5 is a FLOAT64 where that fits
    return {**found, "PART": []}


OFFSETS = {
    "INTEGER_LITERAL": "1",
    "DECIMAL_LITERAL": "1.5",
    "STRING_LITERAL": "'a'",
    "INTERVAL": "INTERVAL 1 DAY",
}
"""Constants, which a bound of a frame must be."""
KEYS = {"INT64": "1", "STRING": "'a'", "OFFSET": "OFFSET(0)"}
"""What may stand in brackets behind a value."""
PARTS = (
    "microsecond millisecond second minute hour day week week(monday) isoweek month quarter year"
    " isoyear dayofweek dayofyear date time datetime"
).split()


def conditions(engine: GoogleSql) -> list[str]:
    """Return the types that a condition may have."""
    return [kind for kind in operands() if result_of(engine, "IF({}, 1, 1)", kind, kind)]


def grouped(engine: GoogleSql) -> list[str]:
    """Return the types that GROUP BY accepts; those in others must be of them, too."""
    return [
        kind
        for kind, (value, *_) in operands().items()
        if engine.type_of(
            "probing", f"SELECT 1 FROM (SELECT {value} AS x{_from(value)}) GROUP BY x"
        )
    ]


def frames(engine: GoogleSql) -> list[list[str]]:
    """Return the pairs of the term of a window and the bound of its frame that RANGE accepts.

    The bounds that ROWS accepts have `ROWS` for a term.
    """
    window = "SELECT COUNT(*) OVER (ORDER BY {} {} {} PRECEDING){}"
    of_range = [
        [term, bound]
        for term, (value, *_) in operands().items()
        for bound, offset in OFFSETS.items()
        if engine.type_of("probing", window.format(value, "RANGE", offset, _from(value)))
    ]
    of_rows = [
        bound
        for bound, offset in OFFSETS.items()
        if engine.type_of("probing", window.format("base0.x", "ROWS", offset, " FROM base0"))
    ]
    return [*of_range, *(["ROWS", bound] for bound in of_rows)]


def assigned(engine: GoogleSql) -> list[list[str]]:
    """Return the pairs of the type of a value and that of a column that can store it."""
    return [
        [source, NAMES.get(to, to)]
        for source, values in operands().items()
        for place, to in enumerate(BASE)
        if to != "RANGE<DATE>"
        and any(
            engine.refusal("probing", f"UPDATE base{place} AS t SET x = {value} {rest}") is None
            for value, rest in map(_updating, values)
        )
    ]


def _updating(value: str) -> tuple[str, str]:
    """Return a value, and the clauses that UPDATE needs for it; no table may occur twice."""
    if not value.startswith("base"):
        return value, "WHERE true"
    table = value.partition(".")[0]
    return "s.x", f"FROM {table} AS s WHERE true"


def subscripts(engine: GoogleSql) -> dict[str, list[str]]:
    """Return, for each type, what may stand in brackets behind its values."""
    found = {
        kind: [
            key
            for key, spelled in KEYS.items()
            if result_of(engine, f"({{}})[{spelled}]", kind, kind)
        ]
        for kind in operands()
    }
    return {kind: keys for kind, keys in found.items() if keys}


def parts(
    engine: GoogleSql, functions: Mapping[str, Iterable[list[Any]]]
) -> dict[str, dict[str, list[str]]]:
    """Return, for each call with a part of a date, the parts that it accepts of each type."""
    found = {name: list(_parts(engine, name, rows)) for name, rows in functions.items()}
    return {name: dict(pairs) for name, pairs in found.items() if pairs}


def _parts(
    engine: GoogleSql, name: str, signatures: Iterable[list[Any]]
) -> Iterator[tuple[str, list[str]]]:
    templates = {template for row in signatures if (template := _call_with_part(name, row[2]))}
    for kind in [one for one in operands() if one not in LITERALS] if templates else ():
        taken = [
            part
            for part in PARTS
            if any(
                result_of(engine, template.replace("PART", part), kind, kind)
                for template in templates
            )
        ]
        if taken:
            yield kind, taken


def _call_with_part(name: str, arguments: list[str]) -> str:
    """Return a call of values of one type and a part; empty: it has no part."""
    if arguments[:1] == ["PART"] and len(arguments) > 1:
        return "EXTRACT(PART FROM {})"
    given = []
    for argument in arguments:
        if argument in {"PART", "INTERVAL"}:
            last = argument if argument == "PART" else "INTERVAL 1 PART"
            return f"{name}({', '.join([*given, last])})" if given else ""
        given.append("{}")
    return ""


def refused(
    engine: GoogleSql, functions: Mapping[str, Iterable[list[Any]]]
) -> dict[str, list[str]]:
    """Return, for each function of any type, the types that it rejects all the same."""
    found = {name: _refused(engine, name, rows) for name, rows in functions.items()}
    return {name: kinds for name, kinds in found.items() if kinds}


def _refused(engine: GoogleSql, name: str, signatures: Iterable[list[Any]]) -> list[str]:
    given = {"T": "{0}", "INT64": "1", "STRING": "'a'"}
    calls = []
    for kind, _, arguments, *rest in signatures:
        needed = arguments[: len(arguments) - (rest[1] if len(rest) > 1 else 0)]
        if needed[:1] == ["T"] and set(needed) <= given.keys():
            over = " OVER (ORDER BY 1)" if kind == "window" else ""
            calls.append(f"{name}({', '.join(map(given.__getitem__, needed))}){over}")
    taken = {kind for kind in operands() for call in calls if result_of(engine, call, kind, kind)}
    return [kind for kind in operands() if kind not in taken] if taken else []


def _from(value: str) -> str:
    return f" FROM {sources(value)}"
