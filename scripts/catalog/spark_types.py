"""Which types Spark's operators and functions accept, found by asking its analyzer."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from type_sets import TypeSets

VALUES = {
    "BOOLEAN": "true",
    "TINYINT": "1Y",
    "SMALLINT": "1S",
    "INT": "1",
    "BIGINT": "1L",
    "FLOAT": "0.5F",
    "DOUBLE": "0.5D",
    "DECIMAL": "0.5BD",
    "STRING": "'9'",
    "BINARY": "X'01'",
    "DATE": "DATE '2020-01-01'",
    "TIMESTAMP": "TIMESTAMP '2020-01-01 00:00:00'",
    "TIMESTAMP_NTZ": "TIMESTAMP_NTZ '2020-01-01 00:00:00'",
    "INTERVAL": "make_interval(1)",
    "INTERVAL YEAR TO MONTH": "INTERVAL '1-2' YEAR TO MONTH",
    "INTERVAL DAY TO SECOND": "INTERVAL '1 10:00:00' DAY TO SECOND",
    "VARIANT": "parse_json('1')",
    "INTEGER[]": "array(1)",
    "STRUCT": "named_struct('a', 1)",
    "MAP": "map('a', 1)",
}
"""A literal of each type; one of those that hold others stands for all of its kind."""
ALSO = {"INTERVAL DAY TO SECOND": "INTERVAL '1' DAY"}
"""A second value of a type whose values are not alike: a date accepts intervals of whole days."""
OPERATORS = {
    **{name: f"{{}} {name} {{}}" for name in "= < + - * / % || & | ^ AND".split()},
    "~~": "{} LIKE {}",
    "~": "{} RLIKE {}",
    "IN": "{} IN ({})",
    "IN_QUERY": "x IN (SELECT y FROM (SELECT {1} AS y)) FROM (SELECT {0} AS x)",
    "BETWEEN": "{0} BETWEEN {1} AND {1}",
    "CASE": "CASE WHEN true THEN {} ELSE {} END",
    "COALESCE": "coalesce({}, {})",
    "GREATEST": "greatest({}, {})",
    "ARRAY": "array({}, {})[0]",
    "UNION": "(SELECT max(x) FROM (SELECT {} AS x UNION SELECT {}))",
}
"""Ways to combine two values. `max` rejects maps, and so does a comparison of rows in UNION."""
SAME = {"<>": "=", "<=": "<", ">": "<", ">=": "<", "OR": "AND", "~~*": "~~", "#": "^"}
"""Operators that accept the same types as another; `#` is what the checker calls `^`."""
_OF_TYPES = re.compile(
    r"DATATYPE_MISMATCH|UNEXPECTED_INPUT_TYPE|NON_MAP_FUNCTION|NOT_VARIANT|should be|must be"
)
_OF_VALUES = re.compile("VALUE_OUT_OF_RANGE|NON_FOLDABLE|UNEXPECTED_NULL")
OTHER = "?"
"""The type of a call whose types are accepted, but not its values."""
Answer = tuple[str | None, str | None]
"""The engine's error, or the type of the only column."""
_SIZE = re.compile(r"\(\d+(?:,\d+)?\)")
Call = tuple[str, ...]


def canonical(text: str) -> str:
    """Return the checker's name of a type: `array<decimal(10,2)>` is `DECIMAL[]`."""
    text = _SIZE.sub("", text)
    if text.startswith("array<"):
        return f"{canonical(text[6:-1])}[]"
    if text.startswith(("struct<", "map<")):
        return text.partition("<")[0].upper()
    name = text.upper().partition(" COLLATE ")[0]
    if name.startswith("INTERVAL "):
        return "INTERVAL YEAR TO MONTH" if name.endswith(("YEAR", "MONTH")) else _DAYS
    return name


_DAYS = "INTERVAL DAY TO SECOND"


def operators(type_of: Callable[[str], str | None]) -> dict[str, list[list[str]]]:
    """Return, for each operator, the left and the right type and that of the result."""
    found = {
        name: [
            [left, right, canonical(result)]
            for left, right in product(VALUES, repeat=2)
            if (result := type_of(f"SELECT {template.format(VALUES[left], VALUES[right])}"))
        ]
        for name, template in OPERATORS.items()
    }
    return found | {name: found[other] for name, other in SAME.items()}


def negated(type_of: Callable[[str], str | None]) -> dict[str, str]:
    """Return the types that a minus before a value accepts, and its result."""
    results = {kind: type_of(f"SELECT -{value}") for kind, value in VALUES.items()}
    return {kind: canonical(result) for kind, result in results.items() if result}


