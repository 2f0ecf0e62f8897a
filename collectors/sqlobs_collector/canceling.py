"""The command `cancel`: queued units are not evaluated.

Tests: `tests/collector/test_maintenance.py`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.maintenance import opened, selection_of, workspace_of
from sqlobs_collector.store.selection import COLUMNS, RequestFilter
from sqlobs_collector.store.writing import Store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from sqlobs_collector.config import CollectorConfig

_AT_ONCE: Final = 1000
"""Units of one transaction: others wait for it."""
_LONGEST_REASON: Final = 100
_ALL: Final = 2**31 - 1


def wanted_units(config: CollectorConfig, options: argparse.Namespace) -> RequestFilter:
    """Return which units are meant.

    Raises:
        ConfigError: The workspace, a time or a condition is invalid.
    """
    period = selection_of(options)
    return RequestFilter(
        workspace=workspace_of(config, options.workspace),
        since_ns=period.since_ns,
        until_ns=period.until_ns,
        equal=_conditions(options.where),
    )


def cancel(config: CollectorConfig, wanted: RequestFilter, reason: str, *, is_dry: bool) -> int:
    """Give queued units the state `canceled`; return how many.

    Args:
        config: Of the collector, which may be running.
        wanted: Which units; those that are being evaluated are finished.
        reason: What the units are shown with.
        is_dry: Only count them.

    Raises:
        ConfigError: There is no store, or the reason is not one short line.
    """
    reason = reason.strip()
    if not reason.isprintable() or not 0 < len(reason) <= _LONGEST_REASON:
        raise ConfigError(f"--reason is not one line of up to {_LONGEST_REASON} characters")
    now_ns = time.time_ns()
    with opened(config) as engine:
        store = Store(engine)
        if is_dry:
            with store.trying() as writer:
                return writer.queue.cancel(wanted, reason, at_ns=now_ns, limit=_ALL)
        canceled = 0
        while True:
            with store.writing() as writer:
                count = writer.queue.cancel(wanted, reason, at_ns=now_ns, limit=_AT_ONCE)
            canceled += count
            if not count:
                return canceled


def _conditions(given: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, is_there, value = one.partition("=")
        if not is_there or name not in COLUMNS:
            raise ConfigError(f"--where {one} is not NAME=VALUE; names are {', '.join(COLUMNS)}")
        found[name] = value
    return found
