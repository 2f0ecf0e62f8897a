"""The command `sqlobs-collector`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import os
import signal
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from sqlobs._version import __version__
from sqlobs.command_line import Parser, run_command
from sqlobs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.settings.origins import Origins

_FLAGS: Final = {
    "roles": "roles",
    "data_dir": "data_dir",
    "http": "listen.http",
    "grpc": "listen.grpc",
    "admin": "listen.admin",
    "forward": "forward.url",
    "insecure": "auth.insecure",
}
"""Command-line flags and the settings they stand for."""


_MOST_DAYS: Final = 3650
_MOST_WORKERS: Final = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code: 0 = done, 1 = incomplete, 2 = usage or input error."""
    try:
        return run_command("sqlobs-collector", _parser, arguments)
    except ModuleNotFoundError as error:
        message = f'{error.name} is not installed: pip install "sqlobs[collector]"'
        print(f"sqlobs-collector: {message}", file=sys.stderr)
        return 2


def _parser() -> Parser:
    parser = Parser(
        prog="sqlobs-collector",
        description="Receive units over OTLP, store them durably and evaluate a sample.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser(
        "serve",
        help="run the collector",
        description="Run the collector until SIGTERM or SIGINT, then drain. Exit code 1: the server"
        " of the store does not respond; start it again later. Exit code 2: a setting is wrong.",
        epilog="example: sqlobs-collector serve --data-dir /var/lib/sqlobs "
        "--forward http://localhost:14318",
    )
    _add_settings(serve, _FLAGS)
    serve.set_defaults(run=_serve)
    validate = commands.add_parser(
        "validate",
        help="print the configuration in effect",
        description="Read the configuration as `serve` does, print it with secrets masked, and"
        " test the connections to targets and judge. Exit code 2: a connection failed.",
        epilog="example: sqlobs-collector validate --config collector.yaml",
    )
    _add_settings(validate, _FLAGS)
    validate.add_argument(
        "--offline", action="store_true", help="do not connect to targets and judge"
    )
    validate.set_defaults(run=_validate)
    _add_maintenance(commands)
    _add_token(commands)
    return parser


def _add_token(commands: argparse._SubParsersAction[Parser]) -> None:
    from sqlobs_collector.settings.receiving import Right

    token = commands.add_parser(
        "token",
        help="generate a token; create, list and revoke tokens in the store",
        description="Generate a token for auth.tokens: the client sends the token, the"
        " configuration stores its hash. With ACTION, the tokens of auth.workspaces, which are in"
        " the store.",
        epilog="example: sqlobs-collector token create --right ingest --purpose shop-api",
    )
    token.set_defaults(run=_token)
    actions = token.add_subparsers(dest="action", metavar="ACTION")
    create = actions.add_parser(
        "create",
        help="create a token in the store and print it",
        description="Create a token in the store and print it; nobody can read it again. A running"
        " collector knows it within 15 s.",
        epilog="example: sqlobs-collector token create --workspace sales --right read --days 30",
    )
    _add_settings(create)
    create.add_argument("--workspace", help="one of auth.workspaces; default: the only one")
    create.add_argument(
        "--right", action="append", required=True, dest="rights", metavar="RIGHT",
        choices=get_args(Right),
        help="what the token allows: ingest, read, feedback, label or admin; repeatable",
    )  # fmt: skip
    create.add_argument(
        "--days", type=_days, default=365, help="how long the token is valid; default: 365"
    )
    create.add_argument("--purpose", default="", help="whose token it is, for the list")
    create.set_defaults(run=_create_token)
    listing = actions.add_parser(
        "list",
        help="list the tokens of the store",
        description="List the tokens of the store with their ids, never the tokens themselves.",
        epilog="example: sqlobs-collector token list --json",
    )
    _add_settings(listing)
    listing.add_argument("--json", action="store_true", help="print a JSON array")
    listing.set_defaults(run=_list_tokens)
    revoke = actions.add_parser(
        "revoke",
        help="revoke a token of the store",
        description="Revoke a token of the store, and log out browsers that logged in with it. A"
        " running collector rejects it within 15 s.",
        epilog="example: sqlobs-collector token revoke 1f3a9c02",
    )
    _add_settings(revoke)
    revoke.add_argument("id", metavar="ID", help="of the token, as `token list` shows it")
    revoke.set_defaults(run=_revoke_token)


