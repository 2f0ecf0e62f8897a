"""Calls, and how they take their arguments."""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.sequence import Sequence, reads

CALLS: Final = (
    Sequence(
        "call_of_string",
        "SELECT 'a'.upper()",
        "STRING (?=DOT name open)",
        "A call takes its argument in brackets.",
        rare="STRING DOT",
    ),
    Sequence(
        "filter_without_where",
        "SELECT count(*) FILTER (x > 1) FROM probe",
        "close FILTER open (?!WHERE)",
        "FILTER needs WHERE.",
        rare="FILTER",
    ),
    Sequence(
        "extract_of_text",
        "SELECT extract('year' FROM CURRENT_TIMESTAMP)",
        "VAR open (?=STRING FROM)",
        "EXTRACT takes its unit without quotes.",
        words=("EXTRACT",),
        text=reads("extract"),
    ),
    Sequence(
        "json_object_with_colon",
        "SELECT json_object('a': 1)",
        "VAR open (?=[STRING VAR] COLON)",
        "The call parts names and values with commas.",
        words=("JSON_OBJECT", "JSON_OBJECTAGG"),
        text=reads("json_object"),
    ),
    Sequence(
        "json_object_with_value",
        "SELECT json_object('a' VALUE 1)",
        "VAR open (?=VAR? STRING VAR)",
        "The call parts names and values with commas.",
        words=("JSON_OBJECT", "JSON_OBJECTAGG"),
        text=reads(r"json_object(?:agg)?\s*\(\s*(?:key\s+)?'[^']*'\s*value\b"),
    ),
    Sequence(
        "substring_from",
        "SELECT substring('abc' FROM 2 FOR 1)",
        "VAR (?=open in_bracket+ FROM)",
        "SUBSTRING takes its arguments with commas.",
        words=("SUBSTRING",),
        text=reads(r"substring\b"),
    ),
    Sequence(
        "position_with_comma",
        "SELECT position('a', 'b')",
        "VAR (?=open in_bracket+ COMMA)",
        "POSITION takes its arguments with IN.",
        words=("POSITION",),
        text=reads(r"position\b"),
    ),
    Sequence(
        "extract_with_comma",
        "SELECT extract(YEAR, CURRENT_TIMESTAMP)",
        "VAR (?=open in_bracket+ COMMA)",
        "EXTRACT takes its arguments with FROM.",
        words=("EXTRACT",),
        text=reads(r"extract\b"),
    ),
    Sequence(
        "trim_with_comma",
        "SELECT trim('a', 'b')",
        "VAR (?=open in_bracket+ COMMA)",
        "TRIM takes its arguments with FROM.",
        words=("TRIM",),
        text=reads(r"trim\b"),
    ),
    Sequence(
        "within_group_of_any",
        "SELECT string_agg('a', ',') WITHIN GROUP (ORDER BY x) FROM probe",
        "VAR (?=open (?:no_bracket|open no_bracket* close)+ close VAR{2} open ORDER_BY)",
        "The call takes no WITHIN GROUP.",
        words=("WITHIN",),
        text=reads(r"(?:string_agg|listagg|group_concat)\b"),
        is_call=True,
    ),
)
