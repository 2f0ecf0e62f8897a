"""The cases of a run as the page's script reads them: an index, and chunks opened on demand.

Text is made harmless here (`visible`); the script only ever sets it as text.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.failures import codes_of
from sqlobs.reporting.judged import side_of
from sqlobs.reporting.page.anatomy import case_document
from sqlobs.reporting.rates import is_hallucinated
from sqlobs.reporting.wording import label, one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.runs.case import CaseResult

CHUNK: Final = 50
"""Cases per chunk; a chunk is decompressed when one of its cases is opened."""
_QUESTION: Final = 400
_SEARCHED: Final = 2_000
"""Maximum characters of a statement that the search covers."""


@dataclass(slots=True)
class _Words:
    """Interned strings, each stored once and referenced by its index."""

    known: dict[str, int] = field(default_factory=dict)

    def place(self, word: str | None) -> int:
        """Return the index of a string; -1 for None."""
        return -1 if word is None else self.known.setdefault(label(word), len(self.known))


def packed(document: object) -> str:
    """Return a document as base64 of deflated JSON, which cannot close an HTML element."""
    text = json.dumps(document, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode()


def index_of(cases: Sequence[CaseResult]) -> dict[str, object]:
    """Return the fields that the list shows, searches, filters and sorts by."""
    words = _Words()
    return {"cases": [_entry(case, words) for case in cases], "words": [*words.known]}


def chunks_of(cases: Sequence[CaseResult]) -> Iterator[list[dict[str, object]]]:
    """Yield the details of the cases in chunks of `CHUNK`."""
    for start in range(0, len(cases), CHUNK):
        yield [case_document(case) for case in cases[start : start + CHUNK]]


def _entry(case: CaseResult, words: _Words) -> list[object]:
    """Return one case as a list; the script's `FIELDS` names the positions."""
    f1 = case.scores.get("f1")
    return [
        label(case.id or f"#{case.index}"),
        shortened(one_line(case.question or ""), _QUESTION),
        shortened(one_line(_statement(case)), _SEARCHED),
        case.bucket,
        words.place(case.difficulty),
        words.place(case.db),
        words.place(case.mistake),
        int(case.is_close),
        [words.place(code) for code in codes_of(case)],
        None if f1 is None else round(f1, 4),
        _milliseconds(case),
        int(is_hallucinated(case) is True),
        " ".join(map(label, case.judge.categories)) if case.judge else "",
        side_of(case) or "",
    ]


def _milliseconds(case: CaseResult) -> float | None:
    """Return the prediction's run time, for production the answer time, in ms; None = unknown."""
    if case.request is not None:
        seconds = case.generation.total_execution_time if case.generation else None
        return None if seconds is None else round(1000 * seconds, 2)
    ran = case.predicted
    return round(ran.elapsed_ms, 2) if ran and ran.rows is not None else None


def _statement(case: CaseResult) -> str:
    return "None" if case.predicted_sql is None else case.predicted_sql
