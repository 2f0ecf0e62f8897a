"""Forms of joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import Form, Tokens, foreign, foreign_word

if TYPE_CHECKING:
    from collections.abc import Callable


def _join(*, side: str = "", kind: str = "") -> Callable[[exp.Expr], bool]:
    return lambda node: node.text("side").upper() == side and node.text("kind").upper() == kind


class Joins:
    """Forms of joins."""

    full_join = foreign(
        "SELECT 1 FROM probe a FULL JOIN probe b ON a.x = b.x",
        exp.Join,
        "FULL",
        where=lambda node: node.text("side").upper() == "FULL",
    )
    semi_join = foreign(
        "SELECT 1 FROM probe a SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        "SEMI",
        where=_join(kind="SEMI"),
    )
    anti_join = foreign(
        "SELECT 1 FROM probe a ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        "ANTI",
        where=_join(kind="ANTI"),
    )
    straight_join = foreign(
        "SELECT 1 FROM probe a STRAIGHT_JOIN probe b",
        exp.Join,
        "STRAIGHT_JOIN",
        title="`STRAIGHT_JOIN`",
        where=lambda node: node.text("kind").upper().startswith("STRAIGHT"),
    )
    outer_join_without_side = foreign(
        "SELECT 1 FROM probe a OUTER JOIN probe b ON a.x = b.x",
        exp.Join,
        "OUTER",
        title="`OUTER JOIN` without `LEFT`, `RIGHT` or `FULL`",
        where=_join(kind="OUTER"),
    )
    cross_join_on = foreign(
        "SELECT 1 FROM probe a CROSS JOIN probe b ON a.x = b.x",
        exp.Join,
        "CROSS & ON",
        title="`CROSS JOIN` with `ON`",
        where=lambda node: node.text("kind").upper() == "CROSS" and node.args.get("on") is not None,
    )
    natural_join_on = foreign(
        "SELECT 1 FROM probe a NATURAL JOIN probe b ON a.x = b.x",
        exp.Join,
        "NATURAL",
        title="`NATURAL JOIN` with a condition",
        where=lambda node: (
            node.text("method").upper() == "NATURAL"
            and any(node.args.get(part) is not None for part in ("on", "using"))
        ),
    )
    asof_join = foreign(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x",
        exp.Join,
        "ASOF",
        where=lambda node: node.text("method").upper() == "ASOF",
    )
    left_semi_join = foreign(
        "SELECT 1 FROM probe a LEFT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        "SEMI",
        where=_join(side="LEFT", kind="SEMI"),
    )
    left_anti_join = foreign(
        "SELECT 1 FROM probe a LEFT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        "ANTI",
        where=_join(side="LEFT", kind="ANTI"),
    )
    right_semi_join = foreign(
        "SELECT 1 FROM probe a RIGHT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        "SEMI & RIGHT",
        where=_join(side="RIGHT", kind="SEMI"),
    )
    right_anti_join = foreign(
        "SELECT 1 FROM probe a RIGHT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        "ANTI & RIGHT",
        where=_join(side="RIGHT", kind="ANTI"),
    )
    apply = foreign_word("SELECT 1 FROM probe a CROSS APPLY (SELECT 1) b", TokenType.APPLY, "APPLY")
    sided_inner_join = Form(
        "SELECT 1 FROM probe a LEFT INNER JOIN probe b ON a.x = b.x",
        "`LEFT` and `RIGHT` cannot be combined with `INNER` or `CROSS`.",
        Tokens("[LEFT RIGHT] (?=[INNER CROSS])"),
    )
    using_without_parentheses = Form(
        "SELECT 1 FROM probe a JOIN probe b USING x",
        "`USING` requires parentheses.",
        Tokens("JOIN joined+ USING (?=name)", rare="USING"),
    )
    join_without_condition = Form(
        "SELECT 1 FROM probe a JOIN probe b", "`JOIN` requires a join condition."
    )
    outer_join_without_condition = Form(
        "SELECT 1 FROM probe a LEFT JOIN probe b", "`OUTER JOIN` requires a join condition."
    )
    on_sees_comma_items = Form(
        "SELECT 1 FROM probe a, probe b JOIN probe c ON c.x = a.x",
        "`ON` cannot refer to a table before the comma in `FROM`.",
    )
    outer_join_sees_later_items = Form(
        "SELECT 1 FROM probe a LEFT JOIN probe b ON b.x = c.x LEFT JOIN probe c ON c.x = a.x",
        "`ON` of an outer join cannot refer to a table joined later.",
    )
    using_of_repeated_column = Form(
        "SELECT 1 FROM probe a CROSS JOIN probe b JOIN probe c USING (x)",
        "`USING` requires that only one table on the left side has the column.",
    )
    using_sees_comma_items = Form(
        "SELECT 1 FROM probe a, (SELECT 1 AS y) b JOIN probe c USING (x)",
        "`USING` cannot refer to a table before the comma in `FROM`.",
    )
    natural_without_common_column = Form(
        "SELECT 1 FROM probe NATURAL JOIN (SELECT 1 AS y) AS t",
        "`NATURAL JOIN` requires a column that both sides have.",
    )
    inner_join_condition_sees_outside = Form(
        "SELECT 1 FROM probe a JOIN probe b JOIN probe c ON c.x = a.x ON b.x = a.x",
        "`ON` of a nested join cannot refer to a table outside the nested join.",
    )
    name_within_named_join = Form(
        "SELECT a.x FROM (probe a JOIN probe b ON a.x = b.x) AS t",
        "A table inside a join in parentheses is hidden by the alias of the join.",
    )
    alias_of_join = Form(
        "SELECT 1 FROM (probe a JOIN probe b ON a.x = b.x) AS t",
        "A join in parentheses cannot have an alias.",
    )
    join_using = Form("SELECT 1 FROM probe a JOIN probe b USING (x)", "`USING` is not supported.")
    natural_join = Form(
        "SELECT 1 FROM probe a NATURAL JOIN probe b", "`NATURAL JOIN` is not supported."
    )
    asof_without_inequality = Form(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x = b.x",
        "`ASOF JOIN` requires one inequality (`<`, `<=`, `>` or `>=`) between both sides.",
    )
    asof_with_inequalities = Form(
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x AND a.x < b.x",
        "`ASOF JOIN` allows exactly one inequality; the other conditions must be equalities.",
    )
    join_without_from = Form("SELECT 1 JOIN probe ON 1 = 1", "`JOIN` requires `FROM`.")
