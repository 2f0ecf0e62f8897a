"""Turns wrong verdicts into examples in a judge's prompt if they improve the judge.

Labeled items are split: one part provides the examples, the other is held out for measuring. A new
version of the examples becomes active only if its kappa on the held-out items is greater than the
previous version's.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.judge.verdicts.suspicion import suspicions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.trust.agreement import Agreement
    from sqlobs.judge.trust.calibration import Measured
    from sqlobs.judge.trust.labels import Label

FORMAT: Final = "sqlobs.judge-examples/1"
MOST_EXAMPLES: Final = 6
_MOST_CHARACTERS: Final = 1_500
"""Maximum characters of a statement or question in an example; longer ones are skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A labeled case on which the judge's verdict was wrong."""

    question: str
    predicted_sql: str
    reference_sql: str
    correct: bool
    critique: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """A version of the examples for one judge's prompt."""

    judge: str
    version: int = 0
    """0 = no examples; each tuning creates the next version."""
    cases: tuple[Example, ...] = ()
    is_active: bool = True
    """Whether judges use it: it improved on the previous version."""
    kappa_before: float | None = None
    kappa_after: float | None = None
    """Kappa on the same held-out items."""
    held_back: int = 0
    digest: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The cases as sent to a judge: data, as a JSON string like all other fields."""
        if not self.is_active or not self.cases:
            return ""
        return json.dumps([asdict(case) for case in self.cases], ensure_ascii=False)

    def to_json(self) -> str:
        """Return the calibration as a JSON document."""
        made = asdict(self)
        made["digest"] = hashlib.sha256(json.dumps(made["cases"]).encode()).hexdigest()
        return json.dumps({"format": FORMAT, **made}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Examples:
        """Parse an examples document. Raises: InputError: It is not one."""
        try:
            document = json.loads(text)
            if document.pop("format") != FORMAT:
                raise InputError("these are not judge examples")
            cases = tuple(Example(**case) for case in document.pop("cases"))
            return cls(**document, cases=cases)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError("these are not judge examples") from error


def read_examples(path: Path, *, judge: str) -> Examples:
    """Read an examples file written by `sqlobs judge tune`.

    Args:
        path: The file.
        judge: The expected judge.

    Raises:
        InputError: The file has no examples, or those of another judge.
    """
    try:
        found = Examples.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"{path} is not a file of judge examples") from error
    if found.judge != judge:
        raise InputError(f"{path} has examples for {found.judge}, not for {judge}")
    return found


def parted(
    items: Sequence[tuple[JudgeItem, Label]], *, seed: int
) -> tuple[list[tuple[JudgeItem, Label]], list[tuple[JudgeItem, Label]]]:
    """Split labeled items into a tuning part and a held-out part, each class in halves.

    Raises:
        InputError: A class has fewer than two items, so that none can be held out.
    """
    drawing = random.Random(seed)  # noqa: S311 - a split that everybody can repeat
    learned, held_back = [], []
    for correct in (True, False):
        same = [pair for pair in items if pair[1].correct is correct]
        if len(same) < 2:  # noqa: PLR2004 - one for each part
            raise InputError(
                "tuning needs at least two items labeled correct and two labeled incorrect by"
                " humans"
            )
        drawing.shuffle(same)
        learned += same[: len(same) // 2]
        held_back += same[len(same) // 2 :]
    return learned, held_back


def examples_from(
    wrong: Sequence[tuple[JudgeItem, Label]], before: Examples, *, most: int = MOST_EXAMPLES
) -> Examples:
    """Return the next version of the examples: the old cases plus wrong verdicts.

    Cases with a critique come first. Suspect or very long texts are skipped, because examples are
    part of every prompt.
    """
    fit = [pair for pair in wrong if _is_fit(*pair)]
    fit.sort(key=lambda pair: not pair[1].critique)
    known = {case.predicted_sql for case in before.cases}
    made = [_example(*pair) for pair in fit if pair[0].sql not in known]
    return Examples(
        judge=before.judge,
        version=before.version + 1,
        cases=(*before.cases, *made)[:most],
        is_active=False,
    )


def settled_by(
    candidate: Examples, before: Agreement, after: Agreement, measured: Sequence[Measured]
) -> Examples:
    """Return the candidate, active exactly if it is better on the held-out items."""
    kappas = [found.kappa.value if found.kappa else None for found in (before, after)]
    was, now = kappas
    return Examples(
        judge=candidate.judge,
        version=candidate.version,
        cases=candidate.cases,
        is_active=bool(candidate.cases)
        and now is not None
        and now > (was if was is not None else -1.0),
        kappa_before=was,
        kappa_after=now,
        held_back=len(measured),
    )


def _is_fit(item: JudgeItem, label: Label) -> bool:
    texts = (item.question or "", item.sql, item.reference or "", label.critique)
    return not suspicions(texts) and all(len(text) <= _MOST_CHARACTERS for text in texts)


def _example(item: JudgeItem, label: Label) -> Example:
    word = "correct" if label.correct else "incorrect"
    return Example(
        question=item.question or "",
        predicted_sql=item.sql,
        reference_sql=item.reference or "",
        correct=label.correct,
        critique=label.critique or f"Humans labeled it {word}.",
    )
