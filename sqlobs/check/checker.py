"""The checker's public functions: check one statement, unless its report is in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from sqlobs.arguments import TEXT, Takes, having, instance_of, one_of, require
from sqlobs.check.engine.profile import Profile, profile_of
from sqlobs.check.policy import Policy
from sqlobs.check.report_cache import ReportCache
from sqlobs.errors import InputError, SchemaError
from sqlobs.schema.model import Schema
from sqlobs.types import FallbackMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.assessment import Request, Strict
    from sqlobs.check.fallback import Fallback
    from sqlobs.check.native import Native
    from sqlobs.check.report.model import CheckReport
    from sqlobs.check.report_cache import Key, Span

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
    found = _reports.look_up((sql, version, dialect, native, strict, policy))
    if found.report is not None:
        return found.report
    from sqlobs.check.assessment import assess

    request = _request(sql, schema, dialect, native=native, strict=strict, policy=policy)
    report = assess(request, found.free)
    _reports.keep(found, report)
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
    found = [_reports.look_up(key) for key in keys]
    kept = [one.report for one in found if one.report is not None]
    if len(kept) == len(keys):
        return tuple(kept)
    from sqlobs.check.assessment import assess_by

    free = next((one.free for one in found if one.free is not None), None)
    request = _request(sql, schema, dialect, native=True, strict=None, policy=None)
    reports = assess_by(request, definitions, free)
    for one, report in zip(found, reports, strict=True):
        one.free = free  # the statement is the same
        _reports.keep(one, report)
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
    found = _reports.look_up((sql, version, dialect, native, strict, policy))
    report = found.report
    if report is None:
        request = _request(sql, schema, dialect, native=native, strict=strict, policy=policy)
        report = await _assessed_aside(request, found.free)
        _reports.keep(found, report)
    if fallback is None or fallback_mode == "late":
        return report
    from sqlobs.check.fallback import consult, is_asked, with_answer

    if not is_asked(report, fallback_mode):
        return report
    return with_answer(report, await consult(fallback, report, schema=schema, hints=hints))


async def _assessed_aside(request: Request, free: list[Span] | None) -> CheckReport:
    import asyncio

    from sqlobs.check.assessment import assess
    from sqlobs.check.parsing.stack import is_deep_text

    if len(request.text) > _INLINE_LENGTH or is_deep_text(request.text):
        return await asyncio.to_thread(assess, request, free)
    return assess(request, free)


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
