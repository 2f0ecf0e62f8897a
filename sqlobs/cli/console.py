"""`sqlobs console`: open a collector's console in the browser, logged in."""

from __future__ import annotations

import argparse
from typing import Final
from urllib.parse import urlencode

from sqlobs.cli.admin import ADMIN_VARIABLE, DEFAULT_ADMIN, ask, default_admin

_EXAMPLES: Final = """\
examples:
  sqlobs console
  sqlobs console --no-browser               # print the link, for a browser elsewhere
  sqlobs console --admin http://collector:4319

The link logs one browser in, once, within a minute, with the rights of your token. A collector of
your own user on this machine needs no token; for another one set SQLOBS_COLLECTOR_ADMIN_TOKEN.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "console",
        help="open a collector's console in the browser",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--admin",
        metavar="URL",
        default=default_admin(),
        help=f"the collector's admin address; default: ${ADMIN_VARIABLE}, else {DEFAULT_ADMIN}",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the link instead of opening a browser"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Open the console, or print its link; return 0."""
    import webbrowser

    link = login_link(args.admin)
    if args.no_browser or not webbrowser.open(link):
        print(link)
    else:
        print(f"opened {args.admin.rstrip('/')} in your browser")
    return 0


def login_link(admin: str) -> str:
    """Return a link that logs one browser in, once, within a minute.

    Raises:
        InputError: Nothing answers, or something other than a collector.
        ConfigError: The token is missing or is rejected.
    """
    code = ask(admin, "/v1/login-codes", method="POST").get("code", "")
    return f"{admin.rstrip('/')}/login?{urlencode({'code': code})}"
