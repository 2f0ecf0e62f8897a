"""Options for where statements run: a DSN, or an HTTP service."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.secret import secret
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sqlobs.evaluation.databases import Place
    from sqlobs.execution.target import HttpQuery, Target

_NAMED_DSN: Final = re.compile(r"(?P<name>[^=/:?]+)=(?P<url>[\w+.-]+://.*)", re.DOTALL)
"""As in `warehouse=postgresql://reader@db/shop`."""


def add_targets(parser: argparse.ArgumentParser) -> None:
    """Add the options for a database or a service."""
    group = parser.add_argument_group("database or service that runs SQL")
    add_databases(group)
    _add_execution(group)
    _add_service(group)


def add_databases(group: argparse._ActionsContainer) -> None:
    """Add the options that name databases."""
    group.add_argument(
        "--dsn", metavar="[NAME=]URL", action="append", default=[],
        help="database URL; default: SQLOBS_DSN. {db} in it stands for the database of each case;"
             " NAME=URL sets the URL of one database, repeatable; a URL without a name is that of"
             " all others",
    )  # fmt: skip
    group.add_argument(
        "--targets", metavar="FILE", type=Path,
        help="file with a line NAME=URL for each database; *=URL is that of all others, and"
             " NAME=env:VARIABLE reads the URL from the environment",
    )  # fmt: skip


def _add_execution(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--allow-function",
        metavar="NAME",
        action="append",
        default=[],
        help="side-effect-free function of your database that statements may call; repeatable",
    )
    group.add_argument(
        "--query-preset",
        choices=("denodo",),
        help="run statements through a Denodo Data Catalog over HTTP; configure it with"
        " DATA_CATALOG_URL, _EXECUTION_URL, _SERVER_ID and _VERIFY_SSL",
    )
    group.add_argument(
        "--env-file",
        metavar="FILE",
        type=Path,
        help="file with additional environment variables (.env format)",
    )


def _add_service(group: argparse._ActionsContainer) -> None:
    """Add the options for a service that runs SQL over HTTP."""
    group.add_argument("--query-url", metavar="URL", help="service that runs SQL, called with POST")
    group.add_argument(
        "--query-body",
        metavar="JSON",
        default='{"sql": "{sql}"}',
        help='request body; default: {"sql": "{sql}"}',
    )
    group.add_argument(
        "--query-rows",
        metavar="PATH",
        default="rows",
        help="path of the rows in the response; default: rows",
    )
    group.add_argument(
        "--query-columns",
        metavar="PATH",
        help="path of the column names in the response, if rows are lists",
    )
    group.add_argument("--query-user", help="user name for basic authentication; default: --user")
    group.add_argument(
        "--query-password", metavar="env:NAME", help="environment variable that holds the password"
    )
    group.add_argument(
        "--query-no-verify-ssl", action="store_true", help="do not verify the TLS certificate"
    )


def place_of(args: argparse.Namespace) -> Place | None:
    """Return where statements run: a service, one database, or one per name; None = nowhere.

    Raises:
        InputError: an option is missing or invalid.
    """
    service = service_of(args)
    return service if service is not None else dsn_place(args)


def dsn_place(args: argparse.Namespace) -> str | dict[str, str] | None:
    """Return the databases of `--dsn` and `--targets`, else of the environment; None = nowhere.

    Raises:
        InputError: several have one name, or the file of targets is invalid.
    """
    from sqlobs.evaluation.databases import OTHERS

    given = [_named(dsn) for dsn in args.dsn]
    listed = [] if args.targets is None else [*_listed(args.targets)]
    named = dict((*listed, *given))
    if len(named) < len(given) + len(listed):
        names = Counter(name for name, _ in (*listed, *given))
        raise InputError(
            f"{_shown(names.most_common(1)[0][0])}; databases need distinct names: --dsn NAME=URL"
        )
    if set(named) <= {OTHERS}:
        return named.get(OTHERS) or os.environ.get("SQLOBS_DSN") or None
    return named


def _shown(twice: str) -> str:
    from sqlobs.evaluation.databases import OTHERS

    return "two URLs have no name" if twice == OTHERS else f"two URLs have the name {twice}"


def _named(dsn: str) -> tuple[str, str]:
    from sqlobs.evaluation.databases import OTHERS

    match = _NAMED_DSN.fullmatch(dsn)
    return (OTHERS, dsn) if match is None else (match["name"], match["url"])


def _listed(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the targets of a file.

    Raises:
        InputError: it cannot be read, a line has another form, or a variable is not set.
    """
    from sqlobs.cli.inputs import read_text

    for number, line in enumerate(read_text(str(path)).splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, _, url = text.partition("=")
        if url.startswith("env:"):
            url = secret(url, option=f"{path}, line {number}")
        if _NAMED_DSN.fullmatch(f"{name}={url}") is None:
            raise InputError(
                f"{path}, line {number}: write NAME=URL, such as shop=sqlite:///shop.db"
            )
        yield name, url


def service_of(args: argparse.Namespace) -> Target | None:
    """Return the configured service; None without one.

    Raises:
        InputError: an option is missing or invalid.
    """
    from sqlobs.evaluation.service_targets import denodo_target, http_target, read_env_file

    if args.query_preset == "denodo":
        file = read_env_file(args.env_file) if args.env_file is not None else {}
        return denodo_target({**os.environ, **file}, login=_login(args))
    if args.query_url is None:
        return None
    return http_target(args.query_url, _query(args), dialect=args.dialect)


def _query(args: argparse.Namespace) -> HttpQuery:
    from sqlobs.execution.json_template import read_template
    from sqlobs.execution.target import HttpQuery

    query = HttpQuery(
        body=read_template(args.query_body, option="--query-body", names=("sql",)),
        rows=args.query_rows,
        columns=args.query_columns,
    )
    return replace(query, login=_login(args), verify_ssl=not args.query_no_verify_ssl)


def _login(args: argparse.Namespace) -> tuple[str, str] | None:
    user = args.query_user or args.user
    password = args.query_password or args.password
    if user is None and password is None:
        return None
    if user is None or password is None:
        raise InputError("--query-user and --query-password must be given together")
    return user, secret(password, option="--query-password")
