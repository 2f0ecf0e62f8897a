"""IBM's logic execution accuracy: is a wrong answer wrong in what it selects only?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.metrics.parsing import tree_of
from sqlobs.metrics.published.ibm import ibm_scores

if TYPE_CHECKING:
    from sqlobs.types import ResultTable

_FENCE: Final = re.compile(r"\A```(?:sql)?|```\Z", re.IGNORECASE)
_END: Final = ";\n\r\t "


def logic_statement(
    reference_sql: str, predicted_sql: str, *, dialect: str | None = None
) -> str | None:
    """Return a prediction with the reference's SELECT list, for `logic_execution_accuracy`.

    `None` if either is not a plain SELECT or does not parse, or if nothing changes. Names
    that only the reference has (an alias of a table) make it fail when it is run. Source:
    IBM/text2sql-eval-toolkit, replace_select_tool.py, and unitxt 1.26, text2sql_utils.py
    (`replace_select_clause`).

    Args:
        reference_sql: The correct statement.
        predicted_sql: The statement to judge.
        dialect: sqlglot's name of the dialect of both.
    """
    given, wanted = map(_bare, (predicted_sql, reference_sql))
    source, target = (tree_of(sql, dialect=dialect) for sql in (wanted, given))
    if not isinstance(source, exp.Select) or not isinstance(target, exp.Select):
        return None
    target.set("expressions", source.expressions)
    revised = _bare(target.sql(dialect=dialect))
    return None if revised == given else revised


def logic_execution_accuracy(
    reference: ResultTable,
    predicted: ResultTable,
    logic: ResultTable | None,
    *,
    reference_sql: str,
) -> bool:
    """Return whether a prediction's FROM, WHERE, GROUP BY and so on give the reference's rows.

    Range 0 or 1, higher is better; at least the subset match (`ibm_scores`), which decides where
    there is no `logic_statement`, or it does not run. Empty tables never match. The difference to
    the subset match is the share of predictions that are wrong in their SELECT list alone.
    Truncated tables are compared on the fetched rows. Source: IBM/text2sql-eval-toolkit,
    evaluation_tools.py (`evaluate_prediction`).

    Args:
        reference: What the reference returned.
        predicted: What the prediction returned.
        logic: What its `logic_statement` returned; None = there is none, or it failed.
        reference_sql: The correct statement: order counts if it says ORDER BY.
    """
    scores = ibm_scores(reference, predicted, reference_sql=reference_sql)
    if scores.subset_non_empty_execution or logic is None:
        return scores.subset_non_empty_execution
    return ibm_scores(reference, logic, reference_sql=reference_sql).non_empty_execution


def _bare(sql: str) -> str:
    """Return a statement without fences and the semicolon at its end."""
    return _FENCE.sub("", sql.strip()).strip().rstrip(_END)
