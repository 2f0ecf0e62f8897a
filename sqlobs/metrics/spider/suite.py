"""How Spider's test suite rewrites statements before it runs them on each database of a suite."""

from __future__ import annotations

import re
from itertools import islice, product, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILLINGS = 10_000
"""Maximum number of variants of one prediction; the original has no limit."""

_OPERATORS = (("> =", ">="), ("< =", "<="), ("! =", "!="))
_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_DISTINCT = re.compile(
    rf"(?P<kept>{_QUOTED}|`[^`]*`|--[^\n]*|/\*.*?\*/)|\bdistinct\b", re.IGNORECASE | re.DOTALL
)
_THIS_YEAR = re.compile(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", re.IGNORECASE)
_LITERAL = re.compile(rf"{_QUOTED}|(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)(?![\w.])")


def with_plain_values(sql: str) -> str:
    """Return a prediction with 1 for `value`, which models without values predict for literals.

    As the original does, within names as well.
    """
    return sql.replace("value", "1")


def suite_statement(sql: str, *, keeps_distinct: bool = False) -> str:
    """Return a statement as the test suite runs it: published figures are those of this text.

    Split operators are put together, `YEAR(CURDATE())` is 2020, and every DISTINCT goes, unless it
    is kept. Source: taoyds/test-suite-sql-eval, exec_eval.py and parse.py.
    """
    for split, joined in _OPERATORS:
        sql = sql.replace(split, joined)
    if not keeps_distinct:
        sql = _DISTINCT.sub(lambda match: match["kept"] or "", sql)
    return _THIS_YEAR.sub("2020", sql)


def plugged_statements(
    reference_sql: str, predicted_sql: str, *, limit: int = MAX_FILLINGS
) -> Iterator[str]:
    """Yield a prediction, then its variants with literals replaced by the reference's.

    For systems that predict no values: one of the statements must pass (`plug_value`). There are
    as many fillings as literals of the reference to the power of those of the prediction.

    Args:
        reference_sql: The statement whose literals are used.
        predicted_sql: The statement whose literals are replaced.
        limit: How many fillings to yield at most.
    """
    yield predicted_sql
    values = dict.fromkeys(_LITERAL.findall(reference_sql))
    between = _LITERAL.split(predicted_sql)
    for filling in islice(product(values, repeat=len(between) - 1), limit):
        yield "".join(part for pair in zip_longest(between, filling, fillvalue="") for part in pair)
