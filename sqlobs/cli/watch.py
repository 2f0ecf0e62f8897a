"""`sqlobs watch`: a live terminal view of a collector's rates, alerts and queues."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, get_args

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask_list, default_admin
from sqlobs.errors import SqlobsError
from sqlobs.reporting.wording import visible
from sqlobs.semconv.collector import Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlobs.monitoring.watching import Figure, View, WorkflowView

_EXAMPLES: Final = """\
examples:
  sqlobs watch
  sqlobs watch --window 24h --interval 10
  sqlobs watch --once --json

Ends with Ctrl-C. Rates come from sampled requests and are weighted like the collector's gauges.
"""
_CLEAR: Final = "\x1b[H\x1b[2J"
_TOP: Final = 5


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "watch",
        help="show a collector's rates, alerts and queues, live",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--admin",
        metavar="URL",
        default=default_admin(),
        help=f"the collector's admin address (default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN})",
    )
    parser.add_argument(
        "--window",
        choices=get_args(Window),
        default="1h",
        help="time window of the rates (default: 1h)",
    )
    parser.add_argument(
        "--interval",
        type=_seconds,
        default=2.0,
        metavar="S",
        help="refresh interval in seconds; default: 2",
    )
    parser.add_argument("--once", action="store_true", help="print once and exit")
    parser.add_argument(
        "--json", action="store_true", help="print each refresh as one line of JSON"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print until interrupted, or once."""
    from sqlobs.monitoring.exposition import read_metrics
    from sqlobs.monitoring.watching import view_of

    redraws = sys.stdout.isatty() and not (args.once or args.json)
    while True:
        view = view_of(read_metrics(args.admin), window=args.window)
        alerts = _alerts(args.admin)
        shown = {**asdict(view), "alerts": alerts if isinstance(alerts, list) else None}
        lines = (*_lines(view, args.admin), *_alert_lines(alerts))
        text = json.dumps(shown) if args.json else "\n".join(lines)
        print((_CLEAR if redraws else "") + text, flush=True)
        if args.once:
            return 0
        time.sleep(args.interval)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _lines(view: View, admin: str) -> Iterator[str]:
    yield f"{admin}   {datetime.now(UTC):%H:%M:%S} UTC   rates over the last {view.window}"
    if not view.workflows:
        yield "no requests in this window"
    for workflow in view.workflows:
        yield ""
        yield from _workflow_lines(workflow)
    yield ""
    yield f"units since the collector started   {_counted(view.states.items())}"
    yield (
        f"lag   journal {view.journal_lag_s:.1f} s   queue {view.queue} units, oldest"
        f" {view.queue_age_s:.1f} s"
    )


def _alerts(admin: str) -> list[Any] | str:
    """Return the alerts that fire, or why the collector does not tell: rates are shown anyway."""
    try:
        return ask_list(admin, "/v1/alerts", "alerts")
    except SqlobsError as error:
        return str(error)


def _alert_lines(alerts: Sequence[Mapping[str, Any]] | str) -> Iterator[str]:
    yield ""
    if isinstance(alerts, str):
        yield f"alerts   not shown: {alerts}"
        return
    yield f"alerts   {len(alerts) or 'none'} firing"
    for one in alerts:
        yield visible(f"  {one['severity']:6}  {one['alert']}   {one['summary']}")


def _counted(counts: Iterable[tuple[str, int]]) -> str:
    return "   ".join(f"{name} {count}" for name, count in counts) or "none"


def _workflow_lines(workflow: WorkflowView) -> Iterator[str]:
    counted = f"{workflow.requests} request{'' if workflow.requests == 1 else 's'}"
    yield f"{workflow.service or '-'} / {workflow.workflow}   {counted}"
    yield f"  {'outcomes':30}  {_shared(dict(sorted(workflow.outcomes.items())))}"
    yield f"  {'verdicts of answers':30}  {_shared(dict(sorted(workflow.verdicts.items())))}"
    if workflow.failures:
        failures = dict(islice(workflow.failures.items(), _TOP))
        yield f"  {'failure codes of answers':30}  {_shared(failures)}"
    for figure in workflow.figures:
        yield f"  {figure.name:30}  {figure.value:6.1%}{_precision(figure)}"


def _shared(shares: Mapping[str, float]) -> str:
    return "   ".join(f"{name} {share:.1%}" for name, share in shares.items())


def _precision(figure: Figure) -> str:
    interval = ""
    if figure.lower is not None and figure.upper is not None:
        interval = f"   {figure.lower:.1%} to {figure.upper:.1%}"
    return interval + (f"   of {figure.of}" if figure.of is not None else "")
