"""Calls of Spark whose arguments share a type, or are lambdas: written down, then confirmed.

A letter stands for one type throughout a call: E, K and A for exactly one or a wider number, T, U
and V for any that the engine finds a common type for. `?` is measured, `*` repeats the last one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spark_types import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from type_sets import TypeSets

SCALARS = """
array() ?
array(T*) T[]
array_append(E[], E) E[]
array_compact(E[]) E[]
array_contains(E[], E) BOOLEAN
array_distinct(E[]) E[]
array_except(E[], E[]) E[]
array_insert(E[], INT, E) E[]
array_intersect(E[], E[]) E[]
array_join(E[], STRING) STRING
array_join(E[], STRING, STRING) STRING
array_max(E[]) E
array_min(E[]) E
array_position(E[], E) BIGINT
array_prepend(E[], E) E[]
array_remove(E[], E) E[]
array_repeat(E, INT) E[]
array_sort(E[]) E[]
array_sort(E[], (E, E) -> INT) E[]
array_union(E[], E[]) E[]
arrays_overlap(E[], E[]) BOOLEAN
coalesce(T*) T
concat() STRING
concat(BINARY*) BINARY
concat(T[]*) T[]
concat(?*) STRING
concat_ws(?, ?*) STRING
concat_ws(?) STRING
element_at(E[], ?) E
element_at(MAP(K, V), K) V
exists(E[], (E) -> BOOLEAN) BOOLEAN
filter(E[], (E) -> BOOLEAN) E[]
filter(E[], (E, INT) -> BOOLEAN) E[]
flatten(E[][]) E[]
forall(E[], (E) -> BOOLEAN) BOOLEAN
get(E[], ?) E
if(BOOLEAN, T, T) T
ifnull(T, T) T
map_concat(MAP(K, V)*) MAP(K, V)
map_contains_key(MAP(K, V), K) BOOLEAN
map_entries(MAP(K, V)) STRUCT(key K, value V)[]
map_filter(MAP(K, V), (K, V) -> BOOLEAN) MAP(K, V)
map_from_arrays(K[], V[]) MAP(K, V)
map_keys(MAP(K, V)) K[]
map_values(MAP(K, V)) V[]
map_zip_with(MAP(K, V), MAP(K, T), (K, V, T) -> U) MAP(K, U)
nullif(T, T) T
nvl(T, T) T
nvl2(?, T, T) T
reverse(E[]) E[]
reverse(?) STRING
shuffle(E[]) E[]
slice(E[], ?, ?) E[]
sort_array(E[]) E[]
sort_array(E[], BOOLEAN) E[]
str_to_map(STRING) MAP(STRING, STRING)
str_to_map(STRING, STRING) MAP(STRING, STRING)
str_to_map(STRING, STRING, STRING) MAP(STRING, STRING)
transform(E[], (E) -> U) U[]
transform(E[], (E, INT) -> U) U[]
transform_keys(MAP(K, V), (K, V) -> U) MAP(U, V)
transform_values(MAP(K, V), (K, V) -> U) MAP(K, U)
try_element_at(E[], INT) E
try_element_at(MAP(K, V), K) V
zip_with(E[], T[], (E, T) -> U) U[]
aggregate(E[], A, (A, E) -> A) A
aggregate(E[], A, (A, E) -> A, (A) -> U) U
reduce(E[], A, (A, E) -> A) A
reduce(E[], A, (A, E) -> A, (A) -> U) U
greatest(E, E*) E
least(E, E*) E
"""
AGGREGATES = """
any_value(T) T
array_agg(T) T[]
collect_list(T) T[]
collect_set(T) T[]
first(T) T
first_value(T) T
last(T) T
last_value(T) T
"""
WINDOWS = """
lag(T) T
lag(T, INT) T
lag(T, INT, T) T
lead(T) T
lead(T, INT) T
lead(T, INT, T) T
nth_value(T, ?) T
"""
KINDS = {"scalar": SCALARS, "aggregate": AGGREGATES, "window": WINDOWS}
NAMES = frozenset(re.findall(r"^(\w+)\(", SCALARS + AGGREGATES + WINDOWS, re.MULTILINE))
SAMPLES = {"E": "INT", "T": "INT", "K": "STRING", "V": "INT", "U": "STRING", "A": "BIGINT"}
"""The type that each letter is tried with."""
SAMPLE = {"INT": "1", "BIGINT": "1L", "STRING": "'1'", "BOOLEAN": "true", "BINARY": "X'01'"}
LINE = re.compile(r"(\w+)\((.*)\) (\S.*)")
LETTER = re.compile(r"\b[A-Z]\b")


def signatures(
    ask: Callable[[str], tuple[str | None, str | None]], classes: TypeSets
) -> dict[str, list[list[Any]]]:
    """Return name to signatures.

    Raises:
        ValueError: the engine does not accept one, or it has another type.
    """
    found: dict[str, list[list[Any]]] = {}
    for kind, lines in KINDS.items():
        for line in lines.strip().splitlines():
            known = LINE.fullmatch(line)
            if known is None:
                raise ValueError(line)
            name, written, result = known.groups()
            parameters = list(split(written))
            template = f"SELECT {name}({{}})" + " OVER (ORDER BY 1)" * (kind == "window")
            confirm(ask, template, parameters, result)
            measured = [
                _measured(ask, template, parameters, place, classes)
                for place, parameter in enumerate(parameters)
                if parameter.strip("*") == "?"
            ]
            plain = [
                measured.pop(0) if one.strip("*") == "?" else one.rstrip("*") for one in parameters
            ]
            repeats = written.endswith("*")
            row = [kind, None if result == "?" else result, plain, plain[-1] if repeats else ""]
            found.setdefault(name, []).append(row)
    return found


def confirm(
    ask: Callable[[str], tuple[str | None, str | None]],
    template: str,
    parameters: list[str],
    result: str,
) -> None:
    """Ask the engine whether a call with sample values is accepted and has the type of `result`.

    Raises:
        ValueError: it is not.
    """
    error, kind = ask(template.format(", ".join(map(value, parameters))))
    if error is not None or (result != "?" and kind != spelled(result)):
        raise ValueError(f"{template} {parameters}: {error or kind}, not {spelled(result)}")


def _measured(
    ask: Callable[[str], tuple[str | None, str | None]],
    template: str,
    parameters: list[str],
    place: int,
    classes: TypeSets,
) -> str:
    """Return the set of types that a call accepts in one place."""
    accepted = []
    for kind, text in VALUES.items():
        values = [*map(value, parameters)]
        values[place] = text
        if parameters[place].endswith("*"):
            values.append("'1'")
        if ask(template.format(", ".join(values)))[0] is None:
            accepted.append(kind)
    return classes.named(accepted)


def split(text: str) -> Iterator[str]:
    """Yield the parts between commas outside of parentheses.

    >>> list(split("MAP(K, V), (K, V) -> U"))
    ['MAP(K, V)', '(K, V) -> U']
    """
    depth, begin = 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            yield text[begin:place].strip()
            begin = place + 1
    if text.strip():
        yield text[begin:].strip()


def value(parameter: str) -> str:
    """Return an expression of the type of a parameter, with samples for its letters.

    >>> value("MAP(K, V)"), value("E[]"), value("(A, E) -> A")
    ("map('1', 1)", 'array(1)', '(p0, p1) -> 1L')
    """
    parameter = parameter.rstrip("*")
    if parameter == "?":
        return "1"
    if parameter.startswith("("):
        before, _, body = parameter.partition(" -> ")
        names = [f"p{place}" for place in range(before.count(",") + 1)]
        listed = f"({', '.join(names)})" if names[1:] else names[0]
        return f"{listed} -> {value(body)}"
    if parameter.endswith("[]"):
        return f"array({value(parameter[:-2])})"
    if parameter.startswith("MAP("):
        return f"map({', '.join(map(value, split(parameter[4:-1])))})"
    return SAMPLE[SAMPLES.get(parameter, parameter)]


def spelled(kind: str) -> str:
    """Return Spark's own name of a type, with samples for its letters.

    >>> spelled("STRUCT(key K, value V)[]")
    'array<struct<key:string,value:int>>'
    """
    if kind.endswith("[]"):
        return f"array<{spelled(kind[:-2])}>"
    if kind.startswith("MAP("):
        return f"map<{','.join(map(spelled, split(kind[4:-1])))}>"
    if kind.startswith("STRUCT("):
        fields = (field.partition(" ") for field in split(kind[7:-1]))
        return f"struct<{','.join(f'{name}:{spelled(inner)}' for name, _, inner in fields)}>"
    return SAMPLES.get(kind, kind).lower()
