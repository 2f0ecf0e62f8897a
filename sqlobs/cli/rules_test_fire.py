"""`sqlobs rules test-fire`: send a real alert through Alertmanager, to see that it arrives."""

from __future__ import annotations

import argparse
import difflib
import time
from typing import TYPE_CHECKING, Any, Final

from sqlobs.cli.rule_options import add_job, add_links, add_objectives, pair, settings_of
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from sqlobs.monitoring.settings import RuleSettings

_EXAMPLES: Final = """\
examples:
  sqlobs rules test-fire --alertmanager http://localhost:9093
  sqlobs rules test-fire --alertmanager http://localhost:9093 --alert SqlobsCost \\
      --set service_name=shop --set sqlobs_workflow=answer --label team=data

The alert has the labels, links and texts of the generated rules, and a summary that begins with
TEST. It resolves by itself.
"""
_USUAL: Final = "SqlobsSchemaHallucination"
_LONGEST_S: Final = 86_400


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "test-fire",
        help="send a real alert through Alertmanager",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--alertmanager", required=True, metavar="URL", help="address of Alertmanager"
    )
    parser.add_argument(
        "--alert", default=_USUAL, metavar="NAME", help="which alert (default: %(default)s)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="LABEL=VALUE",
        help="label of the place where it fires, such as service_name=shop; repeatable (default:"
        " service, environment and workflow `test`)",
    )
    parser.add_argument(
        "--lasts",
        type=int,
        default=300,
        metavar="SECONDS",
        help="seconds after which it resolves (default: %(default)s)",
    )
    add_objectives(parser)
    add_links(parser)
    add_job(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Send the alert and print what was sent."""
    from sqlobs.monitoring.annotations import CODE, MODEL, PROMPT
    from sqlobs.monitoring.notices import notice_of
    from sqlobs.monitoring.promql import WORKFLOW
    from sqlobs.monitoring.trial_alert import fire

    if not 0 < args.lasts <= _LONGEST_S:
        raise InputError(f"--lasts {args.lasts} must be above 0 and at most {_LONGEST_S}")
    labels = dict.fromkeys(WORKFLOW, "test") | dict(pair("--set", text) for text in args.set)
    rule = _rule(args.alert, settings_of(args))
    rule["annotations"]["summary"] = f"TEST: {rule['annotations']['summary']}"
    names = dict.fromkeys((MODEL, PROMPT, CODE), "test")
    notice = notice_of(rule, labels, value=1, at_s=time.time_ns() / 10**9, names=names)
    fire(args.alertmanager, notice, lasts_s=args.lasts)
    print(f"sent {args.alert}, which resolves after {args.lasts} s:")
    for name, value in (*notice.labels.items(), *notice.annotations.items()):
        print(f"  {name}: {value}")
    return 0


def _rule(name: str, settings: RuleSettings) -> dict[str, Any]:
    from sqlobs.monitoring.files import groups
    from sqlobs.monitoring.rules import Alert

    rules = (rule for group in groups(settings) for rule in group.rules)
    alerts = {rule.name: rule for rule in rules if isinstance(rule, Alert)}
    if name not in alerts:
        close = difflib.get_close_matches(name, alerts, n=1)
        hint = f"; did you mean {close[0]}?" if close else "; docs/alerts.md lists them"
        raise InputError(f"--alert {name}: no such alert{hint}")
    return alerts[name].document(settings)
