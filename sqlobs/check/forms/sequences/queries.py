"""Clauses of queries."""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.sequence import Sequence, reads

QUERIES: Final = (
    Sequence(
        "from_first",
        "FROM probe",
        r"\A FROM|(?<=before_query) open FROM",
        "A query does not begin with FROM.",
        rare=r"\A FROM|open FROM",
    ),
    Sequence(
        "table_statement",
        "TABLE probe",
        r"(?:\A|open) TABLE (?=name)",
        "A query does not begin with TABLE.",
        rare="TABLE",
    ),
    Sequence(
        "repeated_with",
        None,
        r"\A WITH [^INSERT]* with_again (?=name ALIAS open)",
        "WITH stands once, before all its queries.",
        rare="with_again",
    ),
    Sequence(
        "row_of_values",
        "VALUES ROW(1)",
        "VALUES (?=[ROW STRUCT] open)",
        "VALUES takes its rows without ROW.",
        rare="VALUES",
    ),
    Sequence(
        "sided_inner_join",
        None,
        "[LEFT RIGHT] (?=[INNER CROSS])",
        "A join of one side is neither INNER nor CROSS.",
    ),
    Sequence(
        "using_without_brackets",
        None,
        "JOIN joined+ USING (?=name)",
        "USING needs brackets.",
        rare="USING",
    ),
    Sequence(
        "offset_behind_with",
        "SELECT 1 FROM unnest(ARRAY[1]) WITH OFFSET AS y",
        "WITH (?=OFFSET)",
        "A function in FROM takes no WITH OFFSET.",
        rare="OFFSET",
    ),
    Sequence(
        "group_by_distinct",
        "SELECT x FROM probe GROUP BY DISTINCT x",
        "GROUP_BY (?=DISTINCT)",
        "GROUP BY takes no DISTINCT.",
    ),
    Sequence(
        "terms_behind_rollup",
        "SELECT x FROM probe GROUP BY x WITH ROLLUP, x",
        "WITH ROLLUP (?=COMMA)",
        "WITH ROLLUP stands behind all terms of GROUP BY.",
        rare="ROLLUP",
    ),
    Sequence(
        "repeated_direction",
        None,
        "direction (?=direction)",
        "A term is ordered once only.",
    ),
    Sequence(
        "limit_percent",
        "SELECT x FROM probe LIMIT 5 PERCENT",
        "LIMIT NUMBER percent (?!NUMBER|name)",
        "LIMIT takes no percentage.",
        rare="NUMBER percent",
    ),
    Sequence(
        "limit_all",
        "SELECT x FROM probe LIMIT ALL",
        "LIMIT (?=ALL)",
        "LIMIT takes no ALL.",
    ),
    Sequence(
        "offset_before_limit",
        "SELECT x FROM probe OFFSET 1 LIMIT 1",
        "OFFSET NUMBER (?=LIMIT)",
        "OFFSET stands behind LIMIT.",
        rare="OFFSET",
    ),
    Sequence(
        "set_operation_distinct",
        "SELECT 1 UNION DISTINCT SELECT 2",
        "(?:UNION|EXCEPT|INTERSECT) (?=DISTINCT)",
        "A set operation takes no DISTINCT: without ALL it gives no row twice.",
        rare="(?:UNION|EXCEPT|INTERSECT)",
    ),
    Sequence(
        "offset_rows",
        "SELECT x FROM probe LIMIT 1 OFFSET 1 ROWS",
        "LIMIT NUMBER OFFSET NUMBER (?=rows)",
        "OFFSET behind LIMIT takes no ROWS.",
        rare="OFFSET",
    ),
    Sequence(
        "fetch_without_rows",
        "SELECT x FROM probe FETCH FIRST 1 ONLY",
        "FETCH . NUMBER (?!rows|percent)",
        "FETCH needs ROWS.",
        rare="FETCH",
    ),
    Sequence(
        "for_share",
        "SELECT x FROM probe FOR SHARE",
        "FOR (?=VAR)",
        "There is no FOR SHARE.",
        rare="FOR",
        text=reads(r"for\s+share\b"),
    ),
    Sequence(
        "for_update_of",
        "SELECT x FROM probe FOR UPDATE OF probe",
        "FOR UPDATE (?=VAR)",
        "FOR UPDATE names no table.",
        rare="FOR",
        text=reads(r"for\s+update\s+of\b"),
    ),
)
