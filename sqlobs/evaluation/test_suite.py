"""The test suite of a case: on which databases both results must be equal, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from sqlobs.metrics.order_by import mentions_order_by, ordering_of
from sqlobs.metrics.ordering import Ordering
from sqlobs.metrics.spider.suite import suite_statement, with_plain_values

if TYPE_CHECKING:
    from sqlobs.evaluation.case import Case
    from sqlobs.execution.outcome import Execution


@dataclass(frozen=True, slots=True)
class TestSuite:
    """Databases, and statements as they run there."""

    references: tuple[str, ...]
    predicted_sql: str
    databases: tuple[str | None, ...]
    """Where the statements still have to run."""
    is_rewritten: bool = False
    """Spider's rules change a statement, or whether order counts: the first database counts, too.
    """

    @classmethod
    def of(cls, case: Case, *, is_spider: bool) -> Self | None:
        """Return the suite of a case; None if its one database and its statements as written do.

        Args:
            case: The case.
            is_spider: Follow Spider's test-suite script: without DISTINCT, with 1 for `value`, and
                ordered if the reference contains `ORDER BY` anywhere.
        """
        predicted = case.predicted_sql or ""
        suite = cls(case.references, predicted, case.suite)
        if is_spider:
            references = tuple(map(suite_statement, case.references))
            plain = suite_statement(with_plain_values(predicted))
            is_rewritten = (
                references != case.references
                or plain != predicted
                or any(map(_is_ordered_by_mention_only, references))
            )
            databases = (case.db, *case.suite) if is_rewritten else case.suite
            suite = cls(references, plain, databases, is_rewritten)
        return suite if suite.databases else None

    def statements(self, position: int) -> tuple[str, str]:
        """Return a reference and the prediction."""
        return self.references[position], self.predicted_sql

    def ordered(self, reference: Execution, position: int) -> Execution:
        """Return a reference's execution with the order that the rules give it."""
        if not self.is_rewritten:
            return reference
        is_ordered = mentions_order_by(self.references[position])
        return replace(reference, ordering=Ordering(is_ordered=is_ordered))


def _is_ordered_by_mention_only(sql: str) -> bool:
    return mentions_order_by(sql) and not ordering_of(sql, dialect="sqlite").is_ordered
