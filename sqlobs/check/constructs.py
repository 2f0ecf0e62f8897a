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


def _is_lambda(node: exp.Expr) -> bool:
    """Say whether the parameter is used: `f(payload -> 'a')` is an operator of JSON."""
    names = {parameter.name for parameter in node.expressions}
    return any(below.name in names for below in node.this.find_all(exp.Identifier))


def _operation(node: exp.Expr) -> exp.Expr | None:
    """Return what a value stands in, beyond the products that it is a factor of."""
    above = node.parent
    while isinstance(above, (exp.Mul, exp.Div)):
        above = above.parent
    return above


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
        _join(kind="STRAIGHT"),
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
        "IS DISTINCT FROM",
        "SELECT 1 FROM probe WHERE x IS DISTINCT FROM 1",
        exp.NullSafeNEQ,
        ("DISTINCT", "IS"),
    ),
    Construct(
        "IS NOT DISTINCT FROM",
        "SELECT 1 FROM probe WHERE x IS NOT DISTINCT FROM 1",
        exp.NullSafeEQ,
        ("DISTINCT", "IS"),
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
        lambda node: isinstance(node.parent, exp.Anonymous),
        is_disorder=True,
    ),
    Construct("NULLS FIRST", "SELECT x FROM probe ORDER BY x NULLS FIRST", exp.Ordered, ("NULLS",)),
    Construct("SELECT … INTO", "SELECT x INTO probe2 FROM probe", exp.Into, ("INTO",)),
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
        lambda node: bool(node.this.args.get("joins")),
    ),
    Construct(
        "DELETE … USING",
        "DELETE FROM probe USING probe AS b WHERE probe.x = b.x",
        exp.Delete,
        ("DELETE", "USING"),
        _arg("using"),
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

SAMPLES: Final[dict[str, str]] = {
    "string_alias": "SELECT 1 AS 'a b'",
    "bare_string_alias": "SELECT 1 'a b'",
    "limit_with_comma": "SELECT x FROM probe LIMIT 1, 2",
    "derived_without_alias": "SELECT 1 FROM (SELECT 1 AS y)",
    "join_without_condition": "SELECT 1 FROM probe a JOIN probe b",
    "outer_join_without_condition": "SELECT 1 FROM probe a LEFT JOIN probe b",
    "select_without_list": "SELECT FROM probe",
    "in_without_brackets": "SELECT 1 FROM probe WHERE x IN probe",
    "equality_chain": "SELECT 1 FROM probe WHERE x = x = x",
    "comparison_chain": "SELECT 1 FROM probe WHERE x < x < x",
    "row_as_value": "SELECT (1, 2) FROM probe",
    "double_quoted_table": 'SELECT 1 FROM "probe"',
    "single_quoted_table": "SELECT 1 FROM 'probe'",
    "adjacent_strings": "SELECT 1 FROM probe WHERE 'a' IN ('a' 'b')",
    "adjacent_strings_on_lines": "SELECT 1 FROM probe WHERE 'a' IN ('a'\n'b')",
    "star_alias": "SELECT * a FROM probe",
    "star_without_from": "SELECT *",
    "limit_in_subquery": "SELECT 1 FROM probe WHERE x IN (SELECT x FROM probe LIMIT 1)",
    "distinct_with_space": "SELECT count (DISTINCT x) FROM probe",
    "order_before_set_operation": "SELECT 1 AS a ORDER BY a UNION SELECT 2",
    "repeated_output_of_derived": "SELECT 1 FROM (SELECT 1 AS y, 2 AS y) AS t",
    "having_without_group": "SELECT 1 FROM probe HAVING 1 = 1",
    "set_operand_in_brackets": "SELECT 1 UNION (SELECT 2)",
    "trailing_comma": "SELECT x, FROM probe",
    "empty_in": "SELECT 1 FROM probe WHERE x IN ()",
    "qualified_star_alias": "SELECT probe.* AS y FROM probe",
    "star_after_column": "SELECT x, * FROM probe",
    "table_column_aliases": "SELECT y FROM probe AS t(y)",
    "derived_column_aliases": "SELECT y FROM (SELECT 1) AS t(y)",
    "set_operand_first_in_brackets": "(SELECT 1) UNION SELECT 2",
    "offset_without_limit": "SELECT x FROM probe OFFSET 1",
    "group_by_all": "SELECT x FROM probe GROUP BY ALL",
    "query_as_limit": "SELECT x FROM probe LIMIT (SELECT 1)",
    "negative_limit": "SELECT x FROM probe LIMIT -1",
    "text_as_limit": "SELECT x FROM probe LIMIT 'a'",
    "call_without_arguments": "SELECT count() FROM probe",
    "distinct_star": "SELECT count(DISTINCT *) FROM probe",
    "interval_in_string": "SELECT CURRENT_TIMESTAMP + INTERVAL '1 day'",
    "interval_of_number": "SELECT CURRENT_TIMESTAMP + INTERVAL 1 DAY",
    "substring_from": "SELECT substring('abc' FROM 2 FOR 1)",
    "repeated_output_of_cte": "WITH t AS (SELECT 1 AS y, 2 AS y) SELECT 1 FROM t",
    "text_in_order": "SELECT x FROM probe ORDER BY 'a'",
    "text_in_order_of_set": "SELECT x FROM probe UNION SELECT 2 ORDER BY 'a'",
    "wide_cte_names": "WITH a (y, z) AS (SELECT 1) SELECT y FROM a",
    "narrow_cte_names": "WITH a (y) AS (SELECT 1, 2) SELECT y FROM a",
    "order_by_name_of_last_operand": "SELECT 1 AS a UNION SELECT 2 AS b ORDER BY b",
    "on_sees_comma_items": "SELECT 1 FROM probe a, probe b JOIN probe c ON c.x = a.x",
    "aggregate_alias_in_order_expression": "SELECT count(*) AS n FROM probe ORDER BY n + 1",
    "row_equals_query": "SELECT 1 FROM probe WHERE (x, x) = (SELECT x, x FROM probe LIMIT 1)",
    "several_distinct_arguments": "SELECT count(DISTINCT x, x) FROM probe",
    "typed_literal": "SELECT 1 FROM probe WHERE CURRENT_DATE > DATE '2020-01-01'",
    "from_first": "FROM probe",
    "text_in_group": "SELECT 'a' FROM probe GROUP BY 'a'",
    "string_after_dot": "SELECT probe.'x' FROM probe",
    "offset_before_limit": "SELECT x FROM probe OFFSET 1 LIMIT 1",
    "operator_question": "SELECT CAST('{}' AS jsonb) ? 'a'",
    "window_alias_in_having": "SELECT rank() OVER (ORDER BY x) AS r FROM probe GROUP BY x"
    " HAVING r > 1",
    "isnull": "SELECT 1 FROM probe WHERE x ISNULL",
    "notnull": "SELECT 1 FROM probe WHERE x NOTNULL",
    "limit_percent": "SELECT x FROM probe LIMIT 5 PERCENT",
    "operator_not": "SELECT !x FROM probe",
    "interval_of_column": "SELECT CURRENT_TIMESTAMP + INTERVAL x DAY FROM probe",
    "interval_of_brackets": "SELECT CURRENT_TIMESTAMP + INTERVAL (1) DAY",
    "hexadecimal_number": "SELECT 0x41",
    "number_with_letters": "SELECT 1a",
    "number_with_underscore": "SELECT 1_000",
    "update_bare_alias": "UPDATE probe p SET x = 1",
    "delete_bare_alias": "DELETE FROM probe p WHERE p.x = 1",
    "delete_alias": "DELETE FROM probe AS p WHERE p.x = 1",
    "expression_as_limit": "SELECT x FROM probe LIMIT 1 + 1",
    "null_as_limit": "SELECT x FROM probe LIMIT NULL",
    "row_in_call": "SELECT count(DISTINCT (x, x)) FROM probe",
    "expression_in_order_of_set": "SELECT 1 AS a UNION SELECT 2 ORDER BY a + 1",
    "selected_expression_in_order_of_set": "SELECT abs(x) FROM probe UNION SELECT 2"
    " ORDER BY abs(x)",
    "recursion_without_the_word": "WITH a AS (SELECT 1 AS y UNION ALL SELECT y + 1 FROM a"
    " WHERE y < 3) SELECT y FROM a",
    "aggregate_in_recursion": "WITH RECURSIVE a AS (SELECT 1 AS y UNION ALL SELECT max(y) FROM a)"
    " SELECT y FROM a",
    "ordinal_of_aggregate": "SELECT count(*) FROM probe GROUP BY 1",
    "alias_of_query_in_list": "SELECT (SELECT 1) AS y, y + 1 FROM probe",
    "list_behind_in": "SELECT 1 FROM probe WHERE 1 IN ARRAY[1]",
    "bracket_behind_in": "SELECT 1 FROM probe WHERE 1 IN [1]",
    "filter_without_where": "SELECT count(*) FILTER (x > 1) FROM probe",
    "interval_without_unit": "SELECT CURRENT_TIMESTAMP + INTERVAL 1",
    "star_in_brackets": "SELECT (*) FROM probe",
    "national_string": "SELECT N'a'",
    "offset_rows": "SELECT x FROM probe LIMIT 1 OFFSET 1 ROWS",
    "limit_in_recursion": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a LIMIT 3)"
    " SELECT y FROM a",
    "order_in_recursion": "WITH RECURSIVE a (y) AS (SELECT 1 UNION ALL SELECT y + 1 FROM a"
    " WHERE y < 3 ORDER BY 1) SELECT y FROM a",
    "order_of_distinct_arguments": "SELECT group_concat(DISTINCT x ORDER BY y)"
    " FROM (SELECT x, x AS y FROM probe) AS t",
    "order_by_part_of_distinct_arguments": "SELECT group_concat(DISTINCT x ORDER BY -x) FROM probe",
    "qualified_star_in_call": "SELECT count(probe.*) FROM probe",
    "field_of_brackets": "SELECT (probe).x FROM probe",
    "not_null": "SELECT 1 FROM probe WHERE x NOT NULL",
    "list_in_brackets": "SELECT [1]",
    "trim_with_comma": "SELECT trim('a', 'b')",
    "value_call_as_table": "SELECT 1 FROM upper('a') AS t",
    "outer_namesake_in_having": "SELECT 1 FROM (SELECT x, x AS y FROM probe) AS t WHERE EXISTS"
    " (SELECT max(t.x) FROM (SELECT x, x AS y FROM probe) AS t HAVING t.y = 1)",
    "within_group_of_any": "SELECT string_agg('a', ',') WITHIN GROUP (ORDER BY x) FROM probe",
}
"""Further questions to an engine that rules ask of the catalogue by name."""

