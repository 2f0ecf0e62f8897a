"""Verdicts of engines that run inside this process, of a plug-in, or of the user's own object.

A plug-in is an entry point of the group `sqlobs.engines`: its name is sqlglot's name of a dialect,
its object a function of schema and profile that returns an `Engine`, or None if it has none.

Tests: `tests/check/test_engines.py` and `tests/check/test_cte_blowup.py`.
Tests of duckdb: `tests/check/test_native_duckdb.py`.
Tests of sqlite: `tests/check/test_native_sqlite.py`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token

from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import CLOSE, OPEN, kinds, letters_of, spelled
from sqlobs.check.report import complain
from sqlobs.check.report.model import NativeVerdict
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from sqlobs.check.engine.profile import Profile


MOST: Final = 10_000
"""Maximum number of copies of a value of a table in the expanded statement."""

_MANY: Final = 20
"""Number of queries above which the estimate exceeds `MOST` whatever they contain."""
_QUERY: Final = frozenset(spelled("SELECT VALUES"))
_FROM: Final = spelled("FROM")
_AS: Final = spelled("ALIAS")
_STAR: Final = spelled("STAR")
_A_STAR: Final = re.compile(spelled("[SELECT COMMA DOT] STAR"))
_WORDS: Final = letters_of(
    (Parser.ID_VAR_TOKENS | Parser.TYPE_TOKENS | kinds("VAR IDENTIFIER")) - kinds("CASE ALL")
)
_NAMES: Final = frozenset(_WORDS)
"""Tokens that may be names: a column may be named `date`, a CTE `first`."""
_STRING: Final = spelled("STRING")
_A_NAME: Final = re.compile(f"[{_WORDS}{_STRING}]")
_DOT: Final = spelled("DOT")
_BEHIND_OTHERS: Final = (_DOT, OPEN)
"""Tokens after the name of a relation or of a function, but not of a column."""
_COLUMNS: Final = "COLUMNS"
"""DuckDB's function that returns as many columns as a star."""
_SELECT_WORD: Final = re.compile(r"\bselect\b", re.IGNORECASE)


def expands(statement: Statement, schema: Schema) -> bool:
    """Return whether a statement may grow so much that an engine must not compile it.

    SQLite inlines the expressions of nested queries, DuckDB expands each star into columns: thirty
    CTEs of `SELECT a + a AS a`, 1 KB of text, would exhaust the memory.
    """
    shape = statement.shape
    if not statement.all_tokens:  # an engine may still compile it, up to the unclosed quote
        return len(_SELECT_WORD.findall(statement.sql)) > 1
    selects, froms = sum(map(shape.count, _QUERY)), shape.count(_FROM)
    queries = max(selects, froms)
    if queries <= 1:
        return False
    has_stars = _A_STAR.search(shape) or froms > selects or _COLUMNS in statement.words
    most = MOST // _widest(schema) if has_stars else MOST
    names = (len(_A_NAME.findall(shape)) + shape.count(_STAR) - shape.count(_DOT)) / queries
    # copies of a value in a list, times copies of its source in a join
    if max(names, names**2 / 8) ** min(queries, _MANY) <= most:
        return False
    return _weight(statement.tokens, shape) > most


@lru_cache(maxsize=64)
def _widest(schema: Schema) -> int:
    """Return the number of columns of the widest table: a star may expand to as many."""
    return max([len(table.columns) for table in schema.tables], default=0) or 1


