"""The run of a command: its directory, its cases, and where their SQL runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.asking import generated, is_asked
from sqlobs.cli.model_options import require_one_run
from sqlobs.cli.reading import load_settings
from sqlobs.errors import InputError
from sqlobs.evaluation.loading.omissions import by_reason, sentences

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.databases import Place
    from sqlobs.evaluation.loading.cases import CaseSet, LoadSettings
    from sqlobs.evaluation.loading.omissions import Omission
    from sqlobs.evaluation.loading.run_inputs import RunInputs
    from sqlobs.metrics.spider.database import SpiderDatabase

_RUNS: Final = "run"
_MOST_FIELDS: Final = 20
_COLLECTED: Final = "collector"


@dataclass(frozen=True, slots=True)
class ChosenCases:
    """What a command evaluates."""

    directory: Path
    """The run's directory."""
    cases: tuple[Case, ...]
    place: Place | None
    """Where their SQL runs; None = nowhere."""
    left_out: Mapping[str, int]
    """The number of records that are no cases, by reason."""
    spider: Mapping[str, SpiderDatabase] = field(default_factory=dict)
    """Spider's tables by database, if the run has them."""


def cases_of(args: argparse.Namespace, *, place: Place | None) -> ChosenCases:
    """Return the run's directory, its cases, and where their SQL runs.

    Args:
        args: The command's arguments.
        place: Where statements run, according to the arguments.

    Raises:
        InputError: there are no cases, no predictions, or no database to run them on.
    """
    from sqlobs.evaluation.loading.cases import load_cases
    from sqlobs.evaluation.loading.result_files import GoldResults

    settings = _with_targets(load_settings(args, dialect=_dialect(args, place)), place)
    settings = replace(settings, with_references=not args.no_gold, with_tests=args.run_test_cases)
    if args.admin is not None:
        return _collected(args, settings, place)
    source = args.input or run_directory(args.run_dir)
    inputs = _inputs(args, source)
    spider = spider_databases(inputs.spider_tables)
    results = GoldResults.of(inputs.gold_results).by_id if inputs.gold_results else {}
    settings = replace(settings, results=results)
    cases = load_cases(source, settings)
    _require_tests(source, cases, settings)
    if settings.with_references and not cases.has_references:
        raise InputError(
            f"{args.input} has no references: {_fields(cases)}; name their column with --column"
            " solution=NAME, or evaluate without references with --no-gold"
        )
    _tell_left_out(cases.left_out, "cases", settings)
    if cases.untested:
        print(
            f"{cases.untested} cases have test cases or setup; --run-test-cases runs them in"
            " throw-away copies of the database",
            file=sys.stderr,
        )
    if args.predictions is not None:
        cases = cases.with_predictions(args.predictions, settings)
        _tell_left_out(cases.predictions_left_out, "predictions", settings)
    if place is not None and isinstance(cases.dsn, Mapping):
        cases = cases.without_suites()
    place = place or cases.dsn
    _require_place(args, place)
    left_out = Counter(inputs.left_out)
    left_out.update(by_reason(cases.left_out, cases.predictions_left_out))
    if args.input is None:
        directory = source
    else:
        directory, cases = _as_run(args, cases, settings, place)
        inputs = replace(inputs, left_out=left_out)
    inputs.write(directory)
    _tell_unreferenced(cases.cases, settings)
    return ChosenCases(directory, cases.cases, place, left_out, spider)


def spider_databases(path: Path | None) -> Mapping[str, SpiderDatabase]:
    """Return Spider's tables by database; none without the file `tables.json`.

    Raises:
        InputError: the file cannot be read, or is another.
    """
    from sqlobs.evaluation.loading.spider_tables import read_spider_tables

    return {} if path is None else read_spider_tables(path)


def _inputs(args: argparse.Namespace, source: Path) -> RunInputs:
    """Return what decides about cases beside them: of the options, the benchmark, or the run."""
    from sqlobs.evaluation.loading.run_inputs import RunInputs
    from sqlobs.evaluation.loading.spider_tables import TABLES

    remembered = RunInputs() if args.input is not None else RunInputs.read(source)
    own = source / TABLES
    tables = args.spider_tables or (own if own.is_file() else None)
    return remembered.given(gold_results=args.gold_results, spider_tables=tables)


def _require_tests(source: Path, cases: CaseSet, settings: LoadSettings) -> None:
    if settings.with_tests and not any(case.task is not None for case in cases.cases):
        raise InputError(
            f"{source}: no case has test cases or setup; --run-test-cases needs the tasks of"
            " LiveSQLBench, given with --input"
        )


