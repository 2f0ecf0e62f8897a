"""The directory of a generation: its progress, its calls, and the runs that it becomes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import InputError
from sqlobs.evaluation.generation.answer import Answer, answer_line, answer_of
from sqlobs.evaluation.loading.run_files import read_run_directory, write_run
from sqlobs.evaluation.resumption import Lines, begin, belongs_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from sqlobs.evaluation.generation.plan import Plan

PROGRESS: Final = "generation.partial.jsonl"
RECORD: Final = "generation.json"
"""What a finished generation is found by, to retry its failed questions."""
ANSWERS: Final = Lines(answer_line, answer_of)
_CALLS: Final = "generation.calls"
_RUN: Final = "run_%Y%m%d_%H%M%S"
_STUDY: Final = "study_%Y%m%d_%H%M%S"
_FAILED: Final = frozenset({"error", "timeout"})


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generation wrote."""

    directory: Path
    runs: tuple[Path, ...]
    """The directories of its runs; `directory` itself if there is only one."""
    repeated: int = 0
    """Calls that were in flight at an interruption, and were made again."""


class Calls:
    """Notes each question before it is sent, so that calls lost by a kill are counted."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _CALLS
        self._file = self._path.open("a", encoding="utf-8")

    def begin(self, index: int) -> None:
        """Note that a question is about to be sent."""
        self._file.write(f"{index}\n")
        self._file.flush()

    @property
    def repeated(self) -> int:
        """How many calls were made again."""
        lines = self._path.read_text(encoding="utf-8").split()
        return len(lines) - len(set(lines))

    def remove(self) -> None:
        """Delete the notes: all questions are answered."""
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


def unfinished(root: Path, digest: str) -> Path | None:
    """Return the newest directory below `root` in which a plan was begun and not finished."""
    begun = sorted(root.glob(f"*/{PROGRESS}"), key=_stamp, reverse=True)
    return next((path.parent for path in begun if belongs_to(path, digest)), None)


def new_directory(root: Path, plan: Plan) -> Path:
    """Make a directory named after the present time, by the clock of this place.

    Raises:
        InputError: it exists, or cannot be made.
    """
    form = _RUN if len(plan.runs) == 1 else _STUDY
    directory = root / datetime.now().astimezone().strftime(form)
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{directory} exists: another run began within this second") from None
    except OSError as error:
        raise InputError(f"{directory}: {(error.strerror or 'no folder').lower()}") from None
    return directory


def retried(root: Path, digest: str, plan: Plan) -> Path:
    """Return the newest finished directory of a plan, made unfinished: its failures are open.

    Raises:
        InputError: there is none.
    """
    finished = sorted(root.glob(f"*/{RECORD}"), key=_stamp, reverse=True)
    directory = next((path.parent for path in finished if _digest_in(path) == digest), None)
    if directory is None:
        raise InputError(
            f"--retry: {root} has no finished run of these questions by this system; omit --retry"
        )
    kept = (answer for answer in _given(directory, plan) if answer.record.status not in _FAILED)
    begin(directory / PROGRESS, digest, ANSWERS, kept)
    return directory


def finish(
    directory: Path, plan: Plan, answers: Mapping[int, Answer], *, digest: str, calls: Calls
) -> Generation:
    """Write the runs of a plan whose questions are all answered."""
    runs = tuple(_paths(directory, plan))
    for run, cases in zip(runs, plan.answered(answers), strict=True):
        run.mkdir(exist_ok=True)
        write_run(run, cases)
    repeated = calls.repeated
    record = {"digest": digest, "runs": [run.name for run in runs], "repeated": repeated}
    (directory / RECORD).write_text(json.dumps(record) + "\n", encoding="utf-8")
    calls.remove()
    return Generation(directory, runs, repeated)


def _paths(directory: Path, plan: Plan) -> Iterator[Path]:
    for name in plan.runs:
        yield directory / f"run_{name}" if name else directory


def _given(directory: Path, plan: Plan) -> Iterator[Answer]:
    """Yield the answers that stand in the runs, by their positions in the plan."""
    cases = (case for run in _paths(directory, plan) for case in read_run_directory(run))
    for index, case in enumerate(cases):
        if case.generation is not None:
            yield Answer(index, case.predicted_sql, case.generation)


def _digest_in(path: Path) -> object:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found.get("digest") if isinstance(found, dict) else None


def _stamp(path: Path) -> str:
    """Return the time in the name of a file's directory."""
    return path.parent.name.partition("_")[2]