def conditions(type_of: Callable[[str], str | None]) -> list[str]:
    """Return the types that AND accepts; WHERE accepts fewer."""
    return [kind for kind, value in VALUES.items() if type_of(f"SELECT {value} AND true")]


def distinct(type_of: Callable[[str], str | None]) -> list[str]:
    """Return the types that DISTINCT, INTERSECT and EXCEPT accept; GROUP BY accepts more."""
    return [kind for kind, value in VALUES.items() if type_of(f"SELECT DISTINCT {value}")]


def positions(type_of: Callable[[str], str | None]) -> list[str]:
    """Return the types of values that select an item of a list in brackets."""
    return [kind for kind, value in VALUES.items() if type_of(f"SELECT array(1)[{value}]")]


def fractions(ask: Callable[[str], Answer], names: Iterable[str]) -> dict[str, int]:
    """Return the place of an argument that must be between 0 and 1, by function."""
    templates = ("SELECT {}({}) WITHIN GROUP (ORDER BY 1)", "SELECT {}(1, {})")
    return {
        name: place
        for name in names
        for place, template in enumerate(templates)
        if ask(template.format(name, 0.5))[0] is None
        and "VALUE_OUT_OF_RANGE" in (ask(template.format(name, 50))[0] or "")
    }


_ZONE = r"(?:Z|[A-Za-z][\w/+:-]*|[+-]\d{1,2}(?::?\d{1,2}){0,2})"
_CLOCK = rf"(?:[01]?\d|2[0-3])(?::[0-5]?\d(?::[0-5]?\d(?:\.\d*)?(?:\s*{_ZONE})?)?)?"
_WORDS = "(?i:epoch|now|today|tomorrow|yesterday)"
_DAY = r"[+-]?(\d{4,7})(?:-(0?[1-9]|1[0-2])(?:-(\d{1,2})%s)?)?"
_MOMENT = rf"{_DAY % f'(?:[ T]{_CLOCK})?'}|{_WORDS}"
FORMATS = {
    "DATE": rf"\s*(?:{_DAY % '(?:[ T].*)?'}|{_WORDS})\s*",
    "TIMESTAMP": rf"\s*(?:{_MOMENT}|T{_CLOCK}|(?=\d+:){_CLOCK})\s*",
    "TIMESTAMP_NTZ": rf"\s*(?:{_MOMENT})\s*",
}
"""The texts of typed literals, by the chapter "Literals" of Spark's manual."""
_SAMPLE_DATES = (
    "2024-1-1|2024|2024-05|2024-05-01T|2024-05-01 xx|-2024-01-01|12024-01-01|0000-01-01"
    "| 2024-05-01 |2024-05-|2024-05-01x|x|024-01-01|01.01.2024|2024/01/01|20240101|2024-13-01"
)
_SAMPLE_MOMENTS = (
    "2024|2024-01|2024-01-01|2024-01-01 10|2024-01-01 10:00|2024-01-01T10:00:00.123456789|10:00"
    "|2024-01-01 10:00:00Z|2024-01-01 10:00:00 Z|2024-01-01 10:00:00+01:00|T10:00:00|now|x"
    "|2024-01-01 10:00:00 UTC+1|2024-01-01 10:00:00 Europe/Berlin|2024-01-01 25:00:00|2024-13-01"
    "|01.01.2024|2024/01/01 10:00:00|2024-01-01 10:60:00|2024-01-01-10|2024-01-01T|10:00 UTC"
)
SAMPLES_OF_FORMATS = (
    *(("DATE", text) for text in _SAMPLE_DATES.split("|")),
    *((kind, text) for kind in FORMATS if kind != "DATE" for text in _SAMPLE_MOMENTS.split("|")),
)


HOLDING = {"INTEGER[]": "ARRAY<INT>", "STRUCT": "STRUCT<a: INT>", "MAP": "MAP<STRING, INT>"}
"""A type of each kind that holds others."""


def casts(type_of: Callable[[str], str | None], names: Mapping[str, str]) -> list[list[str]]:
    """Return the pairs of types that CAST accepts; `names` are the checker's by the engine's."""
    spelled = {kind: name for name, kind in names.items()} | HOLDING
    return [
        [source, to]
        for (source, value), (to, name) in product(VALUES.items(), spelled.items())
        if type_of(f"SELECT CAST({value} AS {name})")
    ]


def filters(type_of: Callable[[str], str | None]) -> list[str]:
    """Return the types that WHERE accepts."""
    return [kind for kind, value in VALUES.items() if type_of(f"SELECT 1 WHERE {value}")]


def grouped(type_of: Callable[[str], str | None]) -> list[str]:
    """Return the types that GROUP BY accepts."""
    template = "SELECT count(*) FROM (SELECT {} AS x) GROUP BY x"
    return [kind for kind, value in VALUES.items() if type_of(template.format(value))]


