"""Tokens, cost and time of a run's answers, in total and per correct answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

from sqlobs.reporting.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlobs.runs.case import CaseResult, RunOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Expense:
    """One kind of expense over the cases for which it is known."""

    name: str
    title: str
    decimals: int
    """Decimals to show."""
    total: float
    mean: float
    deviation: float | None
    """Standard deviation of a sample (n - 1); None for a single case."""
    median: float
    p95: float
    """The 95th percentile."""
    count: int
    """Number of cases for which it is known."""
    per_correct: float | None
    """The total divided by the number of correct answers among them; None if there is none."""

    def shown(self, value: float | None) -> str:
        """Format one of the amounts."""
        return "n/a" if value is None else f"{value:,.{self.decimals}f}"

    @property
    def cells(self) -> tuple[str, ...]:
        """All amounts in the order of `HEADINGS`."""
        amounts = (self.total, self.mean, self.deviation, self.median, self.p95, self.per_correct)
        return tuple(map(self.shown, amounts))


HEADINGS: Final = ("Total", "Mean", "Std dev", "Median", "95 %", "Per correct answer")


def expenses_of(cases: Sequence[CaseResult]) -> list[Expense]:
    """Return a run's known expenses; kinds that no case reports are omitted.

    Wrong answers cost money, too: the total that is divided among the correct ones includes them.
    """
    found = []
    for name, title, decimals, read in EXPENSES:
        known = [(value, case) for case in cases if (value := read(case)) is not None]
        if known:
            found.append(_expense(name, title, decimals, known))
    return found


def expense_note(cases: Sequence[CaseResult]) -> Iterator[str]:
    """Yield a sentence about the cost, if it is known."""
    for expense in expenses_of(cases):
        if expense.name == "cost":
            total, each = expense.shown(expense.total), expense.shown(expense.per_correct)
            known = counted(expense.count, "question")
            yield f"Cost {total} over {known}, {each} per correct answer."


def _expense(
    name: str, title: str, decimals: int, known: Sequence[tuple[float, CaseResult]]
) -> Expense:
    values = sorted(value for value, _ in known)
    correct = sum(case.esm is True for _, case in known)
    total = math.fsum(values)
    return Expense(
        name=name,
        title=title,
        decimals=decimals,
        total=total,
        mean=fmean(values),
        deviation=stdev(values) if len(values) > 1 else None,
        median=_quantile(values, 0.5),
        p95=_quantile(values, 0.95),
        count=len(values),
        per_correct=total / correct if correct else None,
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that a share of all values does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _told(name: str) -> Callable[[CaseResult], float | None]:
    """Return a function that reads a field of a case's generation record."""

    def read(case: CaseResult) -> float | None:
        value: float | None = getattr(case.generation, name, None)
        return value

    return read


def _elapsed(outcome: RunOutcome | None) -> float | None:
    if outcome is None or outcome.status != "ok":
        return None
    return outcome.elapsed_ms or None


EXPENSES: Final[tuple[tuple[str, str, int, Callable[[CaseResult], float | None]], ...]] = (
    ("input_tokens", "Input tokens", 1, _told("input_tokens")),
    ("output_tokens", "Output tokens", 1, _told("output_tokens")),
    ("cost", "Cost", 6, _told("cost")),
    ("total_execution_time", "Latency (s)", 3, _told("total_execution_time")),
    ("llm_time", "… model (s)", 3, _told("llm_time")),
    ("vector_store_search_time", "… retrieval (s)", 3, _told("vector_store_search_time")),
    ("sql_execution_time", "… SQL execution (s)", 3, _told("sql_execution_time")),
    ("predicted_ms", "Prediction runtime (ms)", 2, lambda case: _elapsed(case.predicted)),
    ("reference_ms", "Reference runtime (ms)", 2, lambda case: _elapsed(case.reference)),
)
"""Each kind of expense: name, title, decimals to show, and how it is read from a case."""
