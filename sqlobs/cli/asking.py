"""Options and settings of commands that ask a system under test."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final

from sqlobs.cli.numbers import seconds
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.generation.answer import System
    from sqlobs.evaluation.generation.http import HttpSettings

_FROM_ENVIRONMENT: Final = "env:"
QUESTIONS_AT_A_TIME: Final = 4
"""Default number of concurrent questions."""


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a system under test and how to call it."""
    group = parser.add_argument_group("system under test")
    group.add_argument(
        "--call", metavar="MODULE:FUNCTION", help="Python function that generates the SQL"
    )
    group.add_argument(
        "--api-url", metavar="URL", help="service that generates the SQL, called with POST"
    )
    group.add_argument(
        "--preset",
        choices=("plain", "denodo"),
        help="API of the service; default: denodo for URLs that end in a Denodo path, else plain",
    )
    group.add_argument("--user", help="user name for basic authentication")
    group.add_argument(
        "--password", metavar="env:NAME", help="environment variable that holds the password"
    )
    group.add_argument(
        "--header",
        metavar="NAME=env:VARIABLE",
        action="append",
        default=[],
        help="request header; its value is read from the environment variable",
    )
    group.add_argument(
        "--body",
        metavar="JSON|@FILE",
        help='request body; default: {"question": "{question}"}; placeholders: {question},'
        " {context}, {db}, {id}; {{id}} sends a literal {id}",
    )
    group.add_argument(
        "--field",
        metavar="FIELD=PATH",
        action="append",
        default=[],
        help="path of sql, model, llm_time, … in the response: `sql=result.statements.0`",
    )
    group.add_argument(
        "--no-verify-ssl", action="store_true", help="do not verify the TLS certificate"
    )
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=120.0,
        help="timeout of each question; default: 120",
    )


def is_asked(args: argparse.Namespace) -> bool:
    """Return whether a system under test is given."""
    return bool(args.call or args.api_url)


def generated(
    args: argparse.Namespace, cases: Sequence[Case], root: Path, *, dialect: str | None
) -> Path:
    """Send all questions to the system and return the run's directory.

    Raises:
        InputError: no system is given, or an option about it is invalid.
    """
    from sqlobs.cli.progress import Bar
    from sqlobs.evaluation.generation.run import GenerationSettings, generate_run

    settings = GenerationSettings(
        concurrency=args.concurrency or QUESTIONS_AT_A_TIME,
        timeout_s=args.timeout,
        source=str(args.call or args.api_url),
    )
    system = _system(args, dialect)
    directory = generate_run(cases, system, root, settings, watcher=Bar("question"))
    if args.api_url:
        _require_service(args, directory)
        _require_fields(args, system, directory)
    return directory


_REFUSED: Final = re.compile(r"RefusedError: (HTTP 4(?!29)\d\d\b.*)", re.DOTALL)
"""A service rejected the request; statuses that ask to retry later (429, 503) do not match."""


def _require_service(args: argparse.Namespace, directory: Path) -> None:
    """Raise if the service is unreachable or rejects every question.

    Raises:
        InputError: no connection succeeded for any question, or every request was rejected.
    """
    from sqlobs.evaluation.loading.run_files import read_run_directory

    records = [case.generation for case in read_run_directory(directory) if case.generation]
    faults = [record.error or "" for record in records]
    if faults and all(fault.startswith(("ConnectError", "ConnectTimeout")) for fault in faults):
        raise InputError(f"{args.api_url} cannot be reached: {faults[0]}")
    refusals = [_REFUSED.match(fault) for fault in faults]
    if refusals and all(refusals) and refusals[0] is not None:
        raise InputError(
            f"{args.api_url} rejected every request ({refusals[0][1]}); check --user, --password,"
            " --header and --body."
        )


def _require_fields(args: argparse.Namespace, system: System, directory: Path) -> None:
    """Return the fields whose path has no value in any response.

    Raises:
        InputError: the field is the statement, so that no question was answered.
    """
    from sqlobs.evaluation.generation.http import HttpSystem
    from sqlobs.evaluation.loading.run_files import read_run_directory

    if not isinstance(system, HttpSystem):
        return
    for assignment in args.field:
        if assignment.partition("=")[0].strip() in system.unmet - {"sql"}:
            print(f"--field {assignment}: no response has a value at this path", file=sys.stderr)
    if "sql" not in system.unmet:
        return
    records = [case.generation for case in read_run_directory(directory) if case.generation]
    if all(record.status != "answered" for record in records):
        fault = next((record.error for record in records if record.error), "")
        raise InputError(
            f"no response has SQL at the expected path; set the path with --field sql=PATH: {fault}"
        )


def _system(args: argparse.Namespace, dialect: str | None) -> System:
    if bool(args.call) == bool(args.api_url):
        raise InputError(
            "give exactly one system under test: --call MODULE:FUNCTION or --api-url URL"
        )
    if args.call:
        from sqlobs.evaluation.generation.call import CallSystem

        return CallSystem.named(args.call, dialect=dialect)
    from sqlobs.evaluation.generation.http import HttpSystem

    return HttpSystem(_http_settings(args, dialect))


def _http_settings(args: argparse.Namespace, dialect: str | None) -> HttpSettings:
    from dataclasses import replace

    from sqlobs.evaluation.generation.http import (
        PLACEHOLDERS,
        HttpSettings,
        is_denodo,
        paths_of,
    )
    from sqlobs.execution.json_template import read_template

    name = args.preset or ("denodo" if is_denodo(args.api_url) else "plain")
    settings = HttpSettings.preset(name, args.api_url)
    body = settings.body
    if args.body is not None:
        body = read_template(_text(args.body), option="--body", names=PLACEHOLDERS)
    return replace(
        settings,
        body=body,
        paths=paths_of(args.field, settings.paths),
        login=_login(args),
        headers=dict(_headers(args.header)),
        verify_ssl=not args.no_verify_ssl,
        timeout_s=args.timeout,
        dialect=dialect,
    )


def _login(args: argparse.Namespace) -> tuple[str, str] | None:
    if args.user is None and args.password is None:
        return None
    if args.user is None or args.password is None:
        raise InputError("--user and --password must be given together")
    return args.user, secret(args.password, option="--password")


def _headers(assignments: Iterable[str]) -> Iterable[tuple[str, str]]:
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"--header {name}: write NAME=env:VARIABLE")
        yield name, secret(value, option=f"--header {name}")


def secret(given: str, *, option: str) -> str:
    """Return the value of the variable that `env:NAME` names.

    Raises:
        InputError: the argument is not `env:NAME`; a secret would be visible in the process list.
    """
    name = given.removeprefix(_FROM_ENVIRONMENT)
    if name == given:
        raise InputError(f"{option}: write env:NAME with the name of the environment variable")
    value = os.environ.get(name)
    if value is None:
        raise InputError(f"{option}: the environment variable {name} is not set")
    return value


def _text(given: str) -> str:
    from sqlobs.cli.inputs import read_text

    return read_text(given[1:]) if given.startswith("@") else given