def intervals(type_of: Callable[[str], str | None], units: Iterable[str]) -> dict[str, str]:
    """Return the types of intervals by their first unit."""
    found = {unit.upper(): type_of(f"SELECT INTERVAL '1' {unit}") for unit in units}
    return {unit: canonical(kind) for unit, kind in found.items() if kind}


def frames(type_of: Callable[[str], str | None]) -> list[list[str]]:
    """Return the pairs of the term of a window and the bound of its frame that RANGE accepts.

    The bounds that ROWS accepts have `ROWS` for a term.
    """
    template = "SELECT count(*) OVER (ORDER BY {} {} BETWEEN {} PRECEDING AND CURRENT ROW)"
    pairs = product(VALUES.items(), (*VALUES.items(), *ALSO.items()))
    of_range = dict.fromkeys(
        (term, bound)
        for (term, value), (bound, offset) in pairs
        if type_of(template.format(value, "RANGE", offset))
    )
    of_rows = [kind for kind, value in VALUES.items() if type_of(template.format(1, "ROWS", value))]
    return [*map(list, of_range), *(["ROWS", kind] for kind in of_rows)]


_OF_NULL = re.compile("UNEXPECTED_NULL|NON_FOLDABLE_ARGUMENT|NON_STRING_LITERAL")


def never_null(ask: Callable[[str], Answer], template: str, count: int) -> list[int]:
    """Return the places of arguments that must not be NULL."""
    for kinds in _bases(count):
        values = [VALUES[kind] for kind in kinds]
        if ask(template.format(", ".join(values)))[0] is None:
            calls = ([*values[:place], "NULL", *values[place + 1 :]] for place in range(count))
            errors = (ask(template.format(", ".join(call)))[0] for call in calls)
            return [place for place, error in enumerate(errors) if _OF_NULL.search(error or "")]
    return []


def unloaded(ask: Callable[[str], Answer], names: Iterable[str]) -> list[str]:
    """Return the functions of modules that Spark does not load by itself (`from_avro`)."""
    arguments = ("'1'", "X'01', 'a'", "named_struct('a', 1), 'a'", "named_struct('a', 1)")
    return [
        name
        for name in names
        if any("_NOT_LOADED" in (ask(f"SELECT {name}({one})")[0] or "") for one in arguments)
    ]


def described(type_of: Callable[[str], str | None], names: Iterable[str]) -> dict[str, list[str]]:
    """Return the kinds of types that a schema may be: `from_json('1', 'ARRAY<INT>')`."""
    kinds = {**HOLDING, "VARIANT": "VARIANT"}
    return {
        name: [kind for kind, text in kinds.items() if type_of(f"SELECT {name}('1', '{text}')")]
        for name in names
    }


def options(ask: Callable[[str], Answer], name: str, count: int) -> list[int]:
    """Return the places of a call where options stand, which only `map(…)` may give."""
    values = ["'1'", "named_struct('a', 1)"]
    return [
        place
        for place in range(1, count)
        if any(
            "NON_MAP_FUNCTION" in (ask(f"SELECT {name}({', '.join(call)})")[0] or "")
            for value in values
            if (call := [value, *["'a INT'"] * (place - 1), "'1'"])
        )
    ]


UNARY = {"~": "~({})", ":": "({}):a"}
"""Operators with one value, which are checked like functions; `:` reads a path of a document."""


def unary(ask: Callable[[str], Answer], classes: TypeSets) -> dict[str, list[list[Any]]]:
    """Return the signatures of operators with one value."""
    templates = {name: f"SELECT {one} FROM (SELECT {{}} AS x)" for name, one in UNARY.items()}
    return {
        name: [["scalar", *one, ""] for one in signatures(ask, template, 1, classes)]
        for name, template in templates.items()
    }


_OF_CONSTANTS = re.compile("FOLDABLE|must be .*literal|should be a \\w+ literal|NON_STRING_LITERAL")
_OF_FIELDS = re.compile("INVALID_EXTRACT_FIELD")
"""Errors about the value of a constant (`date_part('9', d)`)."""
MOST_TRIED = 4


def constants(ask: Callable[[str], Answer], template: str, count: int) -> list[int]:
    """Return the places of arguments that must be constants: a column is rejected there."""
    found, tried = set(), 0
    for kinds in _bases(count):
        values = [VALUES[kind] for kind in kinds]
        error = ask(template.format(", ".join(values)))[0]
        if error is not None and not _OF_FIELDS.search(error):
            continue
        for place, value in enumerate(values):
            with_column = template.format(", ".join([*values[:place], "x", *values[place + 1 :]]))
            error = ask(f"{with_column} FROM (SELECT {value} AS x)")[0]
            if error is not None and _OF_CONSTANTS.search(error):
                found.add(place)
        if (tried := tried + 1) == MOST_TRIED:
            break
    return sorted(found)


