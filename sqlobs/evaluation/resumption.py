"""Finished pieces of a run in progress, kept in a file so that a killed run continues."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType


def digest_of(parts: Iterable[object]) -> str:
    """Return a digest of everything that decides what a run's rows will be."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.hexdigest()


class Indexed(Protocol):
    """What has a position in its run."""

    @property
    def index(self) -> int:
        """The position, from 0."""


T = TypeVar("T", bound=Indexed)


@dataclass(frozen=True, slots=True)
class Lines(Generic[T]):
    """How a finished piece of work is written as a line, and read."""

    write: Callable[[T], str]
    read: Callable[[str], T]
    """Raises `InputError` for a line of another form."""


class Progress(Generic[T]):
    """The finished pieces of one run, in a file; a context that closes it.

    The file belongs to a digest: results of other cases or settings are dropped.
    """

    def __init__(
        self,
        path: Path,
        digest: str,
        lines: Lines[T],
        *,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """Read the file, and begin it again with what is kept.

        Args:
            path: The file.
            digest: That of the run.
            lines: How pieces are written.
            before: Called before pieces are kept: makes durable what they depend on.
        """
        self._before = before
        self._path = path
        self._digest = digest
        self._lines = lines
        self.finished: Mapping[int, T] = _finished(path, digest, lines)
        """What an earlier attempt found, by index."""
        begin(path, digest, lines, self.finished.values())  # a kill may have torn the last line
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def add(self, pieces: Iterable[T]) -> None:
        """Keep finished pieces; they survive a kill from here on."""
        self._before()
        self._file.writelines(f"{self._lines.write(piece)}\n" for piece in pieces)
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


def begin(path: Path, digest: str, lines: Lines[T], pieces: Iterable[T]) -> None:
    """Write the file of a run in progress with the pieces that are finished, all or nothing."""
    texts = [_header(digest), *map(lines.write, pieces)]
    beside = path.with_name(path.name + ".new")
    beside.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    beside.replace(path)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep others from evaluating into a folder; the system gives it free, whatever happens to us.

    Raises:
        InputError: somebody else holds it.
    """
    try:
        import fcntl
    except ImportError:  # not every system can lock a folder
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InputError(
            f"{folder}: another evaluation is writing to this directory; wait until it ends"
        ) from None
    finally:
        os.close(descriptor)


def belongs_to(path: Path, digest: str) -> bool:
    """Return whether a file keeps the progress of a run with this digest."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline().rstrip("\n") == _header(digest)
    except OSError:
        return False


def _header(digest: str) -> str:
    return json.dumps({"digest": digest})


def _finished(path: Path, digest: str, lines: Lines[T]) -> dict[int, T]:
    if not belongs_to(path, digest):
        return {}
    pieces: dict[int, T] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[1:]:
        try:
            piece = lines.read(line)
        except InputError:
            break  # torn by a kill
        pieces[piece.index] = piece
    return pieces
