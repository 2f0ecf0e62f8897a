"""Forms of operators, casts and subscripts."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.form import Form, Tokens, foreign, foreign_word, reads


def _is_lambda(node: exp.Expr) -> bool:
    """Say whether the parameter is used: `f(payload -> 'a')` is an operator of JSON."""
    names = {parameter.name for parameter in node.expressions}
    return any(below.name in names for below in node.this.find_all(exp.Identifier))


class Operators:
    """Forms of operators, casts and subscripts."""

    try_cast = foreign("SELECT TRY_CAST(1 AS INTEGER)", exp.TryCast, "TRY_CAST", title="`TRY_CAST`")
    variable_assignment = foreign(
        "SELECT @y := 1",
        exp.PropertyEQ,
        ":=",
        title="the operator `:=`",
        where=lambda node: isinstance(node.this, exp.Parameter),
    )
    lambda_function = foreign(
        "SELECT list_transform([1], x -> x)",
        exp.Lambda,
        "->",
        title="a lambda function",
        where=_is_lambda,
    )
    at_time_zone = foreign(
        "SELECT CAST('2020-01-01 00:00:00' AS timestamp) AT TIME ZONE 'UTC'", exp.AtTimeZone, "ZONE"
    )
    subscript_of_call = foreign(
        "SELECT array_agg(x)[1] FROM probe",
        exp.Bracket,
        "[",
        title="a subscript of a call",
        where=lambda node: isinstance(node.this, exp.Anonymous),
    )
    subscript_of_array = foreign(
        "SELECT ARRAY[1][1]",
        exp.Bracket,
        "[",
        title="a subscript of `ARRAY[…]`",
        where=lambda node: isinstance(node.this, exp.Array),
    )
    subscript = foreign("SELECT (ARRAY[1])[1]", exp.Bracket, "[", title="a subscript in brackets")
    double_colon_cast = foreign_word(
        "SELECT 1::integer", TokenType.DCOLON, "::", title="a cast with `::`"
    )
    operator_double_equals = foreign_word(
        "SELECT 1 == 1", TokenType.EQ, "==", title="the operator `==`"
    )
    operator_like = foreign_word(
        "SELECT 'a' ~~ 'b'", TokenType.LIKE, "~~", title="the operator `~~`"
    )
    operator_ilike = foreign_word(
        "SELECT 'a' ~~* 'b'", TokenType.ILIKE, "~~*", title="the operator `~~*`"
    )
    operator_null_safe_equals = foreign_word(
        "SELECT 1 <=> 1", TokenType.NULLSAFE_EQ, "<=>", title="the operator `<=>`"
    )
    operator_arrow = foreign_word(
        "SELECT CAST('{}' AS json) -> 'a'", TokenType.ARROW, "->", title="the operator `->`"
    )
    operator_double_arrow = foreign_word(
        "SELECT CAST('{}' AS json) ->> 'a'", TokenType.DARROW, "->>", title="the operator `->>`"
    )
    operator_caret = foreign_word("SELECT 1 ^ 1", TokenType.CARET, "^", title="the operator `^`")
    operator_div = foreign_word("SELECT 1 DIV 1", TokenType.DIV, "DIV", title="the operator `DIV`")
    operator_xor = foreign_word("SELECT 1 XOR 1", TokenType.XOR, "XOR", title="the operator `XOR`")
    operator_double_slash = foreign_word(
        "SELECT 1 // 1", TokenType.DIV, "//", title="the operator `//`"
    )
    operator_hash_arrow = foreign_word(
        "SELECT CAST('{}' AS json) #> '{a}'", TokenType.HASH_ARROW, "#>", title="the operator `#>`"
    )
    operator_double_hash_arrow = foreign_word(
        "SELECT CAST('{}' AS json) #>> '{a}'",
        TokenType.DHASH_ARROW,
        "#>>",
        title="the operator `#>>`",
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
        Tokens("[VARCHAR NVARCHAR TEXT VARBINARY] open (?=VAR close)"),
    )
    field_of_parentheses = Form(
        "SELECT (probe).x FROM probe", "An expression in parentheses has no fields."
    )
    condition_after_arrow = Form(
        "SELECT CAST('{}' AS json) -> 'a' IS NULL",
        "`IS NULL` after `->` applies to the right operand only; add parentheses.",
    )
