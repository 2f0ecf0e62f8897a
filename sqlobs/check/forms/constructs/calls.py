"""What some engines take within a call, or behind it."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.forms.constructs.construct import Construct, has_part


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    this = call.args.get("this")
    return [*call.expressions, *([this] if isinstance(this, exp.Expr) else [])]


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.HexString) or (isinstance(node, exp.Literal) and node.is_string)


def _separates_by_value(call: exp.Expr) -> bool:
    separator = call.args.get("separator")
    return separator is not None and not _is_text(separator)


def _lacks_interval(call: exp.Expr) -> bool:
    """Say whether `date_add(x, y)` has something else for its second argument."""
    second = call.expressions[1:2]
    return call.name.upper() in {"DATE_ADD", "DATE_SUB"} and not (
        second and isinstance(second[0], exp.Interval)
    )


def _orders_argument(window: exp.Expr) -> bool:
    """Say whether the call before OVER orders its argument: `array_agg(a ORDER BY b) OVER ()`."""
    call = window.this
    while isinstance(call, exp.Filter):
        call = call.this
    return any(isinstance(item, exp.Order) for item in _arguments(call))


CALLS: Final[tuple[Construct, ...]] = (
    Construct(
        "FILTER (WHERE …)",
        "SELECT count(*) FILTER (WHERE x > 1) FROM probe",
        exp.Filter,
        ("FILTER",),
    ),
    Construct(
        "WITHIN GROUP",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
        exp.WithinGroup,
        ("WITHIN",),
        lambda node: not isinstance(node.parent, exp.Window),
    ),
    Construct(
        "WITHIN GROUP with OVER",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) OVER () FROM probe",
        exp.Window,
        ("WITHIN", "OVER"),
        lambda node: isinstance(node.this, exp.WithinGroup),
    ),
    Construct(
        "IGNORE NULLS behind a call",
        "SELECT first_value(x) IGNORE NULLS OVER (ORDER BY x) FROM probe",
        exp.IgnoreNulls,
        ("IGNORE", "NULLS"),
        lambda node: isinstance(node.parent, exp.Window),
    ),
    Construct(
        "IGNORE NULLS within a call",
        "SELECT first_value(x IGNORE NULLS) OVER (ORDER BY x) FROM probe",
        exp.IgnoreNulls,
        ("IGNORE", "NULLS"),
        lambda node: not isinstance(node.parent, exp.Window),
    ),
    Construct(
        "RESPECT NULLS behind a call",
        "SELECT first_value(x) RESPECT NULLS OVER (ORDER BY x) FROM probe",
        exp.RespectNulls,
        ("RESPECT",),
        lambda node: isinstance(node.parent, exp.Window),
    ),
    Construct(
        "RESPECT NULLS within a call",
        "SELECT first_value(x RESPECT NULLS) OVER (ORDER BY x) FROM probe",
        exp.RespectNulls,
        ("RESPECT",),
        lambda node: not isinstance(node.parent, exp.Window),
    ),
    Construct(
        "group_concat of DISTINCT values with a separator",
        "SELECT group_concat(DISTINCT x, ',') FROM probe",
        exp.GroupConcat,
        ("DISTINCT", "GROUP_CONCAT"),
        lambda node: isinstance(node.this, exp.Distinct) and bool(node.args.get("separator")),
    ),
    Construct("TRY_CAST", "SELECT TRY_CAST(1 AS INTEGER)", exp.TryCast, ("TRY_CAST",)),
    Construct(
        "DISTINCT with OVER",
        "SELECT count(DISTINCT x) OVER () FROM probe",
        exp.Window,
        ("OVER", "DISTINCT"),
        lambda node: any(isinstance(item, exp.Distinct) for item in _arguments(node.this)),
    ),
    Construct(
        "a frame with EXCLUDE",
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)"
        " FROM probe",
        exp.WindowSpec,
        ("EXCLUDE",),
        has_part("exclude"),
    ),
    Construct(
        "a frame of GROUPS",
        "SELECT sum(x) OVER (ORDER BY x GROUPS 1 PRECEDING) FROM probe",
        exp.WindowSpec,
        ("GROUPS",),
        lambda node: node.text("kind").upper() == "GROUPS",
    ),
    Construct(
        "trim(BOTH … FROM …)",
        "SELECT trim(BOTH 'a' FROM 'b')",
        exp.Trim,
        ("TRIM",),
        has_part("position"),
    ),
    Construct(
        "ORDER BY within a call",
        "SELECT max(x ORDER BY x) FROM probe",
        exp.Order,
        ("ORDER BY",),
        lambda node: (
            isinstance(node.parent, exp.Anonymous) and node.parent.name.upper() != "JSON_ARRAYAGG"
        ),
        is_disorder=True,
    ),
    Construct(
        "ORDER BY within json_arrayagg",
        "SELECT json_arrayagg(x ORDER BY x) FROM probe",
        exp.Order,
        ("JSON_ARRAYAGG", "ORDER BY"),
        lambda node: (
            isinstance(node.parent, exp.Anonymous) and node.parent.name.upper() == "JSON_ARRAYAGG"
        ),
        is_disorder=True,
    ),
    Construct(
        "ORDER BY within a call with OVER",
        "SELECT group_concat(x ORDER BY x) OVER () FROM probe",
        exp.Window,
        ("OVER", "ORDER BY"),
        _orders_argument,
        is_disorder=True,
    ),
    Construct(
        "ORDER BY within group_concat",
        "SELECT group_concat('a' ORDER BY x) FROM probe",
        exp.Order,
        ("GROUP_CONCAT", "ORDER BY"),
        lambda node: isinstance(
            node.find_ancestor(exp.GroupConcat, exp.Query, exp.Window), exp.GroupConcat
        ),
    ),
    Construct(
        "DATE_ADD without INTERVAL",
        "SELECT date_add(CURRENT_DATE, 1)",
        exp.Anonymous,
        ("DATE_ADD",),
        _lacks_interval,
        is_call=True,
    ),
    Construct(
        "DATE_SUB without INTERVAL",
        "SELECT date_sub('day', CURRENT_DATE, CURRENT_DATE)",
        exp.Anonymous,
        ("DATE_SUB",),
        _lacks_interval,
        is_call=True,
    ),
    Construct(
        "json_value(… RETURNING …)",
        "SELECT json_value('{}', '$.a' RETURNING char)",
        exp.JSONValue,
        ("JSON_VALUE", "RETURNING"),
        has_part("returning"),
    ),
    Construct(
        "json_value(… ON EMPTY)",
        "SELECT json_value('{}', '$.a' NULL ON EMPTY)",
        exp.JSONValue,
        ("JSON_VALUE", "ON"),
        has_part("on_condition"),
    ),
    Construct(
        "json_object(… NULL ON NULL)",
        "SELECT json_object('a', 1 NULL ON NULL)",
        exp.JSONObject,
        ("JSON_OBJECT", "NULL"),
        has_part("null_handling"),
    ),
    Construct(
        "json_object(*)",
        "SELECT json_object(*) FROM probe",
        exp.JSONObject,
        ("JSON_OBJECT", "*"),
        lambda node: any(isinstance(item, exp.Star) for item in node.expressions),
    ),
    Construct(
        "a separator that is no text",
        "SELECT group_concat('a' SEPARATOR upper('b')) FROM probe",
        exp.GroupConcat,
        ("SEPARATOR",),
        _separates_by_value,
    ),
    Construct(
        "group_concat(*)",
        "SELECT group_concat(*) FROM probe",
        exp.GroupConcat,
        ("GROUP_CONCAT", "*"),
        lambda node: isinstance(node.this, exp.Star),
    ),
    Construct("OVER", "SELECT row_number() OVER (ORDER BY x) FROM probe", exp.Window, ("OVER",)),
)
