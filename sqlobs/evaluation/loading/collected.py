"""Records that production gave: a collector's answers, its export, and its golden file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.evaluation.loading.omissions import Omission
from sqlobs.evaluation.loading.records import Record

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence

_ANSWERED: Final = {
    "id": "id",
    "question": "question",
    "solution": "reference",
    "prediction": "sql",
    "context": "hint",
    "db": "target",
    "dialect": "dialect",
}

_GOLDEN: Final = frozenset({"question", "digest", "sql", "target"})
_RAW: Final = "raw"
_TEXTS: Final = "texts"
_EVALUATIONS: Final = "evaluations"


def as_cases(
    records: Sequence[Record], left_out: Counter[Omission], *, with_references: bool = True
) -> list[Record]:
    """Return an export's units, or a golden file's lines, as records of cases; others as they are.

    Lines of a golden file about one question and target are alternatives of one case.

    Args:
        records: What was read.
        left_out: Counts the units without raw SQL, which are no cases.
        with_references: Whether statements of a golden file's form are references.
    """
    if records and all(_is_unit(record) for record in records):
        return units_as_cases(records, left_out)
    is_golden = with_references and bool(records)
    if is_golden and all(
        "sql" in each.fields and each.fields.keys() <= _GOLDEN for each in records
    ):
        return list(_golden(records))
    return list(records)


def answered_case(place: str, fields: Mapping[str, object]) -> Record:
    """Return a case of a collector's answer under the names that cases of files have."""
    return Record(place, {name: fields.get(own) for name, own in _ANSWERED.items()})


def _is_unit(record: Record) -> bool:
    return _TEXTS in record.fields and _EVALUATIONS in record.fields


def units_as_cases(records: Iterable[Record], left_out: Counter[Omission]) -> list[Record]:
    """Return the units with raw SQL as records of cases, with their reference if they have one."""
    cases = []
    for record in records:
        case = _unit(record)
        if case is None:
            left_out[Omission("no_sql")] += 1
        else:
            cases.append(case)
    return cases


def _unit(record: Record) -> Record | None:
    fields, texts = record.fields, record.fields[_TEXTS]
    held = texts if isinstance(texts, Mapping) else {}
    sql, reference = (
        held.get(semconv.SQLOBS_QUERY_TEXT),
        held.get(semconv.SQLOBS_REFERENCE_QUERY_TEXT),
    )
    if not sql or fields.get("capture", _RAW) != _RAW:
        return None
    return Record(
        record.place,
        {
            "id": f"{fields.get('trace_id')}-{fields.get('span_id')}",
            "question": held.get(semconv.SQLOBS_QUESTION_TEXT),
            "solution": reference,
            "prediction": sql,
            "context": held.get(semconv.SQLOBS_HINT_TEXT),
            "db": fields.get("target"),
            "dialect": fields.get("dialect"),
        },
    )


def _golden(records: Sequence[Record]) -> Iterator[Record]:
    merged: dict[tuple[object, object], tuple[Record, list[object]]] = {}
    for record in records:
        fields = record.fields
        key = fields.get("question") or fields.get("digest"), fields.get("target")
        merged.setdefault(key, (record, []))[1].append(fields["sql"])
    for (_, target), (record, statements) in merged.items():
        question = record.fields.get("question")
        yield Record(record.place, {"question": question, "solution": statements, "db": target})
