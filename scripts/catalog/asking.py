"""Which forms, units of time and words an engine supports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlobs.check.forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def forms(
    *,
    is_refused: Callable[[str], bool],
    is_syntax_error: Callable[[str], bool] | None = None,
    probes: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the forms that the engine rejects, by running the probe of every form.

    Args:
        is_refused: prepares a statement over the tables `probe (x)` and `keyed (x PRIMARY KEY)`;
            any error is a rejection.
        is_syntax_error: tells which of them the grammar rejects, for engines that do not resolve
            unused CTEs.
        probes: probes in place of those whose other parts the engine spells in another way.
    """
    found = {}
    for name, form in FORMS.items():
        probe = (probes or {}).get(name, form.probe)
        if not is_refused(probe):
            continue
        if is_syntax_error is not None and is_syntax_error(probe):
            found[name] = "syntax error"
        else:
            found[name] = "rejected"
    return found


UNITS = (
    "microsecond millisecond second minute hour day week month quarter year decade century"
    " millennium isoyear isoweek isodow dow doy dayofweek dayofyear weekday weekofyear epoch julian"
    " timezone timezone_hour timezone_minute era date time microseconds milliseconds seconds"
    " minutes hours days weeks months quarters years decades centuries year_month day_hour"
    " day_minute day_second day_microsecond hour_minute hour_second hour_microsecond minute_second"
    " minute_microsecond second_microsecond yearweek us ms sec secs min mins hr hrs mon mons yr yrs"
    " s m h d w y nanosecond c cent dec decs mil mils millennia dayofmonth msec msecs msecond"
    " mseconds usec usecs usecond useconds"
    " sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month"
    " sql_tsi_quarter sql_tsi_year"
).split()
NO_UNIT = "ghost"
PLACES_OF_UNITS = {
    "extracted": "SELECT extract({} FROM CURRENT_TIMESTAMP)",
    "counted": "SELECT 1 FROM probe WHERE CURRENT_TIMESTAMP > CURRENT_TIMESTAMP - INTERVAL '1' {}",
    "written": "SELECT 1 FROM probe WHERE CURRENT_TIMESTAMP > CURRENT_TIMESTAMP - INTERVAL '1 {}'",
    "called": "SELECT timestampdiff({}, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
}
"""Where a unit of time stands: in EXTRACT, behind an interval, within one, first in a call."""


def units(
    *, is_refused: Callable[[str], bool], more: Iterable[str] = ()
) -> dict[str, dict[str, list[str]]]:
    """Return the units that the engine takes in each place where it does not take any word."""
    return {
        "units": {
            place: taken
            for place, sample in PLACES_OF_UNITS.items()
            if is_refused(sample.format(NO_UNIT))
            and (taken := [unit for unit in (*UNITS, *more) if not is_refused(sample.format(unit))])
            and (taken := [*_quoted(place, sample, is_refused), *taken])
        }
    }


def _quoted(place: str, sample: str, is_refused: Callable[[str], bool]) -> list[str]:
    """Return the empty word where the first argument of a call may be a string literal."""
    return [""] if place == "called" and not is_refused(sample.format("'day'")) else []


def formats(
    patterns: Mapping[str, str],
    samples: Iterable[tuple[str, str]],
    *,
    is_refused: Callable[[str], bool],
) -> dict[str, str]:
    """Return the patterns of the texts of typed literals: `DATE '2020-01-01'`.

    The groups of a pattern are year, month and day, which must exist in the calendar.

    Args:
        patterns: what the manual says, by type.
        samples: types and texts, with which each pattern is confirmed.
        is_refused: whether the engine rejects a statement.

    Raises:
        ValueError: the engine and the pattern differ about a sample.
    """
    for kind, text in samples:
        if is_refused(f"SELECT {kind} '{text}'") is (
            re.fullmatch(patterns[kind], text) is not None
        ):
            raise ValueError(f"{kind} '{text}'")
    return dict(patterns)


def value_words(words: Iterable[str], *, is_refused: Callable[[str], bool]) -> list[str]:
    """Return the words that are a value where no table is, in quotes too: no NULL, no TRUE."""
    plain = sorted({word.lower() for word in words if word.isidentifier()})
    return [word for word in plain if not is_refused(f'SELECT {word}, "{word}"')]
