"""Leaderboard entries from runs and from tables of given scores."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.metrics.ranking import FLEX, Contestant
from sqlobs.reporting.figures import lacks_verdicts
from sqlobs.reporting.judge_cost import judge_cost
from sqlobs.reporting.judged import has_passed, is_equal, judge_of, silence_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sqlobs.reporting.judge_cost import JudgeCost
    from sqlobs.runs.run import Run

_NAMES: Final = ("name", "model", "system")
_KINDS: Final = ("type", "kind", "model_type")


def contestants_of(runs: Sequence[Run]) -> list[Contestant]:
    """Return the entries of runs; runs of the same model are distinguished by the run's name.

    Raises:
        InputError: a run has no cases, or none was executed.
    """
    entries = [contestant_of(run) for run in runs]
    counts = Counter(entry.name for entry in entries)
    return [
        replace(entry, name=f"{entry.name} ({run.name})") if counts[entry.name] > 1 else entry
        for entry, run in zip(entries, runs, strict=True)
    ]


def contestant_of(run: Run) -> Contestant:
    """Return a run's entry: execution match and the judge's verdicts, each over all cases.

    A prediction that failed is incorrect. So is a case without a verdict, which is counted next to
    the name; a run without a judge has no judge score. The system's name is the setting `model`,
    else the model that generated, else the run's name; its type is the setting `model_type`.

    Raises:
        InputError: the run has no cases, none was executed, or its judge gave no verdict.
    """
    cases = run.cases
    if all(case.esm is None for case in cases):
        raise InputError(f"{run.name} cannot be ranked: none of its cases was executed")
    if lacks_verdicts(cases):
        raise InputError(f"{run.name} cannot be ranked: {silence_line(cases)}")
    judge = judge_of(cases)
    said = [has_passed(case) for case in cases] if judge is not None else []
    kind = run.settings.get("model_type")
    return Contestant(
        name=_model(run) or run.name,
        ex=100 * sum(map(is_equal, cases)) / len(cases),
        flex=100 * said.count(True) / len(said) if said else None,
        kind=str(kind) if kind else None,
        undecided=said.count(None),
        judge=judge or FLEX,
    )


@dataclass(frozen=True, slots=True)
class SystemCost:
    """What the judges of a system's run cost."""

    name: str
    """The system, as on the leaderboard."""
    cost: JudgeCost


def costs_of(runs: Sequence[Run]) -> list[SystemCost]:
    """Return what judging cost, of each run that was judged."""
    pairs = zip(contestants_of(runs), map(judge_cost, runs), strict=True)
    return [SystemCost(entry.name, cost) for entry, cost in pairs if cost is not None]


def read_scores(path: Path) -> list[Contestant]:
    """Read given scores: CSV with a header, or JSON lines; columns name, flex, ex, type and judge.

    A system without `flex` was not judged. If `judge` is missing, the judging model is unknown:
    such scores are compared only with each other.

    Raises:
        InputError: the file cannot be read, or a line of it lacks a name or ex.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: cannot be read as text") from None
    lines = text.splitlines()
    if path.suffix in {".jsonl", ".json"}:
        records = ((n, _record(path, n, line)) for n, line in enumerate(lines, 1) if line.strip())
    else:
        records = ((n, row) for n, row in enumerate(csv.DictReader(lines), start=2))
    return [_entry(path, number, record) for number, record in records]


def _model(run: Run) -> str | None:
    given = run.settings.get("model")
    models = {case.generation.model for case in run.cases if case.generation} - {None}
    if given:
        return str(given)
    return models.pop() if len(models) == 1 else None


def _record(path: Path, number: int, line: str) -> Mapping[str, object]:
    try:
        found = json.loads(line)
    except ValueError:
        raise InputError(f"{path}, line {number}: not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}, line {number}: not a JSON object")
    return found


def _entry(path: Path, number: int, record: Mapping[str, object]) -> Contestant:
    fields = {str(name).strip().casefold(): value for name, value in record.items()}
    name, kind = _first(fields, _NAMES), _first(fields, _KINDS)
    if not name:
        raise InputError(f"{path}, line {number}: the field name is missing")
    ex = _score(fields.get("ex"))
    flex = _score(given) if (given := fields.get("flex")) not in {None, ""} else None
    if not (math.isfinite(ex) and math.isfinite(flex or 0.0)):
        raise InputError(
            f"{path}, line {number}: the number ex is missing, or flex for judged systems"
        )
    judge = _first(fields, ("judge",)) or FLEX
    return Contestant(name=name, flex=flex, ex=ex, kind=kind, judge=judge)


def _score(given: object) -> float:
    """Parse a score; NaN if it is invalid."""
    try:
        return float(str(given))
    except ValueError:
        return math.nan


def _first(fields: Mapping[str, object], names: Iterable[str]) -> str | None:
    return next((str(fields[name]) for name in names if fields.get(name)), None)
