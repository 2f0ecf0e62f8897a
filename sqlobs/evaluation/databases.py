"""The databases of a set of cases: one for all, or one for each name, from one DSN."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote

from sqlobs.check.policy import Policy
from sqlobs.errors import ConfigError, InputError
from sqlobs.execution.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlobs.evaluation.case import Case
    from sqlobs.execution.access import Access
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.target import Limits
    from sqlobs.schema.model import Schema

    MakeTarget: TypeAlias = Callable[[str, str], Target]

Place: TypeAlias = "str | Target | Mapping[str, str]"
"""Where statements run: a DSN, perhaps with `{db}`; a target; or a DSN for each database's name."""
OTHERS: Final = "*"
"""The name of the DSN, perhaps with `{db}`, of all databases that have none of their own."""

_PLACE: Final = "{db}"
_ONLY: Final = "database"
_NAME: Final = re.compile(r"[^/\\\0]+")
_USER: Final = re.compile(r"[^:/?]*")
_PROBE: Final = "SELECT 1"
_MOST_SHOWN: Final = 20
"""DSNs that a run's settings name; a test suite has thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """Targets by the names that cases use, and the schemas that predictions are checked with."""

    targets: Mapping[str | None, Target]
    schemas: Mapping[str | None, Schema] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        place: Place,
        cases: Iterable[Case],
        *,
        functions: frozenset[str] = frozenset(),
        access: Access | None = None,
    ) -> Databases:
        """Make a target for each database that cases name; one for all without `{db}` in the DSN.

        Args:
            place: A DSN, the one target of all cases, or a DSN for each name.
            cases: Whose databases are wanted.
            functions: Functions allowed in addition to the dialect's own; lower case.
            access: What connections need besides their URLs, and what statements may cost.

        Raises:
            ConfigError: the DSN names no system that can execute.
            InputError: the DSN wants a name, and a case has none or one that is no name; or it
                wants none, and a case names several; or a case's name has no DSN.
        """
        held = list(cases)
        names = dict.fromkeys(case.db for case in held)
        make = partial(Target.from_url, policy=Policy(allowed_functions=functions), access=access)
        if isinstance(place, Mapping):
            names |= dict.fromkeys(name for case in held for name in case.suite)
            return cls(targets={name: _given(place, name, make) for name in names})
        if isinstance(place, str) and _PLACE in place:
            names |= dict.fromkeys(name for case in held for name in case.suite)
            return cls(targets={name: _named(place, name, make) for name in names})
        several = next((case for case in held if case.suite), None)
        if several is not None:
            raise InputError(
                f"case {several.label} names several databases: put {_PLACE} into the DSN"
            )
        target = make(_ONLY, place) if isinstance(place, str) else place
        return cls(targets=dict.fromkeys(names, target))

    def target_of(self, case: Case) -> Target:
        """Return the target of a case's database."""
        return self.targets[case.db]

    def schema_of(self, case: Case) -> Schema | None:
        """Return the schema of a case's database; None if none is known."""
        return self.schemas.get(case.db)

    @property
    def distinct(self) -> tuple[Target, ...]:
        """All targets, each once."""
        return tuple({target.alias: target for target in self.targets.values()}.values())

    @property
    def has_catalogs(self) -> bool:
        """Schemas can be read from all of them."""
        return all(target.system != "http" for target in self.distinct)

    def require_reachable(self, executor: Executor, limits: Limits) -> None:
        """Read one row of each database, so that a wrong DSN is reported before the run begins.

        Raises:
            ConfigError: one cannot be reached; the message names it, without its password.
        """
        for target in self.distinct:
            [execution] = executor.run_all([(_PROBE, limits)], target=target.alias)
            if execution.outcome.status == "not_run":
                place = redacted(target.url)
                raise ConfigError(f"cannot evaluate on {place}: {execution.outcome.error}")

    def with_schemas(self, names: Iterable[str | None]) -> Databases:
        """Return the same databases with the schemas of some of them, read from their catalogs.

        The databases of a test suite have the schema of the first.

        Raises:
            SchemaUnavailableError: a catalog cannot be read.
            MissingExtraError: the driver is not installed.
        """
        from sqlobs.schema.model import Schema

        wanted = {name: self.targets[name] for name in names}
        distinct = {target.alias: target for target in wanted.values()}
        read = {
            alias: Schema.from_database(target.url, connect_args=target.access.connect_args)
            for alias, target in distinct.items()
        }
        schemas = {name: read[target.alias] for name, target in wanted.items()}
        return Databases(targets=self.targets, schemas=schemas)


def redacted(dsn: str) -> str:
    """Return a DSN without password and options.

    >>> redacted("postgresql://ann:secret@db:5433/shop?sslmode=require")
    'postgresql://ann:***@db:5433/shop'
    """
    scheme, _, rest = dsn.partition("://")
    login, at, place = rest.rpartition("@")
    user = f"{_USER.match(login)[0]}:***@" if at else ""  # type: ignore[index]  # it matches all
    return f"{scheme}://{user}{place.partition('?')[0]}"


def shown(place: Place) -> str:
    """Return where statements run as a run shows it, without passwords."""
    if isinstance(place, Mapping):
        named = [f"{name}={redacted(dsn)}" for name, dsn in islice(place.items(), _MOST_SHOWN)]
        more = len(place) - len(named)
        return ", ".join([*named, *([f"and {more} more"] if more else [])])
    return redacted(place if isinstance(place, str) else place.url)


def _given(places: Mapping[str, str], name: str | None, make: MakeTarget) -> Target:
    if OTHERS in places and (name is None or name not in places):
        return _other(places[OTHERS], name, make)
    if name is None or name not in places:
        case = "a case that names no database" if name is None else f"the cases of {name}"
        raise InputError(f"no DSN for {case}: give --dsn NAME=URL for each database")
    return make(name, places[name])


def _other(dsn: str, name: str | None, make: MakeTarget) -> Target:
    if _PLACE in dsn:
        return _named(dsn, name, make)
    return make(_ONLY, dsn)


def _named(dsn: str, name: str | None, make: MakeTarget) -> Target:
    if name is None:
        raise InputError(f"the DSN contains {_PLACE}, but a case names no database")
    if not _NAME.fullmatch(name) or name in {".", ".."}:
        raise InputError(f"{name!r} is not a valid database name")
    return make(name, dsn.replace(_PLACE, quote(name)))
