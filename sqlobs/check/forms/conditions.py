"""Forms of operators and predicates."""

from __future__ import annotations

from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import (
    Form,
    Tokens,
    Word,
    both,
    foreign,
    of,
    reads,
    tree,
    unless,
    within,
)


def _is_lambda(node: exp.Expr) -> bool:
    """Return whether the parameter is used: in `f(payload -> 'a')` the arrow is a JSON operator."""
    names = {parameter.name for parameter in node.expressions}
    return any(below.name in names for below in node.this.find_all(exp.Identifier))


_is_compared: Final = unless(within(exp.Like, exp.ILike))
"""Of `x = ANY (…)`, unlike `x LIKE ANY (…)`."""


def _is_apart(node: exp.Expr) -> bool:
    """Return whether a zone stands in EXTRACT, or behind `FORMAT 'YYYY'`."""
    return isinstance(node.parent, exp.Extract) or node.arg_key == "format"


class Operators:
    """Forms of operators, casts and subscripts."""

    try_cast = foreign("SELECT TRY_CAST(1 AS INTEGER)", tree(exp.TryCast, "TRY_CAST"), "`TRY_CAST`")
    variable_assignment = foreign(
        "SELECT @y := 1", tree(exp.PropertyEQ, ":=", of(exp.Parameter)), "the operator `:=`"
    )
    lambda_function = foreign(
        "SELECT list_transform([1], x -> x)",
        tree(exp.Lambda, "->", _is_lambda),
        "a lambda function",
    )
    at_time_zone = foreign(
        "SELECT CAST('2020-01-01 00:00:00' AS timestamp) AT TIME ZONE 'UTC'",
        tree(exp.AtTimeZone, "ZONE", unless(_is_apart)),
    )
    at_time_zone_in_extract = foreign(
        "SELECT EXTRACT(HOUR FROM CAST('2020-01-01 00:00:00' AS timestamp) AT TIME ZONE 'UTC')",
        tree(exp.AtTimeZone, "ZONE", within(exp.Extract)),
        "`AT TIME ZONE` in `EXTRACT`",
    )
    subscript_of_call = foreign(
        "SELECT array_agg(x)[1] FROM probe",
        tree(exp.Bracket, "[", of(exp.Anonymous)),
        "a subscript of a call",
    )
    subscript_of_array = foreign(
        "SELECT ARRAY[1][1]", tree(exp.Bracket, "[", of(exp.Array)), "a subscript of `ARRAY[…]`"
    )
    subscript = foreign("SELECT (ARRAY[1])[1]", tree(exp.Bracket, "["), "a subscript in brackets")
    double_colon_cast = foreign(
        "SELECT 1::integer", Word(TokenType.DCOLON, "::"), "a cast with `::`"
    )
    quoted_collation = foreign(
        "SELECT 'a' AS y FROM probe ORDER BY y COLLATE 'nocase'",
        tree(exp.Collate, "COLLATE", lambda node: node.expression.is_string),
        "a collation in single quotes",
    )
    call_as_collation = Form(
        "SELECT 'a' COLLATE lower('b')",
        "`COLLATE` is followed by the name of a collation, not by an expression.",
        tree(exp.Collate, "COLLATE", lambda node: isinstance(node.expression, exp.Func)),
    )
    operator_double_equals = foreign("SELECT 1 == 1", Word(TokenType.EQ, "=="), "the operator `==`")
    operator_like = foreign("SELECT 'a' ~~ 'b'", Word(TokenType.LIKE, "~~"), "the operator `~~`")
    operator_ilike = foreign(
        "SELECT 'a' ~~* 'b'", Word(TokenType.ILIKE, "~~*"), "the operator `~~*`"
    )
    operator_null_safe_equals = foreign(
        "SELECT 1 <=> 1", Word(TokenType.NULLSAFE_EQ, "<=>"), "the operator `<=>`"
    )
    operator_arrow = foreign(
        "SELECT CAST('{}' AS json) -> 'a'", Word(TokenType.ARROW, "->"), "the operator `->`"
    )
    operator_double_arrow = foreign(
        "SELECT CAST('{}' AS json) ->> 'a'", Word(TokenType.DARROW, "->>"), "the operator `->>`"
    )
    operator_caret = foreign("SELECT 1 ^ 1", Word(TokenType.CARET, "^"), "the operator `^`")
    operator_ampersand = foreign("SELECT 1 & 1", Word(TokenType.AMP, "&"), "the operator `&`")
    operator_pipe = foreign("SELECT 1 | 1", Word(TokenType.PIPE, "|"), "the operator `|`")
    operator_left_shift = foreign(
        "SELECT 1 << 1", tree(exp.BitwiseLeftShift, "<"), "the operator `<<`"
    )
    operator_right_shift = foreign(
        "SELECT 1 >> 1", tree(exp.BitwiseRightShift, ">"), "the operator `>>`"
    )
    operator_tilde = foreign("SELECT ~1", tree(exp.BitwiseNot, "~"), "the operator `~`")
    operator_div = foreign("SELECT 1 DIV 1", Word(TokenType.DIV, "DIV"), "the operator `DIV`")
    operator_xor = foreign("SELECT 1 XOR 1", Word(TokenType.XOR, "XOR"), "the operator `XOR`")
    operator_double_slash = foreign("SELECT 1 // 1", Word(TokenType.DIV, "//"), "the operator `//`")
    operator_hash_arrow = foreign(
        "SELECT CAST('{}' AS json) #> '{a}'", Word(TokenType.HASH_ARROW, "#>"), "the operator `#>`"
    )
    operator_double_hash_arrow = foreign(
        "SELECT CAST('{}' AS json) #>> '{a}'",
        Word(TokenType.DHASH_ARROW, "#>>"),
        "the operator `#>>`",
    )
    operator_not = Form(
        "SELECT !x FROM probe",
        "The operator `!` is not supported. Use `NOT`.",
        Tokens("(?<!value_end) NOT (?![RLIKE IRLIKE LIKE])", words=("!",), text=reads("!(?!~)")),
    )
    operator_question = Form(
        "SELECT CAST('{}' AS jsonb) ? 'a'",
        "The operator `?` is not supported.",
        Tokens("PLACEHOLDER (?=STRING)", rare="PLACEHOLDER"),
    )
    slice_of_cast = Form(
        "SELECT x::text[1:2] FROM probe",
        "A slice of a cast requires parentheses around the cast.",
        Tokens("DCOLON . L_BRACKET NUMBER? (?=COLON)", rare="COLON"),
    )
    colon_path = Form(
        "SELECT x:y FROM (SELECT 1 AS x, 2 AS y) AS t",
        "Access to a field with `:` is not supported.",
        Tokens("[SELECT COMMA] (?:name DOT)? name COLON (?=name)", rare="COLON"),
    )
    cast_to_unsigned_integer = Form(
        "SELECT CAST(x AS int unsigned) FROM probe",
        "A cast to `UNSIGNED` does not allow an integer type before it.",
        Tokens(
            "ALIAS .(?=UBIGINT)",
            rare="UBIGINT",
            text=reads(r"as\s+(?:big|small|medium|tiny)?int(?:eger)?\s+unsigned\b"),
        ),
    )
    length_max = Form(
        "SELECT CAST(x AS varchar(max)) FROM probe",
        "The length of a type must be a number, not `MAX`.",
        Tokens("(?<=[ALIAS DCOLON]) [VARCHAR NVARCHAR TEXT VARBINARY] open (?=VAR close)"),
    )
    field_of_parentheses = Form(
        "SELECT (probe).x FROM probe", "An expression in parentheses has no fields."
    )
    condition_after_arrow = Form(
        "SELECT CAST('{}' AS json) -> 'a' IS NULL",
        "`IS NULL` after `->` applies to the right operand only; add parentheses.",
    )


