"""Calibration of a judge on labeled items, valid for one prompt and model.

A calibration belongs to one judge, prompt and model. Rates of that judge are published raw and
corrected by it, each with an interval.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError, InputError
from sqlobs.judge.trust.agreement import Agreement, agreement
from sqlobs.judge.trust.category_rates import CategoryRates, Sorted, Table, category_tables
from sqlobs.metrics.intervals import Interval, wilson_interval
from sqlobs.metrics.judge_correction import corrected_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.judge.judgment import Judgment

FORMAT: Final = "sqlobs.calibration/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A judge's agreement with human labels, and the judge's identity."""

    judge: str
    model: str
    prompt: str
    """Digest of the judge's prompt files and examples: a changed prompt is another judge."""
    table: Table
    """Confusion matrix, human x judge, correct before incorrect."""
    errors: int
    """Number of labeled items without a judge verdict; excluded from rates."""
    strata: dict[str, Table]
    """The same matrix by stratum: `equal` and `different` results, and each difficulty."""
    categories: dict[str, Table] = field(default_factory=dict)
    """Confusion matrix, human x judge, by category, chosen before not chosen."""

    @property
    def category_rates(self) -> tuple[CategoryRates, ...]:
        """The judge's agreement with humans on each category."""
        return tuple(CategoryRates(key, table) for key, table in self.categories.items())

    @property
    def sensitivity(self) -> float | None:
        """Share of correct items that the judge accepts."""
        accepted, missed = self.table[0]
        return accepted / (accepted + missed) if accepted + missed else None

    @property
    def specificity(self) -> float | None:
        """Share of incorrect items that the judge rejects."""
        fooled, rejected = self.table[1]
        return rejected / (fooled + rejected) if fooled + rejected else None

    def to_json(self) -> str:
        """Return the calibration as a JSON document."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """Parse a calibration document. Raises: InputError: It is not one."""
        try:
            document = json.loads(text)
            if document.pop("format") != FORMAT:
                raise InputError("this is not a judge calibration")
            tables = {
                name: {key: _table(rows) for key, rows in document.pop(name, {}).items()}
                for name in ("strata", "categories")
            }
            return cls(**{**document, "table": _table(document["table"]), **tables})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError("this is not a judge calibration") from error


def read_calibration(path: Path, *, judge: str, model: str, prompt: str) -> Calibration:
    """Read a calibration file written by `sqlobs judge calibrate`.

    Args:
        path: The file.
        judge: The expected judge.
        model: The expected model.
        prompt: The judge's `fingerprint`.

    Raises:
        InputError: The file is not a calibration, or belongs to another judge, model or prompt.
    """
    try:
        found = Calibration.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(
            f"{path} is not a judge calibration; create one with `sqlobs judge calibrate`"
        ) from error
    for word, known, wanted in (
        ("judge", found.judge, judge),
        ("model", found.model, model),
        ("prompt", found.prompt[:12], prompt[:12]),
    ):
        if known != wanted:
            raise InputError(
                f"{path} is a calibration of the {word} {known}, not of {wanted}: calibrate"
                " this one"
            )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A judgment with human labels."""

    judgment: Judgment
    human: bool
    results_equal: bool
    difficulty: str | None = None
    human_categories: frozenset[str] | None = None
    """The categories chosen by humans; None = not labeled."""
    judge_categories: frozenset[str] | None = None
    """The categories chosen by the judge; None = not asked, or no readable answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRate:
    """A rate of a judge, raw and corrected."""

    accepted: int
    judged: int
    undecided: int
    raw: float | None
    raw_interval: Interval | None
    corrected: float | None
    """None if the calibration does not allow a correction."""
    corrected_interval: Interval | None
    is_conservative: bool = False
    """Whether the calibration is small or has no errors: the corrected interval is then
    conservative (wider than necessary).
    """


def calibrate(measured: Sequence[Measured], *, judge: str, model: str, prompt: str) -> Calibration:
    """Compute the calibration from labeled items.

    Args:
        measured: Labeled items with the judge's verdicts.
        judge: The judge's name.
        model: The judge's model.
        prompt: The judge's `fingerprint`.

    Raises:
        InputError: A class has no items, or no item with a judge verdict: rates could not be
        corrected.
    """
    if len({entry.human for entry in measured}) < 2:  # noqa: PLR2004 - correct and incorrect
        raise InputError(
            "a calibration needs items labeled correct and items labeled incorrect by humans"
        )
    judged = {entry.human for entry in measured if entry.judgment.is_correct is not None}
    if len(judged) == 1:
        unheard = "incorrect" if True in judged else "correct"
        raise InputError(f"the judge gave no verdict on any item that humans labeled {unheard}")
    names = dict.fromkeys(name for entry in measured for name in _strata(entry))
    return Calibration(
        judge=judge,
        model=model,
        prompt=prompt,
        table=_counts(measured),
        errors=sum(entry.judgment.is_correct is None for entry in measured),
        strata={
            name: _counts([entry for entry in measured if name in _strata(entry)]) for name in names
        },
        categories=_categories(measured),
    )


def agreement_of(measured: Sequence[Measured]) -> Agreement:
    """Return the judge's agreement with human labels."""
    return agreement(
        [entry.human for entry in measured],
        [entry.judgment.is_correct for entry in measured],
        [entry.results_equal for entry in measured],
    )


