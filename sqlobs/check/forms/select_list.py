"""Forms of the SELECT list, of windows, `GROUP BY`, `HAVING` and `QUALIFY`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.forms.form import (
    FOREIGN,
    Condition,
    Form,
    Tokens,
    both,
    family,
    foreign,
    of,
    reads,
    says,
    tree,
    unless,
    within,
)


def _repeats(columns: Sequence[exp.Expr]) -> bool:
    return len({column.sql().lower() for column in columns}) < len(columns)


def _is_grouped_once(name: str) -> Condition:
    """Return the condition that `grouping(a)` has no ROLLUP, CUBE and GROUPING SETS around it."""

    def is_one(call: exp.Expr) -> bool:
        select = call.find_ancestor(exp.Select)
        group = select.args.get("group") if select is not None else None
        has_sets = group is not None and group.find(*_SETS)
        return call.name.upper() == name and not has_sets

    return is_one


_SETS: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _is_ungrouped(call: exp.Expr) -> bool:
    """Return whether a call is `grouping(a)` in a query without GROUP BY."""
    select = call.find_ancestor(exp.Select)
    return call.name.upper() == "GROUPING" and select is not None and not select.args.get("group")


def _limits_by(distinct: exp.Expr) -> bool:
    """Return whether the query of a DISTINCT has LIMIT BY."""
    limit = distinct.parent.args.get("limit") if distinct.parent is not None else None
    return limit is not None and bool(limit.expressions)


def _chooses_columns(value: exp.Expr) -> bool:
    """Return whether a value is `COLUMNS('^a')`, or `t.COLUMNS('^a')`."""
    call = value.expression if isinstance(value, exp.Dot) else value
    return isinstance(call, exp.Columns) or call.name.upper() == "COLUMNS"


class SelectList:
    """Forms of the SELECT list, and where its aliases may be used."""

    distinct_on = foreign(
        "SELECT DISTINCT ON (x) x FROM probe",
        tree(exp.Distinct, "DISTINCT & ON", "on", is_disorder=True),
    )
    star_exclude = foreign(
        "SELECT * EXCLUDE (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        tree(exp.Star, "EXCLUDE", "except_"),
        "`* EXCLUDE`",
    )
    star_replace = foreign(
        "SELECT * REPLACE (1 AS x) FROM probe", tree(exp.Star, "REPLACE", "replace"), "`* REPLACE`"
    )
    select_into = foreign(
        "SELECT x INTO probe2 FROM probe",
        tree(exp.Into, "INTO", lambda node: not isinstance(node.this.this, exp.Parameter)),
    )
    select_into_variable = foreign(
        "SELECT x INTO @y FROM probe",
        tree(exp.Into, "INTO", lambda node: isinstance(node.this.this, exp.Parameter)),
        "`SELECT … INTO @…`",
    )
    star_except = foreign(
        "SELECT * EXCEPT (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        tree(exp.Star, "EXCEPT", "except_"),
        "`* EXCEPT`",
    )
    distinct_on_with_limit_by = Form(
        "SELECT DISTINCT ON (x) x FROM probe LIMIT 1 BY x",
        "`DISTINCT ON` and `LIMIT BY` cannot be combined.",
        tree(
            exp.Distinct,
            "DISTINCT & ON & LIMIT & BY",
            both("on", _limits_by),
        ),
    )
    alias_of_columns = Form(
        "SELECT COLUMNS('^x') AS y FROM probe",
        "`COLUMNS` cannot have an alias.",
        tree(exp.Alias, "COLUMNS", lambda node: _chooses_columns(node.this.unnest())),
    )
    pattern_of_columns = Form(
        "SELECT COLUMNS('[x') FROM probe", "The regular expression is not valid."
    )
    repeated_star_except = Form(
        "SELECT * EXCEPT (y, y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        "`EXCEPT` names a column twice.",
        tree(exp.Star, "EXCEPT", lambda node: _repeats(node.args.get("except_") or ())),
    )
    expression_in_star_except = Form(
        "SELECT * EXCEPT (abs(y)) FROM (SELECT 1 AS x, 2 AS y) AS t",
        "`EXCEPT` allows only names of columns.",
        tree(
            exp.Star,
            "EXCEPT",
            lambda node: any(
                not isinstance(one, (exp.Column, exp.Identifier, exp.Alias, exp.Literal))
                for one in node.args.get("except_") or ()
            ),
        ),
    )
    qualified_name_in_star_except = Form(
        "SELECT * EXCEPT (t.y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        "`EXCEPT` allows only names without a qualifier.",
        tree(
            exp.Star,
            "EXCEPT",
            lambda node: any(
                isinstance(one, exp.Column) and one.args.get("table")
                for one in node.args.get("except_") or ()
            ),
        ),
    )
    star_in_parentheses = Form(
        "SELECT (*) FROM probe",
        "`*` is not allowed inside parentheses.",
        Tokens("before_star open STAR (?=close)"),
    )
    alias_without_name = Form(
        "SELECT abs(x AS) FROM probe",
        "`AS` requires a name.",
        Tokens(
            "(?<=[VAR IDENTIFIER close R_BRACKET STRING NUMBER]) ALIAS (?=[close COMMA])",
            rare="ALIAS [close COMMA]",
            unless=("CAST",),
        ),
    )
    string_alias = Form(
        "SELECT 1 AS 'a b'",
        "A string literal cannot be an alias.",
        # `UNPIVOT (… (a AS 'x'))`, TRANSFORM … NULL DEFINED AS '-'
        Tokens("(?<!NULL VAR) ALIAS literal", marks_last=True, unless=("UNPIVOT",)),
    )
    bare_string_alias = Form("SELECT 1 'a b'", "A string literal cannot be an alias.")
    select_without_list = Form("SELECT FROM probe", "`SELECT` requires a list.")
    row_as_value = Form(
        "SELECT (1, 2) FROM probe", "A row value is not allowed in the SELECT list."
    )
    star_alias = Form("SELECT * a FROM probe", "`*` cannot have an alias.")
    star_without_from = Form("SELECT *", "`*` requires `FROM`.")
    without_from = family(
        "without_from",
        "A query without `FROM` does not support `{call}`.",
        {
            "where": "SELECT 1 WHERE 1 = 1",
            "group": "SELECT 1 GROUP BY 1",
            "order": "SELECT 1 ORDER BY 1",
            "distinct": "SELECT DISTINCT 1",
            "aggregates": "SELECT count(*)",
            "windows": "SELECT count(*) OVER ()",
        },
    )
    """Clauses and calls that need rows of `FROM`."""
    trailing_comma = Form("SELECT x, FROM probe", "A trailing comma is not allowed.")
    trailing_comma_elsewhere = Form(
        "SELECT x FROM probe GROUP BY x,", "A trailing comma is only allowed in a SELECT list."
    )
    qualified_star_alias = Form("SELECT probe.* AS y FROM probe", "`*` cannot have an alias.")
    star_after_column = Form(
        "SELECT x, * FROM probe", "`*` must be the first item of the SELECT list."
    )
    alias_in_aggregate_of_having = Form(
        "SELECT x AS y FROM probe GROUP BY x HAVING max(y) > 1",
        "An aggregate in `HAVING` cannot refer to an alias of the SELECT list.",
    )
    alias_in_subquery_of_having = Form(
        "SELECT x AS y FROM probe GROUP BY x HAVING EXISTS (SELECT 1 FROM probe p WHERE p.x = y)",
        "A subquery in `HAVING` cannot refer to an alias of the SELECT list.",
    )
    count_alias_in_aggregate_of_subquery = Form(
        "SELECT x, count(*) AS y FROM probe GROUP BY x ORDER BY (SELECT max(y) FROM probe AS p)",
        "An aggregate in a subquery cannot refer to an alias of `count(*)`.",
    )
    aggregate_alias_in_order_expression = Form(
        "SELECT count(*) AS n FROM probe ORDER BY n + 1",
        "An expression in `ORDER BY` cannot refer to the alias of an aggregate.",
    )
    window_alias_in_having = Form(
        "SELECT rank() OVER (ORDER BY x) AS r FROM probe GROUP BY x HAVING r > 1",
        "`HAVING` cannot refer to the alias of a window function.",
    )
    alias_in_window_of_list = Form(
        "SELECT x AS y, max(x) OVER (ORDER BY y) FROM probe",
        "A window function cannot refer to an alias of its own SELECT list.",
        code="schema.grouping",
    )
    alias_in_aggregate_of_list = Form(
        "SELECT x AS y, max(y) FROM probe GROUP BY x",
        "An aggregate cannot refer to an alias of its own SELECT list.",
        code="schema.grouping",
    )
    alias_in_subquery_of_list = Form(
        "SELECT x AS y, (SELECT max(p.x) FROM probe AS p WHERE p.x = y) FROM probe",
    )
    alias_of_subquery_in_list = Form(
        "SELECT (SELECT 1) AS y, y + 1 FROM probe",
        "An item of the SELECT list cannot refer to the alias of a subquery.",
    )
    alias_within_grouped_item = Form(
        "SELECT x AS y, y + 1 AS z FROM probe GROUP BY y, z",
        "A grouped item cannot refer to another alias of the SELECT list.",
    )
    no_columns = Form(
        "SELECT * EXCEPT (x) FROM probe", "The SELECT list gives no columns: no name fits."
    )
    star_of_namesakes = Form(
        "SELECT * FROM probe a JOIN probe a ON 1 = 1",
        "`*` is ambiguous: two tables have the same name and the same columns.",
    )
    star_of_different_namesakes = Form(
        "SELECT * FROM (SELECT 1 AS y) AS a CROSS JOIN (SELECT 2 AS z) AS a",
        "`*` is ambiguous: two tables have the same name.",
    )
    aggregate_alias_in_subquery = Form(
        "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(x) > (SELECT count(*) FROM"
        " probe AS b WHERE b.x > y)",
        "A subquery in `HAVING` cannot refer to the alias of an aggregate.",
    )
    aggregate_alias_in_subquery_of_list = Form(
        "SELECT max(x) AS y, (SELECT y + 1) AS z FROM probe",
        "A subquery in the SELECT list cannot refer to the alias of an aggregate.",
    )
    aggregate_alias_in_aggregate = Form(
        "SELECT max(x) AS y FROM probe GROUP BY x HAVING max(y) > 1",
        "An aggregate cannot refer to the alias of another aggregate.",
    )
    alias_in_parentheses = Form(
        "SELECT (x AS y) FROM probe", "An alias is not allowed inside parentheses."
    )
    bare_alias_in_parentheses = Form(
        "SELECT (x y, 1) FROM probe", "An alias inside parentheses requires `AS`."
    )
    string_alias_of_item = Form(
        "SELECT x AS 'a b' FROM probe",
        "A string literal cannot be an alias.",
        Tokens(
            "(?:name|[close NUMBER END]) ALIAS STRING (?=FROM|COMMA)",
            marks_last=True,
            unless=("DEFINED", "UNPIVOT"),  # NULL DEFINED AS 'NULL' FROM t
        ),
    )
    alias_of_two_expressions = Form(
        "SELECT x AS y, x + 1 AS y FROM probe",
        "Two different expressions have this alias.",
        code="schema.ambiguous_ref",
    )
    several_aliases = Form(
        "SELECT count(x) (1) FROM probe", "A call cannot be followed by a list in parentheses."
    )
    star_with_two_qualifiers = Form(
        "SELECT main.probe.* FROM probe", "`*` allows only one qualifier."
    )


class Grouping:
    """Forms of `GROUP BY`, `HAVING` and `QUALIFY`."""

    totals_of_grouping_sets = Form(
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x), ()) WITH TOTALS",
        "`GROUPING SETS` cannot be combined with `WITH TOTALS`, `ROLLUP` or `CUBE`.",
    )
    totals_of_rollup_with_condition = Form(
        "SELECT x FROM probe GROUP BY x WITH ROLLUP WITH TOTALS HAVING x > 1",
        "`WITH TOTALS` of `ROLLUP` or `CUBE` does not support `HAVING` and `QUALIFY`.",
    )
    totals_before_condition = Form(
        "SELECT count(*) FROM probe WITH TOTALS WHERE x = 1",
        "`WITH TOTALS` must follow `WHERE`.",
        Tokens("WITH VAR (?=WHERE|PREWHERE)", words=("TOTALS",), text=reads(r"with\s+totals\b")),
    )
    totals_without_groups = Form(
        "SELECT 1 AS y WITH TOTALS", "`WITH TOTALS`, `ROLLUP` and `CUBE` require groups."
    )

    qualify = foreign(
        "SELECT x FROM probe QUALIFY row_number() OVER (ORDER BY x) = 1",
        tree(exp.Qualify, "QUALIFY"),
    )
    rollup = foreign(
        "SELECT x FROM probe GROUP BY ROLLUP (x)",
        tree(exp.Rollup, "ROLLUP", "expressions", is_call=True),
    )
    cube = foreign(
        "SELECT x FROM probe GROUP BY CUBE (x)", tree(exp.Cube, "CUBE", "expressions", is_call=True)
    )
    grouping_sets = foreign(
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x))", tree(exp.GroupingSets, "GROUPING SETS")
    )
    with_rollup = foreign(
        "SELECT x FROM probe GROUP BY x WITH ROLLUP",
        tree(exp.Rollup, "ROLLUP", unless("expressions")),
    )
    with_cube = foreign(
        "SELECT x FROM probe GROUP BY x WITH CUBE", tree(exp.Cube, "CUBE", unless("expressions"))
    )
    with_totals = foreign(
        "SELECT x FROM probe GROUP BY x WITH TOTALS", tree(exp.Group, "TOTALS", "totals")
    )
    term_beside_rollup = Form(
        "SELECT 1 AS y FROM probe GROUP BY ROLLUP (x), x",
        "`ROLLUP`, `CUBE` and `GROUPING SETS` must be the only term of `GROUP BY`.",
    )
    grouping_without_groups = Form(
        "SELECT grouping(x) FROM probe",
        "`grouping` requires `GROUP BY`.",
        tree(exp.Anonymous, "GROUPING", _is_ungrouped, is_call=True),
        code="schema.grouping",
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
    aggregate_in_qualify = Form(
        "SELECT x FROM probe GROUP BY x QUALIFY rank() OVER (ORDER BY count(*)) = 1",
        "`QUALIFY` cannot contain an aggregate: give it an alias in the SELECT list.",
        code="schema.grouping",
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
        "A position in `GROUP BY` cannot refer to an aggregate.",
    )
    outer_namesake_in_having = Form(
        "SELECT 1 FROM (SELECT x, x AS y FROM probe) AS t WHERE EXISTS (SELECT max(t.x)"
        " FROM (SELECT x, x AS y FROM probe) AS t HAVING t.y = 1)",
        "`HAVING` of a subquery cannot refer to an ungrouped column of its own table,"
        " even if the outer query has one of the same name.",
    )
    grouping_without_sets = Form(
        "SELECT grouping(x) FROM probe GROUP BY x",
        "`grouping` requires `ROLLUP`, `CUBE` or `GROUPING SETS`.",
        tree(exp.Anonymous, "GROUPING", _is_grouped_once("GROUPING"), is_call=True),
        code="schema.grouping",
    )
    grouping_of_other = Form(
        "SELECT grouping(abs(x)) FROM probe GROUP BY ROLLUP (x)",
        "`GROUPING` requires an expression of `GROUP BY`.",
        code="schema.grouping",
    )
    grouping_id_of_some = Form(
        "SELECT grouping_id(x) FROM (SELECT 1 AS x, 2 AS y) AS t GROUP BY CUBE (x, y)",
        "`grouping_id` requires all grouped expressions in their order, or none.",
    )
    grouping_id_without_sets = Form(
        "SELECT grouping_id(x) FROM probe GROUP BY x",
        "`grouping_id` requires `ROLLUP`, `CUBE` or `GROUPING SETS`.",
        tree(exp.Anonymous, "GROUPING_ID", _is_grouped_once("GROUPING_ID"), is_call=True),
        code="schema.grouping",
    )
    group_by_star = Form("SELECT x FROM probe GROUP BY *", "`GROUP BY *` is not supported.")
    qualify_of_group_by_all = Form(
        "SELECT x FROM probe GROUP BY ALL QUALIFY row_number() OVER (ORDER BY x) = 1",
        "`QUALIFY` is not allowed with `GROUP BY ALL`.",
    )
    column_beside_aggregate_of_all = Form(
        "SELECT x, x + count(*) FROM probe GROUP BY ALL",
        "A column that `GROUP BY ALL` groups by is not allowed beside an aggregate.",
    )
    part_that_is_grouped = Form(
        "SELECT abs(x) + 1 FROM probe GROUP BY abs(x)",
        "A grouped expression is not allowed within another one.",
    )
    group_without_list = Form("SELECT x FROM probe GROUP BY", "`GROUP BY` requires a list.")


_RANKS = ("cume_dist()", "dense_rank()", "ntile(2)", "percent_rank()", "rank()", "row_number()")
_OFFSETS = ("lag(x)", "lead(x)")


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    this = call.args.get("this")
    return [*call.expressions, *([this] if isinstance(this, exp.Expr) else [])]


def _orders_argument(window: exp.Expr) -> bool:
    """Return whether the call orders its argument: `array_agg(a ORDER BY b) OVER ()`."""
    call = window.this
    while isinstance(call, exp.Filter):
        call = call.this
    return any(isinstance(item, exp.Order) for item in _arguments(call))


class Windows:
    """Forms of window functions and their windows."""

    repeated_over = Form(
        "SELECT max(x) OVER () OVER () FROM probe", "A call can have only one `OVER`."
    )
    within_group_with_over = foreign(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) OVER () FROM probe",
        tree(exp.Window, "WITHIN & OVER", of(exp.WithinGroup)),
        "`WITHIN GROUP` with `OVER`",
    )
    ignore_nulls_after_call = foreign(
        "SELECT first_value(x) IGNORE NULLS OVER (ORDER BY x) FROM probe",
        tree(exp.IgnoreNulls, "IGNORE & NULLS", within(exp.Window)),
        "`IGNORE NULLS` after a call",
    )
    ignore_nulls_in_call = Form(
        "SELECT first_value(x IGNORE NULLS) OVER (ORDER BY x) FROM probe",
        recognizer=Tokens(
            "(?<!close) VAR (?=VAR)", words=("IGNORE",), text=reads(r"IGNORE\s+NULLS\b")
        ),
        code=FOREIGN,
        title="`IGNORE NULLS` inside a call",
    )
    respect_nulls_after_call = foreign(
        "SELECT first_value(x) RESPECT NULLS OVER (ORDER BY x) FROM probe",
        tree(exp.RespectNulls, "RESPECT", within(exp.Window)),
        "`RESPECT NULLS` after a call",
    )
    respect_nulls_in_call = Form(
        "SELECT first_value(x RESPECT NULLS) OVER (ORDER BY x) FROM probe",
        recognizer=Tokens(
            "(?<!close) VAR (?=VAR)", words=("RESPECT",), text=reads(r"RESPECT\s+NULLS\b")
        ),
        code=FOREIGN,
        title="`RESPECT NULLS` inside a call",
    )
    distinct_with_over = foreign(
        "SELECT count(DISTINCT x) OVER () FROM probe",
        tree(
            exp.Window,
            "OVER & DISTINCT",
            lambda node: any(isinstance(item, exp.Distinct) for item in _arguments(node.this)),
        ),
        "`DISTINCT` with `OVER`",
    )
    distinct_with_ordered_window = Form(
        "SELECT count(DISTINCT x) OVER (ORDER BY x) FROM probe",
        "A call with `DISTINCT` does not allow `ORDER BY` in its window.",
    )
    frame_exclusion = foreign(
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE"
        " TIES) FROM probe",
        tree(exp.WindowSpec, "EXCLUDE", "exclude"),
        "a window frame with `EXCLUDE`",
    )
    groups_frame = foreign(
        "SELECT sum(x) OVER (ORDER BY x GROUPS 1 PRECEDING) FROM probe",
        tree(exp.WindowSpec, "GROUPS", says("kind", "GROUPS")),
        "a window frame in `GROUPS`",
    )
    order_over_within_group = Form(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) OVER (ORDER BY x) FROM probe",
        "The window of a call with `WITHIN GROUP` does not allow `ORDER BY`.",
        tree(exp.Window, "WITHIN & OVER", both(of(exp.WithinGroup), "order")),
    )
    order_in_call_with_over = foreign(
        "SELECT group_concat(x ORDER BY x) OVER () FROM probe",
        tree(exp.Window, "OVER & ORDER BY", _orders_argument, is_disorder=True),
        "`ORDER BY` inside a call with `OVER`",
    )
    over = foreign("SELECT row_number() OVER (ORDER BY x) FROM probe", tree(exp.Window, "OVER"))
    interval_frame = foreign(
        "SELECT sum(x) OVER (ORDER BY CURRENT_TIMESTAMP RANGE INTERVAL '1' DAY"
        " PRECEDING) FROM probe",
        tree(exp.Interval, "RANGE", within(exp.WindowSpec)),
        "a window frame with `INTERVAL`",
    )
    ungrouped_in_unused_window = Form(
        "SELECT count(*) FROM probe WINDOW w AS (ORDER BY x)",
        "An unused window of a grouped query cannot refer to an ungrouped column.",
    )
    unknown_column_in_unused_window = Form(
        "SELECT x FROM probe WINDOW w AS (ORDER BY ghost)",
        "An unused window cannot refer to an unknown column.",
    )
    reversed_frame = Form(
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM probe",
        "The window frame ends before it starts.",
    )
    frame_from_following_to_preceding = Form(
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM probe",
        "The window frame ends before it starts.",
    )
    reversed_offsets = Form(
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) FROM probe",
        "The window frame ends before it starts.",
    )
    repeated_window = Form(
        "SELECT sum(x) OVER w FROM probe WINDOW w AS (ORDER BY x), w AS (ORDER BY x)",
        "`WINDOW` gives two windows the same name.",
    )
    later_window = Form(
        "SELECT sum(x) OVER w FROM probe WINDOW w AS (v ROWS 1 PRECEDING), v AS (ORDER BY x)",
        "A window can only refer to those before it.",
    )
    column_in_frame = Form(
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN x PRECEDING AND CURRENT ROW) FROM probe",
        "A bound of a window frame cannot be a column.",
    )
    filter_of_window = Form(
        "SELECT rank() FILTER (WHERE x = 1) OVER (ORDER BY x) FROM probe",
        "`FILTER` is allowed only for aggregates.",
    )
    partition_of_named_window = Form(
        "SELECT sum(x) OVER (w PARTITION BY x) FROM probe WINDOW w AS (ORDER BY x)",
        "`PARTITION BY` is not allowed together with a named window.",
    )
    order_of_ordered_window = Form(
        "SELECT sum(x) OVER (w ORDER BY x) FROM probe WINDOW w AS (ORDER BY x)",
        "The named window already has an `ORDER BY`.",
    )
    copy_of_framed_window = Form(
        "SELECT sum(x) OVER (w ROWS 1 PRECEDING) FROM probe WINDOW w AS (ORDER BY x ROWS"
        " 1 PRECEDING)",
        "The named window already has a frame.",
    )
    groups_without_order = Form(
        "SELECT sum(x) OVER (GROUPS 1 PRECEDING) FROM probe",
        "A `GROUPS` frame requires `ORDER BY`.",
    )
    window_without_over = Form(
        "SELECT row_number() FROM probe", "A window function requires `OVER`."
    )
    scalar_with_over = Form(
        "SELECT upper('a') OVER () FROM probe", "`OVER` is not supported for this function."
    )

    unordered = family(
        "unordered",
        "`{call}` requires `ORDER BY` in its window.",
        {
            call.partition("(")[0]: f"SELECT {call} OVER () FROM probe"  # noqa: S608 - calls from here
            for call in (*_RANKS, *_OFFSETS, "first_value(x)", "last_value(x)", "nth_value(x, 2)")
        },
    )
    """Window functions over rows without an order."""
    framed = family(
        "framed",
        "`{call}` does not support a window frame.",
        {
            call.partition("(")[0]: f"SELECT {call} OVER (ORDER BY x ROWS CURRENT ROW) FROM probe"  # noqa: S608 - calls from here
            for call in (*_RANKS, *_OFFSETS)
        },
    )
    """Window functions that ignore a frame."""