@dataclass(slots=True)
class _Level:
    """The content of one pair of parentheses: queries, or a part of the outer query."""

    begin: int = 0
    """The place of its opening parenthesis."""
    cte: str = ""
    """The CTE that it defines; empty: none."""
    is_query: bool = False
    done: int = 0
    """The weight of its queries before the last one."""
    listed: Counter[str] | None = None
    """How often the SELECT list of the last query has each name; None: not complete yet."""
    names: Counter[str] = field(default_factory=Counter)
    """How often the current part has each name: the SELECT list, or the clauses after it."""
    sources: int = 0
    """The weight of the sources of the last query."""
    is_from_first: bool = False
    """Its last query starts with FROM: its SELECT list, if any, follows."""
    brackets: int = 0
    """The place of the latest inner parenthesis without a query."""

    def weight(self) -> int:
        """Return the number of copies of a value in the expanded outputs of its queries."""
        return self.done + _repeated(self.names if self.listed is None else self.listed) * max(
            self.sources, 1
        )

    def whole(self) -> int:
        """Return the number of copies of a value in its expanded queries."""
        return self.weight() + _repeated(self.names) * self.sources

    def start_query(self) -> None:
        """Start the first query, or the next one of a set operation."""
        if self.is_query:
            if not self.is_from_first:
                self.done, self.sources = self.weight(), 0
            self.listed = None
            self.names.clear()
        self.is_query, self.is_from_first = True, False

    def start_with_from(self) -> None:
        """Start a query without a SELECT list before its FROM: it returns all columns."""
        self.start_query()
        self.names["*"] += 1
        self.is_from_first = True

    def end_list(self) -> None:
        """Start the clauses after the SELECT list."""
        if self.is_query and self.listed is None:
            self.listed, self.names = self.names, Counter()

    def take(self, other: _Level) -> None:
        """Add the content of an inner pair of parentheses."""
        if other.is_query:
            self.sources += other.weight()
        else:
            self.names.update(other.names)
            self.sources += other.sources
            self.brackets = other.begin


def _weight(tokens: Sequence[Token], shape: str) -> int:
    """Return the number of copies of a value of a table in the expanded statement."""
    ctes: dict[str, int] = {}
    levels = [_Level()]
    for place, letter in enumerate(shape):
        level = levels[-1]
        if letter == OPEN:
            levels.append(_Level(place, _cte(tokens, shape, place, level.brackets)))
        elif letter == CLOSE and len(levels) > 1:
            levels.pop()
            if level.cte and (level.is_query or shape[level.begin + 1] == OPEN):
                ctes[level.cte] = level.weight()
            else:
                levels[-1].take(level)
        else:
            _read(level, ctes, tokens, shape, place)
        if level.done + level.sources > MOST or (letter == CLOSE and level.whole() > MOST):
            return MOST + 1
    return levels[0].whole()


def _read(
    level: _Level, ctes: Mapping[str, int], tokens: Sequence[Token], shape: str, place: int
) -> None:
    letter = shape[place]
    if letter in _QUERY:
        level.start_query()
    elif letter == _FROM:
        if not level.is_query and shape[place - 1 : place] in _BEFORE_FROM:
            level.start_with_from()
        level.end_list()
    elif letter == _STAR and _A_STAR.match(shape, place - 1):
        level.names["*"] += 1
    elif letter == _STRING or letter in _NAMES:
        name = tokens[place].text.upper()
        if not shape.startswith(_BEHIND_OTHERS, place + 1):
            is_value = letter == _STRING and shape[place - 1] != _DOT
            level.names[name] += not is_value and shape[place - 1] != _AS
            level.sources += ctes.get(name, 0)
        elif name == _COLUMNS:
            level.names["*"] += 1


_BEFORE_FROM: Final = frozenset({"", OPEN, CLOSE})
"""Tokens before a FROM that DuckDB reads as `SELECT * FROM`."""


def _repeated(names: Counter[str]) -> int:
    """Return how often a list contains a value at most: by its name, and by stars."""
    named = max([number for name, number in names.items() if name != "*"], default=0)
    return max(named + names["*"], 1)


