"""Asks ClickHouse which parameters its aggregates reject, and which of them a setting enables.

`python scripts/catalog/clickhouse_parameters.py FOLDER` writes both sections of the catalog anew.
"""

from __future__ import annotations

import re
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from from_clickhouse import Engine

EXACT = ("-1", "0", "1", "2", "0.5", "1.5", "'a'")
"""Values that stand for themselves, or for those of their kind: negative, a fraction, a text."""
GROWING = tuple(str(10**power) for power in range(1, 10))
"""Whole numbers, each of which stands for those up to the next: a limit is between two of them."""
MOST = 5
"""Aggregates with more parameters take any number of them."""
DISABLED = re.compile(r"(?:Set|setting) `?((?:allow|enable)_\w+)")
"""`Set `enable_funnel_functions` setting to enable it`."""
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
    from from_clickhouse import ARGUMENTS_OF_AGGREGATES, PARAMETERS, arguments_at, examples

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
    """Return the aggregates that only a setting enables, by lower-case name."""
    found = {}
    for name, is_aggregate, *_ in listed:
        if is_aggregate != "1":
            continue
        said = [engine.error(f"SELECT {name}{one}(i) FROM kinds") for one in SHAPES]
        if not any(f"Code: {UNKNOWN_AGGREGATE}" in one for one in said):
            continue
        setting = next(filter(None, map(DISABLED.search, said)), None)
        if setting is not None:
            found[name.lower()] = setting[1]
    return found


def main() -> None:
    """Ask the engine and write its sections."""
    from from_clickhouse import NAMES, Engine
    from writing import write_section

    engine = Engine(tempfile.mkdtemp(dir=sys.argv[1]))
    [[version]] = engine.rows("SELECT version()")
    number, listed = ".".join(version.split(".")[:2]), engine.rows(NAMES)
    write_section("clickhouse", number, "disabled", disabled(engine, listed))
    write_section("clickhouse", number, "parameter_values", parameter_values(engine, listed))


if __name__ == "__main__":
    main()
