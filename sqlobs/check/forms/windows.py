"""Forms of window functions and their windows."""

from __future__ import annotations

from sqlglot import exp

from sqlobs.check.forms.form import Form, family, foreign, of, says, tree, unless, within

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
    ignore_nulls_in_call = foreign(
        "SELECT first_value(x IGNORE NULLS) OVER (ORDER BY x) FROM probe",
        tree(exp.IgnoreNulls, "IGNORE & NULLS", unless(within(exp.Window))),
        "`IGNORE NULLS` inside a call",
    )
    respect_nulls_after_call = foreign(
        "SELECT first_value(x) RESPECT NULLS OVER (ORDER BY x) FROM probe",
        tree(exp.RespectNulls, "RESPECT", within(exp.Window)),
        "`RESPECT NULLS` after a call",
    )
    respect_nulls_in_call = foreign(
        "SELECT first_value(x RESPECT NULLS) OVER (ORDER BY x) FROM probe",
        tree(exp.RespectNulls, "RESPECT", unless(within(exp.Window))),
        "`RESPECT NULLS` inside a call",
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
