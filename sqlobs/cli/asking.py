"""Options and settings of commands that ask a system under test."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from sqlobs.cli.model_options import add_models, model_settings, names_of
from sqlobs.cli.numbers import positive, seconds
from sqlobs.cli.secret import secret
from sqlobs.cli.surroundings import surroundings_of
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Place
    from sqlobs.evaluation.generation.answer import System
    from sqlobs.evaluation.generation.directory import Generation
    from sqlobs.evaluation.generation.http import HttpSettings
    from sqlobs.evaluation.generation.model import Setting
    from sqlobs.evaluation.generation.placeholders import Surroundings
    from sqlobs.execution.json_template import Json

QUESTIONS_AT_A_TIME: Final = 4
"""Default number of concurrent questions."""


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a system under test and how to call it."""
    add_models(parser)
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
        " {schema}, {hints}, {dialect}, {db}, {id}; {{id}} sends a literal {id}",
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
    _add_patience(group)


def _add_patience(group: argparse._ActionsContainer) -> None:
    """Add how often and how long a system is asked."""
    group.add_argument(
        "--samples", metavar="N", type=positive, default=1,
        help="how often each question is asked; reports then show pass@k, the majority by result"
             " and self-consistency; default: 1",
    )  # fmt: skip
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        default=120.0,
        help="timeout of each question; default: 120",
    )


def is_asked(args: argparse.Namespace) -> bool:
    """Return whether a system under test is given."""
    return bool(args.call or args.api_url or args.model)


def generated(
    args: argparse.Namespace,
    cases: Sequence[Case],
    root: Path,
    *,
    dialect: str | None,
    place: Place | None,
) -> Generation:
    """Send all questions to the system and return the directories of its runs.

    Raises:
        CostLimitError: the cost limit was reached and questions remain.
        InputError: no system is given, or an option about it is invalid.
    """
    from sqlobs.cli.progress import Bar
    from sqlobs.evaluation.generation.model import ModelSystem
    from sqlobs.evaluation.generation.plan import Plan
    from sqlobs.evaluation.generation.run import GenerationSettings, generate_runs

    _require_one_system(args)
    models = model_settings(args)
    runs = names_of(models) if models else ("",)
    plan = Plan.of(cases, samples=args.samples, runs=runs)
    around = surroundings_of(
        args, cases, place, dialect=dialect, wants_schema=_wants_schema(args, models)
    )
    system = _system(args, around)
    settings = GenerationSettings(
        concurrency=args.concurrency or QUESTIONS_AT_A_TIME,
        timeout_s=args.timeout,
        source=args.call or args.api_url or repr([model.identity for model in models]),
        is_retry=getattr(args, "retry", False),
    )

    def opened(folder: Path) -> System:
        return system or ModelSystem(models, plan, around, folder)

    found = generate_runs(plan, opened, root, settings, watcher=Bar("question"))
    if args.model:
        _require_answers(found)
    if args.api_url:
        _require_service(args, found.directory)
        _require_fields(args, system, found.directory)
    return found


def _require_one_system(args: argparse.Namespace) -> None:
    if sum(map(bool, (args.call, args.api_url, args.model))) != 1:
        raise InputError(
            "give exactly one system under test: --model NAME, --call MODULE:FUNCTION or"
            " --api-url URL"
        )
    for option in ("prompt", "temperature", "max_cost", "model_url", "model_key", "model_price"):
        if getattr(args, option) not in (None, []) and not args.model:
            raise InputError(f"--{option.replace('_', '-')} needs --model")


def _wants_schema(args: argparse.Namespace, models: Sequence[Setting]) -> bool:
    """Return whether a prompt or the body shows the schema, which is read only then."""
    from sqlobs.evaluation.generation.placeholders import SCHEMA
    from sqlobs.execution.json_template import placeholders_of

    if args.api_url and args.body is not None:
        return SCHEMA in placeholders_of(_body(args))
    return any(SCHEMA in model.prompt.placeholders for model in models)


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


def _require_fields(args: argparse.Namespace, system: System | None, directory: Path) -> None:
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


def _require_answers(found: Generation) -> None:
    """Raise if a model answered no question of any run.

    Raises:
        InputError: every question failed; the message is the first one's.
    """
    from sqlobs.evaluation.loading.run_files import read_run_directory

    cases = (case for run in found.runs for case in read_run_directory(run))
    records = [case.generation for case in cases if case.generation]
    if all(record.status in {"error", "timeout"} for record in records):
        raise InputError(f"no question was answered: {records[0].error}")


def _system(args: argparse.Namespace, surroundings: Surroundings) -> System | None:
    """Return the function or the service; None for models, which keep files beside their runs."""
    if args.call:
        from sqlobs.evaluation.generation.call import CallSystem

        return CallSystem.named(args.call, dialect=surroundings.dialect)
    if args.api_url:
        from sqlobs.evaluation.generation.http import HttpSystem

        return HttpSystem(_http_settings(args, surroundings))
    return None


def _http_settings(args: argparse.Namespace, surroundings: Surroundings) -> HttpSettings:
    from dataclasses import replace

    from sqlobs.evaluation.generation.http import HttpSettings, is_denodo, paths_of

    name = args.preset or ("denodo" if is_denodo(args.api_url) else "plain")
    settings = HttpSettings.preset(name, args.api_url)
    return replace(
        settings,
        body=settings.body if args.body is None else _body(args),
        paths=paths_of(args.field, settings.paths),
        login=_login(args),
        headers=dict(_headers(args.header)),
        verify_ssl=not args.no_verify_ssl,
        timeout_s=args.timeout,
        surroundings=surroundings,
    )


def _body(args: argparse.Namespace) -> Json:
    from sqlobs.evaluation.generation.placeholders import PLACEHOLDERS
    from sqlobs.execution.json_template import read_template

    return read_template(_text(args.body), option="--body", names=PLACEHOLDERS)


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


def _text(given: str) -> str:
    from sqlobs.cli.inputs import read_text

    return read_text(given[1:]) if given.startswith("@") else given
