"""`sqlobs requests`: list or export the requests of a collector, newest first."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from sqlobs.admin import ask_admin
from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask, default_admin
from sqlobs.cli.numbers import positive
from sqlobs.errors import InputError
from sqlobs.reporting.wording import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_EXAMPLES: Final = """\
examples:
  sqlobs requests --failed --since 1h
  sqlobs requests --where model=gpt-4o --where prompt_version=v14 --where name=totals
  sqlobs requests --search 'revenue by region' --where evaluation=ex:fail
  sqlobs requests --failed --since 7d --export csv > failed.csv

--where takes: workflow, model, prompt_version, tenant, service_version, environment, service_name,
verdict, outcome, failure_code, name (an invented name), evaluation (NAME:LABEL), feedback
(positive or negative). `NAME=(none)` selects requests without a value.
"""
_CONDITION: Final = re.compile(
    # `prompt_version=v14`
    r"\s*(?P<name>[a-z_]+)\s*=\s*(?P<value>.+?)\s*",
    re.DOTALL,
)
_NAMES: Final = (
    *("workflow", "model", "prompt_version", "tenant", "service_version", "environment"),
    *("service_name", "verdict", "outcome", "failure_code", "name", "evaluation", "feedback"),
)
_MOST: Final = 500
_ID_DIGITS: Final = 12
_CHARACTERS: Final = 60
_EXPORT_S: Final = 600.0


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "requests",
        help="list, search and export the requests of a collector",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--failed", action="store_true", help="only those whose SQL failed")
    parser.add_argument(
        "--since", metavar="TIME", default="24h",
        help="duration such as 1h or 7d, or ISO 8601 time; default: %(default)s",
    )  # fmt: skip
    parser.add_argument("--until", metavar="TIME", help="the same; default: now")
    parser.add_argument(
        "--where", metavar="NAME=VALUE", type=_condition, action="append", default=[],
        help="only requests with this value; repeatable",
    )  # fmt: skip
    parser.add_argument("--search", metavar="WORDS", help="words of question or SQL")
    parser.add_argument(
        "--last", metavar="N", type=positive, default=20,
        help=f"number of requests, at most {_MOST}; default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--export", choices=("jsonl", "csv"), help="print all of them as JSON lines or CSV"
    )
    parser.add_argument("--json", action="store_true", help="print the collector's response")
    parser.add_argument(
        "--admin", metavar="URL", default=default_admin(),
        help=f"the collector's admin address; default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN}",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the requests; return 1 if there are none."""
    given = _parameters(args)
    if args.export is not None:
        return _export(args, given)
    limit = min(args.last, _MOST)
    page = ask(args.admin, f"/v1/requests?{urlencode([*given, ('limit', str(limit))])}")
    print(json.dumps(page) if args.json else "\n".join(_table(page)))
    return 0 if page["requests"] else 1


def _parameters(args: argparse.Namespace) -> list[tuple[str, str]]:
    named = {"since": args.since, "until": args.until, "q": args.search}
    failed = [("verdict", "failed")] if args.failed else []
    return [*((name, text) for name, text in named.items() if text), *failed, *args.where]


def _export(args: argparse.Namespace, given: Sequence[tuple[str, str]]) -> int:
    path = f"/v1/requests/export?{urlencode([*given, ('format', args.export)])}"
    answer = ask_admin(args.admin, path, patience_s=_EXPORT_S)
    if answer.status != 200:  # noqa: PLR2004 - OK
        raise InputError(f"{args.admin} returned status {answer.status} to an export")
    sys.stdout.write(answer.content.decode())
    return 0 if answer.content else 1


def _condition(text: str) -> tuple[str, str]:
    found = _CONDITION.fullmatch(text)
    if found is None or found["name"] not in _NAMES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not NAME=VALUE with one of {', '.join(_NAMES)}"
        )
    return found["name"], found["value"]


def _table(page: Mapping[str, Any]) -> Iterator[str]:
    requests = page["requests"]
    if not requests:
        yield "no matching requests"
        return
    more = "" if page["is_count_complete"] else "more than "
    yield f"{len(requests)} of {more}{page['count']:,} requests, newest first"
    rows = [
        (
            "time",
            "id",
            "workflow",
            "model",
            "prompt",
            "verdict",
            "failure code",
            "names",
            "question",
        ),
        *map(_row, requests),
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _row(request: Mapping[str, Any]) -> tuple[str, ...]:
    question = visible(one_line(request["question"] or ""))
    is_long = len(question) > _CHARACTERS
    return (
        request["occurred"][:19],
        request["id"][:_ID_DIGITS],
        *(visible(request[name] or "-") for name in ("workflow", "model", "prompt_version")),
        request["verdict"] or request["outcome"] or "-",
        visible(request["failure_code"] or ""),
        visible(", ".join(one["name"] for one in request["invented"])),
        f"{question[: _CHARACTERS - 1]}…" if is_long else question,
    )