def _add_maintenance(commands: argparse._SubParsersAction[Parser]) -> None:
    migrate = commands.add_parser(
        "migrate",
        help="migrate the store to this version",
        description="Back up the store of a stopped collector and migrate its tables to this"
        " version. With --to, move the store in the data directory into a PostgreSQL database; an"
        " interrupted move continues where it stopped.",
        epilog="example: sqlobs-collector migrate --data-dir /var/lib/sqlobs --to env:STORE_URL",
    )
    _add_settings(migrate)
    migrate.add_argument(
        "--to",
        metavar="URL",
        help="postgresql://user@host/name to move the embedded store to; may be env:NAME",
    )
    migrate.set_defaults(run=_migrate)
    export = commands.add_parser(
        "export",
        help="export units and evaluations to a file",
        description="Write units with their evaluations as JSON Lines, or one row per evaluation"
        " to a *.parquet file. The collector may be running.",
        epilog="example: sqlobs-collector export --since 2026-01-01 --output units.jsonl",
    )
    _add_settings(export)
    _add_period(export)
    export.add_argument("--output", metavar="FILE", help="output file; default: standard output")
    export.add_argument(
        "--texts",
        action="store_true",
        help="include question, SQL, reference, hints, attributes, judge explanations and user"
        " feedback",
    )
    export.add_argument(
        "--records",
        action="store_true",
        help="write units with their records, texts included, to a *.parquet file for"
        " `backfill --from`",
    )
    export.set_defaults(run=_export)
    _add_backfill(commands)
    _add_cancel(commands)
    _add_replay(commands)
    _add_erase(commands)


def _add_backfill(commands: argparse._SubParsersAction[Parser]) -> None:
    backfill = commands.add_parser(
        "backfill",
        help="evaluate stored units again",
        description="Queue stored units for another evaluation, by the running collector or at its"
        " next start. With --engine, evaluate them here, or on Ray, and store the results; the"
        " collector may be running. Judge verdicts are reused, not paid for again. Exit code 1: "
        "some units are unfinished.",
        epilog="example: sqlobs-collector backfill --reason no_target --dry-run",
    )
    _add_settings(backfill)
    _add_period(backfill)
    backfill.add_argument("--reason", help="only units with this reason, for example `no_target`")
    backfill.add_argument(
        "--evaluated-before", metavar="TIME",
        help="only units that were last evaluated before this time (ISO 8601, UTC)",
    )  # fmt: skip
    backfill.add_argument(
        "--engine", choices=("plain", "ray"),
        help="evaluate the units now: `plain` in this process, `ray` on Ray Data",
    )  # fmt: skip
    backfill.add_argument(
        "--address", metavar="HOST:PORT",
        help="the Ray cluster, or `auto`; default: Ray is started on this machine",
    )  # fmt: skip
    backfill.add_argument(
        "--workers", type=_workers, metavar="NUMBER",
        help="how many units are evaluated at a time, on all machines together; default:"
        " evaluate.workers. No target gets more than its `max_connections`",
    )  # fmt: skip
    backfill.add_argument(
        "--from", dest="source", metavar="FILE",
        help="a file of `export --records`, or its address (s3://…), instead of the store's units",
    )  # fmt: skip
    backfill.add_argument(
        "--output", metavar="DIR",
        help="write the results to Parquet files in this directory, or at this address, instead of"
        " the store; the judge is not called",
    )  # fmt: skip
    _add_dry_run(backfill)
    backfill.set_defaults(run=_backfill)


