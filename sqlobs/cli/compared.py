"""`sqlobs report --admin --compare`: rates of two windows, prompt versions, models or releases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from sqlobs.cli.admin import ask
from sqlobs.cli.secret import secret
from sqlobs.errors import InputError
from sqlobs.reporting.wording import one_line, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

BY: Final = ("prompt_version", "model", "service_version")
OPTIONS: Final = ("at", "baseline", "by", "before", "now")
_PATIENCE_S: Final = 120.0
_SHOWN: Final = 5


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the two sides."""
    group = parser.add_argument_group("comparison of a collector's requests (--admin --compare)")
    group.add_argument(
        "--at", metavar="TIME",
        help="time of a deployment, or a duration before now: compare since then with before",
    )  # fmt: skip
    group.add_argument(
        "--baseline", metavar="TIME|DURATION",
        help="start of the window before; default: as long as the one since",
    )  # fmt: skip
    group.add_argument("--by", choices=BY, help="compare two values of this instead of windows")
    group.add_argument("--before", metavar="VALUE", help="the value on the left")
    group.add_argument("--now", metavar="VALUE", help="the value on the right")


def show_collected_comparison(args: argparse.Namespace) -> int:
    """Print the comparison of a collector's requests."""
    if args.by and not (args.before and args.now):
        raise InputError(f"--by {args.by} needs --before VALUE and --now VALUE")
    named = {name: getattr(args, name) for name in OPTIONS}
    named |= {
        name: value and _time(value)
        for name, value in (("since", args.since), ("until", args.until))
    }
    query = urlencode({name: text for name, text in named.items() if text})
    token = None if args.admin_token is None else secret(args.admin_token, option="--admin-token")
    path = f"/v1/compare?{query}" if query else "/v1/compare"
    found = ask(args.admin, path, token=token, patience_s=_PATIENCE_S)
    print(json.dumps(found) if args.json else "\n".join(_lines(found)))
    return 0


def _time(nanoseconds: int) -> str:
    return f"{nanoseconds / 10**9:.3f}"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for side in ("before", "now"):
        one = found[side]
        yield visible(f"{side}: {one['title']}, {one['requests']:,} requests")
    yield ""
    for rate in found["rates"]:
        yield f"{rate['name']:45}  {_rate(rate['before'])}  ->  {_rate(rate['now'])}{_sure(rate)}"
    for title, name in (("now failing", "newly_failing"), ("now passing", "newly_passing")):
        yield ""
        yield f"{title}: {found[f'{name}_count']} questions"
        for change in found[name][:_SHOWN]:
            yield from _change(change)
    if found["p_value"] is not None:
        yield f"\nsame questions, McNemar's exact test: p = {found['p_value']:.3g}"


def _rate(side: Mapping[str, Any]) -> str:
    if side["rate"] is None:
        return "no request"
    interval = ""
    if side["lower"] is not None:
        interval = f" [{100 * side['lower']:.1f} to {100 * side['upper']:.1f}]"
    return f"{100 * side['rate']:.1f} %{interval}, {side['count']} of {side['of']}"


def _sure(rate: Mapping[str, Any]) -> str:
    return "   statistically significant" if rate["is_significant"] else ""


def _change(change: Mapping[str, Any]) -> Iterator[str]:
    before, now = change["before"], change["now"]
    yield f"  {visible(one_line(now['question'] or before['question'] or '-'))}"
    for title, one in (("before", before), ("now", now)):
        yield f"    {title:6} {one['id'][:12]}  {visible(one_line(one['sql'] or '-'))}"