CALLS: Final[dict[str, str]] = {
    "all": "SELECT 1 FROM probe WHERE 1 <> ALL (ARRAY[1])",
    "some": "SELECT 1 FROM probe WHERE 1 = SOME (ARRAY[1])",
    "cast": "SELECT CAST(1 AS integer)",
    "convert": "SELECT convert('a' USING utf8)",
    "columns": "SELECT columns(*) FROM probe",
    "date": "SELECT date(CURRENT_TIMESTAMP)",
    "extract": "SELECT extract(YEAR FROM CURRENT_TIMESTAMP)",
    "grouping": "SELECT grouping(x) FROM probe GROUP BY x",
    "if": "SELECT if(1 = 1, 1, 2)",
    "match": "SELECT match(x) AGAINST ('a') FROM probe",
    "mode": "SELECT mode() WITHIN GROUP (ORDER BY x) FROM probe",
    "normalize": "SELECT normalize('a')",
    "overlay": "SELECT overlay('abc' PLACING 'x' FROM 1)",
    "percentile_cont": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
    "percentile_disc": "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
    "position": "SELECT position('a' IN 'b')",
    "row": "SELECT row(1, 2)",
    "substring": "SELECT substring('abc', 1, 2)",
    "time": "SELECT time(CURRENT_TIMESTAMP)",
    "trim": "SELECT trim('a')",
}
"""Calls that the grammar of some engines knows although no list of functions has them, by name."""

