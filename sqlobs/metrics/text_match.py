"""Exact match of statements as canonical text: layout is forgiven, nothing else."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

UNANSWERABLE = "None"
"""Stands for "no statement can answer this" where a line must hold one."""

_TOKEN = re.compile(
    r"""
    (?P<word> (?! [enxb]' | u&' | \$\w*\$ ) [\w$]++ )
  | (?P<tight> [,().;] )
  | (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<quoted> \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z)
              | (?:[enxb]|u&)?'(?:[^']|'')*(?:'|\Z)
              | "(?:[^"]|"")*(?:"|\Z) | `[^`]*(?:`|\Z) | \[[^\]]*\] )
  | (?P<operator> <=> | ->> | \#>> | <> | != | <= | >= | \|\| | :: | := | -> | \#> | @> | <@
                | && | << | >> | !~\*? | ~\* | [^\s] )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""The most frequent kinds come first."""


_LINE_BREAK = re.compile(r"\r\n|[\n\r]")
_CACHED_CHARACTERS: Final = 4_096
_AFTER_COLUMNS = frozenset({"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})


def canonical_text(sql: str) -> str:
    r"""Return the statement on one line, with uniform spaces and letter case.

    Comments and a final `;` go, whitespace becomes one space between words and around operators
    and none around `, ( ) . ;`, everything outside quotes is in lower case, `<>` is `!=`. Nothing
    is reordered, no alias or literal is touched. Doing it twice changes nothing.

    >>> canonical_text("SELECT  A , b FROM t -- all\n WHERE c <> 'X y';")
    "select a,b from t where c != 'X y'"
    """
    return (_canonical_once if len(sql) <= _CACHED_CHARACTERS else _canonical)(sql)


def _canonical(sql: str) -> str:
    pieces: list[str] = []
    previous_is_tight = True
    for match in _TOKEN.finditer(sql):
        kind, lexeme = match.lastgroup, match[0]
        if kind == "tight":
            pieces.append(lexeme)
            previous_is_tight = True
        elif kind != "comment":
            if not previous_is_tight:
                pieces.append(" ")
            pieces.append(lexeme if kind == "quoted" else _folded(lexeme))
            previous_is_tight = False
    return "".join(pieces).rstrip(";")


_canonical_once = lru_cache(maxsize=16_384)(_canonical)
"""A run reads each text several times: exact match, and the files of canonical texts at its end."""


def single_line(sql: str) -> str:
    r"""Return the statement without line breaks, for files that hold one a line.

    Outside quotes a line break becomes a space and a comment that it ends goes. Inside quotes it
    becomes a space, too, which changes the literal: nothing else fits into a line.

    >>> single_line("SELECT 'a' -- first\nFROM t")
    "SELECT 'a'  FROM t"
    """
    if not _LINE_BREAK.search(sql):
        return sql
    pieces: list[str] = []
    position = 0
    for match in _TOKEN.finditer(sql):
        is_line_comment = match["comment"] is not None and match[0].startswith("--")
        pieces += (sql[position : match.start()], "" if is_line_comment else match[0])
        position = match.end()
    pieces.append(sql[position:])
    return _LINE_BREAK.sub(" ", "".join(pieces)).strip()


def exact_match(reference_sql: str | None, predicted_sql: str | None) -> bool:
    """Compare two statements as canonical text: the pipeline's EM.

    Range 0 or 1, higher is better. None, or the text `None`, stands for "unanswerable": both sides
    saying so match, one alone does not. An empty prediction never matches. Source: the evaluation
    pipeline's document (EM).
    """
    return exact_match_of_any((reference_sql,), predicted_sql)


def exact_match_of_any(references: Iterable[str | None], predicted_sql: str | None) -> bool:
    """Compare a statement with several references as `exact_match` does; one is enough.

    No reference at all stands for "unanswerable".
    """
    stated = [_statement(sql) for sql in references] or [None]
    predicted = _statement(predicted_sql)
    if predicted is None:
        return None in stated
    canonical = canonical_text(predicted)
    return bool(canonical) and any(
        canonical_text(sql) == canonical for sql in stated if sql is not None
    )


def same_select_text(reference_sql: str, predicted_sql: str) -> bool:
    """Compare SELECT lists as sets without aliases, and what follows them up to LIMIT as text.

    Range 0 or 1, higher is better. The lists are compared with their case, the rest without case
    and spaces; a final `;` belongs to it. False where either side has no SELECT outside brackets.
    Source: unitxt's sqlparse_equivalence.
    """
    left, right = _select_text(reference_sql), _select_text(predicted_sql)
    return left is not None and left == right


def is_unanswerable(sql: str | None) -> bool:
    """Return whether a line marks a question as unanswerable."""
    return _statement(sql) is None


def _select_text(sql: str) -> tuple[frozenset[str], str] | None:
    """Return the columns of a statement and the text behind them."""
    outside = _outside_brackets(sql)
    select = next((match for match in outside if match[0].upper() == "SELECT"), None)
    if select is None:
        return None
    behind = [match for match in outside if match.start() >= select.end()]
    end = next((match.start() for match in behind if match[0].upper() in _AFTER_COLUMNS), len(sql))
    cut = next((match.start() for match in behind if match[0].upper() == "LIMIT"), len(sql))
    commas = [match.start() for match in behind if match[0] == "," and match.start() < end]
    starts = [select.end(), *(comma + 1 for comma in commas)]
    columns = [sql[start:stop] for start, stop in zip(starts, [*commas, end], strict=True)]
    return frozenset(map(_without_alias, columns)), sql[end:cut].replace(" ", "").upper()


def _outside_brackets(sql: str) -> list[re.Match[str]]:
    found, depth = [], 0
    for match in _TOKEN.finditer(sql):
        depth -= match[0] == ")"
        if depth == 0:
            found.append(match)
        depth += match[0] == "("
    return found


def _without_alias(column: str) -> str:
    """Cut at AS; without one the last of several words is taken for the alias."""
    name = column.strip()
    head, has_alias, _ = name.upper().partition(" AS ")
    if has_alias:
        return name[: len(head)].strip()
    words = name.split()
    return " ".join(words[:-1]) if len(words) > 1 else name


def _statement(sql: str | None) -> str | None:
    return None if sql is None or sql.strip() == UNANSWERABLE else sql


def _folded(lexeme: str) -> str:
    return "!=" if lexeme == "<>" else lexeme.lower()
