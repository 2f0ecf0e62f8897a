"""How far to trust a judge: measured on labeled items, kept with its prompt and model.

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

    from sqlobs.judge.judgement import Judgement

FORMAT: Final = "sqlobs.calibration/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Agreement of a judge with human labels, and the identity of the judge."""

    judge: str
    model: str
    prompt: str
    """Digest of the judge's text files and examples: another text is another judge."""
    table: Table
    """People x judge, correct before incorrect."""
    errors: int
    """Labeled items on which the judge said nothing; in no rate."""
    strata: dict[str, Table]
    """The same table by stratum: `equal`, `different` results, and each difficulty."""
    categories: dict[str, Table] = field(default_factory=dict)
    """People x judge for each category, chosen before not; none where nobody labeled any."""

    @property
    def category_rates(self) -> tuple[CategoryRates, ...]:
        """How the judge's choice of each category agrees with the people's."""
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
        """Return the document of a file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Calibration:
        """Read the document of a file.

        Raises:
            InputError: It is none.
        """
        try:
            document = json.loads(text)
            if document.pop("format") != FORMAT:
                raise InputError("this is no calibration of a judge")
            tables = {
                name: {key: _table(rows) for key, rows in document.pop(name, {}).items()}
                for name in ("strata", "categories")
            }
            return cls(**{**document, "table": _table(document["table"]), **tables})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError("this is no calibration of a judge") from error


def read_calibration(path: Path, *, judge: str, model: str, prompt: str) -> Calibration:
    """Read the file that `sqlobs judge calibrate` kept.

    Args:
        path: The file.
        judge: Whose calibration it must be.
        model: The model that is asked.
        prompt: The judge's `fingerprint`.

    Raises:
        InputError: The file holds none, or that of another judge, model or prompt.
    """
    try:
        found = Calibration.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"{path} holds no calibration of a judge") from error
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
    """A judgment beside human labels."""

    judgement: Judgement
    human: bool
    results_equal: bool
    difficulty: str | None = None
    human_categories: frozenset[str] | None = None
    """Which categories people chose; None = they did not say."""
    judge_categories: frozenset[str] | None = None
    """Which the judge chose; None = it was not asked, or gave no readable answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRate:
    """A rate of a judge, raw and corrected."""

    accepted: int
    judged: int
    undecided: int
    raw: float | None
    raw_interval: Interval | None
    corrected: float | None
    """None where the calibration does not allow a correction."""
    corrected_interval: Interval | None
    is_conservative: bool = False
    """The calibration is small or without errors: the corrected interval is wider than it need be,
    and covers more often than it says."""


def calibrate(measured: Sequence[Measured], *, judge: str, model: str, prompt: str) -> Calibration:
    """Return the calibration that labeled items give.

    Args:
        measured: Labeled items with the judge's word on each.
        judge: The judge's name.
        model: The model that was asked.
        prompt: The judge's `fingerprint`.

    Raises:
        InputError: There is no item of one of the classes, or the judge said nothing about any of
            it: no rate could ever be corrected.
    """
    if len({entry.human for entry in measured}) < 2:  # noqa: PLR2004 - correct and incorrect
        raise InputError(
            "a calibration needs items that people call correct and items they call incorrect"
        )
    judged = {entry.human for entry in measured if entry.judgement.is_correct is not None}
    if len(judged) == 1:
        unheard = "incorrect" if True in judged else "correct"
        raise InputError(f"the judge said nothing about any item that people call {unheard}")
    names = dict.fromkeys(name for entry in measured for name in _strata(entry))
    return Calibration(
        judge=judge,
        model=model,
        prompt=prompt,
        table=_counts(measured),
        errors=sum(entry.judgement.is_correct is None for entry in measured),
        strata={
            name: _counts([entry for entry in measured if name in _strata(entry)]) for name in names
        },
        categories=_categories(measured),
    )


def agreement_of(measured: Sequence[Measured]) -> Agreement:
    """Return how the judge agrees with people on labeled items."""
    return agreement(
        [entry.human for entry in measured],
        [entry.judgement.is_correct for entry in measured],
        [entry.results_equal for entry in measured],
    )


def published_rate(
    judgements: Sequence[Judgement], calibration: Calibration | None, *, prompt: str, model: str
) -> PublishedRate:
    """Return the rate of a judge's passes, raw and, where it is calibrated, corrected.

    Args:
        judgements: What the judge said; those without a verdict are in no rate.
        calibration: The judge's own; None = there is none.
        prompt: The judge's `fingerprint`.
        model: The model that was asked.

    Raises:
        ConfigError: The calibration is another judge's, prompt's or model's.
    """
    if calibration is not None and (calibration.prompt, calibration.model) != (prompt, model):
        raise ConfigError(
            f"the calibration is of {calibration.judge} with model {calibration.model} and another"
            " prompt or model: calibrate this one"
        )
    verdicts = [j.is_correct for j in judgements if j.is_correct is not None]
    accepted, judged = sum(verdicts), len(verdicts)
    found = corrected_estimate(accepted, judged, calibration.table) if calibration else None
    return PublishedRate(
        accepted=accepted,
        judged=judged,
        undecided=len(judgements) - judged,
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
    """Return the tables of the categories, where people named any."""
    if all(entry.human_categories is None for entry in measured):
        return {}
    return category_tables(
        Sorted(
            human_correct=entry.human,
            human=entry.human_categories,
            judge_correct=entry.judgement.is_correct,
            judge=entry.judge_categories,
            results_equal=entry.results_equal,
        )
        for entry in measured
        if entry.judgement.is_correct is not None and entry.judgement.decided_by == "judge"
    )


def _counts(measured: Sequence[Measured]) -> Table:
    counts = Counter((entry.human, entry.judgement.is_correct) for entry in measured)
    return (
        (counts[True, True], counts[True, False]),
        (counts[False, True], counts[False, False]),
    )


def _table(rows: Any) -> Table:  # noqa: ANN401 - a document from outside
    (a, b), (c, d) = rows
    if not all(isinstance(count, int) and count >= 0 for count in (a, b, c, d)):
        raise ValueError("counts are whole numbers")
    return ((a, b), (c, d))
