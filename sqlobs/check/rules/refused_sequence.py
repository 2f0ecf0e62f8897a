"""The rule of words that the engine does not take one after the other."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import finding_at_token
from sqlobs.check.shape import CLOSE, OPEN, any_of, finder, letter_of, none_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.catalogue import Catalogue
    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case
    from sqlobs.check.shape import Finder
    from sqlobs.check.statement import Statement

_NAME: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER)
_FROM: Final = letter_of(TokenType.FROM)
_IN: Final = letter_of(TokenType.IN)
_AS: Final = letter_of(TokenType.ALIAS)
_STRING: Final = letter_of(TokenType.STRING)
_NUMBER: Final = letter_of(TokenType.NUMBER)
_INTERVAL: Final = letter_of(TokenType.INTERVAL)
_IN_BRACKET: Final = none_of(TokenType.L_PAREN, TokenType.R_PAREN, TokenType.SELECT)
_NO_BRACKET: Final = none_of(TokenType.L_PAREN, TokenType.R_PAREN)
_LIST: Final = f"{OPEN}{_IN_BRACKET}+{CLOSE}"
_MOMENTS: Final = any_of(
    TokenType.DATE,
    TokenType.TIME,
    TokenType.TIMESTAMP,
    TokenType.TIMESTAMPTZ,
    TokenType.DATETIME,
)
_BEFORE_QUERY: Final = any_of(TokenType.ALIAS, TokenType.FROM, TokenType.JOIN, TokenType.IN)
_END_OF_VALUE: Final = any_of(
    TokenType.COMMA,
    TokenType.R_PAREN,
    TokenType.FROM,
    TokenType.ALIAS,
    TokenType.AND,
    TokenType.OR,
    TokenType.GROUP_BY,
    TokenType.ORDER_BY,
    TokenType.LIMIT,
)
_BEFORE_STAR: Final = any_of(
    *(TokenType.SELECT, TokenType.COMMA, TokenType.L_PAREN, TokenType.ORDER_BY),
    *(TokenType.GROUP_BY, TokenType.HAVING, TokenType.WHERE, TokenType.THEN, TokenType.ELSE),
    *(TokenType.SLASH, TokenType.PLUS, TokenType.DASH, TokenType.STAR),
)
_WORD: Final = letter_of(TokenType.VAR)
_FOR: Final = letter_of(TokenType.FOR)
_COLON: Final = letter_of(TokenType.COLON)
_TIMESTAMP: Final = any_of(TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ)
_SIGN: Final = any_of(TokenType.PLUS, TokenType.DASH)
_BEFORE_ITEM: Final = any_of(TokenType.SELECT, TokenType.COMMA)
_PERCENT: Final = any_of(TokenType.PERCENT, TokenType.MOD)
_ROWS: Final = any_of(TokenType.ROW, TokenType.ROWS)
_PATTERNS: Final = any_of(TokenType.RLIKE, TokenType.IRLIKE, TokenType.LIKE)
_JOINED: Final = any_of(TokenType.VAR, TokenType.IDENTIFIER, TokenType.DOT, TokenType.ALIAS)
_VALUE_END: Final = any_of(
    TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.STRING, TokenType.NUMBER
)
_VALUE_START: Final = any_of(
    *(TokenType.SELECT, TokenType.DISTINCT, TokenType.WHERE, TokenType.AND, TokenType.OR),
    *(TokenType.ON, TokenType.FROM, TokenType.JOIN, TokenType.DOT, TokenType.EQ),
    *(TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.L_PAREN),
)
_WITH: Final = letter_of(TokenType.WITH)
_COMMA: Final = letter_of(TokenType.COMMA)
_RECURSIVE: Final = letter_of(TokenType.RECURSIVE)
_WITH_AGAIN: Final = f"{CLOSE}(?:{_WITH}|{_COMMA}(?:{_WITH}|{_RECURSIVE}))"
_ONE_SIDED: Final = any_of(TokenType.LEFT, TokenType.RIGHT)
_NOT_SIDED: Final = any_of(TokenType.INNER, TokenType.CROSS)
_DIRECTION: Final = any_of(TokenType.ASC, TokenType.DESC)
_INTO: Final = letter_of(TokenType.INTO)
_BRACKET: Final = letter_of(TokenType.L_BRACKET)
_BRACE: Final = letter_of(TokenType.L_BRACE)
_LISTED: Final = f"{_NAME}{letter_of(TokenType.R_BRACKET)}"
_NAMED_RELATION: Final = f"{any_of(TokenType.FROM, TokenType.JOIN)}{_JOINED}*{_NAME}"
_SEQUENCES: Final = {
    "interval_in_string": (
        rf"{_INTERVAL}{_STRING}(?={_END_OF_VALUE}|\Z)",
        "INTERVAL needs a unit behind its value.",
    ),
    "interval_without_unit": (
        rf"{_INTERVAL}{_NUMBER}(?={_END_OF_VALUE}|\Z)",
        "INTERVAL needs a unit behind its value.",
    ),
    "star_in_brackets": (
        f"{_BEFORE_STAR}{OPEN}{letter_of(TokenType.STAR)}(?={CLOSE})",
        "A star stands in no brackets.",
    ),
    "interval_of_number": (f"{_INTERVAL}(?={_NUMBER})", "INTERVAL needs its value in quotes."),
    "interval_of_column": (
        f"{_INTERVAL}(?={_NAME}(?:{letter_of(TokenType.DOT)}{_NAME})?{_NAME})",
        "INTERVAL takes no column.",
    ),
    "interval_of_brackets": (
        f"{_INTERVAL}(?={OPEN}(?!{_NUMBER}{CLOSE}{_STRING}))",
        "INTERVAL takes no brackets.",
    ),
    "typed_literal": (f"{_MOMENTS}(?={_STRING})", "A literal takes no type before it."),
    "from_first": (
        rf"\A{_FROM}|(?<={_BEFORE_QUERY}){OPEN}{_FROM}",
        "A query does not begin with FROM.",
    ),
    "template_braces": (
        f"{_BRACE}(?=.{letter_of(TokenType.R_BRACE)}|{_BRACE})",
        "The braces of a template are no SQL: its value is missing.",
    ),
    "limit_percent": (
        rf"{letter_of(TokenType.LIMIT)}{_NUMBER}{_PERCENT}(?!{_NUMBER}|{_NAME})",
        "LIMIT takes no percentage.",
    ),
    "not_null": (
        f"(?<={_VALUE_END}){letter_of(TokenType.NOT)}(?={letter_of(TokenType.NULL)})",
        "IS is missing before NOT NULL.",
    ),
    "operator_not": (
        f"(?<!{_VALUE_END}){letter_of(TokenType.NOT)}(?!{_PATTERNS})",
        "There is no operator !.",
    ),
    "is_distinct_from": (
        f"{letter_of(TokenType.IS)}{letter_of(TokenType.NOT)}?(?={letter_of(TokenType.DISTINCT)})",
        "There is no operator IS DISTINCT FROM.",
    ),
    "hexadecimal_number": (letter_of(TokenType.HEX_STRING), "A number takes no 0x."),
    "number_with_underscore": (f"{_NUMBER}(?={_NAME})", "A number takes no underscore."),
    "number_with_letters": (f"{_NUMBER}(?={_NAME})", "A number takes no letters."),
    "string_after_dot": (
        f"{letter_of(TokenType.DOT)}(?={_STRING})",
        "A string is no name of a column.",
    ),
    "string_before_dot": (
        f"{_STRING}(?={letter_of(TokenType.DOT)}(?!{_NAME}{OPEN}))",
        "A string is no name of a relation.",
    ),
    "call_of_string": (
        f"{_STRING}(?={letter_of(TokenType.DOT)}{_NAME}{OPEN})",
        "A call takes its argument in brackets.",
    ),
    "string_table_alias": (
        f"{_NAMED_RELATION}{_AS}(?={_STRING})",
        "A string is no name of a relation.",
    ),
    "offset_before_limit": (
        f"{letter_of(TokenType.OFFSET)}{_NUMBER}(?={letter_of(TokenType.LIMIT)})",
        "OFFSET stands behind LIMIT.",
    ),
    "operator_question": (
        f"{letter_of(TokenType.PLACEHOLDER)}(?={_STRING})",
        "There is no operator ?.",
    ),
    "bracket_behind_in": (f"{_IN}(?={letter_of(TokenType.L_BRACKET)})", "IN needs brackets ( )."),
    "filter_without_where": (
        f"{CLOSE}{letter_of(TokenType.FILTER)}{OPEN}(?!{letter_of(TokenType.WHERE)})",
        "FILTER needs WHERE.",
    ),
    "national_string": (letter_of(TokenType.NATIONAL_STRING), "A string takes no N before it."),
    "offset_rows": (
        f"{letter_of(TokenType.LIMIT)}{_NUMBER}{letter_of(TokenType.OFFSET)}{_NUMBER}(?={_ROWS})",
        "OFFSET behind LIMIT takes no ROWS.",
    ),
    "list_in_brackets": (
        f"(?<={_VALUE_START}){_BRACKET}|(?<={letter_of(TokenType.COMMA)}){_BRACKET}(?={_LISTED})",
        "There are no lists in [ ].",
    ),
    "extract_of_text": (
        f"{_WORD}{OPEN}(?={_STRING}{_FROM})",
        "EXTRACT takes its unit without quotes.",
    ),
    "interval_in_string_first": (
        f"{_INTERVAL}(?={_STRING}{_SIGN})",
        "INTERVAL needs a unit behind its value.",
    ),
    "datetime_literal": (
        f"{letter_of(TokenType.DATETIME)}(?={_STRING})",
        "A literal takes no DATETIME before it.",
    ),
    "date_literal_of_another_form": (
        f"{letter_of(TokenType.DATE)}(?={_STRING})",
        "The literal is no date.",
    ),
    "timestamp_literal_of_date": (
        f"{_TIMESTAMP}(?={_STRING})",
        "The literal has no time of day.",
    ),
    "table_statement": (
        rf"(?:\A|{OPEN}){letter_of(TokenType.TABLE)}(?={_NAME})",
        "A query does not begin with TABLE.",
    ),
    "for_share": (f"{_FOR}(?={_WORD})", "There is no FOR SHARE."),
    "for_update_of": (
        f"{_FOR}{letter_of(TokenType.UPDATE)}(?={_WORD})",
        "FOR UPDATE names no table.",
    ),
    "json_object_with_colon": (
        f"{_WORD}{OPEN}(?={any_of(TokenType.STRING, TokenType.VAR)}{_COLON})",
        "The call parts names and values with commas.",
    ),
    "json_object_with_value": (
        f"{_WORD}{OPEN}(?={_WORD}?{_STRING}{_WORD})",
        "The call parts names and values with commas.",
    ),
    "colon_behind_name": (
        rf"{_BEFORE_ITEM}(?:{_NAME}{letter_of(TokenType.DOT)})?{_NAME}{_COLON}(?={_NAME})",
        "There is no operator :.",
    ),
    "cast_to_number_with_sign": (
        f"{_AS}.(?={letter_of(TokenType.UBIGINT)})",
        "A cast takes SIGNED or UNSIGNED alone.",
    ),
    "fetch_without_rows": (
        f"{letter_of(TokenType.FETCH)}.{_NUMBER}(?!{_ROWS}|{_PERCENT})",
        "FETCH needs ROWS.",
    ),
    "terms_behind_rollup": (
        f"{letter_of(TokenType.WITH)}{letter_of(TokenType.ROLLUP)}(?={letter_of(TokenType.COMMA)})",
        "WITH ROLLUP stands behind all terms of GROUP BY.",
    ),
    "isnull": (f"{letter_of(TokenType.ISNULL)}(?!{OPEN})", "ISNULL is no condition."),
    "notnull": (f"{letter_of(TokenType.NOTNULL)}(?!{OPEN})", "NOTNULL is no condition."),
    "update_bare_alias": (
        rf"\A{letter_of(TokenType.UPDATE)}{_NAME}{_NAME}(?={letter_of(TokenType.SET)})",
        "UPDATE takes no alias without AS.",
    ),
    "delete_bare_alias": (
        rf"\A{letter_of(TokenType.DELETE)}{_FROM}{_NAME}(?={_NAME})",
        "DELETE takes no alias without AS.",
    ),
    "delete_alias": (
        rf"\A{letter_of(TokenType.DELETE)}{_FROM}{_NAME}(?={_AS})",
        "DELETE takes no alias.",
    ),
    "offset_behind_with": (
        f"{letter_of(TokenType.WITH)}(?={letter_of(TokenType.OFFSET)})",
        "A function in FROM takes no WITH OFFSET.",
    ),
    "insert_set": (
        rf"\A{letter_of(TokenType.INSERT)}{_INTO}?{_JOINED}+(?={letter_of(TokenType.SET)})",
        "INSERT takes no SET.",
    ),
    "group_by_distinct": (
        f"{letter_of(TokenType.GROUP_BY)}(?={letter_of(TokenType.DISTINCT)})",
        "GROUP BY takes no DISTINCT.",
    ),
    "repeated_with": (
        rf"\A{_WITH}{none_of(TokenType.INSERT)}*{_WITH_AGAIN}(?={_NAME}{_AS}{OPEN})",
        "WITH stands once, before all its queries.",
    ),
    "repeated_direction": (
        f"{_DIRECTION}(?={_DIRECTION})",
        "A term is ordered once only.",
    ),
    "row_of_values": (
        f"{letter_of(TokenType.VALUES)}(?={any_of(TokenType.ROW, TokenType.STRUCT)}{OPEN})",
        "VALUES takes its rows without ROW.",
    ),
    "insert_without_into": (
        rf"\A{letter_of(TokenType.INSERT)}(?={_NAME})",
        "INTO is missing behind INSERT.",
    ),
    "insert_value": (
        rf"\A{letter_of(TokenType.INSERT)}{_INTO}?{_JOINED}+(?:{_LIST}{_WORD})?(?={OPEN})",
        "The rows of INSERT stand behind VALUES.",
    ),
    "limit_all": (
        f"{letter_of(TokenType.LIMIT)}(?={letter_of(TokenType.ALL)})",
        "LIMIT takes no ALL.",
    ),
    "sided_inner_join": (
        f"{_ONE_SIDED}(?={_NOT_SIDED})",
        "A join of one side is neither INNER nor CROSS.",
    ),
    "using_without_brackets": (
        f"{letter_of(TokenType.JOIN)}{_JOINED}+{letter_of(TokenType.USING)}(?={_NAME})",
        "USING needs brackets.",
    ),
}
"""By the name of one of `samples`: the shape, and the message."""
_TEXTS: Final = {
    "operator_not": re.compile("!(?!~)"),
    "hexadecimal_number": re.compile("0x", re.IGNORECASE),
    "number_with_underscore": re.compile(r"[\d.]+_"),
    "number_with_letters": re.compile(r"[\d.]++(?:e[-+]?\d+)?+[a-z]", re.IGNORECASE),
    "extract_of_text": re.compile("extract", re.IGNORECASE),
    "interval_in_string_first": re.compile(r"interval\s*'[^']*[a-z]", re.IGNORECASE),
    "date_literal_of_another_form": re.compile(
        r"date\s*['\"](?!\s*\d{1,4}\W(?:0?\d|1[0-2])\W(?:[0-2]?\d|3[01])(?!\d)"
        r"|\d{6}(?:\d\d)?['\"])",
        re.IGNORECASE,
    ),
    "timestamp_literal_of_date": re.compile(
        r"timestamp\s*['\"]\s*\d+\W\d+\W\d+\s*['\"]", re.IGNORECASE
    ),
    "insert_value": re.compile(r"insert\b[^'\"`]*?\bvalue\s*\(", re.IGNORECASE),
    "for_share": re.compile(r"for\s+share\b", re.IGNORECASE),
    "for_update_of": re.compile(r"for\s+update\s+of\b", re.IGNORECASE),
    "json_object_with_colon": re.compile("json_object", re.IGNORECASE),
    "json_object_with_value": re.compile(
        r"json_object(?:agg)?\s*\(\s*(?:key\s+)?'[^']*'\s*value\b", re.IGNORECASE
    ),
    "cast_to_number_with_sign": re.compile(
        r"as\s+(?:big|small|medium|tiny)?int(?:eger)?\s+unsigned\b", re.IGNORECASE
    ),
}
"""How the text must read there, where the shape does not tell."""
_OF_QUERIES: Final = frozenset({"not_null"})
"""Sequences that mean something in a definition (`name text NOT NULL`)."""
_NOWHERE: Final = frozenset(
    {
        *("using_without_brackets", "template_braces", "repeated_direction", "repeated_with"),
        "sided_inner_join",
    }
)
"""Sequences that no engine takes."""
_RARE: Final = re.compile(
    any_of(
        *(TokenType.INTERVAL, TokenType.DATE, TokenType.TIME, TokenType.TIMESTAMP),
        *(TokenType.TIMESTAMPTZ, TokenType.DATETIME, TokenType.HEX_STRING, TokenType.ISNULL),
        *(TokenType.NOTNULL, TokenType.UPDATE, TokenType.DELETE, TokenType.USING),
        *(TokenType.PLACEHOLDER, TokenType.OFFSET, TokenType.NATIONAL_STRING),
        *(TokenType.FILTER, TokenType.L_BRACKET, TokenType.TABLE, TokenType.FOR, TokenType.COLON),
        TokenType.L_BRACE,
        *(TokenType.UBIGINT, TokenType.FETCH, TokenType.ROLLUP, TokenType.VALUES),
    )
    + rf"|{_NAMED_RELATION}{_AS}{_STRING}|{_STRING}{letter_of(TokenType.DOT)}"
    + rf"|{letter_of(TokenType.DOT)}{_STRING}|{_NUMBER}(?:{_NAME}|{_PERCENT})"
    + f"|{_BEFORE_STAR}{OPEN}{letter_of(TokenType.STAR)}"
    + rf"|{_VALUE_END}{letter_of(TokenType.NOT)}{letter_of(TokenType.NULL)}|{OPEN}{_FROM}|\A{_FROM}"
    + rf"|{letter_of(TokenType.DISTINCT)}{_FROM}|\A{letter_of(TokenType.INSERT)}"
    + f"|{letter_of(TokenType.GROUP_BY)}{letter_of(TokenType.DISTINCT)}|{_DIRECTION}{{2}}"
    + f"|{_WITH_AGAIN}|{_ONE_SIDED}{_NOT_SIDED}"
    + f"|{letter_of(TokenType.LIMIT)}{letter_of(TokenType.ALL)}"
)
_RARE_WORDS: Final = frozenset(
    {"!", "EXTRACT", "JSON_OBJECT", "POSITION", "SUBSTRING", "TRIM", "WITHIN"}
)
"""Where none of these is, there is no such sequence: looking for all of them costs more."""
_FROM_IN_CALL: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={OPEN}{_IN_BRACKET}+{_FROM})")
_COMMA_IN_CALL: Final = re.compile(
    f"{letter_of(TokenType.VAR)}(?={OPEN}{_IN_BRACKET}+{letter_of(TokenType.COMMA)})"
)
_WITHIN_GROUP: Final = re.compile(
    f"{letter_of(TokenType.VAR)}(?={OPEN}(?:{_NO_BRACKET}|{OPEN}{_NO_BRACKET}*{CLOSE})+{CLOSE}"
    f"{letter_of(TokenType.VAR)}{{2}}{OPEN}{letter_of(TokenType.ORDER_BY)})"
)
_ARGUMENTS: Final = (
    (
        "substring_from",
        _FROM_IN_CALL,
        "SUBSTRING",
        "SUBSTRING takes its arguments with commas.",
    ),
    ("position_with_comma", _COMMA_IN_CALL, "POSITION", "POSITION takes its arguments with IN."),
    ("extract_with_comma", _COMMA_IN_CALL, "EXTRACT", "EXTRACT takes its arguments with FROM."),
    ("trim_with_comma", _COMMA_IN_CALL, "TRIM", "TRIM takes its arguments with FROM."),
)
"""How calls take their arguments: the sample, the shape, the name, the message."""
_JOINING: Final = frozenset({"STRING_AGG", "LISTAGG", "GROUP_CONCAT"})
"""Calls that the parser reads its own way: the tree does not keep where their order stands."""


class RefusedSequence:
    """Words that the engine does not take one after the other.

    What it finds: `INTERVAL '1 day'` in MySQL, `DATE '2024-01-01'` in SQLite, a query that begins
    with FROM outside DuckDB, `LIMIT 5 PERCENT`, `USING id` without brackets.
    Why it matters: sqlglot reads them in every dialect, engines answer with an error.
    Example: `SELECT name FROM customers WHERE born > DATE '2000-01-01'` in SQLite
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """

    code = "syntax.parse_error"
    name = "refused-sequence"
    concerns = _RARE_WORDS | {_RARE}

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such place."""
        if case.catalogue is None or case.statement.fault is not None:
            return
        if not _RARE.search(case.statement.shape) and _RARE_WORDS.isdisjoint(case.statement.words):
            return
        for token, message in _refused(case.statement, case.catalogue):
            yield finding_at_token(token, code=self.code, message=message)