UNORDERED_WINDOWS: Final[dict[str, str]] = {
    "cume_dist": "SELECT cume_dist() OVER () FROM probe",
    "dense_rank": "SELECT dense_rank() OVER () FROM probe",
    "first_value": "SELECT first_value(x) OVER () FROM probe",
    "lag": "SELECT lag(x) OVER () FROM probe",
    "last_value": "SELECT last_value(x) OVER () FROM probe",
    "lead": "SELECT lead(x) OVER () FROM probe",
    "nth_value": "SELECT nth_value(x, 2) OVER () FROM probe",
    "ntile": "SELECT ntile(2) OVER () FROM probe",
    "percent_rank": "SELECT percent_rank() OVER () FROM probe",
    "rank": "SELECT rank() OVER () FROM probe",
    "row_number": "SELECT row_number() OVER () FROM probe",
}
"""Window functions over rows without an order, by name."""

UNIT_CALLS: Final[dict[str, str]] = {
    "timestampdiff": "SELECT timestampdiff(YEAR, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
    "timestampadd": "SELECT timestampadd(YEAR, 1, CURRENT_TIMESTAMP)",
    "datepart": "SELECT datepart(year, CURRENT_TIMESTAMP)",
    "date_part": "SELECT date_part(year, CURRENT_TIMESTAMP)",
    "date_trunc": "SELECT date_trunc(year, CURRENT_TIMESTAMP)",
    "date_diff": "SELECT date_diff(year, CURRENT_DATE, CURRENT_DATE)",
    "datediff": "SELECT datediff(year, CURRENT_DATE, CURRENT_DATE)",
    "date_add": "SELECT date_add(CURRENT_DATE, year)",
    "date_sub": "SELECT date_sub(year, CURRENT_DATE, CURRENT_DATE)",
    "last_day": "SELECT last_day(CURRENT_DATE, year)",
}
"""Calls that may take a unit of time as a bare word, by name."""
