"""What a run, or a table of given scores, enters into a leaderboard."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.metrics.leaderboard import Contestant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sqlobs.runs.run import Run

_NAMES: Final = ("name", "model", "system")
_KINDS: Final = ("type", "kind", "model_type")


def contestant_of(run: Run) -> Contestant:
    """Return a run's entry: execution match and the judge's verdicts, each over all cases.

    A case without a verdict, because its prediction failed or the judge did, counts as incorrect.
    The system's name is the setting `model`, else the model that generated, else the run's name;
    its type is the setting `model_type`.

    Raises:
        InputError: the run has no cases, or no verdict of a judge.
    """
    cases = run.cases
    if not any(case.judge for case in cases):
        raise InputError(
            f"{run.name} has no verdicts of a judge: run `sqlobs evaluate` with --judge-model first"
        )
    kind = run.settings.get("model_type")
    return Contestant(
        name=_model(run) or run.name,
        ex=100 * sum(case.is_match for case in cases) / len(cases),
        flex=100 * sum(bool(case.judge and case.judge.correct) for case in cases) / len(cases),
        kind=str(kind) if kind else None,
    )


def read_scores(path: Path) -> list[Contestant]:
    """Read given scores: CSV with a header, or JSON lines; columns name, flex, ex and type.

    Raises:
        InputError: the file cannot be read, or a line of it lacks a name or a score.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: it cannot be read as text") from None
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
        raise InputError(f"{path}, line {number}: there is no name")
    try:
        flex, ex = (float(str(fields[score])) for score in ("flex", "ex"))
    except (KeyError, ValueError):
        flex = ex = math.nan
    if not (math.isfinite(flex) and math.isfinite(ex)):
        raise InputError(f"{path}, line {number}: it needs the numbers flex and ex")
    return Contestant(name=name, flex=flex, ex=ex, kind=kind)


def _first(fields: Mapping[str, object], names: Iterable[str]) -> str | None:
    return next((str(fields[name]) for name in names if fields.get(name)), None)