def _cte(tokens: Sequence[Token], shape: str, place: int, brackets: int) -> str:
    """Return the name in `name AS (` and `name (columns) AS (`, in upper case; empty: no CTE."""
    behind = place - 1
    while behind > 0 and tokens[behind].text.upper() in {"MATERIALIZED", "NOT"}:
        behind -= 1
    if behind < 1 or shape[behind] != _AS:
        return ""
    named = brackets - 1 if shape[behind - 1] == CLOSE else behind - 1
    return tokens[named].text.upper() if shape[named] in _NAMES | {_STRING} else ""


GROUP: Final = "sqlobs.engines"
_STATIC: Final = "the static verdict applies"


@runtime_checkable
class Engine(Protocol):
    """An engine that gives its own verdict. Called from several threads."""

    is_quick: bool
    """It answers in well under a millisecond, so that the request thread may call it."""

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return the engine's verdict on one statement; None: it gives none."""
        ...


Native = bool | Engine
"""Whether engines give a verdict, or the only engine that does."""


def engine_of(schema: Schema, profile: Profile, native: Native) -> Engine | None:
    """Return the engine of a schema and profile; None: there is none."""
    if not isinstance(native, bool):
        return native
    if not native:
        return None
    for make in (_plugged(profile.dialect), _LOCAL.get(profile.dialect)):
        found = make(profile.path_of(schema), profile) if make is not None else None
        if found is not None:
            return found
    return None


def is_quick(schema: Schema | None, profile: Profile | None, native: Native) -> bool:
    """Return whether the request thread may ask for a verdict; creates no engine."""
    if schema is None or profile is None or native is False:
        return True
    if not isinstance(native, bool):
        return native.is_quick
    is_slow = _LOCAL.get(profile.dialect) is _duckdb and _has_duckdb(profile)
    return _plugged(profile.dialect) is None and not is_slow


def _sqlite(schema: Schema, profile: Profile) -> Engine | None:
    if profile.version is not None or not profile.double_quoted_strings:
        return None
    from sqlobs.check.native.sqlite import SqliteNative

    return _kept(SqliteNative, schema, os.getpid())


def _duckdb(schema: Schema, profile: Profile) -> Engine | None:
    if not _has_duckdb(profile):
        return None
    from sqlobs.check.native.duckdb import DuckdbNative

    return _kept(DuckdbNative, schema, os.getpid())


_LOCAL: Final[dict[str, Callable[[Schema, Profile], Engine | None]]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
"""The engines in this process."""


@lru_cache(maxsize=256)
def _kept(make: Callable[[Schema], Engine], schema: Schema, _pid: int) -> Engine:
    """Keep the engines of a process apart: a forked child must not use the parent's locks."""
    return make(schema)


def _has_duckdb(profile: Profile) -> bool:
    """Return whether the installed DuckDB has the version of a profile."""
    from sqlobs.check.native.duckdb import installed_version

    version = installed_version()
    if version is None:
        return False
    return profile.version is None or f"{version}.".startswith(f"{profile.version}.")


@cache
def _plugged(dialect: str) -> Callable[[Schema, Profile], Engine | None] | None:
    found = next(iter(entry_points(group=GROUP, name=dialect)), None)
    try:
        return None if found is None else found.load()
    except Exception as error:  # noqa: BLE001 - somebody else's package
        complain(f"the plug-in {dialect}", type(error).__name__, _STATIC)
        return None


def verdict_of(
    schema: Schema, profile: Profile, native: Native, statement: Statement
) -> NativeVerdict | None:
    """Return an engine's verdict; None: no engine, no verdict, or the statement may expand."""
    try:
        if not _is_unicode(statement.sql):
            return None
        engine = engine_of(schema, profile, native)
        if engine is None or expands(statement, schema):
            return None
        return engine.verdict(statement.sql)
    except Exception as error:  # noqa: BLE001 - an engine that fails leaves the static verdict
        complain(f"the engine of {profile.dialect}", type(error).__name__, _STATIC)
        return None


def _is_unicode(text: str) -> bool:
    """Return whether UTF-8 can encode a text: engines reject half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
