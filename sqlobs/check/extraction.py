"""Where the SQL is in what a model answered: fences, prose, labels, reasoning, JSON around it.

The decisions, in the order they are taken:

- Reasoning (`<think>…</think>`) is no answer; text that never leaves it holds no SQL.
- Text that begins with SQL is the answer, whatever fences follow it.
- Of several fenced statements the last one counts: drafts come before answers. A fence that is not
  closed reaches to the end, as in an answer cut off by its token limit.
- In prose the first statement counts that stands at the start of a line or is written in capitals.
- A statement ends at the `;` that prose follows, or at an empty line that prose follows. Another
  statement behind the `;` is kept: several statements are a finding, not a decoration.

Each step is a scan forward: the work is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from sqlobs.check.answers import text_of
from sqlobs.schema.script import BACKSLASH_DIALECTS, QUOTED, QUOTED_WITH_BACKSLASH

__all__ = ["Extraction", "extract_sql", "text_of"]


@dataclass(slots=True)
class Extraction:
    """A statement found in a text."""

    sql: str
    start: int | None
    """Where it starts in the text, in characters; None where JSON spells it otherwise."""
    stripped: tuple[str, ...] = ()
    """What stood around it: `reasoning`, `fence`, `json`, `label`, `quotes`, `prose`, in order."""


_STATEMENTS: Final = (
    "SELECT WITH VALUES INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE EXPLAIN SHOW DESCRIBE"
    " DESC PRAGMA CALL EXEC EXECUTE GRANT REVOKE REPLACE USE BEGIN COMMIT ROLLBACK START ANALYZE"
    " VACUUM COPY FROM TABLE PIVOT UNPIVOT SUMMARIZE ATTACH DETACH SET DECLARE REFRESH LOAD UNLOAD"
).split()
_CLAUSES: Final = frozenset(
    [
        *_STATEMENTS,
        *(
            "WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT MINUS WINDOW"
            " QUALIFY JOIN LEFT RIGHT INNER OUTER FULL CROSS NATURAL ON USING AND OR NOT IN IS AS"
            " END ELSE WHEN THEN CASE BETWEEN LIKE RETURNING FOR INTO GO"
        ).split(),
    ]
)
"""Words that go on with SQL where prose would begin with a sentence."""

_BLANK: Final = r"(?:\s|--[^\n]*+(?:\n|$)|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+"
_CTE: Final = (
    r"""(?i:WITH\s++(?:RECURSIVE\s++)?(?:\w++|"[^"]*+"|`[^`]*+`|\[[^\]]*+\])\s*+(?:\(|AS\b))"""
)
_SMALL: Final = (
    r"(?i:select\b|(?:insert|merge)\s++into\b|delete\s++from\b|update\s++\S++\s++set\b|values\s*+\("
    r"|create\s++(?:or\s++replace\s++)?(?:temp\s++|temporary\s++)?(?:table|view|index)\b"
    r"|(?:alter|drop|truncate)\s++table\b|explain\s++(?:select|with)\b|pragma\s)"
)
"""Statements in any case: more than one word must tell them from an English sentence."""
_CAPITALS: Final = rf"(?:{'|'.join(_STATEMENTS)})\b"
_OPENS_WITH_SQL: Final = re.compile(rf"{_BLANK}[(\s]*+(?:{_SMALL}|{_CTE}|{_CAPITALS})")
_IN_PROSE: Final = re.compile(
    rf"(?:^|(?<=:))[ \t]*+\(?(?:select\b|{_CTE}|(?:INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP"
    rf"|EXPLAIN|PRAGMA|VALUES|insert\s++into|delete\s++from)\b)|\bSELECT\b(?=\s)|\b{_CTE}",
    re.MULTILINE,
)
_WORDS_IN_PROSE: Final = (
    *("select", "with", "insert", "update", "delete", "merge", "create", "alter", "drop"),
    *("explain", "pragma", "values"),
)
"""One of these is in all that `_IN_PROSE` finds; looking for them is much cheaper."""
_LOOKS_LIKE_SQL: Final = re.compile(r"\b(?:FROM|WHERE|JOIN|GROUP BY|ORDER BY)\b")
_LABEL: Final = re.compile(
    r"\s*+[#>*_]*+\s*+(?:(?:the\s+)?(?:final\s+|corrected\s+|generated\s+)?"
    r"(?:sql|sqlite|mysql|postgres(?:ql)?|duckdb)?\s*(?:query|answer|statement|output|response)?)"
    r"\s*+[*_]*+:[*_]*+\s*+",
    re.IGNORECASE,
)
_REASONING: Final = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_TAG: Final = re.compile(rf"[ \t]*+(?!{_CAPITALS})(?:[\w+.#-]*+[ \t\r]*+\n|(?i:\w*sql\w*|json)\s)")
_CUT_OFF_FIELD: Final = re.compile(
    r'"(?:sql|sql_query|query)"\s*:\s*("(?:[^"\\]|\\.)*+"?)', re.IGNORECASE
)
_PROSE: Final = re.compile(r"(?!\s*+--)[\s*#>_(\[\"'•-]*+([^\W\d_]++['\u2019]?\w*+)")
_SECTION: Final = r"\**(?:Explanation|Explanations|Notes?|Output|Results?|Reasoning)\**\s*:"
_BOUNDARY: Final = r"""
    %s | "(?:[^"]|"")*+"? | `[^`]*+`? | --[^\n]*+ | /\*(?:[^*]|\*(?!/))*+(?:\*/)?
  | (?P<end>;) | (?P<gap>\n[ \t\r]*+(?:\n\s*+|(?=SECTION)))
""".replace("SECTION", _SECTION)
_SECTION_HERE: Final = re.compile(rf"\s*+{_SECTION}")
_LINE: Final = re.compile(r"\s*+(?!--)([^\n]{1,200})")
_WORD: Final = re.compile(r"(?<![^\s,.])[a-z]++(?=[\s,.:]|$)")
_ENGLISH: Final = frozenset(
    (
        "the this that these will would can you your we which here because assuming query returns"
        " statement above it its should please of to"
    ).split()
)
_PLAIN: Final = re.compile(_BOUNDARY % QUOTED, re.VERBOSE | re.DOTALL)
_ESCAPING: Final = re.compile(_BOUNDARY % QUOTED_WITH_BACKSLASH, re.VERBOSE | re.DOTALL)
_MARK_OF_FENCE: Final = re.compile(r"```+|~~~+")
_MARKS_OF_MORE: Final = ("```", "~~~", "\n\n", "\n \n", "\n\r\n", "Explanation", "Note", "<think")
"""Where none of these occurs and no `;` inside, nothing can stand behind the statement."""
_MOST_FENCES: Final = 50
_MOST_BOUNDARIES: Final = 200
"""So many are looked at: no answer has more, and hostile text must not cost more."""
_INVISIBLE: Final = " \t\r\n\f\v\u00a0\u200b\ufeff"


