"""Constructs that some engines have and others refuse, each with a sample that shows which.

`scripts/catalogue` runs the samples on every engine and writes down what it refuses; the rule
`foreign-construct` recognises them in the tree and the tokens. A new construct is a new entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Construct:
    """One construct, recognised by a node of the tree."""

    name: str
    """What it is called in a message."""
    sample: str
    """A statement over `probe (x)` that is valid where the construct is; `keyed (x)` has a key."""
    node: type[exp.Expr]
    words: tuple[str, ...]
    """Upper-case tokens without which the construct cannot be there, the rarest first."""
    recognises: Callable[[exp.Expr], bool] = lambda _: True
    is_disorder: bool = False
    """Its words stand where an orderly statement has none (`Statement.is_orderly`)."""
    is_call: bool = False
    """It looks like a call: where it is not known, the engine misses a function of its name."""


@dataclass(frozen=True, slots=True)
class TokenConstruct:
    """One construct, recognised by a token."""

    name: str
    sample: str
    token: TokenType
    word: str
    """The upper-case text of the token."""


def _arg(name: str) -> Callable[[exp.Expr], bool]:
    return lambda node: bool(node.args.get(name))


def _join(*, side: str = "", kind: str = "") -> Callable[[exp.Expr], bool]:
    return lambda node: node.text("side").upper() == side and node.text("kind").upper() == kind


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    this = call.args.get("this")
    return [*call.expressions, *([this] if isinstance(this, exp.Expr) else [])]


def _joins_target(node: exp.Expr) -> bool:
    return isinstance(node.this, exp.Expr) and bool(node.this.args.get("joins"))


def _is_lambda(node: exp.Expr) -> bool:
    """Say whether the parameter is used: `f(payload -> 'a')` is an operator of JSON."""
    names = {parameter.name for parameter in node.expressions}
    return any(below.name in names for below in node.this.find_all(exp.Identifier))


def names_target(delete: exp.Expr) -> bool:
    """Say whether DELETE FROM names what its USING clause calls a relation."""
    items = delete.args.get("using") or ()
    items = [*items, *(join.this for item in items for join in item.args.get("joins") or ())]
    return any(item.alias_or_name == delete.this.name for item in items)


def _is_text(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.HexString) or (isinstance(node, exp.Literal) and node.is_string)


_DATED: Final = frozenset({"ADDDATE", "DATE_ADD", "DATE_SUB", "SUBDATE"})
"""Calls of MySQL whose grammar has a place for an interval: the second."""


def _is_dated(node: exp.Expr) -> bool:
    """Say whether an interval is the second argument of a call that takes one."""
    above = node.parent
    return isinstance(above, exp.Anonymous) and node.index == 1 and above.name.upper() in _DATED


def _lacks_interval(call: exp.Expr) -> bool:
    """Say whether `date_add(x, y)` has something else for its second argument."""
    second = call.expressions[1:2]
    return call.name.upper() in {"DATE_ADD", "DATE_SUB"} and not (
        second and isinstance(second[0], exp.Interval)
    )


def _is_factor(node: exp.Expr) -> bool:
    """Say whether an interval is multiplied: `x + INTERVAL 1 DAY * 2` multiplies the sum."""
    above = node.parent
    if not isinstance(above, (exp.Mul, exp.Div)):
        return False
    is_summed = isinstance(above.parent, (exp.Add, exp.Sub)) and above.arg_key == "expression"
    return node.arg_key == "expression" or not is_summed


def _operation(node: exp.Expr) -> exp.Expr | None:
    """Return what a value stands in, beyond the products that it is a factor of."""
    above = node.parent
    while isinstance(above, (exp.Mul, exp.Div)):
        above = above.parent
    return above


def _orders_argument(window: exp.Expr) -> bool:
    """Say whether the call before OVER orders its argument: `array_agg(a ORDER BY b) OVER ()`."""
    call = window.this
    while isinstance(call, exp.Filter):
        call = call.this
    return any(isinstance(item, exp.Order) for item in _arguments(call))


def _follows_from(conflict: exp.Expr) -> bool:
    """Say whether ON CONFLICT stands right behind FROM, whose join condition it may begin."""
    query = conflict.parent and conflict.parent.args.get("expression")
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return False
    return not any(map(query.args.get, ("where", "group", "having", "windows", "order", "limit")))


CONSTRUCTS: Final[tuple[Construct, ...]] = (
    Construct(
        "QUALIFY",
        "SELECT x FROM probe QUALIFY row_number() OVER (ORDER BY x) = 1",
        exp.Qualify,
        ("QUALIFY",),
    ),
    Construct("ILIKE", "SELECT 1 FROM probe WHERE 'a' ILIKE 'b'", exp.ILike, ("ILIKE",)),
    Construct(
        "SIMILAR TO", "SELECT 1 FROM probe WHERE 'a' SIMILAR TO 'b'", exp.SimilarTo, ("SIMILAR TO",)
    ),
    Construct("GLOB", "SELECT 1 FROM probe WHERE 'a' GLOB 'b'", exp.Glob, ("GLOB",)),
    Construct(
        "DISTINCT ON",
        "SELECT DISTINCT ON (x) x FROM probe",
        exp.Distinct,
        ("DISTINCT", "ON"),
        _arg("on"),
        is_disorder=True,
    ),
    Construct(
        "FULL JOIN",
        "SELECT 1 FROM probe a FULL JOIN probe b ON a.x = b.x",
        exp.Join,
        ("FULL",),
        lambda node: node.text("side").upper() == "FULL",
    ),
    Construct(
        "SEMI JOIN",
        "SELECT 1 FROM probe a SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI",),
        _join(kind="SEMI"),
    ),
    Construct(
        "ANTI JOIN",
        "SELECT 1 FROM probe a ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI",),
        _join(kind="ANTI"),
    ),
    Construct("LATERAL", "SELECT 1 FROM probe, LATERAL (SELECT 1) AS b", exp.Lateral, ("LATERAL",)),
    Construct(
        "FILTER (WHERE …)",
        "SELECT count(*) FILTER (WHERE x > 1) FROM probe",
        exp.Filter,
        ("FILTER",),
    ),
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
    Construct(
        "ROLLUP",
        "SELECT x FROM probe GROUP BY ROLLUP (x)",
        exp.Rollup,
        ("ROLLUP",),
        lambda node: bool(node.expressions),
        is_call=True,
    ),
    Construct(
        "CUBE",
        "SELECT x FROM probe GROUP BY CUBE (x)",
        exp.Cube,
        ("CUBE",),
        lambda node: bool(node.expressions),
        is_call=True,
    ),
    Construct(
        "GROUPING SETS",
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x))",
        exp.GroupingSets,
        ("GROUPING SETS",),
    ),
    Construct("FETCH FIRST", "SELECT x FROM probe FETCH FIRST 1 ROWS ONLY", exp.Fetch, ("FETCH",)),
    Construct(
        "TABLESAMPLE",
        "SELECT x FROM probe TABLESAMPLE SYSTEM (10)",
        exp.TableSample,
        ("TABLESAMPLE",),
    ),
    Construct(
        "PIVOT", "SELECT * FROM probe PIVOT (count(*) FOR x IN (1, 2))", exp.Pivot, ("PIVOT",)
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
    Construct(
        "EXCEPT ALL",
        "SELECT 1 EXCEPT ALL SELECT 2",
        exp.Except,
        ("EXCEPT", "ALL"),
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "INTERSECT ALL",
        "SELECT 1 INTERSECT ALL SELECT 2",
        exp.Intersect,
        ("INTERSECT", "ALL"),
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "* EXCLUDE",
        "SELECT * EXCLUDE (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        ("EXCLUDE",),
        lambda node: bool(node.args.get("except_")),
    ),
    Construct(
        "* REPLACE",
        "SELECT * REPLACE (1 AS x) FROM probe",
        exp.Star,
        ("REPLACE",),
        lambda node: bool(node.args.get("replace")),
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
    Construct(
        "a table function in FROM without a name",
        "SELECT 1 FROM unnest(ARRAY[1])",
        exp.Unnest,
        ("UNNEST",),
    ),
    Construct("the operator ~", "SELECT 'a' ~ 'b'", exp.RegexpLike, ("~",)),
    Construct("the operator ~*", "SELECT 'a' ~* 'b'", exp.RegexpILike, ("~*",)),
    Construct(
        "LIMIT … BY",
        "SELECT x FROM probe LIMIT 1 BY x",
        exp.Limit,
        ("BY", "LIMIT"),
        lambda node: bool(node.expressions),
    ),
    Construct(
        "LIMIT … WITH TIES",
        "SELECT x FROM probe ORDER BY x LIMIT 1 WITH TIES",
        exp.LimitOptions,
        ("TIES", "LIMIT"),
        lambda node: bool(node.args.get("with_ties")) and isinstance(node.parent, exp.Limit),
    ),
    Construct(
        "FETCH … WITH TIES",
        "SELECT x FROM probe ORDER BY x FETCH FIRST 1 ROWS WITH TIES",
        exp.LimitOptions,
        ("TIES", "FETCH"),
        lambda node: bool(node.args.get("with_ties")) and isinstance(node.parent, exp.Fetch),
    ),
    Construct(
        "FETCH … WITH TIES without ORDER BY",
        "SELECT x FROM probe FETCH FIRST 1 ROWS WITH TIES",
        exp.Fetch,
        ("TIES", "FETCH"),
        lambda node: node.parent is not None and node.parent.args.get("order") is None,
    ),
    Construct(
        "LIMIT … ROWS",
        "SELECT x FROM probe LIMIT 1 ROWS",
        exp.LimitOptions,
        ("ROWS", "LIMIT"),
        lambda node: bool(node.args.get("rows")) and isinstance(node.parent, exp.Limit),
    ),
    Construct(
        "REGEXP",
        "SELECT 1 FROM probe WHERE 'a' REGEXP 'b'",
        exp.RegexpLike,
        ("REGEXP",),
        is_call=True,
    ),
    Construct(
        "STRAIGHT_JOIN",
        "SELECT 1 FROM probe a STRAIGHT_JOIN probe b",
        exp.Join,
        ("STRAIGHT_JOIN",),
        lambda node: node.text("kind").upper().startswith("STRAIGHT"),
    ),
    Construct(
        "ESCAPE", "SELECT 1 FROM probe WHERE 'a' LIKE 'b' ESCAPE '!'", exp.Escape, ("ESCAPE",)
    ),
    Construct("TRY_CAST", "SELECT TRY_CAST(1 AS INTEGER)", exp.TryCast, ("TRY_CAST",)),
    Construct(
        "WITH ROLLUP",
        "SELECT x FROM probe GROUP BY x WITH ROLLUP",
        exp.Rollup,
        ("ROLLUP",),
        lambda node: not node.expressions,
    ),
    Construct(
        "DISTINCT with OVER",
        "SELECT count(DISTINCT x) OVER () FROM probe",
        exp.Window,
        ("OVER", "DISTINCT"),
        lambda node: any(isinstance(item, exp.Distinct) for item in _arguments(node.this)),
    ),
    Construct(
        "OUTER JOIN without LEFT, RIGHT or FULL",
        "SELECT 1 FROM probe a OUTER JOIN probe b ON a.x = b.x",
        exp.Join,
        ("OUTER",),
        _join(kind="OUTER"),
    ),
    Construct(
        "a frame with EXCLUDE",
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)"
        " FROM probe",
        exp.WindowSpec,
        ("EXCLUDE",),
        _arg("exclude"),
    ),
    Construct(
        "a frame of GROUPS",
        "SELECT sum(x) OVER (ORDER BY x GROUPS 1 PRECEDING) FROM probe",
        exp.WindowSpec,
        ("GROUPS",),
        lambda node: node.text("kind").upper() == "GROUPS",
    ),
    Construct(
        "WITH … AS MATERIALIZED",
        "WITH a AS MATERIALIZED (SELECT 1) SELECT 1 FROM a",
        exp.CTE,
        ("MATERIALIZED",),
        lambda node: node.args.get("materialized") is not None,
    ),
    Construct(
        "trim(BOTH … FROM …)",
        "SELECT trim(BOTH 'a' FROM 'b')",
        exp.Trim,
        ("TRIM",),
        _arg("position"),
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
    Construct("NULLS FIRST", "SELECT x FROM probe ORDER BY x NULLS FIRST", exp.Ordered, ("NULLS",)),
    Construct(
        "SELECT … INTO",
        "SELECT x INTO probe2 FROM probe",
        exp.Into,
        ("INTO",),
        lambda node: not isinstance(node.this.this, exp.Parameter),
    ),
    Construct(
        "SELECT … INTO @…",
        "SELECT x INTO @y FROM probe",
        exp.Into,
        ("INTO",),
        lambda node: isinstance(node.this.this, exp.Parameter),
    ),
    Construct("FOR UPDATE", "SELECT x FROM probe FOR UPDATE", exp.Lock, ("FOR",)),
    Construct("USING SAMPLE", "SELECT x FROM probe USING SAMPLE 10", exp.TableSample, ("SAMPLE",)),
    Construct("WITH (hint)", "SELECT x FROM probe WITH (NOLOCK)", exp.WithTableHint, ("WITH",)),
    Construct(
        "CROSS JOIN with ON",
        "SELECT 1 FROM probe a CROSS JOIN probe b ON a.x = b.x",
        exp.Join,
        ("CROSS", "ON"),
        lambda node: node.text("kind").upper() == "CROSS" and node.args.get("on") is not None,
    ),
    Construct(
        "ASOF JOIN",
        "SELECT 1 FROM probe a ASOF JOIN probe b ON a.x >= b.x",
        exp.Join,
        ("ASOF",),
        lambda node: node.text("method").upper() == "ASOF",
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
    Construct(
        "ORDER BY within a call with OVER",
        "SELECT group_concat(x ORDER BY x) OVER () FROM probe",
        exp.Window,
        ("OVER", "ORDER BY"),
        _orders_argument,
        is_disorder=True,
    ),
    Construct(
        "WITH before DELETE",
        "WITH a AS (SELECT 1) DELETE FROM probe",
        exp.Delete,
        ("DELETE", "WITH"),
        _arg("with_"),
    ),
    Construct(
        "WITH before UPDATE",
        "WITH a AS (SELECT 1) UPDATE probe SET x = 1",
        exp.Update,
        ("UPDATE", "WITH"),
        _arg("with_"),
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
        "* EXCEPT",
        "SELECT * EXCEPT (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        ("EXCEPT",),
        lambda node: bool(node.args.get("except_")),
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
        "WITH CUBE",
        "SELECT x FROM probe GROUP BY x WITH CUBE",
        exp.Cube,
        ("CUBE",),
        lambda node: not node.expressions,
    ),
    Construct(
        "LEFT SEMI JOIN",
        "SELECT 1 FROM probe a LEFT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI",),
        _join(side="LEFT", kind="SEMI"),
    ),
    Construct(
        "LEFT ANTI JOIN",
        "SELECT 1 FROM probe a LEFT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI",),
        _join(side="LEFT", kind="ANTI"),
    ),
    Construct(
        "json_value(… RETURNING …)",
        "SELECT json_value('{}', '$.a' RETURNING char)",
        exp.JSONValue,
        ("JSON_VALUE", "RETURNING"),
        _arg("returning"),
    ),
    Construct(
        "json_value(… ON EMPTY)",
        "SELECT json_value('{}', '$.a' NULL ON EMPTY)",
        exp.JSONValue,
        ("JSON_VALUE", "ON"),
        _arg("on_condition"),
    ),
    Construct(
        "json_object(… NULL ON NULL)",
        "SELECT json_object('a', 1 NULL ON NULL)",
        exp.JSONObject,
        ("JSON_OBJECT", "NULL"),
        _arg("null_handling"),
    ),
    Construct(
        "json_object(*)",
        "SELECT json_object(*) FROM probe",
        exp.JSONObject,
        ("JSON_OBJECT", "*"),
        lambda node: any(isinstance(item, exp.Star) for item in node.expressions),
    ),
    Construct(
        "JSON_TABLE as a value",
        "SELECT json_table('[]', '$' COLUMNS (a int PATH '$'))",
        exp.JSONTable,
        ("JSON_TABLE",),
        lambda node: not isinstance(node.parent, (exp.Table, exp.Lateral)),
    ),
    Construct(
        "a separator that is no text",
        "SELECT group_concat('a' SEPARATOR upper('b')) FROM probe",
        exp.GroupConcat,
        ("SEPARATOR",),
        lambda node: not _is_text(node.args.get("separator")),
    ),
    Construct(
        "group_concat(*)",
        "SELECT group_concat(*) FROM probe",
        exp.GroupConcat,
        ("GROUP_CONCAT", "*"),
        lambda node: isinstance(node.this, exp.Star),
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
        "INSERT OR …",
        "INSERT OR REPLACE INTO keyed (x) VALUES (1)",
        exp.Insert,
        ("INSERT", "OR"),
        _arg("alternative"),
    ),
    Construct(
        "ON CONFLICT",
        "INSERT INTO keyed (x) VALUES (1) ON CONFLICT DO NOTHING",
        exp.OnConflict,
        ("CONFLICT",),
        lambda node: not node.args.get("duplicate"),
    ),
    Construct(
        "ON CONFLICT behind FROM",
        "INSERT INTO keyed (x) SELECT x FROM probe ON CONFLICT (x) DO NOTHING",
        exp.OnConflict,
        ("CONFLICT", "SELECT"),
        _follows_from,
    ),
    Construct(
        "VALUES … AS",
        "INSERT INTO keyed (x) VALUES (1) AS y ON DUPLICATE KEY UPDATE x = y.x",
        exp.Values,
        ("DUPLICATE", "VALUES"),
        lambda node: isinstance(node.parent, exp.Insert) and bool(node.args.get("alias")),
    ),
    Construct(
        "ON DUPLICATE KEY",
        "INSERT INTO keyed (x) VALUES (1) ON DUPLICATE KEY UPDATE x = 1",
        exp.OnConflict,
        ("DUPLICATE",),
        _arg("duplicate"),
    ),
    Construct(
        "UPDATE … FROM",
        "UPDATE probe SET x = 1 FROM (SELECT 1 AS y) AS b WHERE b.y = 1",
        exp.Update,
        ("UPDATE", "FROM"),
        _arg("from_"),
    ),
    Construct(
        "UPDATE … JOIN",
        "UPDATE probe AS a JOIN probe AS b ON a.x = b.x SET a.x = 1",
        exp.Update,
        ("UPDATE", "JOIN"),
        _joins_target,
    ),
    Construct(
        "DELETE … USING",
        "DELETE FROM probe USING probe AS b WHERE probe.x = b.x",
        exp.Delete,
        ("DELETE", "USING"),
        lambda node: bool(node.args.get("using")) and not names_target(node),
    ),
    Construct(
        "DELETE … USING with its target",
        "DELETE FROM probe USING probe WHERE x = 1",
        exp.Delete,
        ("DELETE", "USING"),
        lambda node: bool(node.args.get("using")) and names_target(node),
    ),
    Construct(
        "DELETE t FROM … LIMIT",
        "DELETE a FROM probe AS a ORDER BY x LIMIT 1",
        exp.Delete,
        ("DELETE", "LIMIT"),
        lambda node: bool(node.args.get("tables") and node.args.get("limit")),
    ),
    Construct(
        "DELETE t FROM … RETURNING",
        "DELETE a FROM probe AS a WHERE x = 1 RETURNING x",
        exp.Delete,
        ("DELETE", "RETURNING"),
        lambda node: bool(node.args.get("tables") and node.args.get("returning")),
    ),
    Construct(
        "WITH before INSERT",
        "WITH a AS (SELECT 1 AS y) INSERT INTO probe SELECT y FROM a",
        exp.Insert,
        ("INSERT", "WITH"),
        _arg("with_"),
    ),
    Construct(
        "INSERT with RETURNING",
        "INSERT INTO probe (x) VALUES (1) RETURNING x",
        exp.Insert,
        ("INSERT", "RETURNING"),
        _arg("returning"),
    ),
    Construct("OVER", "SELECT row_number() OVER (ORDER BY x) FROM probe", exp.Window, ("OVER",)),
    Construct("WITH", "WITH a AS (SELECT 1) SELECT 1 FROM a", exp.With, ("WITH",)),
    Construct("INTERSECT", "SELECT 1 INTERSECT SELECT 2", exp.Intersect, ("INTERSECT",)),
    Construct("EXCEPT", "SELECT 1 EXCEPT SELECT 2", exp.Except, ("EXCEPT",)),
    Construct(
        "JSON_TABLE",
        "SELECT 1 FROM json_table('[]', '$[*]' COLUMNS (a int PATH '$')) AS t",
        exp.JSONTable,
        ("JSON_TABLE",),
        is_call=True,
    ),
    Construct(
        "INSERT … DEFAULT VALUES",
        "INSERT INTO probe DEFAULT VALUES",
        exp.Insert,
        ("INSERT", "DEFAULT"),
        _arg("default"),
    ),
    Construct(
        "UPDATE with a row of columns",
        "UPDATE probe SET (x) = (SELECT 1)",
        exp.Update,
        ("UPDATE", "("),
        lambda node: any(isinstance(one.this, (exp.Paren, exp.Tuple)) for one in node.expressions),
    ),
    Construct(
        "DELETE t FROM …",
        "DELETE a FROM probe AS a JOIN probe AS b ON a.x = b.x",
        exp.Delete,
        ("DELETE",),
        _arg("tables"),
    ),
    Construct(
        "DELETE with LIMIT",
        "DELETE FROM probe LIMIT 1",
        exp.Delete,
        ("DELETE", "LIMIT"),
        _arg("limit"),
    ),
    Construct(
        "UPDATE with LIMIT",
        "UPDATE probe SET x = 1 LIMIT 1",
        exp.Update,
        ("UPDATE", "LIMIT"),
        _arg("limit"),
    ),
    Construct(
        "DELETE with ORDER BY",
        "DELETE FROM probe ORDER BY x LIMIT 1",
        exp.Delete,
        ("DELETE", "ORDER BY"),
        _arg("order"),
    ),
    Construct(
        "UPDATE with RETURNING",
        "UPDATE probe SET x = 1 RETURNING x",
        exp.Update,
        ("UPDATE", "RETURNING"),
        _arg("returning"),
    ),
    Construct(
        "DELETE with RETURNING",
        "DELETE FROM probe RETURNING x",
        exp.Delete,
        ("DELETE", "RETURNING"),
        _arg("returning"),
    ),
    Construct(
        "UPDATE of several tables",
        "UPDATE probe AS a, keyed AS b SET a.x = b.x",
        exp.Update,
        ("UPDATE", ","),
        _joins_target,
    ),
    Construct(
        "DELETE … JOIN",
        "DELETE FROM probe JOIN keyed ON probe.x = keyed.x",
        exp.Delete,
        ("DELETE", "JOIN"),
        lambda node: (
            not node.args.get("tables") and not node.args.get("using") and _joins_target(node)
        ),
    ),
    Construct(
        "INSERT in WITH",
        "WITH a AS (INSERT INTO probe (x) VALUES (1) RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("INSERT", "WITH"),
        lambda node: isinstance(node.this, exp.Insert),
    ),
    Construct(
        "UPDATE in WITH",
        "WITH a AS (UPDATE probe SET x = 1 RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("UPDATE", "WITH"),
        lambda node: isinstance(node.this, exp.Update),
    ),
    Construct(
        "DELETE in WITH",
        "WITH a AS (DELETE FROM probe RETURNING x) SELECT 1 FROM a",
        exp.CTE,
        ("DELETE", "WITH"),
        lambda node: isinstance(node.this, exp.Delete),
    ),
    Construct(
        "START WITH … CONNECT BY",
        "SELECT x FROM probe START WITH x = 1 CONNECT BY PRIOR x = x",
        exp.Connect,
        ("CONNECT BY",),
    ),
    Construct(
        "VALUES with ORDER BY",
        "VALUES (1) ORDER BY 1",
        exp.Values,
        ("VALUES", "ORDER BY"),
        _arg("order"),
    ),
    Construct(
        "VALUES with LIMIT", "VALUES (1) LIMIT 1", exp.Values, ("VALUES", "LIMIT"), _arg("limit")
    ),
    Construct(
        "DEFAULT as a value",
        "INSERT INTO probe (x) VALUES (DEFAULT)",
        exp.Var,
        ("DEFAULT", "VALUES"),
        lambda node: node.name.upper() == "DEFAULT" and isinstance(node.parent, exp.Tuple),
    ),
    Construct(
        "LIMIT within a call",
        "SELECT group_concat(x ORDER BY x LIMIT 1) FROM probe",
        exp.Limit,
        ("LIMIT", "ORDER BY"),
        lambda node: isinstance(node.args.get("this"), exp.Order),
        is_disorder=True,
    ),
    Construct(
        "LIKE with a row",
        "SELECT 1 FROM probe WHERE 'a' LIKE ('a', 'b')",
        exp.Like,
        ("LIKE", ","),
        lambda node: isinstance(node.expression, exp.Tuple),
    ),
    Construct(
        "RIGHT SEMI JOIN",
        "SELECT 1 FROM probe a RIGHT SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("SEMI", "RIGHT"),
        _join(side="RIGHT", kind="SEMI"),
    ),
    Construct(
        "RIGHT ANTI JOIN",
        "SELECT 1 FROM probe a RIGHT ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        ("ANTI", "RIGHT"),
        _join(side="RIGHT", kind="ANTI"),
    ),
    Construct(
        "OVERLAPS",
        "SELECT (CURRENT_DATE, CURRENT_DATE) OVERLAPS (CURRENT_DATE, CURRENT_DATE)",
        exp.Overlaps,
        ("OVERLAPS",),
    ),
    Construct(
        "MERGE",
        "MERGE INTO probe USING probe AS b ON probe.x = b.x WHEN MATCHED THEN UPDATE SET x = 1",
        exp.Merge,
        ("MERGE",),
    ),
)

TOKEN_CONSTRUCTS: Final[tuple[TokenConstruct, ...]] = (
    TokenConstruct("a cast with ::", "SELECT 1::integer", TokenType.DCOLON, "::"),
    TokenConstruct("the operator ==", "SELECT 1 == 1", TokenType.EQ, "=="),
    TokenConstruct("the operator ~~", "SELECT 'a' ~~ 'b'", TokenType.LIKE, "~~"),
    TokenConstruct("the operator ~~*", "SELECT 'a' ~~* 'b'", TokenType.ILIKE, "~~*"),
    TokenConstruct("the operator <=>", "SELECT 1 <=> 1", TokenType.NULLSAFE_EQ, "<=>"),
    TokenConstruct("the operator ->", "SELECT CAST('{}' AS json) -> 'a'", TokenType.ARROW, "->"),
    TokenConstruct(
        "the operator ->>", "SELECT CAST('{}' AS json) ->> 'a'", TokenType.DARROW, "->>"
    ),
    TokenConstruct("the operator ^", "SELECT 1 ^ 1", TokenType.CARET, "^"),
    TokenConstruct("the operator DIV", "SELECT 1 DIV 1", TokenType.DIV, "DIV"),
    TokenConstruct("the operator XOR", "SELECT 1 XOR 1", TokenType.XOR, "XOR"),
    TokenConstruct("the operator //", "SELECT 1 // 1", TokenType.DIV, "//"),
    TokenConstruct(
        "REPLACE INTO", "REPLACE INTO keyed (x) VALUES (1)", TokenType.INSERT, "REPLACE"
    ),
    TokenConstruct("TOP", "SELECT TOP 1 x FROM probe", TokenType.TOP, "TOP"),
    TokenConstruct("RLIKE", "SELECT 'a' RLIKE 'b'", TokenType.RLIKE, "RLIKE"),
    TokenConstruct(
        "APPLY", "SELECT 1 FROM probe a CROSS APPLY (SELECT 1) b", TokenType.APPLY, "APPLY"
    ),
    TokenConstruct(
        "the operator #>", "SELECT CAST('{}' AS json) #> '{a}'", TokenType.HASH_ARROW, "#>"
    ),
    TokenConstruct(
        "the operator #>>", "SELECT CAST('{}' AS json) #>> '{a}'", TokenType.DHASH_ARROW, "#>>"
    ),
)
