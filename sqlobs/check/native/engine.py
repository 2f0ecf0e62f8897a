"""Chooses the engine that gives its own verdict: in this process, a plug-in, or the user's object.

A plug-in is an entry point of the group `sqlobs.engines`: its name is sqlglot's name of a dialect,
its object a function of schema and profile that returns an `Engine`, or None if it has none.
"""

from __future__ import annotations

import os
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from sqlobs.check.native.cte_blowup import expands
from sqlobs.check.report.logged_once import complain

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.report.model import NativeVerdict
    from sqlobs.schema.model import Schema

GROUP: Final = "sqlobs.engines"
_STATIC: Final = "the static verdict is in effect"


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
