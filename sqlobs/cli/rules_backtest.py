"""`sqlobs rules backtest`: the alerts that the last days would have fired with given objectives."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlobs.cli.rule_options import add_job, add_objectives, settings_of
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.monitoring.backtest import Episode

_EXAMPLES: Final = """\
examples:
  sqlobs rules backtest --prometheus http://localhost:9090
  sqlobs rules backtest --prometheus http://localhost:9090 --config objectives.yaml --days 7

Nothing but the metrics of the SDK and of the collector must be in Prometheus: the rules need not
have been loaded. An evaluation every 5 minutes: an alert that lasts less may be missed.
"""
_DAY_S: Final = 86_400
_MOST_DAYS: Final = 366


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "backtest",
        help="show which alerts the last days would have fired",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--prometheus", required=True, metavar="URL", help="address of the Prometheus to ask"
    )
    parser.add_argument(
        "--days",
        type=float,
        default=30.0,
        metavar="DAYS",
        help="how many days back to look (default: %(default)g)",
    )
    add_objectives(parser)
    add_job(parser)
    parser.add_argument("--json", action="store_true", help="print the alerts as JSON lines")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the alerts, the earliest first, and how many of each there are."""
    from sqlobs.monitoring.backtest import STEP_S, backtest
    from sqlobs.monitoring.prometheus import PrometheusReader, Span

    if not 0 < args.days <= _MOST_DAYS:
        raise InputError(f"--days {args.days:g} must be above 0 and at most {_MOST_DAYS}")
    end_s = time.time_ns() // 10**9 // STEP_S * STEP_S
    start_s = (end_s - round(args.days * _DAY_S)) // STEP_S * STEP_S
    reader = PrometheusReader(args.prometheus)
    found = backtest(reader, settings_of(args), Span(start_s, end_s, STEP_S))
    if args.json:
        print(*(json.dumps(_record(one)) for one in found), sep="\n")
    else:
        print(*_lines(found, args.days), sep="\n")
    return 0


def _record(one: Episode) -> dict[str, object]:
    return {
        "alert": one.alert,
        "severity": one.severity,
        "labels": dict(one.labels),
        "start": _time(one.start_s),
        "end": _time(one.end_s),
    }


def _lines(found: Sequence[Episode], days: float) -> Iterator[str]:
    for one in found:
        place = " ".join(value for _, value in one.labels)
        lasts = f"{_time(one.start_s)} to {_time(one.end_s)}"
        yield f"{lasts}  {one.severity:<6}  {one.alert}  {place}"
    yield f"{len(found)} alerts in {days:g} days{_counted(found)}"


def _counted(found: Iterable[Episode]) -> str:
    counts = Counter((one.severity, one.alert) for one in found)
    said = ", ".join(f"{count} {alert} ({severity})" for (severity, alert), count in counts.items())
    return f": {said}" if said else ""


def _time(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%MZ")
