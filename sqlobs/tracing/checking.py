"""The checker of one instance: never raises, and knows which checks are quick.

Tests: `tests/tracing/test_background_worker.py`, `test_warm_up.py` and `test_host_safety.py`.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.check import checker
from sqlobs.check.engine.profile import profile_of
from sqlobs.check.report.model import CheckReport
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES, Reason
from sqlobs.fork_guard import IMPORTS
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlobs.check.native import Native
    from sqlobs.check.policy import Policy
    from sqlobs.config import Strictness
    from sqlobs.tracing.options.option_layer import Resolved

INLINE_CHARACTERS: Final = 4096
"""Longer SQL is checked off the request thread in `auto` mode."""


INVALID: Final = "SELECT a, COUNT(*) FROM b WHERE c = 'd' GROUP BY a ORDER BY 2"
WARM_UP: Final = ("SELECT 1", INVALID)
"""A valid statement, and one that fails in any schema: each imports modules of its own."""


def takes_long(sql: object) -> bool:
    """Return whether a text is too long, or nested too deep, to check on an event loop."""
    if not issubclass(type(sql), str):  # the check handles any other type
        return False
    from sqlobs.check.parsing.stack import is_deep_text

    text = str.__str__(sql)  # a subclass may count otherwise
    return len(text) >= INLINE_CHARACTERS or is_deep_text(text)


def unchecked(sql: str, *, reason: Reason) -> CheckReport:
    """Return the report of a check that did not run: both labels are None."""
    return CheckReport(
        sql=sql,
        dialect=None,
        schema_version=None,
        syntactic=None,
        schematic=None,
        reasons={"syntactic": reason, "schematic": reason},
        decided_by="none",
    )


class Checker:
    """Checks statements for one configuration."""

    def __init__(
        self,
        *,
        native: Native,
        strict: Strictness | None,
        policy: Policy | None,
        max_bytes: int,
    ) -> None:
        self._native = native
        self._strict = strict
        self._policy = policy
        self._max_bytes = max_bytes
        self._imported: set[str | None] = set()
        """Dialects whose modules are imported."""

    def check(self, sql: str, resolved: Resolved) -> CheckReport:
        """Return the report of a statement; if the check itself fails, both labels are None."""
        try:
            PARSER.load()
            from sqlobs.check.assessment import is_too_large

            if is_too_large(sql, self._max_bytes):
                return unchecked(sql, reason="too_large")
            if not self._has_imported(resolved):
                self.warm_up(resolved)
            report = checker.check_sql(
                sql,
                schema=resolved.schema,
                dialect=resolved.dialect,
                native=self._native,
                strict=self._strict,
                policy=self._policy,
            )
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("check", error)
            return unchecked(sql, reason="error")
        return without_stale_verdict(report, resolved) if resolved.stale_source else report

    def warm_up(self, resolved: Resolved) -> None:
        """Check two statements of our own, so that modules and schema are loaded."""
        PARSER.load()
        with IMPORTS:
            for sql in WARM_UP:
                checker.check_sql(
                    sql,
                    schema=resolved.schema,
                    dialect=resolved.dialect,
                    native=self._native if isinstance(self._native, bool) else False,
                )
        self._imported.add(resolved.context.dialect)

    @property
    def is_loaded(self) -> bool:
        """Whether a check waits for no parser."""
        return PARSER.is_loaded

    def is_warm(self, resolved: Resolved) -> bool:
        """Return whether modules and schema are loaded."""
        schema = resolved.schema
        is_prepared = schema is None or checker.is_prepared(schema, resolved.dialect)
        return PARSER.is_loaded and is_prepared and self._has_imported(resolved)

    def _has_imported(self, resolved: Resolved) -> bool:
        """Return whether a statement in this dialect was checked; the first one imports modules."""
        return resolved.context.dialect in self._imported

    def note_caller(self) -> None:
        """Do nothing: checks stay in this process, whoever calls."""

    def await_process(self, sql: str, resolved: Resolved) -> None:
        """Do nothing, likewise."""

    def is_quick(self, sql: str, resolved: Resolved) -> bool:
        """Return whether a check takes about a millisecond: short, shallow, schema prepared."""
        if len(sql) >= INLINE_CHARACTERS or not PARSER.is_loaded:
            return False
        schema = resolved.schema
        if schema is not None and not checker.is_prepared(schema, resolved.dialect):
            return False
        from sqlobs.check.native import is_quick

        profile = profile_of(schema, resolved.dialect)
        return not takes_long(sql) and is_quick(schema, profile, self._native)

    def close(self) -> None:
        """Give up what checks need; there is nothing of that kind in this process."""


class Parser:
    """Loads parser and rules, which takes most of a second."""

    is_loaded = False

    def load(self) -> None:
        """Load at first use, on one thread while others wait.

        Threads that import the modules in different orders would see them partially initialized.
        """
        if not self.is_loaded:
            with IMPORTS:
                importlib.import_module("sqlobs.check.assessment")
                self.is_loaded = True


PARSER = Parser()


def without_stale_verdict(report: CheckReport, resolved: Resolved) -> CheckReport:
    """Drop findings of unknown names if the schema is stale, and refresh the schema."""
    known = tuple(
        finding for finding in report.findings if finding.code not in SCHEMA_HALLUCINATION_CODES
    )
    if len(known) == len(report.findings):
        return report
    if resolved.stale_source is not None:
        resolved.stale_source.refresh()
    if any(finding.code.startswith("schema.") for finding in known):
        return replace(report, findings=known)
    reasons = {**report.reasons, "schematic": "schema_stale"}
    return replace(report, findings=known, schematic=None, reasons=reasons, fixed_sql=None)
