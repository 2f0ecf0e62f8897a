"""Forms of literals."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from sqlobs.check.forms.form import FOREIGN, Form, Tokens, foreign, reads, tree

_DATED: Final = frozenset({"ADDDATE", "DATE_ADD", "DATE_SUB", "SUBDATE"})
"""Calls of MySQL whose second argument may be an interval."""


def _is_dated(node: exp.Expr) -> bool:
    """Return whether an interval is the second argument of a call that accepts one."""
    above = node.parent
    return isinstance(above, exp.Anonymous) and node.index == 1 and above.name.upper() in _DATED


def _is_factor(node: exp.Expr) -> bool:
    """Return whether an interval is multiplied: `x + INTERVAL 1 DAY * 2` multiplies the sum."""
    above = node.parent
    if not isinstance(above, (exp.Mul, exp.Div)):
        return False
    is_summed = isinstance(above.parent, (exp.Add, exp.Sub)) and above.arg_key == "expression"
    return node.arg_key == "expression" or not is_summed


def _operation(node: exp.Expr) -> exp.Expr | None:
    """Return the expression that contains a value, above the products that it is a factor of."""
    above = node.parent
    while isinstance(above, (exp.Mul, exp.Div)):
        above = above.parent
    return above


class Literals:
    """Forms of literals."""

    struct_literal = foreign("SELECT {'a': 1}", tree(exp.Struct, "{"), "a struct literal in braces")
    array_keyword = Form(
        "SELECT ARRAY[1, 2]",
        "`ARRAY` is not supported before brackets.",
        Tokens("ARRAY L_BRACKET [^L_BRACKET R_BRACKET open close COMMA]*+ COMMA", rare="ARRAY"),
    )
    true = foreign("SELECT true", tree(exp.Boolean, "TRUE", lambda node: node.this is True))
    false = foreign("SELECT false", tree(exp.Boolean, "FALSE", lambda node: node.this is False))
    interval = foreign("SELECT current_date + INTERVAL '1' DAY", tree(exp.Interval, "INTERVAL"))
    array_literal = Form(
        "SELECT ARRAY[1, 2]",
        recognizer=Tokens(
            "(?<!DOT) [ARRAY VAR] (?=L_BRACKET)", words=("ARRAY",), text=reads(r"array\s*\[")
        ),
        code=FOREIGN,
        title="`ARRAY[…]`",
    )
    interval_as_value = foreign(
        "SELECT INTERVAL '1' DAY",
        tree(
            exp.Interval,
            "INTERVAL",
            lambda node: (
                not isinstance(_operation(node), (exp.Add, exp.Sub, exp.Func, exp.WindowSpec))
                and not isinstance(node.this, exp.Tuple)
            ),
        ),
        "`INTERVAL` outside date arithmetic",
    )
    interval_in_call = foreign(
        "SELECT coalesce(INTERVAL '1' DAY, INTERVAL '1' DAY)",
        tree(
            exp.Interval,
            "INTERVAL",
            lambda node: isinstance(_operation(node), exp.Func) and not _is_dated(node),
        ),
        "`INTERVAL` as a function argument",
    )
    interval_product = foreign(
        "SELECT CURRENT_TIMESTAMP + 2 * INTERVAL '1' DAY",
        tree(exp.Interval, "INTERVAL", _is_factor),
        "multiplication with `INTERVAL`",
    )
    interval_minuend = foreign(
        "SELECT INTERVAL '1' DAY - INTERVAL '1' DAY",
        tree(
            exp.Interval,
            "INTERVAL",
            lambda node: isinstance(node.parent, exp.Sub) and node.arg_key == "this",
        ),
        "subtraction from `INTERVAL`",
    )
    interval_in_string = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL '1 day'",
        "`INTERVAL` requires a unit after its value.",
        Tokens(r"INTERVAL STRING (?=behind_value|\Z)", rare="INTERVAL"),
    )
    interval_without_unit = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL 1",
        "`INTERVAL` requires a unit after its value.",
        Tokens(r"INTERVAL NUMBER (?=behind_value|\Z)", rare="INTERVAL"),
    )
    interval_of_number = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL 1 DAY",
        "`INTERVAL` requires its value in quotes.",
        Tokens("INTERVAL (?=NUMBER)", rare="INTERVAL"),
    )
    interval_of_column = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL x DAY FROM probe",
        "`INTERVAL` cannot use a column as its value.",
        Tokens(  # in `CREATE TABLE t (a INTERVAL YEAR TO MONTH)` it is a type
            "(?<![ALIAS DCOLON VAR IDENTIFIER]) INTERVAL (?=name (?:DOT name|name))",
            rare="INTERVAL",
        ),
    )
    interval_of_parentheses = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL (1) DAY",
        "`INTERVAL` does not allow a value in parentheses.",
        Tokens("INTERVAL (?=open (?!NUMBER close STRING))", rare="INTERVAL"),
    )
    interval_in_string_first = Form(
        "SELECT INTERVAL '1 day' + CURRENT_TIMESTAMP",
        "`INTERVAL` requires a unit after its value.",
        Tokens("INTERVAL (?=STRING sign)", rare="INTERVAL", text=reads(r"interval\s*'[^']*[a-z]")),
    )
    typed_literal = Form(
        "SELECT 1 FROM probe WHERE CURRENT_DATE > DATE '2020-01-01'",
        "A type name before a string literal is not supported. Use `CAST`.",
        Tokens("(?<![VAR IDENTIFIER DOT]) moment (?=STRING)", rare="moment"),
    )
    datetime_literal = Form(
        "SELECT 1 FROM probe WHERE CURRENT_TIMESTAMP > DATETIME '2020-01-01 00:00'",
        "`DATETIME` before a string literal is not supported. Use `CAST`.",
        Tokens("(?<![VAR IDENTIFIER DOT]) DATETIME (?=STRING)", rare="DATETIME"),
    )
    date_literal_of_other_format = Form(
        "SELECT DATE 'today'",
        "The string after `DATE` is not a date in the form `YYYY-MM-DD`.",
        Tokens(
            "DATE (?=STRING)",
            rare="DATE",
            text=reads(
                r"""date\s*['\"](?!\s*\d{1,4}\W(?:0?\d|1[0-2])\W(?:[0-2]?\d|3[01])(?!\d)|\d{6}(?:\d\d)?['\"])"""
            ),
        ),
    )
    timestamp_literal_of_date = Form(
        "SELECT TIMESTAMP '2024-01-01'",
        "The string after `TIMESTAMP` has no time of day.",
        Tokens(
            "[TIMESTAMP TIMESTAMPTZ](?=STRING)",
            rare="[TIMESTAMP TIMESTAMPTZ]",
            text=reads(r"""timestamp\s*['\"]\s*\d+\W\d+\W\d+\s*['\"]"""),
        ),
    )
    hexadecimal_number = Form(
        "SELECT 0x41",
        "Hexadecimal numbers (`0x…`) are not supported.",
        Tokens("HEX_STRING", text=reads("0x")),
    )
    number_with_underscore = Form(
        "SELECT 1_000",
        "Underscores in numbers are not supported.",
        Tokens("NUMBER (?=name)", text=reads(r"[\d.]+_")),
    )
    number_with_letters = Form(
        "SELECT 1a",
        "A number cannot be followed directly by letters.",
        Tokens("NUMBER (?=name)", text=reads(r"[\d.]++(?:e[-+]?\d+)?+[a-z]")),
    )
    national_string = Form(
        "SELECT N'a'",
        "National string literals (`N'…'`) are not supported.",
        Tokens("NATIONAL_STRING"),
    )
    list_in_brackets = Form(
        "SELECT [1]",
        "List literals in brackets are not supported.",
        Tokens("(?<=value_start) L_BRACKET|(?<=[^R_BRACKET] COMMA) L_BRACKET", rare="L_BRACKET"),
    )
    template_braces = Form(
        "SELECT {{ x }} FROM probe",
        "A template placeholder in braces was not replaced with a value.",
        Tokens("L_BRACE (?=. R_BRACE|L_BRACE)", rare="L_BRACE"),
    )
    string_after_dot = Form(
        "SELECT probe.'x' FROM probe",
        "A string literal cannot name a column.",
        Tokens("DOT (?=STRING)"),
    )
    string_before_dot = Form(
        "SELECT 'probe'.x FROM probe",
        "A string literal cannot name a table.",
        Tokens("STRING (?=DOT (?!name open))", rare="STRING DOT"),
    )
    string_table_alias = Form(
        "SELECT p.x FROM probe AS 'p'",
        "A string literal cannot be a table alias.",
        Tokens("named_relation (?=ALIAS STRING)"),
    )
    adjacent_strings = Form(
        "SELECT 1 FROM probe WHERE 'a' IN ('a' 'b')",
        "Adjacent string literals are not concatenated.",
    )
    adjacent_strings_on_lines = Form(
        "SELECT 1 FROM probe WHERE 'a' IN ('a'\n'b')",
        "Adjacent string literals on separate lines are not concatenated.",
    )
    empty_array = Form("SELECT ARRAY[]", "An empty array requires a cast to its type.")
    interval_literal = Form(
        "SELECT CURRENT_TIMESTAMP + INTERVAL '1' DAY", "`INTERVAL` is not supported."
    )
