"""What an engine knows by itself: its functions, types, operators and reserved words.

The data files beside this module are generated from the engines by `scripts/catalogue`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs._version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal[
    "scalar", "aggregate", "window", "ordered", "hypothetical", "table", "macro", "geometric"
]

ANY_NUMBER: Final = -1


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function."""

    kind: Kind
    least: int
    most: int
    """`ANY_NUMBER`: no limit."""
    result: str | None = None
    """The type of its value; None: not known."""
    arguments: tuple[str, ...] | None = None
    """The types of its arguments; None: any."""
    variadic: str = ""
    """The type of further arguments; empty: none."""

    def takes(self, count: int) -> bool:
        """Say whether a call with so many arguments fits."""
        return self.least <= count and (self.most == ANY_NUMBER or count <= self.most)


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """The catalogue of one engine in one version."""

    engine: str
    functions: Mapping[str, tuple[Signature, ...]]
    """By lower-case name."""
    reserved: Mapping[str, frozenset[str]]
    """Upper-case words that the grammar refuses as a name, by position."""
    any_reserved: frozenset[str]
    spaced: frozenset[str] = frozenset()
    """Lower-case functions that a blank before the bracket breaks."""
    refused: frozenset[str] = frozenset()
    """Statements of `constructs` and `samples` that the engine refuses, by text or name."""
    ungrammatical: frozenset[str] = frozenset()
    """Those of `samples` that its grammar refuses; told of engines that leave CTEs unread."""
    value_words: frozenset[str] = frozenset()
    """Lower-case words that stand alone like a column and are a value of the engine."""
    collations: frozenset[str] = frozenset()
    """Empty: not known."""
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Lower-case units of time by the place where they stand; no place: any word is taken there."""
    table_columns: Mapping[str, list[tuple[str, int]]] = field(default_factory=dict)
    """Columns of functions that stand in FROM, by name; with 1 those that a star leaves out."""
    value_names: Mapping[str, str] = field(default_factory=dict)
    """The column of functions in FROM that give one, where it is not named after their alias."""
    relations: frozenset[str] = frozenset()
    """Lower-case tables and views of the engine that need no namespace."""
    cast_types: frozenset[str] = frozenset()
    """Lower-case types that CAST takes, `char()` with a length; empty: all."""
    shapeless: frozenset[str] = frozenset()
    """Lower-case functions that need their columns defined behind them, in FROM."""
    sets: frozenset[str] = frozenset()
    """Lower-case functions that give several rows."""
    quoted_calls: frozenset[str] = frozenset()
    """Lower-case functions whose name must be quoted: without, it is that of a type (`time`)."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """Sections that only one engine has (`operators`, `casts`, `ranges`)."""

    def kinds(self, name: str, count: int) -> frozenset[Kind]:
        """Return the kinds of function that a call may be."""
        return _kinds(self, name.lower(), count)


@lru_cache(maxsize=4096)
def _kinds(catalogue: Catalogue, name: str, count: int) -> frozenset[Kind]:
    signatures = catalogue.functions.get(name, ())
    return frozenset([one.kind for one in signatures if one.takes(count)])


_SECTIONS: Final = tuple("operators casts types ranges type_names implicit negated".split())
_LOOSE: Final = frozenset({"ordered", "hypothetical", "table", "macro", "table_macro"})
"""Kinds whose number of arguments is not told: by name, with defaults, or behind WITHIN GROUP."""

_FILES: Final = {"sqlite": "sqlite", "postgres": "postgres", "mysql": "mysql", "duckdb": "duckdb"}


@cache
def catalogue_version() -> str:
    """Return 8 hex digits of the content of all catalogues and manuals: verdicts rest on it."""
    digest = blake2b(digest_size=4)
    for folder in ("catalogs", "manuals"):
        found = files("sqlobs.check.engine").joinpath(folder).iterdir()
        for path in sorted(found, key=lambda one: one.name):
            if path.name.endswith(".json"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def checker_version() -> str:
    """Return the versions a verdict rests on: an upgrade must not look like an incident."""
    from importlib.metadata import version

    return f"{__version__}+sqlglot-{version('sqlglot')}+catalogue-{catalogue_version()}"


@lru_cache(maxsize=8)
def catalogue_of(dialect: str) -> Catalogue | None:
    """Return the catalogue of a dialect, read at the first call; None: there is none."""
    document = _document(dialect)
    return None if document is None else _read(document)


def changed(document: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a catalogue as the next version has it."""
    found = dict(document)
    for section, told in difference.items():
        old = found[section]
        if isinstance(old, dict):
            kept = {key: one for key, one in old.items() if key not in told["removed"]}
            found[section] = {**kept, **told["set"]}
        elif isinstance(old, list):
            found[section] = [one for one in old if one not in told["removed"]] + told["added"]
        else:
            found[section] = told
    return found