def _refused(statement: Statement, catalogue: Catalogue) -> Iterator[tuple[Token, str]]:
    find, alike = _sequences_in(catalogue)
    for name, place, _ in find(statement.shape):
        token = statement.tokens[place]
        for form in alike[name]:
            if form in _OF_QUERIES and not isinstance(statement.tree, exp.Query):
                continue
            text = _TEXTS.get(form)
            if text is None or text.match(statement.sql, token.start):
                yield token, _SEQUENCES[form][1]
                break
    if "WITHIN" in statement.words and "within_group_of_any" in catalogue.refused:
        yield from _ordered(statement, catalogue)
    for sample, pattern, name, message in _ARGUMENTS:
        if name in statement.words and sample in catalogue.refused:
            for found in pattern.finditer(statement.shape):
                token = statement.tokens[found.start()]
                if token.text.upper() == name:
                    yield token, message


def _ordered(statement: Statement, catalogue: Catalogue) -> Iterator[tuple[Token, str]]:
    for found in _WITHIN_GROUP.finditer(statement.shape):
        token = statement.tokens[found.start()]
        if token.text.upper() in _JOINING and token.text.lower() in catalogue.functions:
            yield token, "The call takes no WITHIN GROUP."


@lru_cache(maxsize=8)
def _sequences_in(catalogue: Catalogue) -> tuple[Finder, Mapping[str, Sequence[str]]]:
    """Return what finds the sequences that an engine refuses, and which ones each find may be.

    Sequences of one shape, which only the text tells apart, are found as one.
    """
    by_shape: dict[str, list[str]] = {}
    for form, (shape, _) in _SEQUENCES.items():
        if form in catalogue.refused | _NOWHERE:
            by_shape.setdefault(shape, []).append(form)
    alike = {forms[0]: forms for forms in by_shape.values()}
    return finder({forms[0]: shape for shape, forms in by_shape.items()}), alike
