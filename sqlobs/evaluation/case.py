"""The input of an evaluation: a question, its correct answers, and the answer to evaluate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlobs.evaluation.gold_results import GoldResult
    from sqlobs.evaluation.tasks.task import TestedTask
    from sqlobs.runs.case import GenerationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question, every statement that answers it, and the predicted one."""

    index: int
    """Position in its set, from 0."""
    references: tuple[str, ...] = ()
    """All correct statements; empty = the question is unanswerable, or no reference is known."""
    has_reference: bool = True
    """Whether a reference is known: a statement, or that nothing answers the question."""
    predicted_sql: str | None = None
    """`None` = the system abstained because the question is unanswerable."""
    id: str | None = None
    question: str | None = None
    sample_of: str | None = None
    """The question's id, where the system is asked it several times; `id` is this sample's."""
    difficulty: str | None = None
    category: str | None = None
    """A category of the question, such as its topic."""
    db: str | None = None
    """The database's name, put for `{db}` into the DSN."""
    suite: tuple[str, ...] = ()
    """Further databases: test-suite accuracy has to hold on each of them, too."""
    dialogue: str | None = None
    """The dialogue that the question is a turn of."""
    turn: int | None = None
    """Its place in the dialogue, from 1."""
    task: TestedTask | None = None
    """What decides instead of a comparison of results: test cases, on a copy of the database."""
    results: tuple[GoldResult, ...] = ()
    """Correct results, in place of references; the prediction has to match one of them."""
    hint: str | None = None
    """Further input of the system, beyond the question."""
    generation: GenerationRecord | None = None

    @property
    def label(self) -> str:
        """The id, or the position where there is none."""
        return self.id if self.id is not None else str(self.index)
