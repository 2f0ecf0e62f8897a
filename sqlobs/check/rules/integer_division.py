from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from sqlglot import exp

from sqlobs.check.rules.rule import Case, Findings, Rule
from sqlobs.check.types.system import written
from sqlobs.dialects.registry import dialect_of

Width = Literal["integer", "bigint"] | None
"""Width of an integer; None: not an integer, or unknown."""

_COUNTS: Final = frozenset(
    {"count", "length", "char_length", "row_number", "rank", "dense_rank", "ntile"}
)
_KEEPS: Final = frozenset({"min", "max", "abs", "coalesce", "ifnull", "nullif", "lag", "lead"})
"""Functions that return an integer if all their arguments are integers."""
_ARITHMETIC: Final = (exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Div)
_TRANSPARENT: Final = (exp.Paren, exp.Neg, exp.Window, exp.Filter, exp.Alias, exp.Distinct)
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.In, exp.Between, exp.Limit, exp.Offset, exp.Group)
"""Where a truncated quotient is intended: it selects rows or buckets."""
_WIDE: Final = frozenset({"bigint", "int8", "hugeint"})
_INTEGERS: Final = frozenset(
    {"int", "integer", "smallint", "tinyint", "mediumint", "int2", "int4", "serial"}
)


class IntegerDivision(Rule, code="semantics.null", triggers={"/"}, severity="warning"):
    """A division of two integers in a dialect that truncates the quotient.

    What it finds: a quotient of counts, integer columns and whole numbers in SQLite, PostgreSQL,
    SQL Server and Trino.
    Why it matters: a share of 0.4 becomes 0, and the answer is wrong without an error.
    Known limits: a quotient that selects rows or buckets (`year / 10`, `WHERE n = total / 2`) is
    exempt; the types of columns of derived tables are not inferred.
    Example: `SELECT count(status) / count(*) FROM orders` in PostgreSQL
    Instead: `SELECT count(status) * 1.0 / count(*) FROM orders`
    """

    def findings(self, case: Case) -> Findings:
        for division in case.nodes.get(exp.Div, ()):
            if division.args.get("typed") and _loses(case, division):
                yield self.at(division, "Integer division truncates the result to a whole number.")


def _loses(case: Case, division: exp.Expr) -> bool:
    dividend, divisor = division.this, division.expression
    if _width(case, dividend) is None or _width(case, divisor) is None:
        return False
    if isinstance(divisor, exp.Literal) and dividend.find(exp.Anonymous, exp.AggFunc) is None:
        return False
    above = division.parent
    while isinstance(above, (*_ARITHMETIC, exp.Paren, exp.Ordered)):
        above = above.parent
    return not isinstance(above, _COMPARED)


def _width(case: Case, node: exp.Expr) -> Width:
    """Return the width of an integer expression; None: not an integer, or unknown."""
    if isinstance(node, exp.Literal):
        return "integer" if not node.is_string and str(node.this).isdigit() else None
    if isinstance(node, _TRANSPARENT):
        inner = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
        return _width(case, inner)
    if isinstance(node, _ARITHMETIC):
        return _widest(case, (node.this, node.expression))
    if isinstance(node, exp.Case):
        branches = [branch.args["true"] for branch in node.args.get("ifs") or ()]
        return _widest(case, [*branches, *filter(None, [node.args.get("default")])])
    if isinstance(node, exp.Column):
        use = case.uses.get(id(node))
        return _of_type(use.column.declared if use is not None else None)
    if isinstance(node, exp.Cast):
        return _of_type(written(node.args["to"], ""))
    return _of_call(case, node)


def _of_call(case: Case, node: exp.Expr) -> Width:
    name = (node.name if isinstance(node, exp.Anonymous) else node.key).lower()
    if name in _COUNTS:
        return "bigint"
    arguments = node.expressions or ([node.this] if isinstance(node.this, exp.Expr) else [])
    if name in _KEEPS:
        return _widest(case, arguments)
    if name == "sum" and len(arguments) == 1:
        return _of_sum(_width(case, arguments[0]), case)
    return None


def _of_sum(width: Width, case: Case) -> Width:
    """Return the width of a sum: `sum(bigint)` is `numeric` in PostgreSQL, an integer elsewhere."""
    is_numeric = (
        width == "bigint" and dialect_of(case.statement.dialect).types.sums_bigint_as_numeric
    )
    return None if width is None or is_numeric else "bigint"


def _widest(case: Case, nodes: Sequence[exp.Expr]) -> Width:
    widths = [_width(case, node) for node in nodes if not isinstance(node, exp.Null)]
    if not widths or None in widths:
        return None
    return "bigint" if "bigint" in widths else "integer"


def _of_type(text: str | None) -> Width:
    word = (text or "").strip().lower().partition("(")[0].strip()
    if word in _WIDE:
        return "bigint"
    return "integer" if word in _INTEGERS else None
