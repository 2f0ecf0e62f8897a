"""Erases requests from the archive: files are written again without them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlobs_collector.archive.files import FileName
from sqlobs_collector.store.portable import indexable
from sqlobs_collector.store.rows import UnitKey
from sqlobs_collector.subjects import pseudonym

if TYPE_CHECKING:
    from sqlobs_collector.archive.files import ArchiveFiles
    from sqlobs_collector.store.erasing import Subject
    from sqlobs_collector.subjects import SubjectDigests

_WHOM = ["trace_id", "span_id", "tenant", "conversation", "user_digest", "conversation_digest"]


class ArchiveEraser:
    """Erases one subject.

    Args:
        files: The archive.
        subject: Whose requests.
        digests: Of subjects.
    """

    def __init__(self, files: ArchiveFiles, subject: Subject, digests: SubjectDigests) -> None:
        self._files = files
        self._subject = subject
        known = digests.known(subject.kind, subject.workspace, subject.value)
        values = {indexable(subject.value), *map(pseudonym, known)}
        self._wanted = {
            "user": {"user_digest": set(known)},
            "conversation": {"conversation_digest": set(known), "conversation": values},
            "tenant": {"tenant": values},
            "trace": {"trace_id": {subject.value}},
            "request": {},
        }[subject.kind]

    def find(self) -> list[UnitKey]:
        """Return the archived requests of the subject."""
        workspace = self._subject.workspace
        return [
            UnitKey(workspace, trace_id, span_id)
            for name in self._files.names("unit", workspace)
            for trace_id, span_id in self._spans(name)
        ]

    def erase(self) -> Counter[str]:
        """Write the files without the subject's requests; return how many rows that removed.

        Raises:
            OSError: A file cannot be read or written; it is as it was.
        """
        workspace, removed = self._subject.workspace, Counter[str]()
        gone: set[tuple[str, str]] = set()
        for name in self._files.names("unit", workspace):
            spans = self._spans(name)
            if spans:
                evaluation = FileName("evaluation", workspace, name.day)
                removed["archived_evaluations"] += self._rewrite(evaluation, spans)
                removed["archived_requests"] += self._rewrite(name, spans)
                gone |= spans
        for name in self._files.names("report", workspace):
            removed["archived_reports"] += self._rewrite(name, gone)
        return removed

    def _spans(self, name: FileName) -> set[tuple[str, str]]:
        return {
            (row["trace_id"], row["span_id"])
            for row in self._files.table(name, _WHOM).to_pylist()
            if any(row[column] in values for column, values in self._wanted.items())
        }

    def _rewrite(self, name: FileName, gone: set[tuple[str, str]]) -> int:
        table = self._files.table(name)
        trace = self._subject.value if self._subject.kind == "trace" else None
        spans = zip(table["trace_id"].to_pylist(), table["span_id"].to_pylist(), strict=True)
        kept = table.filter([one not in gone and one[0] != trace for one in spans])
        removed: int = table.num_rows - kept.num_rows
        if removed:
            with self._files.replacing(name) as file:
                file.write(kept)
        return removed
