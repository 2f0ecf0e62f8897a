"""The names and sizes of a journal's files, and the place for damaged ones."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Final

from sqlobs_collector.datadir import make_durable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUARANTINE: Final = "quarantine"
"""The directory of damaged files, inside the journal's."""
_NAME: Final = re.compile(
    r"journal-(\d{8}T\d{6}\.\d{6})\.log"
)  # journal-20270115T120000.000001.log
_FORM: Final = "%Y%m%dT%H%M%S.%f"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_HOUR: Final = timedelta(hours=1)


def segment_name(sequence: int) -> str:
    """Return the name of the file whose first frame has a sequence: microseconds since 1970."""
    return f"journal-{_EPOCH + sequence * _MICROSECOND:{_FORM}}.log"


def sequence_of(name: str) -> int:
    """Return the sequence of a file's first frame."""
    return (_begun(name) - _EPOCH) // _MICROSECOND


def hour_of(name: str) -> int:
    """Return the hour in which a file was begun, counted from 1970."""
    return (_begun(name) - _EPOCH) // _HOUR


def segment_names(directory: Path) -> list[str]:
    """Return the names of all files of a journal, oldest first; none where nothing is there."""
    try:
        with os.scandir(directory) as found:
            return sorted(one.name for one in found if _is_segment(one))
    except FileNotFoundError:
        return []


def size_bytes(directory: Path) -> int:
    """Return what all files of a journal occupy, without the damaged ones."""
    return sum(file_bytes(directory, name) for name in segment_names(directory))


def file_bytes(directory: Path, name: str) -> int:
    """Return what one file of a journal occupies; 0: it is gone."""
    try:
        return (directory / name).stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0


def quarantined(directory: Path) -> list[str]:
    """Return the names of the damaged files that are kept, oldest first."""
    try:
        return sorted(path.name for path in (directory / QUARANTINE).iterdir())
    except OSError:
        return []


def set_aside(directory: Path, name: str) -> Path | None:
    """Move a file to the quarantine; returns where it is now, None if it was gone.

    Raises:
        OSError: It cannot be moved.
    """
    if not (directory / name).exists():
        return None
    quarantine = directory / QUARANTINE
    quarantine.mkdir(mode=0o700, exist_ok=True)
    paths = (quarantine / one for one in _names_like(name))
    free = next(path for path in paths if not path.exists())
    (directory / name).rename(free)
    make_durable(directory)
    return free


def unfinished(path: Path) -> Path:
    """Return where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.new")


def remove_unfinished(directory: Path) -> None:
    """Delete what a killed process left unfinished.

    Raises:
        OSError: A file cannot be deleted.
    """
    for path in directory.glob(".journal-*.new"):
        path.unlink(missing_ok=True)


def trim_quarantine(directory: Path, *, max_bytes: int) -> None:
    """Delete the oldest damaged files until the others need no more than a size.

    Raises:
        OSError: One cannot be deleted.
    """
    total = 0
    for name in reversed(quarantined(directory)):
        path = directory / QUARANTINE / name
        total += path.stat().st_size
        if total > max_bytes:
            path.unlink()


def _names_like(name: str) -> Iterator[str]:
    yield name
    for number in count(1):
        yield f"{name}.{number}"


def _begun(name: str) -> datetime:
    found = _NAME.fullmatch(name)
    if found is None:
        raise ValueError(f"{name} is not a journal file")
    return datetime.strptime(found[1], _FORM).replace(tzinfo=UTC)


def _is_segment(found: os.DirEntry[str]) -> bool:
    try:
        return sequence_of(found.name) >= 0 and found.is_file(follow_symlinks=False)
    except ValueError:
        return False
