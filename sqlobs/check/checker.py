"""The checker's public functions: check one statement, with a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from sqlobs.check.arguments import require_check
from sqlobs.check.cache import ReportCache
from sqlobs.check.engine.profile import Profile
from sqlobs.check.report.logged_once import complain
from sqlobs.errors import DialectError, InputError, SchemaError
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from sqlobs.check.assessment import Request, Strict
    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native.engine import Native
    from sqlobs.check.policy import Policy
    from sqlobs.check.report.model import CheckReport
    from sqlobs.types import FallbackMode

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
    require_check(dialect=dialect, native=native, policy=policy)
    key = (sql, schema, dialect, native, strict, policy)
    kept = _reports.get(key)
    if kept is not None:
        return kept
    request = _request(sql, schema, dialect, native=native, strict=strict, policy=policy)
    report = _assess(request)
    _reports.put(key, report)
    return report


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
    require_check(
        dialect=dialect,
        native=native,
        policy=policy,
        fallback=fallback,
        fallback_mode=fallback_mode,
        hints=hints,
    )
    key = (sql, schema, dialect, native, strict, policy)
    report = _reports.get(key)
    if report is None:
        request = _request(sql, schema, dialect, native=native, strict=strict, policy=policy)
        report = await _assess_aside(request)
        _reports.put(key, report)
    if fallback is None or fallback_mode == "late":
        return report
    from sqlobs.check.fallback import consult, is_asked, with_answer

    if not is_asked(report, fallback_mode):
        return report
    return with_answer(report, await consult(fallback, report, schema=schema, hints=hints))


async def _assess_aside(request: Request) -> CheckReport:
    import asyncio

    from sqlobs.check.parsing.input_limits import is_deep_text

    if len(request.text) > _INLINE_LENGTH or is_deep_text(request.text):
        return await asyncio.to_thread(_assess, request)
    return _assess(request)


_INLINE_LENGTH: Final = 4096


def cached_report(
    sql: str,
    *,
    schema: Schema | None = None,
    dialect: str | Profile | None = None,
    native: Native = True,
    strict: Strict | None = None,
    policy: Policy | None = None,
) -> CheckReport | None:
    """Return the cached report of an earlier `check_sql` with the same arguments, or None."""
    return _reports.get((sql, schema, dialect, native, strict, policy))


def is_prepared(schema: Schema, dialect: str | Profile | None = None) -> bool:
    """Return whether checks of a schema are warm: parser loaded, schema indexed."""
    import sys

    if "sqlobs.check.engine.engine_context" not in sys.modules:
        return False
    from sqlobs.check.engine import engine_context as grounds

    profile = profile_of(schema, dialect)
    return profile is not None and grounds.is_prepared(schema, profile)


def prepare(schema: Schema, dialect: str | Profile | None = None) -> None:
    """Load the parser and index a schema, so that the first check is as fast as the next."""
    from sqlobs.check.engine.engine_context import engine_context_of

    profile = profile_of(schema, dialect)
    if profile is not None:
        engine_context_of(schema, profile)
        check_sql("SELECT 1", schema=schema, dialect=profile)


def profile_of(schema: Schema | None, dialect: str | Profile | None) -> Profile | None:
    """Return the profile of a check: the dialect's if one is given, else the schema's.

    A dialect without a version gets that of the schema, if it was read from a server.

    Raises:
        DialectError: the dialect is unknown, or differs from the schema's.
    """
    own = Profile.of_schema(schema) if schema is not None else None
    if dialect is None:
        return own
    profile = Profile.named(dialect) if isinstance(dialect, str) else dialect
    if own is not None and own.dialect != profile.dialect:
        raise DialectError(
            f"the schema is {own.dialect}, the check was asked for {profile.dialect}:"
            " give one dialect"
        )
    return profile if own is None else profile.with_version_of(own)


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


def _assess(request: Request) -> CheckReport:
    from sqlobs.check.assessment import assess, failed_report

    try:
        return assess(request)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not reach the host
        complain("a check", type(error).__name__, "its report is not_evaluated")
        return failed_report(request)