def extract_sql(text: str, *, dialect: str | None = None) -> Extraction | None:
    """Return the SQL in a model's answer, or None where there is none.

    Args:
        text: The answer; may be hostile.
        dialect: sqlglot's name; decides how strings end.

    >>> extract_sql("Sure: ```sql SELECT 1;```").sql
    'SELECT 1;'
    """
    if _is_bare(text):
        sql = text.strip(_INVISIBLE)
        return Extraction(sql, text.index(sql))
    answer = _without_reasoning(_Piece(text, 0).cut(0))
    found = _statement(answer, dialect) if answer else None
    if not found or not found.text:
        return None
    return Extraction(found.text, found.start, found.stripped)


def _is_bare(text: str) -> bool:
    """Say quickly that a text is one statement and nothing else; most answers are."""
    if any(map(text.__contains__, _MARKS_OF_MORE)) or not _OPENS_WITH_SQL.match(text):
        return False
    end = text.find(";")
    return end < 0 or not text[end + 1 :].strip(_INVISIBLE)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the answer that is left, and what has been stripped from around it."""

    text: str
    start: int | None
    stripped: tuple[str, ...] = ()

    def cut(self, start: int, end: int | None = None, *, reason: str = "") -> _Piece:
        """Return a part of this piece, without the space around it."""
        part = self.text[start:end]
        text = part.strip(_INVISIBLE)
        offset = start + (part.find(text) if text else 0)
        place = None if self.start is None else self.start + offset
        is_new = bool(reason) and reason not in self.stripped
        return _Piece(text, place, (*self.stripped, reason) if is_new else self.stripped)


def _without_reasoning(piece: _Piece) -> _Piece | None:
    marks = list(_REASONING.finditer(piece.text))
    if not marks:
        return piece
    if not marks[-1][1]:
        # It was still thinking when it was cut off; what stood before may be an answer.
        before = piece.cut(0, marks[0].start(), reason="reasoning")
        return before if before.text else None
    return piece.cut(marks[-1].end(), reason="reasoning")


def _statement(piece: _Piece, dialect: str | None) -> _Piece | None:
    """Return the statement in what is left of an answer."""
    piece = _unwrapped(piece)
    if piece.text[:1] in {"{", "["} and (inner := _from_json(piece)):
        return _statement(inner, dialect)
    if not _OPENS_WITH_SQL.match(piece.text):
        return _after_prose(piece, dialect)
    end = _MARK_OF_FENCE.search(piece.text)
    if end:
        piece = piece.cut(0, end.start(), reason="fence")
    return _ended(piece, dialect)


def _after_prose(piece: _Piece, dialect: str | None) -> _Piece | None:
    """Return the statement behind whatever the answer begins with."""
    if fenced := _fenced(piece):
        return _statement(fenced, dialect)
    lowered = piece.text.lower()
    may_hold = any(word in lowered for word in _WORDS_IN_PROSE)
    found = _IN_PROSE.search(piece.text) if may_hold else None
    if found:
        return _ended(piece.cut(found.start(), reason="prose"), dialect)
    # No statement's first word, but its clauses: a misspelt one, for the parser to refuse.
    return piece if _LOOKS_LIKE_SQL.search(piece.text) else None


def _unwrapped(piece: _Piece) -> _Piece:
    """Strip a label in front and quotes around the whole."""
    label = _LABEL.match(piece.text)
    if label and label.end() and _OPENS_WITH_SQL.match(piece.text, label.end()):
        piece = piece.cut(label.end(), reason="label")
    mark = piece.text[:1]
    is_quoted = mark in {"`", '"', "'"} and piece.text.endswith(mark) and len(piece.text) > 1
    if is_quoted and _OPENS_WITH_SQL.match(piece.text, 1) and piece.text.count(mark) == 2:  # noqa: PLR2004 - a pair
        piece = piece.cut(1, -1, reason="quotes")
    return piece


def _fenced(piece: _Piece) -> _Piece | None:
    """Return the last fenced block that holds SQL, or may be a try at it."""
    marks = [match.span() for match in _MARK_OF_FENCE.finditer(piece.text)]
    for number in list(range(0, len(marks), 2))[: -_MOST_FENCES - 1 : -1]:
        start = marks[number][1]
        end = marks[number + 1][0] if number + 1 < len(marks) else len(piece.text)
        if tag := _TAG.match(piece.text, start, end):
            start = tag.end()
        block = piece.cut(start, end, reason="fence")
        if _holds_sql(block.text):
            return block
    return None


def _holds_sql(text: str) -> bool:
    if text[:1] in {"{", "["}:
        return True
    label = _LABEL.match(text)
    return bool(
        _OPENS_WITH_SQL.match(text)
        or (label and _OPENS_WITH_SQL.match(text, label.end()))
        or _LOOKS_LIKE_SQL.search(text)
    )


def _from_json(piece: _Piece) -> _Piece | None:
    """Return the SQL in a JSON object; also in one that was cut off."""
    try:
        sql = text_of(json.loads(piece.text))
    except (ValueError, RecursionError):
        field = _CUT_OFF_FIELD.search(piece.text)
        sql = _decoded(field[1]) if field else ""
    if not sql:
        return None
    return replace(_Piece(sql, None, piece.stripped).cut(0, reason="json"), start=None)


def _decoded(literal: str) -> str:
    closed = literal if literal.endswith('"') and len(literal) > 1 else f'{literal}"'
    try:
        return str(json.loads(closed, strict=False))
    except ValueError:
        return closed[1:-1]


def _ended(piece: _Piece, dialect: str | None) -> _Piece:
    """Cut a statement off where prose follows it."""
    pattern = _ESCAPING if dialect in BACKSLASH_DIALECTS else _PLAIN
    boundaries = (match for match in pattern.finditer(piece.text) if match.lastgroup)
    for match in islice(boundaries, _MOST_BOUNDARIES):
        if match.lastgroup == "end" and _is_prose(piece.text, match.end()):
            return piece.cut(0, match.end(), reason="prose")
        if match.lastgroup == "gap" and _is_sentence(piece.text, match.end()):
            return piece.cut(0, match.start(), reason="prose")
    return piece.cut(0)


def _is_prose(text: str, start: int) -> bool:
    """Say whether a sentence begins here, rather than more SQL or nothing."""
    word = _PROSE.match(text, start)
    if not word:
        return False
    first = word[1]
    if first.upper() not in _CLAUSES:
        return True
    # "With this query", "Select the rows", "In short": clauses are seldom written in title case.
    return first.istitle() and not _OPENS_WITH_SQL.match(text, word.start(1))


def _is_sentence(text: str, start: int) -> bool:
    """Say whether a line of English stands here, where nothing but an empty line ended the SQL."""
    if _SECTION_HERE.match(text, start):
        return True
    line = _LINE.match(text, start)
    words = _WORD.findall(line[1].lower()) if line else []
    return sum(word in _ENGLISH for word in words) > 1 and _is_prose(text, start)
