"""Forms of `GROUP BY`, `HAVING` and `QUALIFY`."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, Tokens, foreign


class Grouping:
    """Forms of `GROUP BY`, `HAVING` and `QUALIFY`."""

    qualify = foreign(
        "SELECT x FROM probe QUALIFY row_number() OVER (ORDER BY x) = 1", exp.Qualify, "QUALIFY"
    )
    rollup = foreign(
        "SELECT x FROM probe GROUP BY ROLLUP (x)",
        exp.Rollup,
        "ROLLUP",
        where=lambda node: bool(node.expressions),
        is_call=True,
    )
    cube = foreign(
        "SELECT x FROM probe GROUP BY CUBE (x)",
        exp.Cube,
        "CUBE",
        where=lambda node: bool(node.expressions),
        is_call=True,
    )
    grouping_sets = foreign(
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x))", exp.GroupingSets, "GROUPING SETS"
    )
    with_rollup = foreign(
        "SELECT x FROM probe GROUP BY x WITH ROLLUP",
        exp.Rollup,
        "ROLLUP",
        where=lambda node: not node.expressions,
    )
    with_cube = foreign(
        "SELECT x FROM probe GROUP BY x WITH CUBE",
        exp.Cube,
        "CUBE",
        where=lambda node: not node.expressions,
    )
    with_totals = foreign(
        "SELECT x FROM probe GROUP BY x WITH TOTALS", exp.Group, "TOTALS", part="totals"
    )
    group_by_distinct = Form(
        "SELECT x FROM probe GROUP BY DISTINCT x",
        "`GROUP BY DISTINCT` is not supported.",
        Tokens("GROUP_BY (?=DISTINCT)"),
    )
    terms_after_rollup = Form(
        "SELECT x FROM probe GROUP BY x WITH ROLLUP, x",
        "`WITH ROLLUP` must follow all terms of `GROUP BY`.",
        Tokens("WITH ROLLUP (?=COMMA)", rare="ROLLUP"),
    )
    having_without_group = Form(
        "SELECT 1 FROM probe HAVING 1 = 1",
        "`HAVING` requires `GROUP BY` or an aggregate in the SELECT list.",
        code="schema.grouping",
    )
    group_by_all = Form("SELECT x FROM probe GROUP BY ALL", "`GROUP BY ALL` is not supported.")
    string_in_group = Form(
        "SELECT 'a' FROM probe GROUP BY 'a'", "`GROUP BY` does not allow a string literal."
    )
    constant_in_group = Form(
        "SELECT 1 FROM probe GROUP BY NULL", "`GROUP BY` allows no constant other than a position."
    )
    qualify_without_window = Form(
        "SELECT x FROM probe QUALIFY x = 1", "`QUALIFY` requires a window function."
    )
    row_in_group = Form(
        "SELECT 1 FROM probe GROUP BY (x, x)", "`GROUP BY` does not allow a row value."
    )
    order_after_rollup = Form(
        "SELECT x FROM probe GROUP BY x WITH ROLLUP ORDER BY x",
        "`ORDER BY` is not allowed after `WITH ROLLUP`.",
    )
    ordinal_of_aggregate = Form(
        "SELECT count(*) FROM probe GROUP BY 1",
        "A position in `GROUP BY` cannot stand for an aggregate.",
    )
    outer_namesake_in_having = Form(
        "SELECT 1 FROM (SELECT x, x AS y FROM probe) AS t WHERE EXISTS (SELECT max(t.x)"
        " FROM (SELECT x, x AS y FROM probe) AS t HAVING t.y = 1)",
        "`HAVING` of a subquery cannot refer to an ungrouped column of its own table,"
        " even if the outer query has one of the same name.",
    )
    group_by_star = Form("SELECT x FROM probe GROUP BY *", "`GROUP BY *` is not supported.")
    qualify_of_group_by_all = Form(
        "SELECT x FROM probe GROUP BY ALL QUALIFY row_number() OVER (ORDER BY x) = 1",
        "`QUALIFY` is not allowed with `GROUP BY ALL`.",
    )
    group_without_list = Form("SELECT x FROM probe GROUP BY", "`GROUP BY` requires a list.")
