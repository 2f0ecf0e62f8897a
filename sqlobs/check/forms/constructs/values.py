"""Operators and values that some engines have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.constructs.construct import Construct

if TYPE_CHECKING:
    from collections.abc import Callable


def _is_lambda(node: exp.Expr) -> bool:
    """Say whether the parameter is used: `f(payload -> 'a')` is an operator of JSON."""
    names = {parameter.name for parameter in node.expressions}
    return any(below.name in names for below in node.this.find_all(exp.Identifier))


_DATED: Final = frozenset({"ADDDATE", "DATE_ADD", "DATE_SUB", "SUBDATE"})
"""Calls of MySQL whose grammar has a place for an interval: the second."""


def _is_dated(node: exp.Expr) -> bool:
    """Say whether an interval is the second argument of a call that takes one."""
    above = node.parent
    return isinstance(above, exp.Anonymous) and node.index == 1 and above.name.upper() in _DATED


def _is_factor(node: exp.Expr) -> bool:
    """Say whether an interval is multiplied: `x + INTERVAL 1 DAY * 2` multiplies the sum."""
    above = node.parent
    if not isinstance(above, (exp.Mul, exp.Div)):
        return False
    is_summed = isinstance(above.parent, (exp.Add, exp.Sub)) and above.arg_key == "expression"
    return node.arg_key == "expression" or not is_summed


def _has(value: object) -> Callable[[exp.Expr], bool]:
    return lambda node: node.this is value


def _operation(node: exp.Expr) -> exp.Expr | None:
    """Return what a value stands in, beyond the products that it is a factor of."""
    above = node.parent
    while isinstance(above, (exp.Mul, exp.Div)):
        above = above.parent
    return above


VALUES: Final[tuple[Construct, ...]] = (
    Construct("ILIKE", "SELECT 1 FROM probe WHERE 'a' ILIKE 'b'", exp.ILike, ("ILIKE",)),
    Construct(
        "SIMILAR TO", "SELECT 1 FROM probe WHERE 'a' SIMILAR TO 'b'", exp.SimilarTo, ("SIMILAR TO",)
    ),
    Construct(
        "the operator :=",
        "SELECT @y := 1",
        exp.PropertyEQ,
        (":=",),
        lambda node: isinstance(node.this, exp.Parameter),
    ),
    Construct("a structure in { }", "SELECT {'a': 1}", exp.Struct, ("{",)),
    *(
        Construct("a truth value", "SELECT true", exp.Boolean, (word,), _has(value))
        for word, value in (("TRUE", True), ("FALSE", False))
    ),
    Construct("GLOB", "SELECT 1 FROM probe WHERE 'a' GLOB 'b'", exp.Glob, ("GLOB",)),
    Construct(
        "ANY",
        "SELECT 1 FROM probe WHERE x = ANY (SELECT x FROM probe)",
        exp.Any,
        ("ANY",),
        is_call=True,
    ),
    Construct(
        "ALL",
        "SELECT 1 FROM probe WHERE x > ALL (SELECT x FROM probe)",
        exp.All,
        ("ALL",),
        is_call=True,
    ),
    Construct(
        "SOME",
        "SELECT 1 FROM probe WHERE x = SOME (SELECT x FROM probe)",
        exp.Any,
        ("SOME",),
        is_call=True,
    ),
    Construct(
        "LIKE ANY",
        "SELECT 1 FROM probe WHERE 'a' LIKE ANY (SELECT 'b' FROM probe)",
        exp.Any,
        ("ANY",),
        lambda node: isinstance(node.parent, (exp.Like, exp.ILike)),
    ),
    Construct(
        "LIKE ALL",
        "SELECT 1 FROM probe WHERE 'a' LIKE ALL (SELECT 'b' FROM probe)",
        exp.All,
        ("LIKE", "ALL"),
        lambda node: isinstance(node.parent, (exp.Like, exp.ILike)),
    ),
    Construct(
        "ANY to the left of a comparison",
        "SELECT 1 FROM probe WHERE ANY (SELECT x FROM probe) = 1",
        exp.Any,
        ("ANY",),
        lambda node: node.arg_key == "this",
    ),
    Construct(
        "ALL to the left of a comparison",
        "SELECT 1 FROM probe WHERE ALL (SELECT x FROM probe) = 1",
        exp.All,
        ("ALL",),
        lambda node: node.arg_key == "this",
    ),
    Construct(
        "ANY of a list",
        "SELECT 1 FROM probe WHERE x = ANY (1, 2)",
        exp.Any,
        ("ANY",),
        lambda node: isinstance(node.this, exp.Tuple),
    ),
    Construct("INTERVAL", "SELECT current_date + INTERVAL '1' DAY", exp.Interval, ("INTERVAL",)),
    Construct(
        "ARRAY[…]",
        "SELECT ARRAY[1, 2]",
        exp.Array,
        ("[",),
        lambda node: not node.args.get("bracket_notation"),
    ),
    Construct("a lambda", "SELECT list_transform([1], x -> x)", exp.Lambda, ("->",), _is_lambda),
    Construct(
        "AT TIME ZONE",
        "SELECT CAST('2020-01-01 00:00:00' AS timestamp) AT TIME ZONE 'UTC'",
        exp.AtTimeZone,
        ("ZONE",),
    ),
    Construct("the operator ~", "SELECT 'a' ~ 'b'", exp.RegexpLike, ("~",)),
    Construct("the operator ~*", "SELECT 'a' ~* 'b'", exp.RegexpILike, ("~*",)),
    Construct(
        "REGEXP",
        "SELECT 1 FROM probe WHERE 'a' REGEXP 'b'",
        exp.RegexpLike,
        ("REGEXP",),
        is_call=True,
    ),
    Construct(
        "ESCAPE", "SELECT 1 FROM probe WHERE 'a' LIKE 'b' ESCAPE '!'", exp.Escape, ("ESCAPE",)
    ),
    Construct(
        "an element of a call in [ ]",
        "SELECT array_agg(x)[1] FROM probe",
        exp.Bracket,
        ("[",),
        lambda node: isinstance(node.this, exp.Anonymous),
    ),
    Construct(
        "an element of ARRAY[…] in [ ]",
        "SELECT ARRAY[1][1]",
        exp.Bracket,
        ("[",),
        lambda node: isinstance(node.this, exp.Array),
    ),
    Construct("an element in [ ]", "SELECT (ARRAY[1])[1]", exp.Bracket, ("[",)),
    Construct(
        "ANY of a value",
        "SELECT 1 FROM probe WHERE 1 = ANY (ARRAY[1])",
        exp.Any,
        ("ANY",),
        lambda node: not isinstance(node.this, exp.Query),
        is_call=True,
    ),
    Construct(
        "IS with a value",
        "SELECT 1 FROM probe WHERE x IS 1",
        exp.Is,
        ("IS",),
        lambda node: isinstance(node.expression, (exp.Literal, exp.Column)),
    ),
    Construct(
        "INTERVAL as a value",
        "SELECT INTERVAL '1' DAY",
        exp.Interval,
        ("INTERVAL",),
        lambda node: (
            not isinstance(_operation(node), (exp.Add, exp.Sub, exp.Func, exp.WindowSpec))
            and not isinstance(node.this, exp.Tuple)
        ),
    ),
    Construct(
        "INTERVAL within a call",
        "SELECT coalesce(INTERVAL '1' DAY, INTERVAL '1' DAY)",
        exp.Interval,
        ("INTERVAL",),
        lambda node: isinstance(_operation(node), exp.Func) and not _is_dated(node),
    ),
    Construct(
        "a product with INTERVAL",
        "SELECT CURRENT_TIMESTAMP + 2 * INTERVAL '1' DAY",
        exp.Interval,
        ("INTERVAL",),
        _is_factor,
    ),
    Construct(
        "INTERVAL with something taken from it",
        "SELECT INTERVAL '1' DAY - INTERVAL '1' DAY",
        exp.Interval,
        ("INTERVAL",),
        lambda node: isinstance(node.parent, exp.Sub) and node.arg_key == "this",
    ),
    Construct(
        "MEMBER OF",
        "SELECT 1 FROM probe WHERE 1 MEMBER OF ('[1]')",
        exp.JSONArrayContains,
        ("MEMBER OF",),
    ),
    Construct(
        "BETWEEN SYMMETRIC",
        "SELECT 1 FROM probe WHERE x BETWEEN SYMMETRIC 1 AND 2",
        exp.Between,
        ("SYMMETRIC",),
        lambda node: node.args.get("symmetric") is not None,
    ),
    Construct(
        "a frame with INTERVAL",
        "SELECT sum(x) OVER (ORDER BY CURRENT_TIMESTAMP RANGE INTERVAL '1' DAY PRECEDING)"
        " FROM probe",
        exp.Interval,
        ("RANGE",),
        lambda node: isinstance(node.parent, exp.WindowSpec),
    ),
    Construct(
        "DEFAULT as a value",
        "INSERT INTO probe (x) VALUES (DEFAULT)",
        exp.Var,
        ("DEFAULT", "VALUES"),
        lambda node: node.name.upper() == "DEFAULT" and isinstance(node.parent, exp.Tuple),
    ),
    Construct(
        "LIKE with a row",
        "SELECT 1 FROM probe WHERE 'a' LIKE ('a', 'b')",
        exp.Like,
        ("LIKE", ","),
        lambda node: isinstance(node.expression, exp.Tuple),
    ),
    Construct(
        "OVERLAPS",
        "SELECT (CURRENT_DATE, CURRENT_DATE) OVERLAPS (CURRENT_DATE, CURRENT_DATE)",
        exp.Overlaps,
        ("OVERLAPS",),
    ),
)
