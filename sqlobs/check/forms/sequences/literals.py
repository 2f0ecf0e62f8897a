"""Literals: intervals, moments, numbers, strings, lists."""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.sequence import Sequence, reads

LITERALS: Final = (
    Sequence(
        "interval_in_string",
        "SELECT CURRENT_TIMESTAMP + INTERVAL '1 day'",
        r"INTERVAL STRING (?=behind_value|\Z)",
        "INTERVAL needs a unit behind its value.",
        rare="INTERVAL",
    ),
    Sequence(
        "interval_without_unit",
        "SELECT CURRENT_TIMESTAMP + INTERVAL 1",
        r"INTERVAL NUMBER (?=behind_value|\Z)",
        "INTERVAL needs a unit behind its value.",
        rare="INTERVAL",
    ),
    Sequence(
        "interval_of_number",
        "SELECT CURRENT_TIMESTAMP + INTERVAL 1 DAY",
        "INTERVAL (?=NUMBER)",
        "INTERVAL needs its value in quotes.",
        rare="INTERVAL",
    ),
    Sequence(
        "interval_of_column",
        "SELECT CURRENT_TIMESTAMP + INTERVAL x DAY FROM probe",
        "INTERVAL (?=name (?:DOT name|name))",
        "INTERVAL takes no column.",
        rare="INTERVAL",
    ),
    Sequence(
        "interval_of_brackets",
        "SELECT CURRENT_TIMESTAMP + INTERVAL (1) DAY",
        "INTERVAL (?=open (?!NUMBER close STRING))",
        "INTERVAL takes no brackets.",
        rare="INTERVAL",
    ),
    Sequence(
        "interval_in_string_first",
        "SELECT INTERVAL '1 day' + CURRENT_TIMESTAMP",
        "INTERVAL (?=STRING sign)",
        "INTERVAL needs a unit behind its value.",
        rare="INTERVAL",
        text=reads(r"interval\s*'[^']*[a-z]"),
    ),
    Sequence(
        "typed_literal",
        "SELECT 1 FROM probe WHERE CURRENT_DATE > DATE '2020-01-01'",
        "(?<![VAR IDENTIFIER DOT]) moment (?=STRING)",
        "A literal takes no type before it.",
        rare="moment",
    ),
    Sequence(
        "datetime_literal",
        "SELECT 1 FROM probe WHERE CURRENT_TIMESTAMP > DATETIME '2020-01-01 00:00'",
        "(?<![VAR IDENTIFIER DOT]) DATETIME (?=STRING)",
        "A literal takes no DATETIME before it.",
        rare="DATETIME",
    ),
    Sequence(
        "date_literal_of_another_form",
        "SELECT DATE 'today'",
        "DATE (?=STRING)",
        "The literal is no date.",
        rare="DATE",
        text=reads(
            r"""date\s*['\"](?!\s*\d{1,4}\W(?:0?\d|1[0-2])\W(?:[0-2]?\d|3[01])(?!\d)|\d{6}(?:\d\d)?['\"])"""
        ),
    ),
    Sequence(
        "timestamp_literal_of_date",
        "SELECT TIMESTAMP '2024-01-01'",
        "[TIMESTAMP TIMESTAMPTZ](?=STRING)",
        "The literal has no time of day.",
        rare="[TIMESTAMP TIMESTAMPTZ]",
        text=reads(r"""timestamp\s*['\"]\s*\d+\W\d+\W\d+\s*['\"]"""),
    ),
    Sequence(
        "hexadecimal_number",
        "SELECT 0x41",
        "HEX_STRING",
        "A number takes no 0x.",
        text=reads("0x"),
    ),
    Sequence(
        "number_with_underscore",
        "SELECT 1_000",
        "NUMBER (?=name)",
        "A number takes no underscore.",
        text=reads(r"[\d.]+_"),
    ),
    Sequence(
        "number_with_letters",
        "SELECT 1a",
        "NUMBER (?=name)",
        "A number takes no letters.",
        text=reads(r"[\d.]++(?:e[-+]?\d+)?+[a-z]"),
    ),
    Sequence(
        "national_string",
        "SELECT N'a'",
        "NATIONAL_STRING",
        "A string takes no N before it.",
    ),
    Sequence(
        "list_in_brackets",
        "SELECT [1]",
        "(?<=value_start) L_BRACKET|(?<=[^R_BRACKET] COMMA) L_BRACKET",
        "There are no lists in [ ].",
        rare="L_BRACKET",
    ),
    Sequence(
        "template_braces",
        None,
        "L_BRACE (?=. R_BRACE|L_BRACE)",
        "The braces of a template are no SQL: its value is missing.",
        rare="L_BRACE",
    ),
)
