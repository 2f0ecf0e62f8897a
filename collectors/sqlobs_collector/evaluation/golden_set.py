"""The golden cases of a workspace: those in the store, else those of the golden file.

Each lookup queries the store, so that a case takes effect as soon as it is saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.unit import question_digest
from sqlobs_collector.evaluation.golden import GoldenCase, first_case

if TYPE_CHECKING:
    from sqlobs_collector.evaluation.golden import GoldenFile
    from sqlobs_collector.store.golden import GoldenReader

STORED: Final = "stored"
"""The name of the store's set in metrics."""


class GoldenSet:
    """Looks cases up by the digest of their question."""

    def __init__(self, stored: GoldenReader, *, key: bytes, file: GoldenFile | None = None) -> None:
        """Set up.

        Args:
            stored: Reads the sets of the workspaces.
            key: The key of the digests.
            file: The cases of a configured file, for questions that the store has no case for.
        """
        self._stored = stored
        self._key = key
        self._file = file

    def digest_of(self, question: str) -> str:
        """Return the digest under which a question's cases are found."""
        return question_digest(question, key=self._key)

    def find(
        self, *, workspace: str, question: str | None, digest: str | None, target: str | None
    ) -> tuple[GoldenCase, str] | None:
        """Return the case of a question on a target, and the name of its set.

        Args:
            workspace: The workspace of the request.
            question: Its question, if known.
            digest: The digest sent by the application, possibly under another key.
            target: The target's alias; a case for it takes precedence over one for any target.
        """
        digests = [digest] if digest else []
        if question:
            digests.append(self.digest_of(question))
        if not digests:
            return None
        known = [
            GoldenCase(one.row.sql, one.row.target or None)
            for one in self._stored.in_force(workspace, digests)
        ]
        if (case := first_case(known, target)) is not None:
            return case, STORED
        if self._file is None:
            return None
        case = self._file.find(question=question, digest=digest, target=target)
        return None if case is None else (case, self._file.name)