class Conditions:
    """Forms of predicates: comparisons, `IN`, `LIKE`, quantifiers."""

    in_without_list = Form(
        "SELECT abs(x IN) FROM probe",
        "`IN` requires a list or a query.",
        Tokens(
            r"(?<=[VAR IDENTIFIER close R_BRACKET STRING NUMBER NOT]) IN (?=[close COMMA FROM]|\Z)",
            rare=r"IN (?:[close COMMA FROM]|\Z)",
        ),
    )
    value_as_condition = Form(
        "SELECT 1 FROM (SELECT 1 = 1 AS y) AS t WHERE t.y",
        "A condition requires a comparison or another predicate, not a value.",
    )
    condition_as_value = Form(
        "SELECT x > 1 FROM probe",
        "A condition is not a value: use `CASE WHEN … THEN 1 ELSE 0 END`.",
    )
    query_as_argument = Form(
        "SELECT abs(SELECT 1)", "A query as an argument requires its own parentheses."
    )
    correlated_prewhere = Form(
        "SELECT x FROM probe AS p PREWHERE EXISTS (SELECT 1 FROM keyed WHERE keyed.x = p.x)",
        "`PREWHERE` does not allow a correlated subquery.",
    )
    outer_column_among_groups = Form(
        "SELECT x FROM keyed WHERE (SELECT max(probe.x) + keyed.x FROM probe) = 1",
        "A subquery that groups or orders rows can refer to the outer query only in `WHERE` and"
        " `HAVING`.",
        code="schema.grouping",
    )
    correlated_value_among_groups = Form(
        "SELECT x, (SELECT max(p.x) FROM probe AS p WHERE p.x = keyed.x) FROM keyed GROUP BY x",
        "A correlated subquery of a grouped query must be grouped or aggregated.",
        code="schema.grouping",
    )
    correlated_value_in_order = Form(
        "SELECT x FROM keyed ORDER BY (SELECT max(p.x) FROM probe AS p WHERE p.x = keyed.x)",
        "A correlated subquery is not allowed in `ORDER BY`.",
    )
    correlated_value_in_join = Form(
        "SELECT 1 FROM keyed AS a JOIN keyed AS b ON a.x = (SELECT max(p.x) FROM probe AS p"
        " WHERE p.x = b.x)",
        "A correlated subquery is not allowed in the condition of a join.",
    )
    correlated_exists_in_join = Form(
        "SELECT 1 FROM keyed AS a JOIN keyed AS b ON a.x = b.x AND EXISTS (SELECT 1 FROM probe AS p"
        " WHERE p.x = b.x)",
        "A correlated subquery is not allowed in the condition of a join.",
    )
    correlated_value_in_group = Form(
        "SELECT count(*) FROM keyed GROUP BY (SELECT max(p.x) FROM probe AS p WHERE p.x = keyed.x)",
        "A correlated subquery is not allowed in `GROUP BY`.",
    )
    correlated_value_in_aggregate = Form(
        "SELECT max((SELECT max(p.x) FROM probe AS p WHERE p.x = keyed.x)) FROM keyed",
        "A correlated subquery is not allowed in the arguments of an aggregate.",
    )
    in_correlated_query = Form(
        "SELECT 1 FROM keyed WHERE x IN (SELECT p.x FROM probe AS p WHERE p.x = keyed.x)",
        "The subquery of `IN` cannot be correlated.",
    )
    ilike = foreign("SELECT 1 FROM probe WHERE 'a' ILIKE 'b'", tree(exp.ILike, "ILIKE"))
    similar_to = foreign(
        "SELECT 1 FROM probe WHERE 'a' SIMILAR TO 'b'", tree(exp.SimilarTo, "SIMILAR TO")
    )
    glob = foreign("SELECT 1 FROM probe WHERE 'a' GLOB 'b'", tree(exp.Glob, "GLOB"))
    any_subquery = foreign(
        "SELECT 1 FROM probe WHERE x = ANY (SELECT x FROM probe)",
        tree(exp.Any, "ANY", _is_compared, is_call=True),
        "`ANY`",
    )
    all_subquery = foreign(
        "SELECT 1 FROM probe WHERE x > ALL (SELECT x FROM probe)",
        tree(exp.All, "ALL", _is_compared, is_call=True),
        "`ALL`",
    )
    some_subquery = foreign(
        "SELECT 1 FROM probe WHERE x = SOME (SELECT x FROM probe)",
        tree(exp.Any, "SOME", _is_compared, is_call=True),
        "`SOME`",
    )
    like_any = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ANY (SELECT 'b' FROM probe)",
        tree(exp.Any, "ANY", within(exp.Like, exp.ILike)),
    )
    like_some = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE SOME (SELECT 'b' FROM probe)",
        tree(exp.Any, "SOME", within(exp.Like, exp.ILike)),
        "`LIKE SOME`",
    )
    like_all = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ALL (SELECT 'b' FROM probe)",
        tree(exp.All, "LIKE & ALL", within(exp.Like, exp.ILike)),
    )
    any_left_of_comparison = foreign(
        "SELECT 1 FROM probe WHERE ANY (SELECT x FROM probe) = 1",
        tree(exp.Any, "ANY", lambda node: node.arg_key == "this"),
        "`ANY` on the left side of a comparison",
    )
    all_left_of_comparison = foreign(
        "SELECT 1 FROM probe WHERE ALL (SELECT x FROM probe) = 1",
        tree(exp.All, "ALL", lambda node: node.arg_key == "this"),
        "`ALL` on the left side of a comparison",
    )
    any_of_list = foreign(
        "SELECT 1 FROM probe WHERE x = ANY (1, 2)",
        tree(exp.Any, "ANY", both(of(exp.Tuple), _is_compared)),
        "`ANY` with a list",
    )
    operator_regex = foreign("SELECT 'a' ~ 'b'", tree(exp.RegexpLike, "~"), "the operator `~`")
    operator_iregex = foreign("SELECT 'a' ~* 'b'", tree(exp.RegexpILike, "~*"), "the operator `~*`")
    regexp = foreign(
        "SELECT 1 FROM probe WHERE 'a' REGEXP 'b'", tree(exp.RegexpLike, "REGEXP", is_call=True)
    )
    like_escape = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE 'b' ESCAPE '!'", tree(exp.Escape, "ESCAPE"), "`ESCAPE`"
    )
    any_of_array = foreign(
        "SELECT 1 FROM probe WHERE 1 = ANY (ARRAY[1])",
        tree(exp.Any, "ANY", both(unless(of(exp.Query)), _is_compared), is_call=True),
        "`ANY` with an array",
    )
    is_value = foreign(
        "SELECT 1 FROM probe WHERE x IS 1",
        tree(exp.Is, "IS", lambda node: isinstance(node.expression, (exp.Literal, exp.Column))),
        "`IS` with a value other than `NULL`, `TRUE` or `FALSE`",
    )
    member_of = foreign(
        "SELECT 1 FROM probe WHERE 1 MEMBER OF ('[1]')", tree(exp.JSONArrayContains, "MEMBER OF")
    )
    between_symmetric = foreign(
        "SELECT 1 FROM probe WHERE x BETWEEN SYMMETRIC 1 AND 2",
        tree(exp.Between, "SYMMETRIC", lambda node: node.args.get("symmetric") is not None),
    )
    like_row = foreign(
        "SELECT 1 FROM probe WHERE 'a' LIKE ('a', 'b')",
        tree(exp.Like, "LIKE & ,", lambda node: isinstance(node.expression, exp.Tuple)),
        "`LIKE` with a row value",
    )
    overlaps = foreign(
        "SELECT (CURRENT_DATE, CURRENT_DATE) OVERLAPS (CURRENT_DATE, CURRENT_DATE)",
        tree(exp.Overlaps, "OVERLAPS"),
    )
    rlike = foreign("SELECT 'a' RLIKE 'b'", Word(TokenType.RLIKE, "RLIKE"))
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
    condition_after_is = Form(
        "SELECT 1 FROM probe WHERE x IS NULL IS NULL",
        "A condition after `IS NULL` needs parentheses around what is before it.",
        Tokens(
            "IS NOT? [NULL TRUE FALSE] (?=NOT?[IS LIKE ILIKE RLIKE IN BETWEEN])",
            rare="[NULL TRUE FALSE] NOT? [IS LIKE ILIKE RLIKE IN BETWEEN]",
        ),
    )
    comparison_after_is = Form(
        "SELECT 1 FROM probe WHERE x IS NULL = (1 = 1)",
        "A comparison after `IS NULL` needs parentheses around what is before it.",
        Tokens(
            "IS NOT? [NULL TRUE FALSE] (?=[EQ NEQ LT LTE GT GTE])",
            rare="[NULL TRUE FALSE] [EQ NEQ LT LTE GT GTE]",
        ),
    )
    condition_after_pattern = Form(
        "SELECT 1 FROM probe WHERE 'a' LIKE 'a' LIKE 'a'",
        "A condition after a pattern needs parentheses around what is before it.",
        Tokens(
            "[LIKE ILIKE RLIKE] STRING+ (?=NOT?[LIKE ILIKE RLIKE IN BETWEEN])",
            rare="STRING NOT? [LIKE ILIKE RLIKE IN BETWEEN]",
        ),
    )
    is_after_pattern = Form(
        "SELECT 1 FROM probe WHERE 'a' LIKE 'a' IS NULL",
        "`IS` after a pattern needs parentheses around what is before it.",
        Tokens("[LIKE ILIKE RLIKE] STRING+ (?=IS)", rare="STRING IS"),
    )
    comparison_after_in = Form(
        "SELECT 1 FROM probe WHERE x IN (1) = (1 = 1)",
        "A comparison after `IN (…)` needs parentheses around what is before it.",
        Tokens(
            "IN open no_bracket+ close (?=[EQ NEQ LT LTE GT GTE])",
            rare="close [EQ NEQ LT LTE GT GTE]",
            words=("IN",),
        ),
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
    empty_quantifier = Form(
        "SELECT 1 FROM probe WHERE 'a' LIKE ANY ()",
        "`ANY` and `ALL` require at least one value.",
        Tokens("[ANY ALL SOME] open close", rare="open close", words=("ANY", "ALL", "SOME")),
    )
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
