"""The checker's public functions: check one statement, with a cache of reports.

Tests of the cache: `tests/check/test_cache.py`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final, get_args

from sqlobs.arguments import TEXT, Takes, having, instance_of, one_of, require
from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.check.policy import Policy
from sqlobs.errors import InputError, SchemaError
from sqlobs.schema.model import Schema
from sqlobs.types import FallbackMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.assessment import Request, Strict
    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native import Native
    from sqlobs.check.report.model import CheckReport

    Key = tuple[str, *tuple[object, ...]]
    """The checked text and the arguments."""

DIALECT: Final = instance_of(
    "a dialect such as 'postgres' or 'mysql:8.0', or a Profile", str, Profile
)
NATIVE: Final = Takes(
    "True, False or an Engine with `verdict(sql)`",
    lambda given: isinstance(given, bool) or callable(getattr(given, "verdict", None)),
)
POLICY: Final = instance_of("a Policy, such as Policy(denied_tables={'salaries'})", Policy)
FALLBACK: Final = having(
    "an LlmFallback of sqlobs.judge.fallback, or an object with `async def ask(request)`", "ask"
)
FALLBACK_MODE: Final = one_of(*get_args(FallbackMode))

_OF_A_CHECK: Final = {
    "dialect": DIALECT,
    "native": NATIVE,
    "policy": POLICY,
    "fallback": FALLBACK,
    "fallback_mode": FALLBACK_MODE,
    "hints": TEXT,
}

CAPACITY: Final = 4096
"""Reports kept. Model output repeats little: the cache serves retries and reruns."""
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Total length of their texts: a thousand characters each, which is long for a generation."""
MOST_USES: Final = 256
"""Uses remembered between two inserts; earlier ones are dropped."""


class ReportCache:
    """A bounded LRU map, safe between threads.

    A lookup needs no lock: the use is noted, and applied at the next insert.
    """

    def __init__(self, capacity: int = CAPACITY, *, characters: int = MOST_CHARACTERS) -> None:
        self._capacity = capacity
        self._most = characters
        """The greatest length of the texts together."""
        self._held = 0
        self._lock = threading.Lock()  # guards the order of the map, and the length held
        self._reports: OrderedDict[Key, tuple[Key, CheckReport]] = OrderedDict()
        self._used: deque[Key] = deque(maxlen=MOST_USES)
        """Keys of the map, not those of the lookups: their texts would be stored twice."""

    def get(self, key: Key) -> CheckReport | None:
        """Return the report of a key, or None."""
        kept = self._reports.get(key)
        if kept is None:
            return None
        self._used.append(kept[0])
        return kept[1]

    def put(self, key: Key, report: CheckReport) -> None:
        """Insert a report; evict the least recently used ones above the bounds."""
        with self._lock:
            self._order()
            if key not in self._reports:
                self._held += len(key[0])
            self._reports[key] = (key, report)
            while len(self._reports) > self._capacity or self._held > self._most:
                (text, *_), _ = self._reports.popitem(last=False)
                self._held -= len(text)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._reports.clear()
            self._used.clear()
            self._held = 0

    def _order(self) -> None:
        """Move the reports used since the last call to the end."""
        for _ in range(len(self._used)):
            key = self._used.popleft()
            if key in self._reports:
                self._reports.move_to_end(key)


_reports: Final = ReportCache()


def check_sql(
    sql: str,
    *,
    schema: Schema | None = None,
    dialect: str | Profile | None = None,
    native: Native = True,
    strict: Strict | None = None,
    policy: Policy | None = None,
) -> CheckReport:
    """Check one statement against a dialect and a schema, without touching the database.

    The report is cached: the same text with the same arguments is checked once. SQL is never
    executed, and faulty SQL never raises.

    Args:
        sql: the statement, or a model's answer with one statement in it.
        schema: tables and columns that exist; without it `schematic` is None (`no_schema`).
        dialect: any usual spelling (`PostgreSQL`, `mysql:8.0`) or a `Profile`; the schema's own
            by default.
        native: also use the verdict of the engine itself if it runs inside this process (SQLite,
            DuckDB if installed); an `Engine` replaces those (`docs/engines.md`).
        strict: `sql_correctness` counts a missing dialect or schema as failed, and what an
            engine tolerates as an error.
        policy: what the user disallows beyond the engine.

    Raises:
        DialectError: the dialect is unknown, or differs from the schema's.
        SchemaError: `schema` is not a `Schema`.
        InputError: `strict` is unknown, or `sql` is not a string.
        ConfigError: another argument has the wrong type.

    >>> from sqlobs import Schema
    >>> schema = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
    >>> check_sql("SELECT totals FROM orders", schema=schema).unknown_columns
    ('totals',)
    """
    _refuse_no_schema(schema)
    require(_OF_A_CHECK, dialect=dialect, native=native, policy=policy)
    version = None if schema is None else schema.version
    key = (sql, version, dialect, native, strict, policy)
    kept = _reports.get(key)
    if kept is not None:
        return kept
    from sqlobs.check.assessment import assess

    report = assess(_request(sql, schema, dialect, native=native, strict=strict, policy=policy))
    _reports.put(key, report)
    return report


