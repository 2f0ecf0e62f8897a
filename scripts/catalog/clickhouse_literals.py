"""Which literals ClickHouse's functions reject as an argument, whatever their type allows.

The engine computes a call of constants while it plans a query, and a call of columns for no rows: a
scale, a length, an index or a text that the function cannot use is an error then. The calls that
the documentation shows are planned with other literals in one place. A literal stands for those
like it: the checker calls the class of a text by its shape, and a whole number of n digits is like
the least one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clickhouse_engine import Engine, each
from clickhouse_examples import examples
from clickhouse_types import SHAPES, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBERS = ("-1", "0", "1", "2", "0.5", "1.5", *(str(10**power) for power in range(1, 10)))
UNASKED = re.compile(
    r"AI[A-Z]|sleep|file$|__|throwIf$|rand|generate|getSetting|getMacro|addressTo|parseDateTime(?!\w*Be)"
    r"|str_to_date|STR_TO_DATE|TO_UNIXTIME|formatQuery|timestamp|dict|JSON|parseQuery|structureTo|convertCharset|printf|\w+Cast"
    r"|cast|CAST|reinterpret|defaultValueOfTypeName|arrayReduce|tokens|encrypt|decrypt|tryDecrypt|aes_"
    r"|\w+Joda|formatDateTime|dateName|variantElement|dynamicElement|naive|catboost|translate|arrayShift"
)
"""How functions begin that ask a model, wait, read a file, or give another error each time, and
those whose text names something, or is read by a format or a grammar."""
LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?")
OTHERS = {46, 47, 60, 81, 241, 159, 160}
"""Errors that tell nothing of a literal: unknown names, too much memory, too slow."""
MOST_CALLS = 4
VARIED = (
    *("'abcdefghijklmnopqrstuvwxyz012345'", "'a'", "'2024-01-01 10:00:00'", "toUInt64(1000000)"),
    *("1", "0", "range(100)", "toDateTime('2024-01-01 10:00:00')", "1.5"),
)
"""Values in the place of another argument: a literal that is accepted beside one of them is none
that the function always rejects."""
Rejected = dict[str, list[list[str]]]


def argument_values(engine: Engine, listed: list[list[str]], folder: str) -> dict[str, Rejected]:
    """Return the literals that functions reject, by lower-case name and place.

    First those that are rejected beside constants, then those beside columns.
    """
    shown, found = examples(engine), {}
    names = [
        (row[0], tuple(call for _, call in shown.get(row[3] or row[0], [])))
        for row in listed
        if row[1] != "1" and UNASKED.match(row[0]) is None
    ]
    tasks = [task for task in names if any(map(_has_literal, task[1]))]
    for (name, _), rejected in zip(tasks, each(folder, _places, tasks), strict=True):
        if rejected:
            found[name.lower()] = rejected
    return dict(sorted(found.items()))


def _has_literal(call: Sequence[str]) -> bool:
    return any(map(LITERAL.fullmatch, call))


def _places(engine: Engine, task: tuple[str, Sequence[tuple[str, ...]]]) -> Rejected:
    name, calls = task
    ways = [_accepted(engine, name, way) for way in (calls, [*map(_of_columns, calls)])]
    found: Rejected = {}
    for place in range(max(map(len, calls), default=0)):
        if any(_names_zone(one) for call in calls for one in call[place : place + 1]):
            continue  # which are known
        rejected = [sorted(_of_place(engine, name, way, place)) for way in ways]
        if any(rejected) and {*rejected[1]} <= {*NUMBERS}:
            found[str(place)] = rejected  # a text beside columns is read by a grammar of its own
    return found


def _names_zone(argument: str) -> bool:
    return re.fullmatch(r"'(?:UTC|[A-Z][a-z]+/\w+)'", argument) is not None


def _accepted(engine: Engine, name: str, calls: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the first calls that the engine accepts."""
    found: list[tuple[str, ...]] = []
    for call in dict.fromkeys(calls):
        if call and not engine.code(_query(name, call)):
            found.append(call)
        if len(found) == MOST_CALLS:
            break
    return found


