"""A run: its cases, how it was evaluated, and with which versions; read from its directory."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlobs.errors import InputError
from sqlobs.runs.declaration import MetricDeclaration
from sqlobs.runs.lines import line_of, read_cases, write_cases
from sqlobs.runs.summary import PassRate, RunSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sqlobs.runs.case import CaseResult, Value

    Table: TypeAlias = tuple[tuple[int, int], tuple[int, int]]

EVALUATION: Final = "eval"
"""The directory of the evaluation below the run's directory."""
DETAILS: Final = "details.jsonl"
SUMMARY: Final = "eval_summary.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All results of the evaluation of one run."""

    name: str
    cases: tuple[CaseResult, ...]
    settings: Mapping[str, Value] = field(default_factory=dict)
    """How it was evaluated: `dsn_redacted`, `exec_timeout`, `technique`, …; no secret."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of sqlobs and of what decides: `sqlobs`, `sqlglot`, the engine."""
    metrics: tuple[MetricDeclaration, ...] = ()
    """Metrics beyond those of every run: further techniques, and the user's own."""
    started_at: str | None = None
    """ISO 8601, UTC."""
    calibrations: Mapping[str, Table] = field(default_factory=dict)
    """Of judges, by name: human x judge, correct before incorrect."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Cases of the input that are not in the run, by reason: `other_dialect`, `no_target`, …"""

    @property
    def summary(self) -> RunSummary:
        """The figures of the run."""
        return RunSummary.of(self.cases)

    @property
    def is_of_production(self) -> bool:
        """Its cases are requests that a collector saw, not an evaluation's."""
        return any(case.probabilities is not None for case in self.cases)

    def write(self, directory: Path, *, write_case: Callable[[CaseResult], str] = line_of) -> None:
        """Write `eval/details.jsonl` and `eval/eval_summary.json` below a run's directory.

        Args:
            directory: The run's directory.
            write_case: Returns the line of a case, where lines are known already.
        """
        folder = directory / EVALUATION
        folder.mkdir(parents=True, exist_ok=True)
        write_cases(folder / DETAILS, self.cases, write=write_case)
        text = json.dumps(self.summary_document(), indent=2)
        beside = folder / f"{SUMMARY}.new"
        beside.write_text(text + "\n", encoding="utf-8")
        beside.replace(folder / SUMMARY)

    def summary_document(self) -> dict[str, object]:
        """Return what `eval_summary.json` holds."""
        summary = self.summary
        return {
            "name": self.name,
            "total": summary.total,
            "empty_preds": summary.empty_predictions,
            "unanswerable": summary.unanswerable,
            "without_reference": summary.without_reference,
            "left_out": dict(self.left_out),
            "calibrations": dict(self.calibrations),
            "em": _rate(summary.exact),
            "esm": _rate(summary.execution),
            "esm_breakdown": dict(summary.buckets),
            "dsn_redacted": self.settings.get("dsn_redacted"),
            "exec_timeout": self.settings.get("exec_timeout"),
            "started_at": self.started_at,
            "version": self.versions.get("sqlobs"),
            "settings": dict(self.settings),
            "versions": dict(self.versions),
            "metrics": [asdict(declared) for declared in self.metrics],
        }

    @classmethod
    def read(cls, directory: Path) -> Run:
        """Read the evaluation of a run from its directory, or from its `eval` folder.

        Raises:
            InputError: it was not evaluated, or a file of it is broken.
        """
        folder = directory if directory.name == EVALUATION else directory / EVALUATION
        if not (folder / DETAILS).is_file():
            raise InputError(f"{folder / DETAILS} does not exist; run `sqlobs evaluate` first")
        document = _document(folder / SUMMARY)
        started_at = document.get("started_at")
        return cls(
            name=str(document.get("name") or folder.resolve().parent.name),
            cases=tuple(read_cases(folder / DETAILS)),
            settings=_mapping(document.get("settings")),
            versions={key: str(value) for key, value in _mapping(document.get("versions")).items()},
            metrics=_metrics(document.get("metrics", []), folder / SUMMARY),
            started_at=started_at if isinstance(started_at, str) else None,
            calibrations=_tables(document.get("calibrations")),
            left_out=_counts(document.get("left_out")),
        )


def _document(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        raise InputError(f"{path} is not JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} is not a JSON object")
    return found


def _metrics(found: object, path: Path) -> tuple[MetricDeclaration, ...]:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(tuple[MetricDeclaration, ...]).validate_python(found)
    except ValidationError:
        raise InputError(f"{path}: metrics is not a list of declarations") from None


def _mapping(found: object) -> dict[str, Value]:
    return found if isinstance(found, dict) else {}


def _counts(found: object) -> dict[str, int]:
    return {key: count for key, count in _mapping(found).items() if isinstance(count, int)}


def _tables(found: object) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for name, rows in (found if isinstance(found, dict) else {}).items():
        (a, b), (c, d) = rows
        tables[str(name)] = ((int(a), int(b)), (int(c), int(d)))
    return tables


def _rate(rate: PassRate | None) -> dict[str, object] | None:
    if rate is None:
        return None
    return {
        "pass": rate.passed,
        "rate": rate.percent,
        "attempted": rate.attempted,
        "rate_attempted": rate.percent_of_attempted,
    }
