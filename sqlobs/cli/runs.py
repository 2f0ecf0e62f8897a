"""The run of a command: its directory, its cases, and where their SQL runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.asking import generated, is_asked
from sqlobs.cli.reading import load_settings
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Place
    from sqlobs.evaluation.loading.cases import CaseSet, LoadSettings

_RUNS: Final = "run"
_MOST_FIELDS: Final = 20
_COLLECTED: Final = "collector"


def cases_of(
    args: argparse.Namespace, *, place: Place | None
) -> tuple[Path, tuple[Case, ...], Place | None]:
    """Return the run's directory, its cases, and where their SQL runs.

    Args:
        args: The command's arguments.
        place: Where statements run, according to the arguments.

    Raises:
        InputError: there are no cases, no predictions, or no database to run them on.
    """
    from sqlobs.evaluation.loading.cases import load_cases

    settings = load_settings(args, dialect=_dialect(args, place))
    if args.admin is not None:
        return _collected(args, settings, place)
    if args.input is None:
        directory = run_directory(args.run_dir)
        cases = load_cases(directory, settings)
    else:
        cases = load_cases(args.input, settings)
    if not cases.has_references:
        raise InputError(
            f"{args.input} has no references: {_fields(cases)}; name their column with --column"
            " solution=NAME"
        )
    _tell_left_out(cases.left_out, "cases", settings)
    if args.predictions is not None:
        cases = cases.with_predictions(args.predictions, settings)
        _tell_left_out(cases.predictions_left_out, "predictions", settings)
    if place is not None and isinstance(cases.dsn, Mapping):
        cases = cases.without_suites()
    place = place or cases.dsn
    _require_place(args, place)
    if args.input is not None:
        directory, cases = _as_run(args, cases, settings)
    return directory, cases.cases, place


def _collected(
    args: argparse.Namespace, settings: LoadSettings, place: Place | None
) -> tuple[Path, tuple[Case, ...], Place | None]:
    """Create a run directory from a collector's units."""
    from sqlobs.cli.collected import collected_cases
    from sqlobs.evaluation.loading.run_files import write_run

    if args.input is not None or args.predictions is not None or is_asked(args):
        raise InputError(
            "--admin provides questions and predictions; do not combine it with other inputs"
        )
    _require_place(args, place)
    found = collected_cases(args, settings)
    cases = found.cases
    _tell_left_out(found.left_out, "cases", settings)
    targets = sorted({case.db for case in cases if case.db is not None})
    if len(targets) > 1 and not _has_several(place):
        raise InputError(
            f"the units have several targets ({', '.join(targets)}); choose one with --target,"
            " give --dsn TARGET=URL for each, or use {db} in the DSN"
        )
    directory = args.run_dir or Path(_RUNS) / _COLLECTED
    directory.mkdir(parents=True, exist_ok=True)
    write_run(directory, cases)
    return directory, cases, place


def _has_several(place: Place | None) -> bool:
    """Return whether cases may run on several databases, or on none."""
    return (
        place is None or isinstance(place, Mapping) or (isinstance(place, str) and "{db}" in place)
    )


def _tell_left_out(left_out: Mapping[str, int], noun: str, settings: LoadSettings) -> None:
    """Print on stderr how many cases are skipped because they are for another dialect."""
    if not left_out:
        return
    skipped = ", ".join(f"{count} for {name}" for name, count in left_out.items())
    print(
        f"{noun} skipped: {skipped}; this DSN runs {settings.dialect} only, so"
        " evaluate them with their own DSN",
        file=sys.stderr,
    )


def _require_place(args: argparse.Namespace, place: Place | None) -> None:
    if place is None and not args.no_esm:
        raise InputError("no database to run on; give --dsn, set SQLOBS_DSN, or use --no-esm")


def _as_run(
    args: argparse.Namespace, cases: CaseSet, settings: LoadSettings
) -> tuple[Path, CaseSet]:
    """Create a run directory from other cases; calls the system under test if one is given."""
    from sqlobs.evaluation.loading.cases import load_cases
    from sqlobs.evaluation.loading.run_files import write_run

    if is_asked(args):
        root = args.run_dir or Path(_RUNS)
        directory = generated(args, cases.cases, root, dialect=settings.dialect)
        return directory, load_cases(directory, replace(settings, is_template=False))
    if not cases.has_predictions:
        raise InputError(
            f"{args.input} has no predictions: {_fields(cases)}; give --predictions, --call or"
            " --api-url, or name a field with --column prediction=NAME"
        )
    directory = args.run_dir or Path(_RUNS) / args.input.stem
    directory.mkdir(parents=True, exist_ok=True)
    write_run(directory, cases.cases)
    return directory, cases


def _fields(cases: CaseSet) -> str:
    names = ", ".join(cases.fields[:_MOST_FIELDS])
    more = ", …" if len(cases.fields) > _MOST_FIELDS else ""
    return f"its fields are {names}{more}" if names else "no fields were found"


def _dialect(args: argparse.Namespace, place: Place | None) -> str | None:
    from sqlobs.execution.target import NO_DIALECT, Target

    if args.dialect:
        from sqlobs.check.engine.profile import Profile

        return Profile.named(args.dialect).dialect
    if isinstance(place, Mapping):
        found = {Target.from_url(name, dsn).dialect for name, dsn in place.items()}
        return found.pop() if len(found) == 1 else None
    target = Target.from_url("database", place) if isinstance(place, str) else place
    return target.dialect if target is not None and target.dialect != NO_DIALECT else None


def run_directory(given: Path | None) -> Path:
    """Return the given run directory, the newest in it, or the newest in `run/`."""
    from sqlobs.evaluation.loading.run_files import is_run_directory
    from sqlobs.evaluation.run_directory import newest_run

    if given is not None and is_run_directory(given):
        return given
    if given is not None and not given.is_dir():
        raise InputError(f"{given}: no such directory")
    place = given or (Path(_RUNS) if Path(_RUNS).is_dir() else Path())
    return newest_run(place)
