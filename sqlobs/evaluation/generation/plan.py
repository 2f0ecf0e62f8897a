"""The tasks of a generation (questions by samples by settings of a model) and their runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.generation.answer import Answer


@dataclass(frozen=True, slots=True)
class Plan:
    """All tasks, one run after the other; each task is a case with its position in the plan."""

    tasks: tuple[Case, ...]
    runs: tuple[str, ...] = ("",)
    """The names of the runs; "" if there is only one."""

    @classmethod
    def of(cls, cases: Sequence[Case], *, samples: int = 1, runs: Sequence[str] = ("",)) -> Plan:
        """Plan how often each question is asked.

        Args:
            cases: The questions.
            samples: How often each is asked in each run.
            runs: The names of the runs.

        Raises:
            InputError: a case has no question, or two have one id and are asked several times.
        """
        silent = next((case for case in cases if not case.question), None)
        if silent is not None:
            raise InputError(f"case {silent.label} has no question")
        asked = _sampled(cases, samples) if samples > 1 else list(cases)
        repeated = [case for _ in runs for case in asked]
        tasks = (replace(case, index=index) for index, case in enumerate(repeated))
        return cls(tuple(tasks), tuple(runs))

    def run_of(self, task: Case) -> int:
        """Return the position of the run that a task belongs to."""
        return task.index // self._size

    def sample_of(self, task: Case) -> int:
        """Return which sample of its question a task is, from 0."""
        return 0 if task.sample_of is None else int(str(task.id).rpartition("#")[2]) - 1

    def answered(self, answers: Mapping[int, Answer]) -> list[tuple[Case, ...]]:
        """Return the cases of each run with their answers."""
        size = self._size
        done = [
            replace(
                task, index=task.index % size, predicted_sql=answer.sql, generation=answer.record
            )
            for task in self.tasks
            for answer in (answers[task.index],)
        ]
        return [tuple(done[start : start + size]) for start in range(0, len(done), size)]

    @property
    def _size(self) -> int:
        return len(self.tasks) // len(self.runs)


def _sampled(cases: Sequence[Case], samples: int) -> list[Case]:
    labels = [case.label for case in cases]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"two questions have the id {twice}; --samples needs distinct ids")
    return [
        replace(case, id=f"{case.label}#{number}", sample_of=case.label)
        for case in cases
        for number in range(1, samples + 1)
    ]