def _add_cancel(commands: argparse._SubParsersAction[Parser]) -> None:
    cancel = commands.add_parser(
        "cancel",
        help="cancel the evaluation of queued units",
        description="Give queued units the state `canceled` with a reason: they are not evaluated."
        " The collector may be running; units that are being evaluated are finished. `backfill"
        " --reason` with the same reason queues them again.",
        epilog="example: sqlobs-collector cancel --where workflow=nightly --reason 'slow target'",
    )
    _add_settings(cancel)
    _add_period(cancel)
    cancel.add_argument("--workspace", help="whose units; default: the only workspace")
    cancel.add_argument(
        "--where", metavar="NAME=VALUE", action="append", default=[],
        help="only units with this value, for example `workflow=nightly`; repeatable",
    )  # fmt: skip
    cancel.add_argument(
        "--reason", required=True, metavar="TEXT", help="why, in one line: the reason of the units"
    )
    _add_dry_run(cancel)
    cancel.set_defaults(run=_cancel)


def _add_erase(commands: argparse._SubParsersAction[Parser]) -> None:
    erase = commands.add_parser(
        "erase",
        help="remove a user, conversation, trace or tenant",
        description="Remove everything that is stored about a user, conversation, trace or tenant,"
        " from store and journal; the collector may be running. What is sent about it later is"
        " dropped. Exit code 1: the running collector has not rewritten its journal yet.",
        epilog="example: sqlobs-collector erase --user u-1207 --workspace sales",
    )
    _add_settings(erase)
    subject = erase.add_mutually_exclusive_group(required=True)
    subject.add_argument("--user", metavar="ID", help="the user, as in `context(user=…)`")
    subject.add_argument("--conversation", metavar="ID", help="the conversation")
    subject.add_argument("--trace", metavar="ID", help="one trace: 32 hexadecimal digits")
    subject.add_argument("--tenant", metavar="NAME", help="the tenant")
    erase.add_argument("--workspace", help="whose data; default: the only workspace")
    erase.add_argument(
        "--dry-run", action="store_true", help="only count the requests, remove nothing"
    )
    erase.add_argument("--json", action="store_true", help="print the counts as a JSON object")
    erase.set_defaults(run=_erase)


def _add_replay(commands: argparse._SubParsersAction[Parser]) -> None:
    replay = commands.add_parser(
        "replay",
        help="replay a journal into the store",
        description="Replay a journal into the store of a stopped collector: missing units are"
        " added and queued for evaluation, existing units are unchanged. Replayed"
        " units do not count in quality gauges. Exit code 1: a record could not be"
        " read or stored.",
        epilog="example: sqlobs-collector replay --data-dir /var/lib/sqlobs --journal "
        "/backup/journal --dry-run",
    )
    _add_settings(replay)
    _add_period(replay)
    replay.add_argument(
        "--journal",
        type=Path,
        metavar="DIR",
        help="journal directory; default: the journal of the data directory",
    )
    _add_dry_run(replay)
    replay.set_defaults(run=_replay)


def _add_period(parser: Parser) -> None:
    parser.add_argument(
        "--since", metavar="TIME", help="requests at or after this time (ISO 8601, UTC)"
    )
    parser.add_argument("--until", metavar="TIME", help="requests before this time (ISO 8601, UTC)")