def published_rate(
    judgments: Sequence[Judgment], calibration: Calibration | None, *, prompt: str, model: str
) -> PublishedRate:
    """Return a judge's pass rate, raw and, with a calibration, corrected.

    Args:
        judgments: The judgments; those without a verdict are excluded.
        calibration: The judge's calibration; None = uncalibrated.
        prompt: The judge's `fingerprint`.
        model: The judge's model.

    Raises:
        ConfigError: The calibration belongs to another judge, prompt or model.
    """
    if calibration is not None and (calibration.prompt, calibration.model) != (prompt, model):
        raise ConfigError(
            f"the calibration is of {calibration.judge} with model {calibration.model} and another"
            " prompt or model: calibrate this one"
        )
    verdicts = [j.is_correct for j in judgments if j.is_correct is not None]
    accepted, judged = sum(verdicts), len(verdicts)
    found = corrected_estimate(accepted, judged, calibration.table) if calibration else None
    return PublishedRate(
        accepted=accepted,
        judged=judged,
        undecided=len(judgments) - judged,
        raw=accepted / judged if judged else None,
        raw_interval=wilson_interval(accepted, judged),
        corrected=found.rate if found else None,
        corrected_interval=found.interval if found else None,
        is_conservative=found is not None and found.is_conservative,
    )


def _strata(entry: Measured) -> tuple[str, ...]:
    results = "equal" if entry.results_equal else "different"
    return (results, entry.difficulty) if entry.difficulty else (results,)


def _categories(measured: Sequence[Measured]) -> dict[str, Table]:
    """Return the confusion matrices of the categories that humans labeled."""
    if all(entry.human_categories is None for entry in measured):
        return {}
    return category_tables(
        Sorted(
            human_correct=entry.human,
            human=entry.human_categories,
            judge_correct=entry.judgment.is_correct,
            judge=entry.judge_categories,
            results_equal=entry.results_equal,
        )
        for entry in measured
        if entry.judgment.is_correct is not None and entry.judgment.decided_by == "judge"
    )


def _counts(measured: Sequence[Measured]) -> Table:
    counts = Counter((entry.human, entry.judgment.is_correct) for entry in measured)
    return (
        (counts[True, True], counts[True, False]),
        (counts[False, True], counts[False, False]),
    )


def _table(rows: Any) -> Table:  # noqa: ANN401 - a document from outside
    (a, b), (c, d) = rows
    if not all(isinstance(count, int) and count >= 0 for count in (a, b, c, d)):
        raise ValueError("counts are whole numbers")
    return ((a, b), (c, d))
