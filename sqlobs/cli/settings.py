"""`sqlobs settings`: the configuration of a running collector, with the origin of each setting."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask, default_admin
from sqlobs.reporting.wording import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EXAMPLES: Final = """\
examples:
  sqlobs settings                           # what was given, and the tokens
  sqlobs settings --all                     # defaults, too
  sqlobs settings --probe                   # connect to targets and judge

Secrets are masked. Needs the right `admin`. Exit code 1: a target or the judge is not usable.
"""
_PATIENCE_S: Final = 60.0


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "settings",
        help="show the configuration of a running collector",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--all", action="store_true", help="list defaults, too")
    parser.add_argument(
        "--probe", action="store_true", help="connect to targets and judge, and print the result"
    )
    parser.add_argument("--json", action="store_true", help="print the collector's response")
    parser.add_argument(
        "--admin",
        metavar="URL",
        default=default_admin(),
        help=f"the collector's admin address; default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN}",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the settings; return 1 if a target or the judge is not usable."""
    query = "?probe=true" if args.probe else ""
    found = ask(args.admin, f"/v1/settings{query}", patience_s=_PATIENCE_S)
    lines = [json.dumps(found)] if args.json else _lines(found, has_defaults=args.all)
    for line in lines:
        print(line)
    return 0 if all(one["is_usable"] for one in found["probes"] or ()) else 1


def _lines(found: Mapping[str, Any], *, has_defaults: bool) -> Iterator[str]:
    for one in found["settings"]:
        if has_defaults or not one["is_default"]:
            value = json.dumps(one["value"], ensure_ascii=False)
            yield visible(one_line(f"{one['key']} = {value}   ({one['origin']})"))
    for one in found["tokens"]:
        rights = ", ".join(one["rights"])
        yield visible(one_line(f"token {one['name']} ({one['reference']}): {rights}"))
    for one in found["probes"] or ():
        yield visible(one_line(f"{one['subject']}: {one['sentence']}"))
