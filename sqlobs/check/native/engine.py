"""Who is asked besides the static part: engines in this process, plug-ins, the user's own object.

A plug-in is an entry point of the group `sqlobs.engines`: its name is sqlglot's name of a dialect,
its object a function of schema and profile that gives an `Engine`, or None where it has none.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from sqlobs.check.native.cte_blowup import expands
from sqlobs.check.report.logged_once import complain

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.native.verdict import NativeVerdict
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.schema.model import Schema

GROUP: Final = "sqlobs.engines"
_STATIC: Final = "the static verdict stands"


@runtime_checkable
class Engine(Protocol):
    """Somebody who knows an engine's own verdict. Asked from several threads."""

    is_quick: bool
    """It answers in well under a millisecond: it may be asked on the request thread."""

    def verdict(self, sql: str) -> NativeVerdict | None:
        """Return what the engine says of one statement; None where it does not say."""
        ...


Native = bool | Engine
"""Whether engines are asked; or the one that is asked in place of all others."""


def engine_of(schema: Schema, profile: Profile, native: Native) -> Engine | None:
    """Return whom to ask for a schema and profile; None: nobody."""
    if not isinstance(native, bool):
        return native
    if not native:
        return None
    makers = (_plugged(profile.dialect), _LOCAL.get(profile.dialect))
    found = (maker(profile.path_of(schema), profile) for maker in makers if maker is not None)
    return next(filter(None, found), None)


def is_quick(schema: Schema | None, profile: Profile | None, native: Native) -> bool:
    """Say whether asking may happen on the request thread; makes no engine."""
    if schema is None or profile is None or native is False:
        return True
    if not isinstance(native, bool):
        return native.is_quick
    local = _LOCAL.get(profile.dialect)
    is_slow = local in _SLOW and _is_installed(profile)
    return _plugged(profile.dialect) is None and not is_slow


def _sqlite(schema: Schema, profile: Profile) -> Engine | None:
    if profile.version is not None or not profile.double_quoted_strings:
        return None
    from sqlobs.check.native.sqlite import native_of

    return native_of(schema)


def _duckdb(schema: Schema, profile: Profile) -> Engine | None:
    if not _is_installed(profile):
        return None
    from sqlobs.check.native.duckdb import native_of

    return native_of(schema)


_LOCAL: Final[dict[str, Callable[[Schema, Profile], Engine | None]]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
"""The engines that run in this process."""
_SLOW: Final = frozenset({_duckdb})


def _is_installed(profile: Profile) -> bool:
    """Say whether this process has the DuckDB that a profile stands for."""
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
    except Exception as error:  # noqa: BLE001 - somebody else's package; it is told once
        complain(f"the plug-in {dialect}", type(error).__name__, _STATIC)
        return None


def verdict_of(
    schema: Schema, profile: Profile, native: Native, statement: Statement
) -> NativeVerdict | None:
    """Ask whoever is there; None where nobody is, or has nothing to say, or should not be asked."""
    try:
        if not _is_unicode(statement.sql):
            return None
        engine = engine_of(schema, profile, native)
        if engine is None or expands(statement, schema):
            return None
        return engine.verdict(statement.sql)
    except Exception as error:  # noqa: BLE001 - an engine that fails leaves the static verdict
        complain(
            f"the engine of {profile.dialect}", type(error).__name__, "the static verdict stands"
        )
        return None


def _is_unicode(text: str) -> bool:
    """Say whether UTF-8 can write a text: half of a surrogate pair reaches no engine."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