def _of_columns(call: tuple[str, ...]) -> tuple[str, ...]:
    """Return a call whose first argument is no constant."""
    is_constant = call and "materialize" not in call[0] and "->" not in call[0]
    return (f"materialize({call[0]})", *call[1:]) if is_constant else ()


def _of_place(engine: Engine, name: str, calls: Sequence[tuple[str, ...]], place: int) -> set[str]:
    """Return the classes of literals that all calls reject in a place."""
    calls = [one for one in calls if place < len(one) and LITERAL.fullmatch(one[place])]
    if not calls:
        return set()
    given = [one[place] for one in calls]
    is_text = given[0].startswith("'")
    if any(one.startswith("'") != is_text for one in given):
        return set()
    found: set[str] = set()
    for label, literals in _texts(given) if is_text else ((one, [one]) for one in NUMBERS):
        tried = [(*call[:place], one, *call[place + 1 :]) for one in literals for call in calls]
        if all(_is_rejected(engine, name, one) for one in tried) and not any(
            _depends(engine, name, one, place) for one in tried[:: len(calls)][:2]
        ):
            found.add(label)
    return found


_LATE = {"materialize(": tuple(f"materialize({one})" for one in VARIED)}
"""A column is varied by columns."""


def _depends(engine: Engine, name: str, call: tuple[str, ...], place: int) -> bool:
    """Return whether a rejected literal is accepted beside another argument."""
    return any(
        not engine.code(_query(name, (*call[:other], value, *call[other + 1 :])))
        for other in range(len(call))
        if other != place
        for value in (_LATE.get(call[other][:12], VARIED))
    )


def _texts(given: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the shapes of texts that no accepted call has, with texts of them."""
    known = {_shape_of(one[1:-1]) for one in given}
    for shape in SHAPES:
        if shape not in known:
            yield shape, [f"'{one}'" for one in texts_of(shape)]


def _shape_of(text: str) -> str | None:
    return next((name for name, (_, way) in SHAPES.items() if re.fullmatch(way, text)), None)


def _is_rejected(engine: Engine, name: str, call: tuple[str, ...]) -> bool:
    code = engine.code(_query(name, call))
    return bool(code) and code not in OTHERS


def _query(name: str, call: tuple[str, ...]) -> str:
    return f"SELECT {name}({', '.join(call)}) FROM kinds"


LANGUAGES = {
    "pattern": ("'('", "'(a)'", ("compile re2", "valid re2")),
    "template": ("'{'", "'{}'", ("curly brace",)),
    "path": ("'x['", "'$.a'", ("JSONPath",)),
}
"""A text that is none of a language, one that is, and how the errors of the first say it."""
SHAPES_OF_CALLS = (("{}", "s"), ("s", "{}"), ("s", "{}", "'a'"), ("s", "{}", "1"), ("{}", "s", "s"))
"""Arguments of calls: a text in a language, and other texts."""


def texts_in_language(
    _engine: Engine, listed: list[list[str]], folder: str
) -> dict[str, dict[str, dict[str, str]]]:
    """Return, by language, the functions with the place of a text that must be in the language.

    Some functions read the text whatever else they are given, others only beside constants.
    """
    names = [row[0] for row in listed if row[1] != "1" and not OF_NO_LANGUAGE.match(row[0])]
    found: dict[str, dict[str, dict[str, str]]] = {language: {} for language in LANGUAGES}
    for name, languages in zip(names, each(folder, _languages, names), strict=True):
        for language, places in languages.items():
            found[language][name.lower()] = places
    return found


OF_NO_LANGUAGE = re.compile(r"__|sleep|AI[A-Z]|file$")


def _languages(engine: Engine, name: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for language, (wrong, right, messages) in LANGUAGES.items():
        for shape in SHAPES_OF_CALLS:
            for value, way in (("s", "always"), ("'a'", "constants")):
                call = [value if one == "s" else one for one in shape]
                said = engine.error(_query(name, _filled(call, wrong)))
                is_read = any(one in said for one in messages)
                if is_read and not engine.code(_query(name, _filled(call, right))):
                    found.setdefault(language, {}).setdefault(str(shape.index("{}")), way)
    return found


def _filled(call: Sequence[str], text: str) -> tuple[str, ...]:
    return tuple(text if one == "{}" else one for one in call)
