"""`sqlobs explain`: why a rate changed, as the collector's requests tell."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask, default_admin
from sqlobs.reporting.wording import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EXAMPLES: Final = """\
examples:
  sqlobs explain                                     # what changed in the last minutes
  sqlobs explain --labels 'service_name="shop",sqlobs_workflow="answer"' --at 2026-11-24T09:30:00Z
  sqlobs explain --rate error --since 2026-11-24T09:00:00Z --baseline 7d
  sqlobs explain --since 2026-11-24T09:00:00Z --by service_version    # before and after a release
  sqlobs explain --json

The labels are those of an alert; labels that a request does not have are ignored. A collector of
your own user on this machine needs no token; for another one set SQLOBS_COLLECTOR_ADMIN_TOKEN.
"""
_RATES: Final = (
    "schema_hallucination",
    "syntactic",
    "failed",
    "error",
    "unchecked",
    "first_attempt",
)
_DIMENSIONS: Final = (
    *("prompt_version", "model", "schema_version", "tenant", "workflow", "service_version"),
)
_PARAMETERS: Final = ("labels", "rate", "at", "since", "baseline")
_SHOWN: Final = 5
_PATIENCE_S: Final = 120.0
"""A day of a million requests takes the collector longer than its other answers."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "explain",
        help="explain why a rate changed: model, prompt, schema, tenant, workflow or release",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--labels", metavar="LABELS", help="labels of the alert, as in PromQL")
    parser.add_argument(
        "--rate", choices=_RATES, default=_RATES[0], help="rate to explain; default: %(default)s"
    )
    parser.add_argument("--at", metavar="TIME", help="end of the window; default: now")
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="start of the window, such as the time of a deployment; default: the shortest of"
        " 10 min, 20 min, 1 h, 6 h, 1 d and 3 d with 5 failures",
    )
    parser.add_argument(
        "--baseline",
        metavar="DURATION|TIME",
        default="24h",
        help="period to compare with: a duration before the window, or its start; default:"
        " %(default)s",
    )
    parser.add_argument(
        "--by",
        choices=_DIMENSIONS,
        help="also list the rates before and now, with 95 %% intervals, by this dimension",
    )
    parser.add_argument(
        "--admin",
        metavar="URL",
        default=default_admin(),
        help=f"the collector's admin address; default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN}",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the collector's response as JSON"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the explanation."""
    given = {name: getattr(args, name) for name in _PARAMETERS if getattr(args, name)}
    found = ask(args.admin, f"/v1/explain?{urlencode(given)}", patience_s=_PATIENCE_S)
    print(json.dumps(found) if args.json else "\n".join(_lines(found, args.by)))
    return 0


def _lines(found: Mapping[str, Any], by: str | None) -> Iterator[str]:
    yield found["summary"]
    yield f"window {_period(found['window'])}; baseline {_period(found['baseline'])}"
    if found["explanations"]:
        yield "explanations, best first:"
        yield from (f"  {_explanation(one)}" for one in found["explanations"][:_SHOWN])
    if by is not None:
        yield f"by {by}:"
        yield from (f"  {_group(one)}" for one in found["groups"][by])
    if found["first_bad"] is not None:
        yield f"first failed request: {_request(found['first_bad'])}"
    for title, name, counted in (
        ("invented names", "name", found["invented_names"]),
        ("failure codes", "code", found["failure_codes"]),
    ):
        if counted:
            shown = ", ".join(f"{visible(one[name])} ({one['requests']})" for one in counted)
            yield f"{title}: {shown}"
    for example in found["examples"]:
        yield f"  {_request(example)}"
        if example.get("sql"):
            yield f"    {visible(one_line(example['sql']))}"


def _period(period: Mapping[str, Any]) -> str:
    return f"{period['since'][:19]} to {period['until'][:19]} ({_rate(period)})"


def _rate(counts: Mapping[str, Any]) -> str:
    if counts["rate"] is None:
        return "no request"
    return f"{100 * counts['rate']:.3g} %, {counts['failed']} of {counts['requests']}"


def _explanation(one: Mapping[str, Any]) -> str:
    names = [one, *one["same_requests"]] if one["dimension"] else []
    what = " = ".join(f"{each['dimension']} {visible(str(each['value']))}" for each in names)
    part = "" if one["share_of_change"] is None else f"{one['share_of_change']:.0%} of the change: "
    return f"{what or 'all groups alike'}: {part}{_rate(one['baseline'])} -> {_rate(one['window'])}"


def _group(one: Mapping[str, Any]) -> str:
    value = visible(str(one["value"]))
    return f"{value}: {_interval(one['baseline'])} -> {_interval(one['window'])}"


def _interval(counts: Mapping[str, Any]) -> str:
    if counts["rate"] is None:
        return _rate(counts)
    return f"{_rate(counts)} [{100 * counts['lower']:.3g} to {100 * counts['upper']:.3g} %]"


def _request(request: Mapping[str, Any]) -> str:
    about = ("workflow", "model", "prompt_version", "service_version", "failure_code")
    said = ", ".join(f"{name} {request[name]}" for name in about if request.get(name))
    return visible(f"{request['occurred']}  {request['generation_id']}  {said}")