def _add_dry_run(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only count the units")
    parser.add_argument("--json", action="store_true", help="print the counts as a JSON object")


def _add_settings(parser: Parser, flags: Iterable[str] = ("data_dir",)) -> None:
    """Add the configuration file and some flags; only `serve` has the addresses."""
    from sqlobs_collector.config import documented_keys

    documented = documented_keys()
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration file (YAML)")
    for flag in flags:
        key = _FLAGS[flag]
        name, help_text = f"--{flag.replace('_', '-')}", f"{key}: {documented[key]}"
        if flag == "insecure":
            parser.add_argument(name, dest=flag, action="store_const", const=True, help=help_text)
        else:
            shown = "URL" if flag == "forward" else "VALUE"
            parser.add_argument(name, dest=flag, metavar=shown, help=help_text)


def _load(options: argparse.Namespace) -> CollectorConfig:
    return _load_with_origins(options)[0]


def _load_with_origins(options: argparse.Namespace) -> tuple[CollectorConfig, Origins]:
    from sqlobs_collector.config import load_with_origins

    given = {key: getattr(options, flag, None) for flag, key in _FLAGS.items()}
    flags = {key: value for key, value in given.items() if value is not None}
    return load_with_origins(options.config, environ=os.environ, flags=flags)


def _validate(options: argparse.Namespace) -> int:
    from sqlobs_collector.config import effective

    config = _load(options)
    if config.golden.file is not None:
        from sqlobs_collector.assembly import needs_target
        from sqlobs_collector.evaluation.golden import GoldenFile

        GoldenFile.read(config.golden.file, key=b"", needs_target=needs_target(config))
    print(effective(config), end="", flush=True)
    if options.offline:
        return 0
    from sqlobs_collector.probing import findings

    found = list(findings(config))
    for each in found:
        print(each, file=sys.stderr)
    return 0 if all(each.is_usable for each in found) else 2


def _audit(config: CollectorConfig, command: str, *, workspace: str | None = None) -> None:
    from sqlobs_collector.audit import AuditLog

    with closing(AuditLog(config.data_dir, days=config.audit.days)) as log:
        log.record_command(command, workspace=workspace)


def _migrate(options: argparse.Namespace) -> int:
    from sqlobs_collector.maintenance import migrate, move_to

    config = _load(options)
    print(migrate(config) if options.to is None else move_to(config, options.to))
    _audit(config, "migrate" if options.to is None else "migrate --to")
    return 0


def _export(options: argparse.Namespace) -> int:
    config = _load(options)
    if options.records:
        from sqlobs_collector.backfilling.command import export_records

        print(export_records(config, options), file=sys.stderr)
        _audit(config, "export --records")
        return 0
    from sqlobs_collector.maintenance import export

    print(export(config, options), file=sys.stderr)
    _audit(config, "export --texts" if options.texts else "export")
    return 0


def _backfill(options: argparse.Namespace) -> int:
    from sqlobs_collector.backfilling.command import backfill_of
    from sqlobs_collector.maintenance import backfill

    if options.engine is not None:
        return _evaluate(options)
    for name in ("address", "workers", "source", "output"):
        if getattr(options, name) is not None:
            flag = "from" if name == "source" else name
            raise ConfigError(f"--{flag} needs --engine: set it to plain or ray")
    config = _load(options)
    count = backfill(config, backfill_of(options), is_dry=options.dry_run)
    if not options.dry_run:
        _audit(config, "backfill")
    if options.json:
        print(json.dumps({"units": count, "queued": not options.dry_run}))
    else:
        fate = "would be evaluated again" if options.dry_run else "are queued"
        print(f"{count} units {fate}")
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    from sqlobs_collector.backfilling.command import evaluate, places_of, resumption

    config = _load(options)
    source, results = places_of(options)
    if not options.dry_run:
        if (sentence := resumption(options, results)) is not None:
            print(sentence, file=sys.stderr, flush=True)
        _audit(config, f"backfill --engine {options.engine}")
    found = evaluate(config, options, source, results)
    print(json.dumps(found.document()) if options.json else found.sentence())
    return 0 if found.is_complete else 1


def _cancel(options: argparse.Namespace) -> int:
    from sqlobs_collector.canceling import cancel, wanted_units

    config = _load(options)
    wanted = wanted_units(config, options)
    count = cancel(config, wanted, options.reason, is_dry=options.dry_run)
    if not options.dry_run:
        _audit(config, f"cancel {count} units: {options.reason}", workspace=wanted.workspace)
    if options.json:
        print(json.dumps({"units": count, "canceled": not options.dry_run}))
    else:
        print(f"{count} units {'would be' if options.dry_run else 'are'} canceled")
    return 0


def _replay(options: argparse.Namespace) -> int:
    from sqlobs_collector.maintenance import replay

    config = _load(options)
    found = replay(config, options)
    if not options.dry_run:
        _audit(config, "replay")
    print(json.dumps(found.document()) if options.json else found.sentence(is_dry=options.dry_run))
    return 0 if found.is_complete else 1


def _erase(options: argparse.Namespace) -> int:
    from sqlobs_collector.erasure import SUBJECTS, count_requests, erase, subject_of

    config = _load(options)
    [(kind, value)] = [
        (one, said) for one in SUBJECTS if (said := getattr(options, one)) is not None
    ]
    subject = subject_of(config, kind, value, workspace=options.workspace)
    if options.dry_run:
        count = count_requests(config, subject)
        print(json.dumps({"requests": count}) if options.json else f"{count} requests")
        return 0
    found = erase(config, subject)
    _audit(config, f"erase --{found.subject}", workspace=subject.workspace)
    print(json.dumps(found.document()) if options.json else "\n".join(found.sentences()))
    return 0 if found.is_complete else 1


def _token(_: argparse.Namespace) -> int:
    from sqlobs_collector.secrets import Secret, new_token, token_digest

    token = new_token()
    print(f"token:  {token}")
    print(f"config: sha256:{token_digest(Secret(token)).hex()}")
    return 0


def _days(text: str) -> int:
    """Parse a number of days, up to ten years."""
    days = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days from 1 to {_MOST_DAYS}")
    return days


def _workers(text: str) -> int:
    """Parse a number of workers."""
    count = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= count <= _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_WORKERS}")
    return count


