"""Which parameters ClickHouse's aggregates have and reject, and what only a setting enables."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from clickhouse_examples import arguments_at, examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clickhouse_engine import Engine

EXACT = ("-1", "0", "1", "2", "0.5", "1.5", "'a'")
"""Values that stand for themselves, or for those of their kind: negative, a fraction, a text."""
GROWING = tuple(str(10**power) for power in range(1, 10))
"""Whole numbers, each of which stands for those up to the next: a limit is between two of them."""
MOST = 5
"""Aggregates with more parameters take any number of them."""
DISABLED = re.compile(r"(?:Set|setting) `?((?:allow|enable)_\w+)")
"""`Set `enable_funnel_functions` setting to enable it`."""
SWITCHED_OFF = re.compile(r"because setting '(\w+)' is set to 0")
OFF_ON_SERVERS = "allow_introspection_functions"
"""A setting that chDB alone turns on."""
NO_PARAMETERS = {34, 35, 42, 133}
"""TOO_MANY_ARGUMENTS_FOR_FUNCTION, TOO_FEW_…, NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS."""
PARAMETERS = (
    *("(1)", "(0.5, 0.9)", "(3, 0, 10)", "('a')", "(10, 0.1)"),
    *("(0.5)", "(10)", "('(?1)')", "([1])", "(100, 0.5)"),
)
ARGUMENTS_OF_AGGREGATES = (
    "i|u8|f|a|s|m|r|au|i, i|u, u|u8, f|t, f|f, t|a, a|s, i|t, s|t, u8 = 1|t, u8 = 1, u8 = 2"
    "|t, s, u8 = 1, u8 = 2"
).split("|")
UNKNOWN_AGGREGATE = 63
UNLIKE = ("i", "s", "i, u8", "s, u8", "t, u8 = 1", "i, i, i")
"""Arguments of several types: a parameter may have to be of their type."""
SHAPES = ("", "(1)", "(1, 2)", "(1, 2, 3)", "(1, 2, 3, 4)", "(1, 2, 3, 4, 5)")


def rejected(engine: Engine, name: str, given: list[str], arguments: str) -> list[list[str]]:
    """Return the values that an aggregate rejects in the place of each accepted parameter."""

    def is_rejected(value: str, place: int) -> bool:
        other = ", ".join([*given[:place], value, *given[place + 1 :]])
        calls = (f"{name}({other})({one})" for one in (arguments, *UNLIKE))
        return all(engine.code(f"SELECT {call} FROM kinds") for call in calls)

    found = [
        _of_place(lambda value, place=place: is_rejected(value, place), one)
        for place, one in enumerate(given)
    ]
    return found if any(found) else []


def _of_place(is_rejected: Callable[[str], bool], accepted: str) -> list[str]:
    """Return the rejected values; of texts, only some may be accepted, which are not known."""
    exact = [value for value in EXACT if is_rejected(value)]
    if accepted.startswith("'"):
        return [value for value in exact if not value.startswith("'")]
    growing = [value for value in GROWING if is_rejected(value)]
    is_from_some = "1" in exact and GROWING[0] in growing  # the least one is not known
    is_up_to = bool(growing) and growing == list(GROWING[-len(growing) :])
    return exact + (growing if is_up_to and not is_from_some else [])


def calls(engine: Engine, listed: list[list[str]]) -> Iterator[tuple[str, list[str], str]]:
    """Yield the aggregates with parameters and arguments that they accept."""
    shown = examples(engine)
    for name, is_aggregate, _, alias_of, *_ in listed:
        if is_aggregate != "1":
            continue
        some = [one for one, _ in shown.get(alias_of or name, []) if one]
        for parameters in dict.fromkeys((*some, *PARAMETERS)):
            given = list(arguments_at(parameters, 0)[0])
            arguments = next(
                (
                    one
                    for one in ARGUMENTS_OF_AGGREGATES
                    if not engine.code(f"SELECT {name}{parameters}({one}) FROM kinds")
                ),
                None,
            )
            if arguments is not None and len(given) <= MOST:
                yield name, given, arguments
                break


def parameter_values(engine: Engine, listed: list[list[str]]) -> dict[str, list[list[str]]]:
    """Return the parameters that aggregates reject, by lower-case name and place."""
    return {
        name.lower(): found
        for name, given, arguments in calls(engine, listed)
        if (found := rejected(engine, name, given, arguments))
    }


def disabled(engine: Engine, listed: list[list[str]]) -> dict[str, str]:
    """Return the functions that only a setting enables, by lower-case name."""
    found = {}
    for name, is_aggregate, *_ in listed:
        setting = (
            enabling_aggregate(engine, name) if is_aggregate == "1" else enabling(engine, name)
        )
        if setting is not None:
            found[name.lower()] = setting
    return found


def enabling_aggregate(engine: Engine, name: str) -> str | None:
    """Return the setting without which an aggregate is unknown."""
    said = [engine.error(f"SELECT {name}{one}(i) FROM kinds") for one in SHAPES]
    if not any(f"Code: {UNKNOWN_AGGREGATE}" in one for one in said):
        return None
    setting = next(filter(None, map(DISABLED.search, said)), None)
    return setting and setting[1]


def enabling(engine: Engine, name: str) -> str | None:
    """Return the setting that a function needs and that servers have turned off."""
    said = engine.error(f"SELECT {name}(s) FROM kinds SETTINGS {OFF_ON_SERVERS} = 0")
    setting = SWITCHED_OFF.search(said)
    return setting and setting[1]


def parameter_counts(engine: Engine, listed: list[list[str]]) -> dict[str, list[int]]:
    """Return how many parameters aggregates accept, by lower-case name, where that is limited."""
    return {
        row[0].lower(): counts
        for row in listed
        if row[1] == "1" and len(counts := accepted_parameters(engine, row[0])) <= MOST
    }


def accepted_parameters(engine: Engine, name: str) -> list[int]:
    """Return the numbers of parameters of an aggregate that are not rejected as such."""

    def code(parameters: str, arguments: str) -> int:
        return engine.code(f"SELECT {name}{parameters}({arguments}) FROM kinds", "QUERY TREE")

    given = product(("", *PARAMETERS), ARGUMENTS_OF_AGGREGATES)
    base = next(
        (arguments for parameters, arguments in given if not code(parameters, arguments)), None
    )
    if base is None:
        return list(range(MOST + 1))
    codes = [{code(one, base) for one in some} for some in parameters_by_count()]
    return [
        count
        for count, found in enumerate(codes)
        if 0 in found or (count and not found & NO_PARAMETERS)
    ]


def parameters_by_count() -> list[list[str]]:
    """Return lists of parameters by their number: those of the probes, and one repeated."""
    repeated = ("1", "0.5", "'a'", "[1]")
    found = [[f"({', '.join([one] * count)})" for one in repeated] for count in range(MOST + 1)]
    found[0] = [""]
    for one in PARAMETERS:
        found[one.count(",") + 1].append(one)
    return found
