"""Finished cases of a run under way, kept in a file so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import InputError
from sqlobs.runs.lines import case_of, line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from sqlobs.runs.case import CaseResult

NAME: Final = "details.partial.jsonl"


def digest_of(parts: Iterable[object]) -> str:
    """Return a digest of everything that decides what a run's rows will be."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.hexdigest()


class Progress:
    """The finished cases of one run, in a file; a context that closes it.

    The file belongs to a digest: what was found about other cases, or asked otherwise, is dropped.
    """

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        self._digest = digest
        self.finished: Mapping[int, CaseResult] = _finished(path, digest)
        """What an earlier attempt found, by index."""
        self._rewrite()
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def add(self, row: CaseResult) -> None:
        """Keep a finished case; it survives a kill from here on."""
        self._file.write(line_of(row) + "\n")
        self._file.flush()

    def remove(self) -> None:
        """Delete the file: the run is complete."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def _rewrite(self) -> None:
        """Begin the file anew with what is kept: a kill may have torn its last line."""
        lines = [json.dumps({"digest": self._digest}), *map(line_of, self.finished.values())]
        beside = self._path.with_name(self._path.name + ".new")
        beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        beside.replace(self._path)


def _finished(path: Path, digest: str) -> dict[int, CaseResult]:
    if not path.is_file():
        return {}
    first, *lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    if first != json.dumps({"digest": digest}):
        return {}
    rows: dict[int, CaseResult] = {}
    for line in lines:
        try:
            row = case_of(line)
        except InputError:
            break  # torn by a kill
        rows[row.index] = row
    return rows
