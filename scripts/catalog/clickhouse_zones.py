"""Which time zones ClickHouse knows, and which arguments of its functions name one.

Calls of several shapes are planned with an unknown zone in one place. An error that names the zone,
where `UTC` is accepted, tells that the argument is a time zone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clickhouse_asked import asked
from clickhouse_engine import Engine, each
from clickhouse_pairs import LETTERS
from clickhouse_types import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAMES = "SELECT time_zone FROM system.time_zones ORDER BY time_zone"
_DAY = "toDate('2024-01-01')"
_MOMENT = "toDateTime('2024-01-01 00:00:00')"
_TEXT = "'2024-01-01 00:00:00'"
_UUID = "toUUID('018f05c9-4ab8-7b86-b64e-c9f03fbd45d1')"
_ZONE = "{}"
SHAPES = (
    (_ZONE,),
    *((one, _ZONE) for one in (_MOMENT, _TEXT, _DAY, "3", "1700000000", "20240101", _UUID)),
    *((_MOMENT, one, _ZONE) for one in ("3", "'%F'", "INTERVAL 1 DAY", "1")),
    *((_TEXT, one, _ZONE) for one in ("3", "'%F'")),
    *((one, "'%F'", _ZONE) for one in (_DAY, "1700000000")),
    *(("'day'", one, _ZONE) for one in (_DAY, _MOMENT)),
    ("'day'", _MOMENT, _MOMENT, _ZONE),
    ("2024", "1", "1", "0", "0", "0", _ZONE),
)
"""Arguments of calls that may have a time zone in one place."""
UNKNOWN = "nowhere"
OF_SOME_TYPES = frozenset({"date", "date_format", "datename", "from_unixtime"})
"""Functions that are left out: they are called with other texts, as other engines have them
(`date('2025-09-30', '-30 days')`)."""
VALUES = {
    **{kind: (values[0],) for kind, values in KINDS.items() if not kind.endswith("_LITERAL")},
    "STRING_LITERAL": ("'2024-01-01 00:00:00'", "'2024-01-01'"),
    "INTEGER_LITERAL": ("3", "20240101"),
    "DECIMAL_LITERAL": ("1.5",),
}
"""A value of each kind in place of the one that a zone belongs to."""
CONSTANTS = {"DATE": _DAY, "DATE32": "toDate32('2024-01-01')", "DATETIME": _MOMENT, "UUID": _UUID}
"""Of `DATETIME64`, whatever holds for columns holds."""


def time_zones(engine: Engine) -> list[str]:
    """Return the names of the time zones, in order."""
    return [name for (name,) in engine.rows(NAMES)]


def zone_arguments(document: Mapping[str, Any], folder: str) -> dict[str, dict[str, list[str]]]:
    """Return the places of arguments that name a time zone, by lower-case name of the function.

    With each, the letters of the kinds of values for which the zone is looked at: of columns, of
    columns that may be null, and of constants.
    """
    names = [name for name, _ in asked(document) if name.lower() not in OF_SOME_TYPES]
    found: dict[str, dict[str, list[str]]] = {}
    for name, places in zip(names, each(folder, _places, names), strict=True):
        if places:
            found.setdefault(name.lower(), {}).update(places)
    return dict(sorted(found.items()))


def _places(engine: Engine, name: str) -> dict[str, list[str]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for shape in SHAPES:
        if _names_zone(engine, name, shape) and _is_accepted(engine, name, shape):
            found.setdefault(str(shape.index(_ZONE)), []).append(shape)
    return {place: _kinds(engine, name, shapes) for place, shapes in sorted(found.items())}


def _kinds(engine: Engine, name: str, shapes: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the letters of the kinds of values for which an unknown zone is an error."""
    letters = {kind: letter for letter, kind in LETTERS.items()}
    ways = (
        {kind: values for kind, values in VALUES.items() if kind in letters},
        {kind: (f"toNullable({values[0]})",) for kind, values in VALUES.items() if kind in letters},
        {kind: (value,) for kind, value in CONSTANTS.items()},
    )
    return [
        "".join(
            letters[kind]
            for kind, values in way.items()
            if any(
                _names_zone(engine, name, one)
                for shape in shapes
                for value in values
                for one in _with_value(shape, value)
            )
        )
        for way in ways
    ]


def _with_value(shape: tuple[str, ...], value: str) -> Iterator[tuple[str, ...]]:
    """Yield a call with another value in the place of the one that the zone belongs to."""
    place = 1 if shape[0] == "'day'" else 0
    if shape[place] != _ZONE:
        yield (*shape[:place], value, *shape[place + 1 :])


def _names_zone(engine: Engine, name: str, shape: tuple[str, ...]) -> bool:
    call = ", ".join(shape).replace(_ZONE, f"'{UNKNOWN}'")
    return f"time zone {UNKNOWN}" in engine.error(f"SELECT {name}({call}) FROM kinds")


def _is_accepted(engine: Engine, name: str, shape: tuple[str, ...]) -> bool:
    call = ", ".join(shape).replace(_ZONE, "'UTC'")
    return not engine.code(f"SELECT {name}({call}) FROM kinds")
