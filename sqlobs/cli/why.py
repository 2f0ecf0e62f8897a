"""`sqlobs why`: the path a request took through the collector, with the reason for every skip."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask_list, default_admin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EXAMPLES: Final = """\
examples:
  sqlobs why 4bf92f3577b34da6a3ce929d0e0e4736
  sqlobs why 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 --json

The token is that of SQLOBS_COLLECTOR_ADMIN_TOKEN, else that of your own collector on this machine.
"""
_DETAILS: Final = (
    *("as", "rule", "metric", "label", "value", "side", "categories", "reason", "why"),
    "explanation",
)


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "why",
        help="tell what became of a request, and why",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", help="a trace id, or a generation id (`ctx.generation.id`)")
    parser.add_argument(
        "--admin",
        metavar="URL",
        default=default_admin(),
        help=f"the collector's admin address (default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN})",
    )
    parser.add_argument("--json", action="store_true", help="print the collector's answer as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the paths of a request; exit code 1 when the collector knows none."""
    units = _ask(args.admin, args.id)
    if args.json:
        print(json.dumps(units))
    else:
        print("\n\n".join("\n".join(_lines(unit)) for unit in units) or _unknown(args.id))
    return 0 if units else 1


def _ask(admin: str, identity: str) -> list[dict[str, object]]:
    return ask_list(admin, f"/v1/why/{quote(identity, safe='')}", "units")


def _unknown(identity: str) -> str:
    return (
        f"{identity}: the collector has no unit of this request.\n"
        "Either none was sent (is `collector=` or SQLOBS_COLLECTOR_ENDPOINT set?), or it was sent "
        "to another\ncollector or workspace, or it is older than retention.unit_s."
    )


def _lines(unit: Mapping[str, object]) -> Iterator[str]:
    reason = f" ({unit['reason']})" if unit["reason"] else ""
    yield f"{unit['generation_id']}  {unit['workflow'] or '-'}: {unit['state']}{reason}"
    told = ("service", "environment", "outcome", "verdict", "failure_code")
    yield "  " + ", ".join(f"{name} {unit[name]}" for name in told if unit[name])
    steps = unit["steps"]
    if isinstance(steps, list):
        yield from (_step(step) for step in steps)


def _step(step: Mapping[str, object]) -> str:
    details = [f"{name}: {step[name]}" for name in _DETAILS if step.get(name) is not None]
    return f"  {step['at']}  {step['step']:<11} {'; '.join(details)}".rstrip()
