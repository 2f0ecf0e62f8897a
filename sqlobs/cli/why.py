"""`sqlobs why`: list the latest requests, or show one request with the reason for every skip."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Final, get_args
from urllib.parse import quote, urlencode

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask_list, default_admin
from sqlobs.cli.numbers import positive
from sqlobs.reporting.wording import one_line, visible
from sqlobs.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_EXAMPLES: Final = """\
examples:
  sqlobs why                                         # the latest 20 requests that failed
  sqlobs why --verdict any --tenant acme --last 50
  sqlobs why 4bf92f35                                # an id, or a prefix of it
  sqlobs why 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 --json

A collector of your own user on this machine needs no token; for another one set
SQLOBS_COLLECTOR_ADMIN_TOKEN.
"""
_DETAILS: Final = (
    *("as", "rule", "metric", "label", "value", "side", "categories", "reason", "why"),
    "explanation",
)
_ABOUT: Final = (
    *("service", "service_version", "environment", "tenant", "target", "model", "prompt_version"),
    *("outcome", "verdict", "failure_code"),
)
_SAID: Final = {
    "question": "question",
    "sql": "SQL",
    "hallucinated_tables": "invented tables",
    "hallucinated_columns": "invented columns",
    "suggestions": "suggestions",
    "syntax_error": "syntax error",
    "reference": "reference",
}
_ANY: Final = "any"
_FILTERS: Final = ("verdict", "workflow", "tenant", "failure_code")
_ID_DIGITS: Final = 12
_QUESTION_CHARACTERS: Final = 60


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "why",
        help="list the latest requests, or show one request step by step and why it failed",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "id",
        nargs="?",
        help="trace ID or a prefix of one (at least 6 digits), or generation ID"
        " (`ctx.generation.id`); default: list the latest requests",
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
    group = parser.add_argument_group("filters of the list")
    group.add_argument(
        "--verdict",
        choices=(*get_args(Verdict), _ANY),
        default="failed",
        help="requests with this verdict; default: failed",
    )
    group.add_argument(
        "--failure-code", metavar="CODE", help="requests with this primary failure code"
    )
    group.add_argument("--workflow", metavar="NAME", help="requests of this workflow")
    group.add_argument("--tenant", metavar="NAME", help="requests of this tenant")
    group.add_argument(
        "--last",
        metavar="N",
        type=positive,
        default=20,
        help="number of requests, at most 100; default: 20",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the requests; return 1 if there are none."""
    units = _asked(args)
    if args.json:
        print(json.dumps(units))
    elif args.id is None:
        print("\n".join(_table(units)) if units else "no matching requests")
    else:
        print("\n\n".join("\n".join(_lines(unit)) for unit in units) or _unknown(args.id))
    return 0 if units else 1


def _asked(args: argparse.Namespace) -> list[dict[str, object]]:
    if args.id is not None:
        return ask_list(args.admin, f"/v1/why/{quote(args.id, safe='')}", "units")
    wanted = {name: getattr(args, name) for name in _FILTERS}
    given = {name: text for name, text in wanted.items() if text not in {None, _ANY}}
    return ask_list(args.admin, f"/v1/why?{urlencode({**given, 'limit': args.last})}", "units")


def _unknown(identity: str) -> str:
    return (
        f"{identity}: the collector has no unit for this request.\n"
        "Either none was sent (is `collector=` or SQLOBS_COLLECTOR_ENDPOINT set?), or it was sent"
        " to another\ncollector or workspace, or it is older than retention.unit_s."
    )


def _table(units: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Yield a table row for each request."""
    rows = [("time", "id", "workflow", "verdict", "failure code", "question"), *map(_row, units)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _row(unit: Mapping[str, object]) -> tuple[str, ...]:
    question = one_line(str(unit["question"] or ""))
    is_long = len(question) > _QUESTION_CHARACTERS
    return (
        str(unit["occurred"])[:19],
        str(unit["generation_id"])[3 : 3 + _ID_DIGITS],
        str(unit["workflow"] or "-"),
        str(unit["verdict"] or unit["outcome"] or "-"),
        str(unit["failure_code"] or ""),
        f"{question[: _QUESTION_CHARACTERS - 1]}…" if is_long else question,
    )


def _lines(unit: Mapping[str, object]) -> Iterator[str]:
    reason = f" ({unit['reason']})" if unit["reason"] else ""
    yield f"{unit['generation_id']}  {unit['workflow'] or '-'}: {unit['state']}{reason}"
    yield "  " + ", ".join(f"{name} {unit[name]}" for name in _ABOUT if unit.get(name))
    for name, title in _SAID.items():
        if unit.get(name):
            yield f"  {title}: {_shown(unit[name])}"
    attempts = unit.get("attempts")
    if isinstance(attempts, list):
        yield from (_attempt(one) for one in attempts if isinstance(one, dict))
    steps = unit["steps"]
    if isinstance(steps, list):
        yield from (_step(step) for step in steps)


def _attempt(attempt: Mapping[str, Any]) -> str:
    found = "; ".join(
        f"{one.get('name') or one.get('code')} (line {one.get('line')}, column {one.get('column')})"
        + (f" -> {one['suggestion']}" if one.get("suggestion") else "")
        for one in attempt.get("findings", ())
        if isinstance(one, dict)
    )
    said = f"attempt {attempt.get('number')}, {attempt.get('verdict')}: {attempt.get('sql')}"
    return f"  {visible(one_line(said))}" + (f"\n    findings: {visible(found)}" if found else "")


def _shown(value: object) -> str:
    return visible(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _step(step: Mapping[str, object]) -> str:
    details = [f"{name}: {step[name]}" for name in _DETAILS if step.get(name) is not None]
    return f"  {step['at']}  {step['step']:<11} {'; '.join(details)}".rstrip()
