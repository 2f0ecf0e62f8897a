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
    """A statement over `probe (x)` that is valid where the construct is."""
    node: type[exp.Expr]
    word: str
    """An upper-case token without which the construct cannot be there."""
    recognises: Callable[[exp.Expr], bool] = lambda _: True


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


CONSTRUCTS: Final[tuple[Construct, ...]] = (
    Construct(
        "QUALIFY",
        "SELECT x FROM probe QUALIFY row_number() OVER (ORDER BY x) = 1",
        exp.Qualify,
        "QUALIFY",
    ),
    Construct("ILIKE", "SELECT 1 FROM probe WHERE 'a' ILIKE 'b'", exp.ILike, "ILIKE"),
    Construct(
        "SIMILAR TO", "SELECT 1 FROM probe WHERE 'a' SIMILAR TO 'b'", exp.SimilarTo, "SIMILAR TO"
    ),
    Construct("GLOB", "SELECT 1 FROM probe WHERE 'a' GLOB 'b'", exp.Glob, "GLOB"),
    Construct(
        "DISTINCT ON", "SELECT DISTINCT ON (x) x FROM probe", exp.Distinct, "DISTINCT", _arg("on")
    ),
    Construct(
        "FULL JOIN",
        "SELECT 1 FROM probe a FULL JOIN probe b ON a.x = b.x",
        exp.Join,
        "FULL",
        _join(side="FULL"),
    ),
    Construct(
        "SEMI JOIN",
        "SELECT 1 FROM probe a SEMI JOIN probe b ON a.x = b.x",
        exp.Join,
        "SEMI",
        _join(kind="SEMI"),
    ),
    Construct(
        "ANTI JOIN",
        "SELECT 1 FROM probe a ANTI JOIN probe b ON a.x = b.x",
        exp.Join,
        "ANTI",
        _join(kind="ANTI"),
    ),
    Construct("LATERAL", "SELECT 1 FROM probe, LATERAL (SELECT 1) AS b", exp.Lateral, "LATERAL"),
    Construct(
        "FILTER (WHERE …)", "SELECT count(*) FILTER (WHERE x > 1) FROM probe", exp.Filter, "FILTER"
    ),
    Construct("ANY", "SELECT 1 FROM probe WHERE x = ANY (SELECT x FROM probe)", exp.Any, "ANY"),
    Construct("ALL", "SELECT 1 FROM probe WHERE x > ALL (SELECT x FROM probe)", exp.All, "ALL"),
    Construct(
        "ROLLUP",
        "SELECT x FROM probe GROUP BY ROLLUP (x)",
        exp.Rollup,
        "ROLLUP",
        lambda node: bool(node.expressions),
    ),
    Construct(
        "CUBE",
        "SELECT x FROM probe GROUP BY CUBE (x)",
        exp.Cube,
        "CUBE",
        lambda node: bool(node.expressions),
    ),
    Construct(
        "GROUPING SETS",
        "SELECT x FROM probe GROUP BY GROUPING SETS ((x))",
        exp.GroupingSets,
        "GROUPING SETS",
    ),
    Construct("FETCH FIRST", "SELECT x FROM probe FETCH FIRST 1 ROWS ONLY", exp.Fetch, "FETCH"),
    Construct(
        "TABLESAMPLE", "SELECT x FROM probe TABLESAMPLE SYSTEM (10)", exp.TableSample, "TABLESAMPLE"
    ),
    Construct("PIVOT", "SELECT * FROM probe PIVOT (count(*) FOR x IN (1, 2))", exp.Pivot, "PIVOT"),
    Construct(
        "WITHIN GROUP",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM probe",
        exp.WithinGroup,
        "WITHIN GROUP",
    ),
    Construct(
        "EXCEPT ALL",
        "SELECT 1 EXCEPT ALL SELECT 2",
        exp.Except,
        "EXCEPT",
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "INTERSECT ALL",
        "SELECT 1 INTERSECT ALL SELECT 2",
        exp.Intersect,
        "INTERSECT",
        lambda node: node.args.get("distinct") is False,
    ),
    Construct(
        "* EXCLUDE",
        "SELECT * EXCLUDE (y) FROM (SELECT 1 AS x, 2 AS y) AS t",
        exp.Star,
        "EXCLUDE",
        lambda node: bool(node.args.get("except_")),
    ),
    Construct(
        "* REPLACE",
        "SELECT * REPLACE (1 AS x) FROM probe",
        exp.Star,
        "REPLACE",
        lambda node: bool(node.args.get("replace")),
    ),
    Construct("INTERVAL", "SELECT current_date + INTERVAL '1' DAY", exp.Interval, "INTERVAL"),
    Construct(
        "ARRAY[…]",
        "SELECT ARRAY[1, 2]",
        exp.Array,
        "[",
        lambda node: not node.args.get("bracket_notation"),
    ),
    Construct("a lambda", "SELECT list_transform([1], x -> x)", exp.Lambda, "->"),
    Construct(
        "AT TIME ZONE",
        "SELECT CAST('2020-01-01 00:00:00' AS timestamp) AT TIME ZONE 'UTC'",
        exp.AtTimeZone,
        "AT TIME ZONE",
    ),
    Construct(
        "a table function in FROM without a name",
        "SELECT 1 FROM unnest(ARRAY[1])",
        exp.Unnest,
        "UNNEST",
    ),
    Construct("REGEXP", "SELECT 1 FROM probe WHERE 'a' REGEXP 'b'", exp.RegexpLike, "REGEXP"),
    Construct(
        "STRAIGHT_JOIN",
        "SELECT 1 FROM probe a STRAIGHT_JOIN probe b",
        exp.Join,
        "STRAIGHT_JOIN",
        _join(kind="STRAIGHT"),
    ),
    Construct("ESCAPE", "SELECT 1 FROM probe WHERE 'a' LIKE 'b' ESCAPE '!'", exp.Escape, "ESCAPE"),
    Construct("TRY_CAST", "SELECT TRY_CAST(1 AS INTEGER)", exp.TryCast, "TRY_CAST"),
    Construct("NULLS FIRST", "SELECT x FROM probe ORDER BY x NULLS FIRST", exp.Ordered, "NULLS"),
)

TOKEN_CONSTRUCTS: Final[tuple[TokenConstruct, ...]] = (
    TokenConstruct("a cast with ::", "SELECT 1::integer", TokenType.DCOLON, "::"),
    TokenConstruct("the operator ==", "SELECT 1 == 1", TokenType.EQ, "=="),
    TokenConstruct("the operator <=>", "SELECT 1 <=> 1", TokenType.NULLSAFE_EQ, "<=>"),
    TokenConstruct("the operator ~", "SELECT 'a' ~ 'b'", TokenType.TILDE, "~"),
    TokenConstruct("the operator ->", "SELECT CAST('{}' AS json) -> 'a'", TokenType.ARROW, "->"),
    TokenConstruct("the operator DIV", "SELECT 1 DIV 1", TokenType.DIV, "DIV"),
    TokenConstruct("the operator XOR", "SELECT 1 XOR 1", TokenType.XOR, "XOR"),
    TokenConstruct("the operator //", "SELECT 1 // 1", TokenType.DIV, "//"),
    TokenConstruct("TOP", "SELECT TOP 1 x FROM probe", TokenType.TOP, "TOP"),
    TokenConstruct("RLIKE", "SELECT 'a' RLIKE 'b'", TokenType.RLIKE, "RLIKE"),
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
    "several_distinct_arguments": "SELECT count(DISTINCT x, x) FROM probe",
}
"""Further questions to an engine that rules ask of the catalogue by name."""
