"""Which time zones ClickHouse knows, and which arguments of its functions name one.

Calls of several shapes are planned with an unknown zone in one place. An error that names the zone,
where `UTC` is accepted, tells that the argument is a time zone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clickhouse_asked import asked
from clickhouse_engine import Engine, each

if TYPE_CHECKING:
    from collections.abc import Mapping

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
"""Functions that are left out: they look at the zone for some types only, and are called with other
texts, as other engines have them (`date('2025-09-30', '-30 days')`). `toDate` and `toUnixTimestamp`
look at it for some types only, too, but are called with a zone where they have one."""


def time_zones(engine: Engine) -> list[str]:
    """Return the names of the time zones, in order."""
    return [name for (name,) in engine.rows(NAMES)]


def zone_arguments(document: Mapping[str, Any], folder: str) -> dict[str, list[int]]:
    """Return the places of arguments that name a time zone, by lower-case name of the function."""
    names = [name for name, _ in asked(document) if name.lower() not in OF_SOME_TYPES]
    found: dict[str, set[int]] = {}
    for name, places in zip(names, each(folder, _places, names), strict=True):
        if places:
            found.setdefault(name.lower(), set()).update(places)
    return {name: sorted(places) for name, places in sorted(found.items())}


def _places(engine: Engine, name: str) -> set[int]:
    found = set()
    for shape in SHAPES:
        call = f"SELECT {name}({', '.join(shape)})".format
        names_zone = f"time zone {UNKNOWN}" in engine.error(call(f"'{UNKNOWN}'"))
        if names_zone and not engine.code(call("'UTC'")):
            found.add(shape.index(_ZONE))
    return found
