"""What an engine knows by itself: its functions, types, operators and reserved words.

Read from the data files of `sqlobs.dialects`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Final, Literal

from sqlobs._version import __version__
from sqlobs.dialects.documents import data_version, document, nearest, root_of, versions_of, written

TableColumn = tuple[str, int] | tuple[str, int, str]
"""A column of a function in FROM: its name, 1 if a star omits it, and its type if it is known."""
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
        """Return whether a call with so many arguments fits."""
        return self.least <= count and (self.most == ANY_NUMBER or count <= self.most)


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """The catalog of one engine in one version."""

    engine: str
    functions: Mapping[str, tuple[Signature, ...]]
    """By lower-case name."""
    reserved: Mapping[str, frozenset[str]]
    """Upper-case words that the grammar rejects as a name, by position."""
    any_reserved: frozenset[str]
    spaced: frozenset[str] = frozenset()
    """Lower-case functions that a space before the parenthesis breaks."""
    rejected: frozenset[str] = frozenset()
    """Names of the forms that the engine rejects."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """Messages of forms that this dialect words in its own way, by name of the form."""
    ungrammatical: frozenset[str] = frozenset()
    """Those that its grammar rejects; measured on engines that do not resolve unused CTEs."""
    value_words: frozenset[str] = frozenset()
    """Lower-case words that look like a column and are a value of the engine."""
    collations: frozenset[str] = frozenset()
    """Empty: not known."""
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Lower-case units of time by place; a place without a list accepts any word."""
    table_columns: Mapping[str, Sequence[TableColumn]] = field(default_factory=dict)
    """Columns of functions in FROM, by name."""
    value_names: Mapping[str, str] = field(default_factory=dict)
    """The column of functions in FROM that give one, where it is not named after their alias."""
    relations: frozenset[str] = frozenset()
    """Lower-case tables and views of the engine that need no namespace."""
    cast_types: frozenset[str] = frozenset()
    """Lower-case types that CAST accepts, `char()` with a length; empty: all."""
    shapeless: frozenset[str] = frozenset()
    """Lower-case functions in FROM that need a column definition list."""
    storages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The modifiers of a table in FROM that each storage engine supports: FINAL, PREWHERE, and
    SAMPLE of a table with a sampling key. Of engines that are not listed, nothing is known."""
    deprecated: frozenset[str] = frozenset()
    """Functions that fail unless a setting allows them."""
    parameters: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """How many parameters lower-case aggregates accept before their arguments, where that is
    limited: `quantiles(0.5)(a)`."""
    parameter_values: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    """The parameters that lower-case aggregates reject, by place: 10 stands for 10 to 99."""
    disabled: frozenset[str] = frozenset()
    """Lower-case functions that do not exist unless a setting enables them."""
    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The settings of a query, with values that are rejected: -1 for all negative numbers, 2 for
    other integers than 0 and 1, abc for words; or the only words that are accepted, behind `=`."""
    null_arguments: frozenset[str] = frozenset()
    """Functions that accept any number of arguments if NULL is one of them."""
    sets: frozenset[str] = frozenset()
    """Lower-case functions that give several rows."""
    quoted_calls: frozenset[str] = frozenset()
    """Lower-case functions whose name must be quoted: without, it is that of a type (`time`)."""
    spellings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The spellings of functions that are compared with case, by lower-case name."""
    suffixes: Mapping[str, int | None] = field(default_factory=dict)
    """What may follow the name of an aggregate, with how many arguments it adds (`sumIf`); None: it
    has one instead, a state (`sumMerge`)."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """Sections that only one engine has (`operators`, `casts`, `ranges`)."""

    def kinds(self, name: str, count: int) -> frozenset[Kind]:
        """Return the kinds of function that a call may be, by its name as it is written."""
        return _kinds(self, name if self.spellings else name.lower(), count)

    def signatures(self, name: str) -> tuple[Signature, ...]:
        """Return the signatures of a function by its name as it is written; empty: none."""
        folded = name.lower()
        if not self.spellings:
            return self.functions.get(folded, ())
        if folded in self.functions and name in self.spellings.get(folded, (name,)):
            return self.functions[folded]
        return _combined(self, name)


@lru_cache(maxsize=4096)
def _kinds(catalog: Catalog, name: str, count: int) -> frozenset[Kind]:
    return frozenset([one.kind for one in catalog.signatures(name) if one.takes(count)])


@lru_cache(maxsize=4096)
def _combined(catalog: Catalog, name: str) -> tuple[Signature, ...]:
    """Return the signatures of an aggregate whose name has a suffix."""
    for suffix, added in catalog.suffixes.items():
        if name.endswith(suffix) and (known := catalog.signatures(name.removesuffix(suffix))):
            if added is None:
                return (Signature("aggregate", 1, 1),)
            return tuple(
                Signature(
                    "aggregate",
                    one.least + max(added, 0),
                    ANY_NUMBER if ANY_NUMBER in {one.most, added} else one.most + added,
                )
                for one in known
                if one.kind in _COMBINED
            )
    return ()


_COMBINED: Final = frozenset({"aggregate", "window"})
"""Kinds of function whose name may have a suffix."""


_SECTIONS: Final = tuple(
    "operators casts types ranges type_names implicit negated literals constants nodes conditions"
    " lists_have_fields texts lambdas constant_arguments structures described distinct options rows"
    " filters never_null never_null_operands unloaded intervals frames grouped named ordered parts"
    " refused assigned subscripts positions fractions formats words shapes summed_items"
    " dynamic_arguments time_zones zone_arguments constant_kinds kind_letters rejected_pairs"
    " argument_values"
    " texts_in_language".split()
)
_LOOSE: Final = frozenset({"ordered", "hypothetical", "table", "macro", "table_macro"})
"""Kinds without a number of arguments: by name, with defaults, or after WITHIN GROUP."""


@cache
def checker_version() -> str:
    """Return the versions that a verdict depends on, so that an upgrade explains a changed one."""
    from importlib.metadata import version

    return f"{__version__}+sqlglot-{version('sqlglot')}+catalog-{data_version()}"


@lru_cache(maxsize=8)
def catalog_of(dialect: str) -> Catalog | None:
    """Return the catalog that all versions of a dialect inherit from; None: nothing was measured.

    That of `mysql` is MariaDB's.
    """
    root = root_of(dialect)
    return None if root is None else catalog_in(document(*root))


@lru_cache(maxsize=32)
def catalog_of_version(engine: str, version: str | None) -> Catalog | None:
    """Return the catalog of one version of an engine; without a version, that of `catalog_of`."""
    if version is None or not versions_of(engine):
        return catalog_of(engine)
    found = _catalog_of_file(engine, nearest(engine, version))
    wanted, known = f"{engine} {version}.", f"{found.engine}."
    if known.startswith(wanted) or wanted.startswith(known):
        return found
    return replace(found, engine=wanted[:-1])


@lru_cache(maxsize=16)
def _catalog_of_file(engine: str, version: str) -> Catalog:
    return catalog_in(document(engine, version))


@dataclass(frozen=True, slots=True)
class NewForms:
    """The forms that versions after the oldest measured one have added, by the release notes."""

    words: frozenset[str]
    """In upper case; a statement that an older version accepts by mistake has one of them."""
    patterns: Mapping[int, Mapping[str, re.Pattern[str]]]
    """By version and name; they match the tokens in upper case with one blank before each.

    One that begins with the blank is found fast: `re` searches for the characters it begins with.
    """


@cache
def new_forms(dialect: str) -> NewForms | None:
    """Return the forms that versions of a dialect have added; None: no file lists any."""
    files = {version: written(dialect, version) for version in versions_of(dialect)}
    added = {int(version): one["new_forms"] for version, one in files.items() if "new_forms" in one}
    if not added:
        return None
    patterns = {
        version: {name: re.compile(pattern) for name, pattern in forms["patterns"].items()}
        for version, forms in added.items()
    }
    words = frozenset[str]().union(*(forms["words"] for forms in added.values()))
    return NewForms(words, patterns)


def catalog_in(document: Mapping[str, Any]) -> Catalog:
    """Return the catalog that a document describes: that of a file, or one being measured."""
    forms: Mapping[str, str] = document.get("forms", {})
    reserved = {position: frozenset(words) for position, words in document["reserved"].items()}
    return Catalog(
        engine=document["engine"],
        functions=signatures_of(document),
        spellings=_spellings(document),
        suffixes=document.get("suffixes", {}),
        reserved=reserved,
        any_reserved=frozenset().union(*reserved.values()),
        spaced=frozenset(document.get("spaced", ())),
        rejected=frozenset(forms),
        messages=document.get("messages", {}),
        ungrammatical=frozenset(
            name for name, verdict in forms.items() if verdict == "syntax error"
        ),
        relations=frozenset(document.get("relations", ())),
        cast_types=frozenset(document.get("cast_types", ())),
        value_words=frozenset(document.get("value_words", ())),
        collations=frozenset(document.get("collations", ())),
        units=units_of(document),
        table_columns=document.get("table_columns", {}),
        value_names=document.get("value_names", {}),
        shapeless=frozenset(document.get("shapeless", ())),
        storages=document.get("storages", {}),
        deprecated=frozenset(document.get("deprecated", ())),
        parameters=document.get("parameters", {}),
        parameter_values=document.get("parameter_values", {}),
        disabled=frozenset(document.get("disabled", ())),
        settings=document.get("settings", {}),
        null_arguments=frozenset(document.get("null_arguments", ())),
        quoted_calls=frozenset(document.get("quoted_calls", ())),
        sets=frozenset(
            name
            for name, entries in document["functions"].items()
            if all(len(entry) > _SET and entry[_SET] for entry in entries)
        ).union(document.get("sets", ())),
        raw={key: document[key] for key in _SECTIONS if key in document},
    )


def _folded(functions: Mapping[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """Return the entries of functions by lower-case name; names may differ in case only."""
    found: dict[str, list[list[Any]]] = {}
    for name, entries in functions.items():
        found.setdefault(name.lower(), []).extend(entries)
    return found


def _spellings(document: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the spellings of functions; none where the engine lists no names of any case."""
    if "any_case" not in document:
        return {}
    found: dict[str, set[str]] = {}
    for name in document["functions"]:
        found.setdefault(name.lower(), set()).add(name)
    free = {name.lower() for name in document["any_case"]}
    return {name: frozenset(spelled) for name, spelled in found.items() if name not in free}


_SET: Final = 5
"""Where PostgreSQL's entries say whether a function returns several rows."""


def signatures_of(document: Mapping[str, Any]) -> dict[str, tuple[Signature, ...]]:
    """Return the signatures of the functions in a data file, by lower-case name."""
    return {
        name: tuple(_signature(entry) for entry in entries)
        for name, entries in _folded(document["functions"]).items()
    }


def units_of(document: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the units of time in a data file by place; places with the same ones share a list."""
    return {
        place: frozenset(words)
        for places, words in document.get("units", {}).items()
        for place in places.split()
    }


def _signature(entry: list[Any]) -> Signature:
    """Read `[kind, least, most]`, or `[kind, result, arguments, variadic, defaults?, set?]`."""
    kind, second, third = entry[0], entry[1], entry[2]
    if isinstance(second, int):
        return Signature(kind, second, third)
    variadic = entry[3]
    defaults = entry[4] if len(entry) > 4 else 0  # noqa: PLR2004 - only PostgreSQL lists defaults
    if kind in _LOOSE:
        return Signature(kind, 0, ANY_NUMBER, second, tuple(third), variadic)
    most = ANY_NUMBER if variadic else len(third)
    return Signature(kind, len(third) - defaults, most, second, tuple(third), variadic)