@dataclass(frozen=True, slots=True)
class LaterForms:
    """The forms that versions after the catalogue's have, by the release notes."""

    words: frozenset[str]
    """Words in upper case; a statement that an earlier version takes for valid has one of them."""
    patterns: Mapping[int, Mapping[str, re.Pattern[str]]]
    """By version and name; they match the tokens in upper case with one blank between them."""


@cache
def later_forms(dialect: str) -> LaterForms | None:
    """Return the later forms of a dialect; None: its release notes were not read."""
    path = files("sqlobs.check.engine").joinpath("manuals", f"{dialect}-later.json")
    if not path.is_file():
        return None
    document = json.loads(path.read_text("utf-8"))
    patterns = {
        int(version): {name: re.compile(pattern) for name, pattern in forms.items()}
        for version, forms in document["forms"].items()
    }
    return LaterForms(frozenset(document["words"]), patterns)


@cache
def later_versions(dialect: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what each version after the catalogue's has otherwise than the one before it."""
    path = files("sqlobs.check.engine").joinpath("catalogs", f"{dialect}-versions.json")
    if not path.is_file():
        return {}
    found: dict[str, Mapping[str, Any]] = json.loads(path.read_text("utf-8"))
    return found


def _document(dialect: str, major: int = 0) -> dict[str, Any] | None:
    name = _FILES.get(dialect)
    if name is None:
        return None
    text = files("sqlobs.check.engine").joinpath("catalogs", f"{name}.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    for version, difference in later_versions(dialect).items():
        if int(version) <= major:
            document = changed(document, difference)
    return document


_TAKEN_SINCE: Final = {
    "postgres": {
        12: ("WITH a AS MATERIALIZED (SELECT 1) SELECT 1 FROM a",),
        13: ("SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS WITH TIES",),
        14: ("group_by_distinct",),
        15: (
            "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN UPDATE SET x = 1",
        ),
    }
}
"""What versions before the catalogue's take and those before them do not, by the release notes."""
_GIVEN_SINCE: Final = {
    "postgres": {
        13: "gen_random_uuid",
        14: "bit_count date_bin range_agg range_intersect_agg string_to_table trim_array unistr",
        15: "regexp_count regexp_instr regexp_like regexp_substr",
    }
}
"""Functions that versions before the catalogue's have and those before them do not."""


@lru_cache(maxsize=32)
def catalogue_of_version(dialect: str, version: str | None) -> Catalogue | None:
    """Return the catalogue of a dialect with what another version takes and has otherwise."""
    major = (version or "").partition(".")[0]
    if not major.isdecimal() or dialect not in _TAKEN_SINCE:
        return catalogue_of(dialect)
    document = _document(dialect, int(major))
    catalogue = None if document is None else _read(document)
    if catalogue is None:
        return None
    forms, names = _TAKEN_SINCE[dialect].items(), _GIVEN_SINCE[dialect].items()
    taken = {form for since, told in forms if since <= int(major) for form in told}
    refused = {form for since, told in forms if since > int(major) for form in told}
    lacking = {name for since, told in names if since > int(major) for name in told.split()}
    functions = {name: own for name, own in catalogue.functions.items() if name not in lacking}
    engine = f"{dialect} {version}"
    return replace(
        catalogue,
        engine=catalogue.engine if catalogue.engine.startswith(engine) else engine,
        functions=functions,
        refused=(catalogue.refused | refused) - taken,
    )


@lru_cache(maxsize=4)
def mysql_catalogue(major: int) -> Catalogue | None:
    """Return MariaDB's catalogue with what MySQL has otherwise, by the manuals: not measured."""
    mariadb, told = catalogue_of("mysql"), mysql_differences()
    if mariadb is None:
        return None
    if major >= _MYSQL_9:
        told = told | {
            "functions": [*told["functions"], *told["functions_of_9"]],
            "reserved": [*told["reserved"], *told["reserved_by_9"]],
        }
    elif major < _MYSQL_8:
        told = told | {
            "refused": [*told["refused"], *told["refused_by_5"]],
            "lacking": [*told["lacking"], *told["lacking_in_5"]],
            "functions": [one for one in told["functions"] if one not in told["lacking_in_5"]],
            "reserved": [],
        }
    lacking = {*told["lacking"], *told["functions"]}
    functions = {name: own for name, own in mariadb.functions.items() if name not in lacking}
    functions |= dict.fromkeys(told["functions"], (Signature("scalar", 0, ANY_NUMBER),))
    words = frozenset(word.upper() for word in told["reserved"])
    reserved = {
        position: found if position in _BEHIND_NAMES else found | words
        for position, found in mariadb.reserved.items()
    }
    return replace(
        mariadb,
        engine=f"mysql {major}",
        functions=functions,
        refused=mariadb.refused.difference(told["taken"]).union(told["refused"]),
        reserved=reserved,
        any_reserved=mariadb.any_reserved | words,
        collations=_collations_of_mysql(mariadb, told),
        cast_types=mariadb.cast_types.difference(told["no_cast_types"]).union(told["cast_types"]),
    )


def _collations_of_mysql(mariadb: Catalogue, told: Mapping[str, Sequence[str]]) -> frozenset[str]:
    own = {one for one in mariadb.collations if "_nopad_" in one or "uca1400" in one}
    return mariadb.collations.difference(own).union(told["collations"])


_MYSQL_8: Final = 8
_MYSQL_9: Final = 9


@cache
def mysql_differences() -> dict[str, list[str]]:
    """Return what MySQL 8 has, takes and reserves otherwise than MariaDB, and where that stands."""
    text = files("sqlobs.check.engine").joinpath("manuals", "mysql-8.json").read_text("utf-8")
    found: dict[str, list[str]] = json.loads(text)
    return found


_BEHIND_NAMES: Final = frozenset({"function", "qualified", "qualifier"})
"""Positions where a word is no name of its own."""


def _read(document: dict[str, Any]) -> Catalogue:
    reserved = {position: frozenset(words) for position, words in document["reserved"].items()}
    return Catalogue(
        engine=document["engine"],
        functions={
            name: tuple(_signature(entry) for entry in entries)
            for name, entries in document["functions"].items()
        },
        reserved=reserved,
        any_reserved=frozenset().union(*reserved.values()),
        spaced=frozenset(document.get("spaced", ())),
        refused=frozenset(document.get("refused", ())),
        ungrammatical=frozenset(document.get("ungrammatical", ())),
        relations=frozenset(document.get("relations", ())),
        cast_types=frozenset(document.get("cast_types", ())),
        value_words=frozenset(document.get("value_words", ())),
        collations=frozenset(document.get("collations", ())),
        units={place: frozenset(words) for place, words in document.get("units", {}).items()},
        table_columns=document.get("table_columns", {}),
        value_names=document.get("value_names", {}),
        shapeless=frozenset(document.get("shapeless", ())),
        quoted_calls=frozenset(document.get("quoted_calls", ())),
        sets=frozenset(
            name for name, entries in document["functions"].items() if all(map(_is_set, entries))
        ),
        raw={key: document[key] for key in _SECTIONS if key in document},
    )


def _is_set(entry: list[Any]) -> bool:
    return len(entry) > _SET and bool(entry[_SET])


_SET: Final = 5
"""Where PostgreSQL's entries tell whether a function gives several rows."""


def _signature(entry: list[Any]) -> Signature:
    """Read `[kind, least, most]`, or `[kind, result, arguments, variadic, defaults?, set?]`."""
    kind, second, third = entry[0], entry[1], entry[2]
    if isinstance(second, int):
        return Signature(kind, second, third)
    variadic = entry[3]
    defaults = entry[4] if len(entry) > 4 else 0  # noqa: PLR2004 - only PostgreSQL tells defaults
    if kind in _LOOSE:
        return Signature(kind, 0, ANY_NUMBER, second, tuple(third), variadic)
    most = ANY_NUMBER if variadic else len(third)
    return Signature(kind, len(third) - defaults, most, second, tuple(third), variadic)
