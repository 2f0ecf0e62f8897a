"""Checking SQL against a schema and a dialect: pure, without database, telemetry or network.

`check_sql` and `check_sql_async` return a `CheckReport` with `Finding`s. `Policy` says what
statements may touch, `Profile` which engine and version they are for. `NativeVerdict` is what an
engine of yours returns; `Fallback`, `FallbackRequest`, `FallbackAnswer` and `WrongName` are the
protocol of a model that fills labels which stay undecided.

Tests: `tests/check/test_checker.py`.
Tests of fallback: `tests/judge/test_fallback.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.check.checker import check_sql, check_sql_async
    from sqlobs.check.engine.profile import Profile
    from sqlobs.check.fallback import Fallback, FallbackAnswer, FallbackRequest, WrongName
    from sqlobs.check.policy import Policy
    from sqlobs.check.report.model import CheckReport, Finding, NativeVerdict

__all__ = [
    "CheckReport",
    "Fallback",
    "FallbackAnswer",
    "FallbackRequest",
    "Finding",
    "NativeVerdict",
    "Policy",
    "Profile",
    "WrongName",
    "check_sql",
    "check_sql_async",
]

_HOMES = {
    "CheckReport": "sqlobs.check.report.model",
    "Fallback": "sqlobs.check.fallback",
    "FallbackAnswer": "sqlobs.check.fallback",
    "FallbackRequest": "sqlobs.check.fallback",
    "Finding": "sqlobs.check.report.model",
    "NativeVerdict": "sqlobs.check.report.model",
    "Policy": "sqlobs.check.policy",
    "Profile": "sqlobs.check.engine.profile",
    "WrongName": "sqlobs.check.fallback",
    "check_sql": "sqlobs.check.checker",
    "check_sql_async": "sqlobs.check.checker",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