ALIKE = {
    "INT": ("TINYINT", "SMALLINT"),
    "DOUBLE": ("FLOAT",),
    "TIMESTAMP": ("TIMESTAMP_NTZ",),
    "INTERVAL DAY TO SECOND": ("INTERVAL YEAR TO MONTH", "INTERVAL"),
    "VARIANT": (),
}
"""Types that are tried for others too, where there are several arguments."""
TRIED = tuple(kind for kind in VALUES if not any(kind in others for others in ALIKE.values()))
ENOUGH = 2
"""Calls that are accepted, from which one argument at a time is varied; one for each first type."""


def signatures(
    ask: Callable[[str], Answer], template: str, count: int, classes: TypeSets
) -> Iterator[list[Any]]:
    """Yield result and parameters of the calls with a number of arguments that were accepted.

    Each argument is tried with every type while the others have some types that fit, so that a
    signature accepts too much rather than too little. There is none where the engine rejects every
    value (`from_json('1', '9')`).
    """
    if not count:
        error, only = ask(template.format("", "1"))
        if error is None and only is not None and "<" not in only:
            yield [canonical(only), []]
        return
    accepted = _accepted(lambda kinds: _asked(ask, template, kinds), count)
    if all(result == OTHER for result in accepted.values()):
        return
    holds_items = all(call[0] in {"INTEGER[]", "MAP"} for call in accepted)
    rest = [  # what an array of numbers accepts, one of texts does not
        "ANY" if holds_items else classes.named(_alike({call[place] for call in accepted}, count))
        for place in range(1, count)
    ]
    results: defaultdict[str, set[str]] = defaultdict(set)
    for call, result in accepted.items():
        results[call[0]] |= {result} - {OTHER}
    by_result: defaultdict[str | None, set[str]] = defaultdict(set)
    for first, given in results.items():
        result = next(iter(given)) if len(given) == 1 and _is_plain(first, given) else None
        by_result[result].add(first)
        is_same = len({one for some in results.values() for one in some}) == 1
        by_result[result if is_same else None] |= set(_alike({first}, count)) - {first}
    for result, firsts in by_result.items():
        if firsts:
            yield [result, [classes.named(firsts), *rest]]


def _is_plain(first: str, given: set[str]) -> bool:
    """Return whether the type of a value does not depend on what the first argument holds."""
    return first not in {"INTEGER[]", "STRUCT", "MAP"} and given.isdisjoint({"STRUCT", "MAP"})


def _alike(kinds: set[str], count: int) -> set[str]:
    more = (ALIKE.get(kind, ()) for kind in kinds) if count > 1 else ()
    return kinds.union(*more)


def _asked(ask: Callable[[str], Answer], template: str, kinds: Call) -> str | None:
    """Return the type of a call, `OTHER` if a value is rejected; None: its types are."""
    values = [{**VALUES, **ALSO}[kind] for kind in kinds]
    error, found = ask(template.format(", ".join(["x", *values[1:]]), values[0]))
    if error is not None and (_OF_VALUES.search(error) or not _OF_TYPES.search(error)):
        return OTHER
    return None if found is None else canonical(found)


def _accepted(ask: Callable[[Call], str | None], count: int) -> Mapping[Call, str]:
    """Return the calls that are accepted, among those that differ from one in one argument."""
    found: dict[Call, str] = {}
    varied: list[str] = []
    for base in _bases(count):
        if count > 1 and base[0] in varied and len(varied) >= ENOUGH:
            continue
        if (result := ask(base)) is None:
            continue
        found[base] = result
        varied.append(base[0])
        for place, kind in product(range(count), TRIED) if count > 1 else ():
            call = (*base[:place], kind, *base[place + 1 :])
            if call not in found and (result := ask(call)) is not None:
                found[call] = result
    return found


def _bases(count: int) -> Sequence[Call]:
    """Return calls to begin with: one type for all, or one for the first and one for the rest."""
    if count == 1:
        return [(kind,) for kind in VALUES]
    firsts = ("STRING", "INT", "DATE", "TIMESTAMP", "INTEGER[]", "MAP", "BINARY", "DOUBLE")
    firsts = (*firsts, "VARIANT", "STRUCT")
    rests = ("STRING", "INT", "DOUBLE")
    first_tried = ("INT", "STRING", "DATE", "INTEGER[]", "DOUBLE", "BOOLEAN")
    same = [(kind,) * count for kind in dict.fromkeys((*first_tried, *VALUES))]
    return [*same, *((first, *[rest] * (count - 1)) for first in firsts for rest in rests)]
