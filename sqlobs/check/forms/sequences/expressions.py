"""Operators, casts, and strings in the place of names."""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.sequence import Sequence, reads

EXPRESSIONS: Final = (
    Sequence(
        "not_null",
        "SELECT 1 FROM probe WHERE x NOT NULL",
        "(?<=value_end) NOT (?=NULL)",
        "IS is missing before NOT NULL.",
        rare="value_end NOT NULL",
        is_of_queries=True,
    ),
    Sequence(
        "operator_not",
        "SELECT !x FROM probe",
        "(?<!value_end) NOT (?![RLIKE IRLIKE LIKE])",
        "There is no operator !.",
        words=("!",),
        text=reads("!(?!~)"),
    ),
    Sequence(
        "is_distinct_from",
        "SELECT 1 FROM probe WHERE x IS DISTINCT FROM 1",
        "IS NOT?(?=DISTINCT)",
        "There is no operator IS DISTINCT FROM.",
        rare="DISTINCT FROM",
    ),
    Sequence(
        "operator_question",
        "SELECT CAST('{}' AS jsonb) ? 'a'",
        "PLACEHOLDER (?=STRING)",
        "There is no operator ?.",
        rare="PLACEHOLDER",
    ),
    Sequence(
        "isnull",
        "SELECT 1 FROM probe WHERE x ISNULL",
        "ISNULL (?!open)",
        "ISNULL is no condition.",
        rare="ISNULL",
    ),
    Sequence(
        "notnull",
        "SELECT 1 FROM probe WHERE x NOTNULL",
        "NOTNULL (?!open)",
        "NOTNULL is no condition.",
        rare="NOTNULL",
    ),
    Sequence(
        "bracket_behind_in",
        "SELECT 1 FROM probe WHERE 1 IN [1]",
        "IN (?=L_BRACKET)",
        "IN needs brackets ( ).",
        rare="L_BRACKET",
    ),
    Sequence(
        "slice_of_cast",
        "SELECT x::text[1:2] FROM probe",
        "DCOLON . L_BRACKET NUMBER? (?=COLON)",
        "What is cast needs brackets before a part of it is taken.",
        rare="COLON",
    ),
    Sequence(
        "colon_behind_name",
        "SELECT x:y FROM (SELECT 1 AS x, 2 AS y) AS t",
        "[SELECT COMMA] (?:name DOT)? name COLON (?=name)",
        "There is no operator :.",
        rare="COLON",
    ),
    Sequence(
        "cast_to_number_with_sign",
        "SELECT CAST(x AS int unsigned) FROM probe",
        "ALIAS .(?=UBIGINT)",
        "A cast takes SIGNED or UNSIGNED alone.",
        rare="UBIGINT",
        text=reads(r"as\s+(?:big|small|medium|tiny)?int(?:eger)?\s+unsigned\b"),
    ),
    Sequence(
        "length_max",
        "SELECT CAST(x AS varchar(max)) FROM probe",
        "[VARCHAR NVARCHAR TEXT VARBINARY] open (?=VAR close)",
        "The length of a type is a number.",
    ),
    Sequence(
        "star_in_brackets",
        "SELECT (*) FROM probe",
        "before_star open STAR (?=close)",
        "A star stands in no brackets.",
    ),
    Sequence(
        "string_after_dot",
        "SELECT probe.'x' FROM probe",
        "DOT (?=STRING)",
        "A string is no name of a column.",
    ),
    Sequence(
        "string_before_dot",
        "SELECT 'probe'.x FROM probe",
        "STRING (?=DOT (?!name open))",
        "A string is no name of a relation.",
        rare="STRING DOT",
    ),
    Sequence(
        "string_table_alias",
        "SELECT p.x FROM probe AS 'p'",
        "named_relation ALIAS (?=STRING)",
        "A string is no name of a relation.",
    ),
)
