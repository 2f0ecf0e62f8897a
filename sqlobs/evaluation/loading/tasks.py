"""Records of LiveSQLBench, whose field `query` is the question, under the names of other files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.evaluation.loading.records import Record
from sqlobs.evaluation.tasks.task import joined, statements_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARK: Final = "selected_database"
_ONLY_TESTED: Final = ("test_cases", "preprocess_sql")


def tasks_of(records: Iterable[Record]) -> Iterator[Record]:
    """Yield LiveSQLBench's records under the usual names; other records as they are."""
    for record in records:
        yield Record(record.place, _renamed(record)) if _MARK in record.fields else record


def needs_tests(record: Record) -> bool:
    """Return whether running its statements alone does not decide a task."""
    return any(record.fields.get(name) for name in _ONLY_TESTED)


def _renamed(record: Record) -> dict[str, object]:
    fields = dict(record.fields)
    return {
        **fields,
        "id": fields.get("instance_id"),
        "db": fields[_MARK],
        "question": fields.pop("query", None),
        "solution": joined(statements_of(fields.get("sol_sql"))),
        "difficulty": fields.get("difficulty_tier"),
        **({"prediction": fields["pred_sqls"]} if "pred_sqls" in fields else {}),
    }
