"""The checker of an application whose statements are checked in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.tracing.checking import WARM_UP, Checker, unchecked, without_stale_verdict
from sqlobs.tracing.checking_process.messages import Terms
from sqlobs.tracing.checking_process.process import (
    CheckingProcess,
    ClosedError,
    NotStartedError,
    OverdueError,
)
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.tracing.options.option_layer import Resolved


class ProcessChecker:
    """Asks the checking process; checks in this one only where none can be started."""

    def __init__(self, terms: Terms) -> None:
        self.process = CheckingProcess(terms)
        self.here = Checker(
            native=terms.native,
            strict=terms.strict,
            policy=terms.policy,
            max_bytes=terms.max_bytes,
        )
        """Checks where no process can be started."""

    @property
    def process_id(self) -> int | None:
        """The id of the process; None where there is none."""
        return self.process.pid

    def check(self, sql: str, resolved: Resolved) -> CheckReport:
        """Return the report of a statement; one that ended the process is undecided."""
        try:
            report = self.process.report(sql, resolved.schema, resolved.dialect)
        except ClosedError:
            return self.here.check(sql, resolved)
        except NotStartedError as error:
            INTERNAL_ERRORS.caught("checking_process", error)
            return self.here.check(sql, resolved)
        except OverdueError:
            return unchecked(sql, reason="timeout")
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("check", error)
            return unchecked(sql, reason="error")
        return without_stale_verdict(report, resolved) if resolved.stale_source else report

    def warm_up(self, resolved: Resolved) -> None:
        """Start the process, and let it load modules and schema."""
        for sql in WARM_UP:
            self.check(sql, resolved)

    def is_warm(self, resolved: Resolved) -> bool:  # noqa: ARG002 - as a `Checker` is asked
        """Return whether the process is started."""
        return self.process.is_ready

    @property
    def is_loaded(self) -> bool:
        """Whether a check waits for no parser."""
        return self.process.is_ready or self.here.is_loaded

    def note_caller(self) -> None:
        """Do nothing: the process checks, whoever calls."""

    def await_process(self, sql: str, resolved: Resolved) -> None:
        """Do nothing: each check waits for the start."""

    def is_quick(self, sql: str, resolved: Resolved) -> bool:  # noqa: ARG002 - likewise
        """Return that no request waits for a check."""
        return False

    def close(self) -> None:
        """End the process."""
        self.process.close()