def _create_token(options: argparse.Namespace) -> int:
    from sqlobs_collector.tokens import create_token, day_of

    config = _load(options)
    token, row = create_token(
        config,
        options.rights,
        workspace=options.workspace,
        days=options.days,
        purpose=options.purpose,
    )
    _audit(config, f"token create {row.id}")
    print(token)
    print(
        f"token {row.id} of {row.workspace} ({', '.join(sorted(row.rights))}), valid until"
        f" {day_of(row.expires_ns)}",
        file=sys.stderr,
    )
    return 0


def _list_tokens(options: argparse.Namespace) -> int:
    from sqlobs_collector.tokens import stored_tokens

    found = stored_tokens(_load(options))
    if options.json:
        print(json.dumps([asdict(one) for one in found]))
        return 0
    for one in found:
        words = (one.id, f"{one.state:7}", f"until {one.expires}", one.workspace)
        print("  ".join((*words, ",".join(one.rights), one.purpose)).rstrip())
    if not found:
        print("no tokens in the store", file=sys.stderr)
    return 0


def _revoke_token(options: argparse.Namespace) -> int:
    from sqlobs_collector.tokens import revoke_token

    config = _load(options)
    revoke_token(config, options.id)
    _audit(config, f"token revoke {options.id}")
    print(f"token {options.id} is revoked", file=sys.stderr)
    return 0


def _serve(options: argparse.Namespace) -> int:
    import uvloop

    from sqlobs_collector.store.server import StoreUnavailableError

    config, origins = _load_with_origins(options)
    # Decoding and projecting threads yield to the event loop sooner than after 5 ms.
    sys.setswitchinterval(0.001)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("sqlobs_collector").setLevel(logging.INFO)
    try:
        uvloop.run(_run(config, origins))
    except StoreUnavailableError as error:  # not 2, after which a supervisor gives up
        print(f"sqlobs-collector serve: {error}", file=sys.stderr)
        return 1
    return 0


async def _run(config: CollectorConfig, origins: Origins) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    gc.disable()  # what a start loads stays: to look for garbage in it takes a fifth of the time
    from sqlobs_collector.service import Service  # takes a second; signals are handled after it

    service = Service(config, origins=origins)
    where = await service.start()
    gc.freeze()
    gc.enable()
    listens = ", ".join(f"{name} {address}" for name, address in where.by_listener.items())
    print(f"sqlobs-collector {__version__}: {listens}, data in {config.data_dir}", flush=True)
    await stopping.wait()
    await service.stop()
