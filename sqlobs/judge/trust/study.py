"""The agreement study of FLEX: 200 pairs, judged by three experts and a recorded judge.

Reads the published files (metrics: `experts_agreement_200.csv`, `fp_*.jsonl`, `fn_*.jsonl`,
`categorized_fp100.jsonl`, `categorized_fn100.jsonl`, `experts_categorization.csv`; each may be
gzipped). A row's `ex`, not its file's name, decides to which set it belongs.
"""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import InputError
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.judgment import Judgment
from sqlobs.judge.replay import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlobs.types import Label

_SETS: Final = ("FP", "FN")
"""Prefixes of the experts' columns for equal and for different results."""
_EXPERTS: Final = ("A", "B", "C")
FAULT_COLUMNS: Final = {
    "incorrect_schema_linking": "Schema Link",
    "incorrect_filtering_condition": "Filtering Cond",
    "missing_handling_of_nullable_column": "Nullable Col",
    "missing_handling_of_multiple_rows": "Multi Rows",
    "abused_clauses": "Clause Abusing",
    "other_fatal_issues": "Other FP",
}
DIFFERENCE_COLUMNS: Final = {
    "different_output_structure": "Structure",
    "different_output_value_representation": "Value Repr.",
    "incorrect_ground_truth_query": "Incorrect GT (FN)",
    "multiple_answers_available": "Multiple Ans FN",
    "other_minor_issues": "Other FN",
}
"""The experts' column for each category."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedPair:
    """One pair, its experts, and the recorded judge."""

    item: JudgeItem
    ex: bool
    consensus: bool
    votes: tuple[bool, ...]
    recorded_text: str
    recorded_verdict: bool

    @property
    def recording(self) -> Recording:
        """The recording for a replay server."""
        return _recording(self.item, self.recorded_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategorizedPair:
    """One judged pair, its recorded categories, and the experts' votes for each."""

    item: JudgeItem
    judgment: str
    """The recorded judge's reasoning, which the second call includes."""
    recorded: dict[str, dict[str, Any]]
    """The recorded answer of the second call."""
    expert_votes: dict[str, int]
    """Number of experts, out of three, that chose each category."""

    @property
    def judged(self) -> Judgment:
        """The recorded verdict: incorrect if results are equal, correct if they differ."""
        label: Label = "fail" if self.item.results_equal else "pass"
        return Judgment(name="flex", label=label, text=self.judgment)

    @property
    def recordings(self) -> tuple[Recording, Recording]:
        """The recordings for a replay server: the verdict, then the categories."""
        return (
            _recording(self.item, self.judgment),
            _recording(self.item, json.dumps(self.recorded), is_categorization=True),
        )


def read_pairs(directory: Path) -> list[StudiedPair]:
    """Return the 200 pairs of the agreement study, those with equal results first.

    Raises:
        InputError: A file is missing or invalid.
    """
    votes = _read_csv(directory / "experts_agreement_200.csv")
    pairs = []
    for kind in _SETS:
        for record, row in zip(_judged(directory, kind), votes, strict=True):
            pairs.append(_pair(record, row, kind))
    return sorted(pairs, key=lambda pair: not pair.ex)


def read_categorized(directory: Path) -> list[CategorizedPair]:
    """Return the 200 categorized pairs: 100 false positives, then 100 false negatives.

    Raises:
        InputError: A file is missing or invalid.
    """
    votes = _read_csv(directory / "experts_categorization.csv")
    pairs = []
    for kind, columns in (("fp", FAULT_COLUMNS), ("fn", DIFFERENCE_COLUMNS)):
        records = _read_lines(directory, f"categorized_{kind}100")
        for record, row in zip(records, votes, strict=True):
            pairs.append(_categorized(record, row, columns))
    return pairs


def recorded_ex(predicted: str, reference: str) -> bool:
    """Return whether two recorded renderings show the same result, by the study's rule.

    Shapes and sets of rows must be equal; numbers are compared as numbers. A text without a table
    equals nothing. Of a truncated table, only the visible part is compared.
    """
    ours, theirs = _parsed(predicted), _parsed(reference)
    return ours is not None and ours == theirs


def _judged(directory: Path, kind: str) -> list[dict[str, Any]]:
    """Return the judged rows with equal (FP) or different (FN) results."""
    wanted = 1 if kind == "FP" else 0
    for name in ("fp", "fn"):
        rows = _read_lines(directory, f"{name}_gpt-4o-2024-08-06")
        if rows and all(row["ex"] == wanted for row in rows):
            return rows
    raise InputError(f"{directory}: no judged rows with ex = {wanted}")


def _pair(record: dict[str, Any], row: dict[str, str], kind: str) -> StudiedPair:
    return StudiedPair(
        item=_item(record),
        ex=record["ex"] == 1,
        consensus=int(float(row[f"{kind}_consensus"])) == 1,  # two values of 0.5 count as 0
        votes=tuple(float(row[f"{kind}_{expert}"]) == 1 for expert in _EXPERTS),
        recorded_text=record["judge_text"],
        recorded_verdict=record["judge_result"],
    )


def _categorized(
    record: dict[str, Any], row: dict[str, str], columns: dict[str, str]
) -> CategorizedPair:
    return CategorizedPair(
        item=_item(record),
        judgment=record["judge_text"],
        recorded=record["judge_result_category"],
        expert_votes={key: int(row[column]) for key, column in columns.items()},
    )


def _item(record: dict[str, Any]) -> JudgeItem:
    return JudgeItem(
        sql=record["pred_sql"],
        question=record["question"],
        dialect="sqlite",
        schema=record["schema"],
        hints=record["hint"] or None,
        reference=record["gt_sql"],
        results_equal=record["ex"] == 1,
        predicted_result=record["pred_exec"],
        reference_result=record["gt_exec"],
        case_id=str(record["index"]),
    )


def _recording(item: JudgeItem, reply: str, *, is_categorization: bool = False) -> Recording:
    return Recording(
        predicted_sql=item.sql,
        reference_sql=item.reference,
        question=item.question,
        reply=reply,
        is_categorization=is_categorization,
    )


def _parsed(rendering: str) -> tuple[str, frozenset[tuple[object, ...]]] | None:
    lines = rendering.splitlines()
    if not lines or not lines[-1].startswith("shape="):
        return None
    rows = (line for line in lines[:-1] if line.startswith("|"))
    return lines[-1], frozenset(tuple(map(_number, line.strip("|").split("|"))) for line in rows)


def _number(cell: str) -> object:
    try:
        return float(cell)
    except ValueError:
        return cell.strip()


def _read_lines(directory: Path, stem: str) -> list[dict[str, Any]]:
    for path, opener in (
        (directory / f"{stem}.jsonl.gz", gzip.open),
        (directory / f"{stem}.jsonl", open),
    ):
        if path.exists():
            return list(_json_lines(path, opener))
    raise InputError(f"{directory} has no {stem}.jsonl or {stem}.jsonl.gz")


def _json_lines(path: Path, opener: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - open, gzip.open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not JSON Lines ({error})") from None


def _read_csv(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