def check_by(
    sql: str,
    definitions: Sequence[Strict | None],
    *,
    schema: Schema | None,
    dialect: str | Profile | None,
) -> tuple[CheckReport, ...]:
    """Check one statement by several definitions of an error; it is parsed and resolved once.

    Args:
        sql: as for `check_sql`.
        definitions: values of its argument `strict`.
        schema: tables and columns that exist.
        dialect: a spelling, or a `Profile`.
    """
    version = None if schema is None else schema.version
    keys: list[Key] = [(sql, version, dialect, True, strict, None) for strict in definitions]
    kept = [report for report in map(_reports.get, keys) if report is not None]
    if len(kept) == len(keys):
        return tuple(kept)
    from sqlobs.check.assessment import assess_by

    request = _request(sql, schema, dialect, native=True, strict=None, policy=None)
    reports = assess_by(request, definitions)
    for key, report in zip(keys, reports, strict=True):
        _reports.put(key, report)
    return reports


async def check_sql_async(
    sql: str,
    *,
    schema: Schema | None = None,
    dialect: str | Profile | None = None,
    native: Native = True,
    strict: Strict | None = None,
    policy: Policy | None = None,
    fallback: Fallback | None = None,
    fallback_mode: FallbackMode = "wait",
    hints: str | None = None,
) -> CheckReport:
    """Check one statement like `check_sql`, keeping long or deep SQL off the event loop.

    Args:
        sql: as for `check_sql`, like the arguments up to `policy`.
        schema: tables and columns that exist.
        dialect: a spelling, or a `Profile`.
        native: also use the engine's own verdict if it runs inside this process.
        strict: the definition of judge-based products.
        policy: what the user disallows beyond the engine.
        fallback: called if a label is undecided; it never changes a decided one.
        fallback_mode: `wait` fills undecided labels; `always` also evaluates decided statements,
            for comparison only (`report.fallback`); `late` leaves them open without a call.
        hints: what people know about the database, for the fallback.

    Raises:
        DialectError: the dialect is unknown, or differs from the schema's.
        SchemaError: `schema` is not a `Schema`.
        InputError: `strict` is unknown, or `sql` is not a string.
        ConfigError: another argument has the wrong type.
    """
    _refuse_no_schema(schema)
    require(
        _OF_A_CHECK,
        dialect=dialect,
        native=native,
        policy=policy,
        fallback=fallback,
        fallback_mode=fallback_mode,
        hints=hints,
    )
    version = None if schema is None else schema.version
    key = (sql, version, dialect, native, strict, policy)
    report = _reports.get(key)
    if report is None:
        request = _request(sql, schema, dialect, native=native, strict=strict, policy=policy)
        report = await _assessed_aside(request)
        _reports.put(key, report)
    if fallback is None or fallback_mode == "late":
        return report
    from sqlobs.check.fallback import consult, is_asked, with_answer

    if not is_asked(report, fallback_mode):
        return report
    return with_answer(report, await consult(fallback, report, schema=schema, hints=hints))


async def _assessed_aside(request: Request) -> CheckReport:
    import asyncio

    from sqlobs.check.assessment import assess
    from sqlobs.check.parsing.stack import is_deep_text

    if len(request.text) > _INLINE_LENGTH or is_deep_text(request.text):
        return await asyncio.to_thread(assess, request)
    return assess(request)


_INLINE_LENGTH: Final = 4096


def is_prepared(schema: Schema, dialect: str | Profile | None = None) -> bool:
    """Return whether checks of a schema are warm: parser loaded, schema indexed."""
    import sys

    if "sqlobs.check.engine.engine_context" not in sys.modules:
        return False
    from sqlobs.check.engine import engine_context

    profile = profile_of(schema, dialect)
    return profile is not None and engine_context.is_prepared(schema, profile)


def _refuse_no_schema(schema: object) -> None:
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(
            f"the schema is a {type(schema).__name__}: give a Schema, such as"
            " Schema.from_ddl(text, dialect='postgres')."
        )


def _request(
    sql: str,
    schema: Schema | None,
    dialect: str | Profile | None,
    *,
    native: Native,
    strict: Strict | None,
    policy: Policy | None,
) -> Request:
    from sqlobs.check.assessment import Request, Strict

    if not isinstance(sql, str):
        raise InputError(f"the statement is a {type(sql).__name__}: give it as text")
    if strict is not None and strict not in get_args(Strict):
        raise InputError(f"strict: use {' or '.join(map(repr, get_args(Strict)))}, or None")
    return Request(sql, schema, profile_of(schema, dialect), native, strict, policy)
