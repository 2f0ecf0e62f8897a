"""Predictions that lie apart from their cases: a statement a line, or records with ids."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.evaluation.loading.columns import clean
from sqlobs.evaluation.loading.omissions import Omission
from sqlobs.evaluation.loading.records import read_records
from sqlobs.evaluation.loading.text import read_lines, read_text
from sqlobs.evaluation.statements import predicted_of
from sqlobs.evaluation.tasks.task import joined, statements_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.loading.columns import Columns
    from sqlobs.evaluation.loading.records import Record

_logger = logging.getLogger(__name__)

_BIRD_MARK: Final = "\t----- bird -----\t"
_BLANK: Final = ""


@dataclass(frozen=True, slots=True)
class Predictions:
    """Answers, known by id or else by position."""

    path: Path
    answers: Sequence[str | None]
    ids: Sequence[str] | None = None
    left_out: Mapping[Omission, int] = field(default_factory=dict)
    """How many were passed over as they are for another dialect."""

    def at(self, positions: Sequence[int], *, of: int) -> Predictions:
        """Return the answers at these positions, if there is one for each of so many records.

        Predictions with ids are returned unchanged.
        """
        if self.ids is not None or len(positions) == of or len(self.answers) != of:
            return self
        return replace(self, answers=[self.answers[position] for position in positions])

    def joined_to(self, cases: Sequence[Case], *, is_partial: bool) -> tuple[Case, ...]:
        """Return the cases, each with its answer; an id without an answer has an empty one.

        Args:
            cases: All cases, in order.
            is_partial: Whether answers to further cases are to be expected.

        Raises:
            InputError: the answers belong to other cases.
        """
        if self.ids is None:
            return self._by_position(cases, is_partial=is_partial)
        answers = dict(zip(self.ids, self.answers, strict=True))
        labels = Counter(case.label for case in cases)
        repeated = next((label for label, count in labels.items() if count > 1), None)
        if repeated is not None:
            raise InputError(f"two cases have the id {repeated}: predictions cannot be joined")
        if not answers.keys() & labels.keys():
            raise InputError(f"{self.path}: no id matches a case")
        missing = [label for label in labels if label not in answers]
        if missing:
            _logger.warning(
                "%s: %d cases have no prediction and count as empty, such as %s",
                *(self.path, len(missing), min(missing)),
            )
        return tuple(replace(case, predicted_sql=answers.get(case.label, _BLANK)) for case in cases)

    def without_case(self, cases: Sequence[Case]) -> Counter[Omission]:
        """Return the predictions whose id no case has: their number, under the first id."""
        known = {case.label for case in cases}
        alone = [each for each in self.ids or () if each not in known]
        return Counter({Omission("no_case", min(alone)): len(alone)} if alone else {})

    def _by_position(self, cases: Sequence[Case], *, is_partial: bool) -> tuple[Case, ...]:
        answers = self.answers
        if len(answers) != len(cases) and any(case.dialogue for case in cases):
            answers = [each for each in answers if each != _BLANK]  # blank lines part dialogues
        count = len(answers)
        if count < len(cases) or (count > len(cases) and not is_partial):
            raise InputError(
                f"{self.path}: {count} predictions for {len(cases)} cases;"
                " without ids there must be one for each"
            )
        pairs = zip(cases, answers, strict=False)
        return tuple(replace(case, predicted_sql=answer) for case, answer in pairs)


def read_predictions(path: Path, columns: Columns, dialect: str | None) -> Predictions:
    """Read the predictions of a file: lines, records, or BIRD's mapping from positions.

    Raises:
        InputError: the file is broken; the message names the place.
    """
    if path.suffix.lower() in {".txt", ".sql"}:
        lines = [line.partition("\t")[0] for line in read_lines(path)]
        return Predictions(path, [predicted_of(line, dialect=dialect) for line in lines])
    if path.suffix.lower() == ".json":
        found = _mapping(path)
        if found is not None:
            return _by_number(path, found)
    return _from_records(path, columns, dialect)


def _mapping(path: Path) -> Mapping[str, object] | None:
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({str(error).partition(': line ')[0]})") from None
    return found if isinstance(found, dict) else None


def _by_number(path: Path, found: Mapping[str, object]) -> Predictions:
    r"""Read BIRD's form: `{"0": "SELECT …\t----- bird -----\tdb"}`; other values are empty."""
    if not all(key.isdecimal() for key in found):
        raise InputError(f'{path}: a JSON object of predictions has positions as keys ("0", "1")')
    count = max(map(int, found), default=-1) + 1
    if count > 2 * len(found) + 1:
        raise InputError(f"{path}: the positions of predictions have gaps")
    texts = (found.get(str(number)) for number in range(count))
    answers = [text.partition(_BIRD_MARK)[0] if isinstance(text, str) else _BLANK for text in texts]
    return Predictions(path, [clean(answer) for answer in answers])


def _from_records(path: Path, columns: Columns, dialect: str | None) -> Predictions:
    read = read_records(path)
    records = [record for record in read if _is_for(record, columns, dialect)]
    left_out = Counter(
        Omission("other_dialect", columns.text(record, "dialect") or "")
        for record in read
        if not _is_for(record, columns, dialect)
    )
    if not records:
        raise InputError(nothing_left(path, "prediction", left_out, dialect))
    answers = [_answer(record, columns, dialect) for record in records]
    ids = [columns.text(record, "id") for record in records]
    known = [each for each in ids if each is not None]
    if not known:
        return Predictions(path, answers, left_out=left_out)
    if len(known) < len(ids) or len(set(known)) < len(known):
        raise InputError(
            f"{path}: either every prediction or none must have an id, and ids must be unique"
        )
    return Predictions(path, answers, known, left_out)


def nothing_left(
    path: Path | str, noun: str, left_out: Mapping[Omission, int], dialect: str | None
) -> str:
    """Return why there is no usable record: none at all, other dialects, or no targets."""
    if not left_out:
        return f"{path} contains no {noun}"
    names = ", ".join(dict.fromkeys(omission.name for omission in left_out))
    if any(omission.reason == "no_target" for omission in left_out):
        return f"{path}: no {noun} has a DSN; give --dsn NAME=URL for {names}"
    if any(omission.reason == "no_sql" for omission in left_out):
        return f"{path}: no {noun} has raw SQL; export units with --texts"
    runs = f"statements run as {dialect}" if dialect else "their targets run another dialect"
    return (
        f"{path}: all {sum(left_out.values())} {noun}s are for {names},"
        f" but {runs} (--dialect, or the DSN's)"
    )


def _is_for(record: Record, columns: Columns, dialect: str | None) -> bool:
    own = columns.text(record, "dialect")
    return own is None or dialect is None or own == dialect


def _answer(record: Record, columns: Columns, dialect: str | None) -> str | None:
    value = columns.answer(record)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return clean(joined(statements_of(value)))  # LiveSQLBench's `pred_sqls`
    found = predicted_of(value, dialect=dialect)
    return None if found is None else clean(found)
