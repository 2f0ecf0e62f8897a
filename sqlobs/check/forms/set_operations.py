"""Forms of `UNION`, `EXCEPT` and `INTERSECT`."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, Tokens, foreign


class SetOperations:
    """Forms of `UNION`, `EXCEPT` and `INTERSECT`."""

    except_all = foreign(
        "SELECT 1 EXCEPT ALL SELECT 2",
        exp.Except,
        "EXCEPT & ALL",
        where=lambda node: node.args.get("distinct") is False,
    )
    intersect_all = foreign(
        "SELECT 1 INTERSECT ALL SELECT 2",
        exp.Intersect,
        "INTERSECT & ALL",
        where=lambda node: node.args.get("distinct") is False,
    )
    union_by_name = foreign(
        "SELECT 1 AS x UNION ALL BY NAME SELECT 2 AS x", exp.Union, "BY & NAME", part="by_name"
    )
    intersect = foreign("SELECT 1 INTERSECT SELECT 2", exp.Intersect, "INTERSECT")
    except_clause = foreign("SELECT 1 EXCEPT SELECT 2", exp.Except, "EXCEPT", title="`EXCEPT`")
    set_operation_distinct = Form(
        "SELECT 1 UNION DISTINCT SELECT 2",
        "`DISTINCT` after a set operator is not supported; without `ALL`, duplicates are"
        " removed anyway.",
        Tokens("(?:UNION|EXCEPT|INTERSECT) (?=DISTINCT)", rare="(?:UNION|EXCEPT|INTERSECT)"),
    )
    order_before_set_operation = Form(
        "SELECT 1 AS a ORDER BY a UNION SELECT 2",
        "`ORDER BY` must follow the last operand of a set operation.",
    )
    set_operand_in_parentheses = Form(
        "SELECT 1 UNION (SELECT 2)", "An operand of a set operation cannot be in parentheses."
    )
    first_set_operand_in_parentheses = Form(
        "(SELECT 1) UNION SELECT 2", "An operand of a set operation cannot be in parentheses."
    )
    order_by_name_of_last_operand = Form(
        "SELECT 1 AS a UNION SELECT 2 AS b ORDER BY b",
        "`ORDER BY` of a set operation resolves only the column names of the first operand.",
    )
    expression_in_order_of_set = Form(
        "SELECT 1 AS a UNION SELECT 2 ORDER BY a + 1",
        "`ORDER BY` of a set operation allows only output columns.",
    )
    selected_expression_in_order_of_set = Form(
        "SELECT abs(x) FROM probe UNION SELECT 2 ORDER BY abs(x)",
        "`ORDER BY` of a set operation does not allow an expression, even if the SELECT"
        " list contains it.",
    )
