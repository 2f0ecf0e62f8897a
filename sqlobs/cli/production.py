"""Production requests as a run, from a collector's admin port or from its export."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlobs.cli.collected import MOST, pages
from sqlobs.cli.inputs import read_json_lines
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from sqlobs.reporting.production.unit import Unit
    from sqlobs.runs.run import Run


def production_run(args: argparse.Namespace, *, export: Path | None) -> Run:
    """Return the selected units as a run.

    Args:
        args: The collector and the filters of its units.
        export: The file to read instead, output of `sqlobs-collector export`.

    Raises:
        InputError: The source cannot be read, or no unit matches.
        ConfigError: The token is missing or unknown.
    """
    from sqlobs.reporting.production.run import run_of_units

    if export is None:
        units = list(islice(_asked(args), MOST))
        name = f"collector {urlsplit(args.admin).netloc.rpartition('@')[2]}"
    else:
        units, name = list(islice(_exported(args, export), MOST)), export.stem
    if not units:
        raise InputError(f"{name} has no matching unit")
    if len(units) == MOST:
        print(
            f"only the first {MOST:,} units are read; narrow them with --since and --until",
            file=sys.stderr,
        )
    period = {"since": args.since, "until": args.until}
    moments = {word: _iso(at_ns) for word, at_ns in period.items() if at_ns is not None}
    return run_of_units(
        units,
        name=name,
        settings={**moments, "target": args.target},
        trim_weights=args.trim_weights,
    )


def _iso(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // 10**9, UTC).isoformat()


def _asked(args: argparse.Namespace) -> Iterator[Unit]:
    from sqlobs.reporting.production.unit import Unit

    for page in pages(args, "units"):
        for document in page.found:
            try:
                yield Unit.of(document)
            except InputError as error:
                raise InputError(f"{args.admin} returned an invalid unit: {error}") from None


def _exported(args: argparse.Namespace, path: Path) -> Iterator[Unit]:
    """Yield the units of an export within the period and of the target."""
    from sqlobs.reporting.production.unit import Unit

    since, until = args.since or 0, args.until or 2**63
    for number, document in read_json_lines(str(path)):
        try:
            unit = Unit.of(document)
        except InputError as error:
            place = f"{path}, line {number}"
            raise InputError(f"{place}: not a unit of a collector's export ({error})") from None
        if since <= unit.occurred_ns < until and args.target in {None, unit.target}:
            yield unit
