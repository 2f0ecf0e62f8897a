"""Forms of predicates: comparisons, `IN`, `LIKE`, quantifiers."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import Form, Tokens, foreign, foreign_word


class Conditions:
    """Forms of predicates: comparisons, `IN`, `LIKE`, quantifiers."""

    ilike = foreign("SELECT 1 FROM probe WHERE 'a' ILIKE 'b'", exp.ILike, "ILIKE")
    similar_to = foreign(
        "SELECT 1 FROM probe WHERE 'a' SIMILAR TO 'b'", exp.SimilarTo, "SIMILAR TO"
    )
    glob = foreign("SELECT 1 FROM probe WHERE 'a' GLOB 'b'", exp.Glob, "GLOB")
    any_subquery = foreign(
        "SELECT 1 FROM probe WHERE x = ANY (SELECT x FROM probe)",
        exp.Any,
        "ANY",
        title="`ANY`",
        is_call=True,
    )
    all_subquery = foreign(
        "SELECT 1 FROM probe WHERE x > ALL (SELECT x FROM probe)",
        exp.All,
        "ALL",
        title="`ALL`",
        is_call=True,
    )
    some_subquery = foreign(
        "SELECT 1 FROM probe WHERE x = SOME (SELECT x FROM probe)",
        exp.Any,
        "SOME",
        title="`SOME`",
        is_call=True,
    )
    like_any = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ANY (SELECT 'b' FROM probe)",
        exp.Any,
        "ANY",
        where=lambda node: isinstance(node.parent, (exp.Like, exp.ILike)),
    )
    like_all = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ALL (SELECT 'b' FROM probe)",
        exp.All,
        "LIKE & ALL",
        where=lambda node: isinstance(node.parent, (exp.Like, exp.ILike)),
    )
    any_left_of_comparison = foreign(
        "SELECT 1 FROM probe WHERE ANY (SELECT x FROM probe) = 1",
        exp.Any,
        "ANY",
        title="`ANY` on the left side of a comparison",
        where=lambda node: node.arg_key == "this",
    )
    all_left_of_comparison = foreign(
        "SELECT 1 FROM probe WHERE ALL (SELECT x FROM probe) = 1",
        exp.All,
        "ALL",
        title="`ALL` on the left side of a comparison",
        where=lambda node: node.arg_key == "this",
    )
    any_of_list = foreign(
        "SELECT 1 FROM probe WHERE x = ANY (1, 2)",
        exp.Any,
        "ANY",
        title="`ANY` with a list",
        where=lambda node: isinstance(node.this, exp.Tuple),
    )
    operator_regex = foreign("SELECT 'a' ~ 'b'", exp.RegexpLike, "~", title="the operator `~`")
    operator_iregex = foreign("SELECT 'a' ~* 'b'", exp.RegexpILike, "~*", title="the operator `~*`")
    regexp = foreign(
        "SELECT 1 FROM probe WHERE 'a' REGEXP 'b'", exp.RegexpLike, "REGEXP", is_call=True
    )
    like_escape = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE 'b' ESCAPE '!'", exp.Escape, "ESCAPE", title="`ESCAPE`"
    )
    any_of_array = foreign(
        "SELECT 1 FROM probe WHERE 1 = ANY (ARRAY[1])",
        exp.Any,
        "ANY",
        title="`ANY` with an array",
        where=lambda node: not isinstance(node.this, exp.Query),
        is_call=True,
    )
    is_value = foreign(
        "SELECT 1 FROM probe WHERE x IS 1",
        exp.Is,
        "IS",
        title="`IS` with a value other than `NULL`, `TRUE` or `FALSE`",
        where=lambda node: isinstance(node.expression, (exp.Literal, exp.Column)),
    )
    member_of = foreign(
        "SELECT 1 FROM probe WHERE 1 MEMBER OF ('[1]')", exp.JSONArrayContains, "MEMBER OF"
    )
    between_symmetric = foreign(
        "SELECT 1 FROM probe WHERE x BETWEEN SYMMETRIC 1 AND 2",
        exp.Between,
        "SYMMETRIC",
        where=lambda node: node.args.get("symmetric") is not None,
    )
    like_row = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ('a', 'b')",
        exp.Like,
        "LIKE & ,",
        title="`LIKE` with a row value",
        where=lambda node: isinstance(node.expression, exp.Tuple),
    )
    overlaps = foreign(
        "SELECT (CURRENT_DATE, CURRENT_DATE) OVERLAPS (CURRENT_DATE, CURRENT_DATE)",
        exp.Overlaps,
        "OVERLAPS",
    )
    rlike = foreign_word("SELECT 'a' RLIKE 'b'", TokenType.RLIKE, "RLIKE")
    not_null_without_is = Form(
        "SELECT 1 FROM probe WHERE x NOT NULL",
        "`NOT NULL` is not a condition. Use `IS NOT NULL`.",
        Tokens("(?<=value_end) NOT (?=NULL)", rare="value_end NOT NULL", is_of_queries=True),
    )
    is_distinct_from = Form(
        "SELECT 1 FROM probe WHERE x IS DISTINCT FROM 1",
        "`IS DISTINCT FROM` is not supported.",
        Tokens("IS NOT?(?=DISTINCT)", rare="DISTINCT FROM"),
    )
    isnull = Form(
        "SELECT 1 FROM probe WHERE x ISNULL",
        "`ISNULL` is not a condition. Use `IS NULL`.",
        Tokens("ISNULL (?!open)", rare="ISNULL"),
    )
    notnull = Form(
        "SELECT 1 FROM probe WHERE x NOTNULL",
        "`NOTNULL` is not a condition. Use `IS NOT NULL`.",
        Tokens("NOTNULL (?!open)", rare="NOTNULL"),
    )
    bracket_after_in = Form(
        "SELECT 1 FROM probe WHERE 1 IN [1]",
        "`IN` requires parentheses, not brackets.",
        Tokens("IN (?=L_BRACKET)", rare="L_BRACKET"),
    )
    in_without_parentheses = Form(
        "SELECT 1 FROM probe WHERE x IN probe", "`IN` requires parentheses."
    )
    equality_chain = Form("SELECT 1 FROM probe WHERE x = x = x", "Comparisons cannot be chained.")
    comparison_chain = Form("SELECT 1 FROM probe WHERE x < x < x", "Comparisons cannot be chained.")
    empty_in = Form("SELECT 1 FROM probe WHERE x IN ()", "`IN` requires at least one value.")
    row_equals_query = Form(
        "SELECT 1 FROM probe WHERE (x, x) = (SELECT x, x FROM probe LIMIT 1)",
        "A row value cannot be compared with a subquery.",
    )
    aggregate_in_list_of_exists = Form(
        "SELECT 1 FROM probe WHERE EXISTS (SELECT max(probe.x))",
        "The SELECT list of an `EXISTS` subquery cannot contain an aggregate of an outer column.",
    )
    row_in_correlated_query = Form(
        "SELECT 1 FROM probe WHERE (x, x) IN (SELECT t.x, t.x FROM probe AS t WHERE t.x = probe.x)",
        "A row value cannot be compared with a correlated subquery.",
    )
    list_after_in = Form(
        "SELECT 1 FROM probe WHERE 1 IN ARRAY[1]", "`IN` requires parentheses around its values."
    )
    row_in_query_of_rows = Form(
        "SELECT 1 FROM probe WHERE (x, x) IN (SELECT (x, x) FROM probe)",
        "A row value cannot be compared with a subquery that returns row values.",
    )
    row_in_list_of_values = Form(
        "SELECT 1 FROM probe WHERE x IN ((1, 2), (3, 4))",
        "A value cannot be compared with a list of row values.",
    )
    value_after_in = Form(
        "SELECT 1 FROM probe WHERE x IN 1", "`IN` requires parentheses around its values."
    )
