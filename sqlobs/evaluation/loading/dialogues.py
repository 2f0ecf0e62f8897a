"""Dialogues: questions of several turns, as SParC and CoSQL write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.loading.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.evaluation.case import Case

_TURNS: Final = "interaction"


def turns_of(records: Iterable[Record]) -> Iterator[Record]:
    """Yield a record for each turn of SParC's and CoSQL's dialogues; other records as they are."""
    for number, record in enumerate(records):
        turns = record.fields.get(_TURNS)
        if isinstance(turns, list):
            yield from _turns(record, turns, number)
        else:
            yield record


def _turns(record: Record, turns: Sequence[object], number: int) -> Iterator[Record]:
    shared = {name: value for name, value in record.fields.items() if name != _TURNS}
    dialogue = shared.get("id", number)
    for turn, fields in enumerate(turns, start=1):
        own = fields if isinstance(fields, Mapping) else {}
        named = {"id": f"{dialogue}.{turn}", "dialogue": dialogue, "turn": turn}
        yield Record(record.place, {**shared, **own, **named})


def numbered(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return the cases; turns without a number are numbered by their order in the dialogue."""
    seen: Counter[str] = Counter()
    found = []
    for case in cases:
        if case.dialogue is not None:
            seen[case.dialogue] += 1
            case = replace(case, turn=case.turn or seen[case.dialogue])  # noqa: PLW2901 - completed
        found.append(case)
    return tuple(found)