def _collected(
    args: argparse.Namespace, settings: LoadSettings, place: Place | None
) -> ChosenCases:
    """Create a run directory from a collector's units."""
    from sqlobs.cli.collected import collected_cases
    from sqlobs.evaluation.loading.run_files import write_run
    from sqlobs.evaluation.loading.run_inputs import RunInputs

    if args.input is not None or args.predictions is not None or is_asked(args):
        raise InputError(
            "--admin provides questions and predictions; do not combine it with other inputs"
        )
    _require_place(args, place)
    found = collected_cases(args, settings)
    cases = found.cases
    targets = sorted({case.db for case in cases if case.db is not None})
    if len(targets) > 1 and not _has_several(place):
        raise InputError(
            f"the units have several targets ({', '.join(targets)}); choose one with --target,"
            " give --dsn TARGET=URL for each, or use {db} in the DSN"
        )
    _tell_left_out(found.left_out, "cases", settings)
    directory = args.run_dir or Path(_RUNS) / _COLLECTED
    directory.mkdir(parents=True, exist_ok=True)
    write_run(directory, cases)
    left_out = by_reason(found.left_out)
    RunInputs(left_out=left_out).write(directory)
    return ChosenCases(directory, cases, place, left_out)


def _has_several(place: Place | None) -> bool:
    """Return whether cases may run on several databases, or on none."""
    return (
        place is None or isinstance(place, Mapping) or (isinstance(place, str) and "{db}" in place)
    )


def _tell_left_out(left_out: Mapping[Omission, int], noun: str, settings: LoadSettings) -> None:
    """Print on stderr how many records are no cases, a line for each reason."""
    dialect = None if settings.dialects else settings.dialect
    for sentence in sentences(left_out, noun, dialect):
        print(sentence, file=sys.stderr)


def _tell_unreferenced(cases: Sequence[Case], settings: LoadSettings) -> None:
    """Print on stderr how many cases have no reference, unless none was asked for."""
    unknown = [case for case in cases if not case.has_reference]
    if not unknown or not settings.with_references:
        return
    print(
        f"{len(unknown)} of {len(cases)} cases have no reference, such as {unknown[0].label}: they"
        " are evaluated without one and excluded from match rates; write None for a question that"
        " is unanswerable",
        file=sys.stderr,
    )


def _require_place(args: argparse.Namespace, place: Place | None) -> None:
    if place is None and not args.no_esm:
        raise InputError("no database to run on; give --dsn, set SQLOBS_DSN, or use --no-esm")


def _as_run(
    args: argparse.Namespace, cases: CaseSet, settings: LoadSettings, place: Place | None
) -> tuple[Path, CaseSet]:
    """Create a run directory from other cases; calls the system under test if one is given."""
    from sqlobs.evaluation.loading.cases import load_cases
    from sqlobs.evaluation.loading.run_files import write_run

    if is_asked(args):
        root = args.run_dir or Path(_RUNS)
        require_one_run(args)
        asked = generated(args, cases.cases, root, dialect=settings.dialect, place=place)
        directory = asked.directory
        return directory, load_cases(directory, replace(settings, is_template=False))
    if not cases.has_predictions:
        raise InputError(
            f"{args.input} has no predictions: {_fields(cases)}; give --predictions, --call or"
            " --api-url, name a field with --column prediction=NAME, or give --no-gold if its"
            " statements are predictions"
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
    from sqlobs.execution.target import Target

    if args.dialect:
        from sqlobs.check.engine.profile import Profile

        return Profile.named(args.dialect).dialect
    if isinstance(place, Mapping):
        found = {_dialect_of(name, dsn) for name, dsn in place.items()}
        return found.pop() if len(found) == 1 else None
    target = Target.from_url("database", place) if isinstance(place, str) else place
    return None if target is None else target.grammar


def _with_targets(settings: LoadSettings, place: Place | None) -> LoadSettings:
    """Return the settings with the dialects of several named databases."""
    from sqlobs.evaluation.databases import OTHERS

    if not isinstance(place, Mapping):
        return settings
    dialects = {name: _dialect_of(name, dsn) for name, dsn in place.items()}
    has_others = OTHERS in dialects
    return replace(
        settings,
        dialect=dialects.pop(OTHERS, settings.dialect),
        dialects=dialects,
        has_other_databases=has_others,
    )


def _dialect_of(name: str, dsn: str) -> str | None:
    from sqlobs.execution.target import Target

    return Target.from_url(name, dsn).grammar


def run_directory(given: Path | None) -> Path:
    """Return the given run directory, the newest in it, or the newest in `run/`."""
    from sqlobs.evaluation.loading.run_files import is_run_directory
    from sqlobs.evaluation.run_directory import newest_run

    if given is not None and is_run_directory(given):
        return given
    if given is not None and not given.is_dir():
        fault = "a file, not a run's directory" if given.is_file() else "no such directory"
        raise InputError(f"{given}: {fault}")
    place = given or (Path(_RUNS) if Path(_RUNS).is_dir() else Path())
    return newest_run(place)
