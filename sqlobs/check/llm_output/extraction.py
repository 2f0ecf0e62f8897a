"""Extracts the SQL from a model's answer and strips what surrounds it.

The decisions, in their order:

- Reasoning (`<think>…</think>`) is not an answer; text that never closes it has no SQL.
- Text that begins with SQL is the answer, whatever fences follow it.
- Of several fenced or tagged (`<sql>…</sql>`) statements the last one counts: drafts come before
  answers. A fence that is not closed reaches to the end, as where a token limit cuts an answer off.
- In prose the first JSON object with a statement in it counts, then the first statement that is
  written in capitals, or is at the start of a line or after a quote; that quote ends it, too.
- A statement ends at a closing tag or a mark of the model's own (`<|im_end|>`), at the `;` that
  prose follows, or at the line where prose begins. Another statement behind the `;` is kept:
  several statements are a finding, not a decoration.

Each step is a scan forward: the work is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Final

from sqlobs.check.llm_output.answer_text import text_of
from sqlobs.check.parsing.stack import on_stack_for
from sqlobs.dialects.registry import dialect_of
from sqlobs.schema.script import QUOTED, QUOTED_WITH_BACKSLASH

_STATEMENTS: Final = (
    "SELECT WITH VALUES INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE EXPLAIN SHOW DESCRIBE"
    " DESC PRAGMA CALL EXEC EXECUTE GRANT REVOKE REPLACE USE BEGIN COMMIT ROLLBACK START ANALYZE"
    " VACUUM COPY FROM TABLE PIVOT UNPIVOT SUMMARIZE ATTACH DETACH SET DECLARE REFRESH LOAD UNLOAD"
    " EXPORT"
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
"""Keywords that continue SQL where prose would begin a sentence."""

_BLANK: Final = r"(?:\s|--[^\n]*+(?:\n|$)|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)*+"
_CTE: Final = (
    r"""(?i:WITH\s++(?:RECURSIVE\s++)?(?:\w++|"[^"]*+"|`[^`]*+`|\[[^\[\]]*+\])\s*+(?:\(|AS\b))"""
)
_VALUES: Final = (
    r"(?i:WITH\b[^;]{1,1000}?\bAS\s++\w++\s*+(?:,|SELECT\b)"
    r"|FROM\s++[\w.]++\s++(?:AS\s++\w++\s++)?(?:SELECT|JOIN|(?:LEFT|INNER|ARRAY)\s++JOIN)\b)"
)
"""`with 1 as one select one`, `from orders select id`: in any case where a text begins with it."""
_SMALL: Final = (
    r"(?i:select\b|(?:insert|merge|replace)\s++into\b|delete\s++from\b|update\s++\S++\s++set\b|values\s*+\("
    r"|create\s++(?:or\s++replace\s++)?(?:temp\s++|temporary\s++)?(?:table|view|index)\b"
    r"|(?:alter|drop|truncate)\s++table\b|explain\s++(?:select|with)\b|pragma\s)"
)
"""Statements in any case: one word is not enough to distinguish them from English."""
CAPITALS: Final = rf"(?:{'|'.join(_STATEMENTS)})\b"
OPENS_WITH_SQL: Final = re.compile(rf"{_BLANK}[(\s]*+(?:{_SMALL}|{_CTE}|{CAPITALS}|{_VALUES})")
IN_PROSE: Final = re.compile(
    rf"(?:^|(?<=[:`\"'\u201c]))[ \t]*+\(?(?:select\b|{_CTE}"
    rf"|(?:INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP"
    rf"|EXPLAIN|PRAGMA|VALUES|insert\s++into|delete\s++from)\b)|\bSELECT\b(?=\s)|\b{_CTE}",
    re.MULTILINE,
)
WORDS_IN_PROSE: Final = (
    *("select", "with", "insert", "update", "delete", "merge", "create", "alter", "drop"),
    *("explain", "pragma", "values"),
)
"""Every match of `IN_PROSE` contains one of these; searching for them is much cheaper."""
LOOKS_LIKE_SQL: Final = re.compile(r"\b(?:FROM|WHERE|JOIN|GROUP BY|ORDER BY)\b")
_PROSE: Final = re.compile(r"(?!\s*+--)[\s*#>_(\[\"'•-]*+([^\W\d_]++['\u2019]?\w*+)")
_SECTION: Final = (
    r"\**(?:Explanations?|Notes?|(?:(?:Sample|Example|Expected)\s)?Output|(?:SQL\s?)?Results?|Reasoning"
    r"|Observation|Thought|(?:Final\s)?Answer|Question)\**\s*:"
)
_BOUNDARY: Final = r"""
    (?P<fence>```+ | ~~~+) | (?P<tag><\|\w++\|> | </\w++> | \[/\w++\])
  | %s | "(?:[^"]|"")*+"? | `[^`]*+`? | --[^\n]*+ | /\*(?:[^*]|\*(?!/))*+(?:\*/)?
  | (?P<end>;)
  | (?P<gap>\n[ \t\r]*+(?:\n\s*+|(?=SECTION|[A-Z][a-z\u2019']*+[ ,][a-z])))
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
_OPENERS: Final = frozenset(
    "It This That These Here Note Done Hope Let We You I Please Thanks If".split()
)
"""Words that begin a sentence after an empty line, however short it is."""
_PLAIN: Final = re.compile(_BOUNDARY % QUOTED, re.VERBOSE | re.DOTALL)
_ESCAPING: Final = re.compile(_BOUNDARY % QUOTED_WITH_BACKSLASH, re.VERBOSE | re.DOTALL)
MORE_LINES: Final = re.compile(rf"\n[ \t\r]*+(?:\n|{_SECTION}|[A-Z][a-z\u2019']*+[ ,][a-z])")
"""Without one of these, and without `;` inside, nothing can follow the statement."""
_MOST_BOUNDARIES: Final = 200
"""Boundaries examined at most: real answers have fewer, and hostile text must not cost more."""


def end_of_statement(text: str, dialect: str | None) -> tuple[int, str] | None:
    """Return where a statement ends, and what ends it: `prose`, `fence`, `tag`; None: all is SQL.

    Args:
        text: begins with a statement.
        dialect: sqlglot's name; decides how strings end.
    """
    pattern = _ESCAPING if dialect_of(dialect).scripts.backslash_escapes else _PLAIN
    boundaries = (match for match in pattern.finditer(text) if match.lastgroup)
    for match in islice(boundaries, _MOST_BOUNDARIES):
        if match.lastgroup in {"fence", "tag"}:
            return match.start(), match.lastgroup
        if match.lastgroup == "end" and _is_prose(text, match.end()):
            return match.end(), "prose"
        if match.lastgroup == "gap" and _is_sentence(text, match):
            return match.start(), "prose"
    return None


def _is_prose(text: str, start: int) -> bool:
    """Return whether a sentence begins here, rather than more SQL or nothing."""
    word = _PROSE.match(text, start)
    if not word:
        return False
    first = word[1]
    if first.upper() not in _CLAUSES:
        return True
    # "With this query", "Select the rows", "In short": clauses are seldom written in title case.
    return first.istitle() and not OPENS_WITH_SQL.match(text, word.start(1))


def _is_sentence(text: str, gap: re.Match[str]) -> bool:
    """Return whether an English line follows a gap, if nothing else has ended the SQL."""
    start = gap.end()
    if _SECTION_HERE.match(text, start):
        return True
    opener = _PROSE.match(text, start)
    if gap[0].count("\n") > 1 and opener and opener[1] in _OPENERS:
        return True
    line = _LINE.match(text, start)
    words = _WORD.findall(line[1].lower()) if line else []
    return sum(word in _ENGLISH for word in words) > 1 and _is_prose(text, start)


__all__ = ["Extraction", "extract_sql", "text_of"]


@dataclass(slots=True)
class Extraction:
    """A statement found in a text."""

    sql: str
    start: int | None
    """Where it starts in the text, in characters; None where JSON spells it otherwise."""
    stripped: tuple[str, ...] = ()
    """What was stripped: `reasoning`, `fence`, `tag`, `json`, `label`, `quotes`, `prose`."""


_LABEL: Final = re.compile(
    r"\s*+[#>*_]*+\s*+(?:(?:the\s+)?(?:final\s+|corrected\s+|generated\s+)?"
    r"(?:sql|sqlite|mysql|postgres(?:ql)?|duckdb)?\s*(?:query|answer|statement|output|response)?)"
    r"\s*+[*_]*+:[*_]*+\s*+",
    re.IGNORECASE,
)
_REASONING: Final = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_TAG: Final = re.compile(rf"[ \t]*+(?!{CAPITALS})(?:[\w+.#-]*+[ \t\r]*+\n|(?i:\w*sql\w*|json)\s)")
_CUT_OFF_FIELD: Final = re.compile(
    r'"(?:sql|sql_query|query)"\s*:\s*("(?:[^"\\]|\\.)*+"?)', re.IGNORECASE
)
_MARK_OF_FENCE: Final = re.compile(r"```+|~~~+")
_MARK_OF_MORE: Final = re.compile(r"```|~~~|<\||</|\[/|<think|:\n")
_TAG_OF_ANSWER: Final = re.compile(
    r"<(?P<xml>sql|query|sql_query|sqlquery|final_sql|answer|final_answer|output|response|result|code)>"
    r"|\[(?P<square>sql|query|answer)\]",
    re.IGNORECASE,
)
_MARK_IN_FRONT: Final = re.compile(r"(?:\s*+(?:<s>|<\|\w++\|>(?:assistant\b)?+))++", re.IGNORECASE)
_INTRODUCTION: Final = re.compile(r"\s*+[A-Z][a-z]++ [^\n;]*+(?<=:)[ \t\r]*+\n")
"""`Select the names with the following query:`: English, though it begins like a statement."""
_CLOSING: Final = {'"""': '"""', "'''": "'''", "`": "`", "\u201c": "\u201d", '"': '"'}
"""Quotes that may enclose a statement in prose, with their closing quotes."""
_OPENING: Final = re.compile(r"(?:\"\"\"|'''|[`\u201c\"])\s*+\Z")
_MOST_FENCES: Final = 50
_MOST_TAGS: Final = 4
_MOST_OBJECTS: Final = 20
_INVISIBLE: Final = " \t\r\n\f\v\u00a0\u200b\ufeff"


def extract_sql(text: str, *, dialect: str | None = None) -> Extraction | None:
    """Return the SQL in a model's answer, or None if there is none.

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
    """Return whether a text is certainly one statement and nothing else, as most answers are."""
    if _MARK_OF_MORE.search(text) or not OPENS_WITH_SQL.match(text):
        return False
    if "\n" in text and MORE_LINES.search(text):
        return False
    end = text.find(";")
    return end < 0 or not text[end + 1 :].strip(_INVISIBLE)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the answer, and what has been stripped from around it."""

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
        # Truncated while reasoning; the text before it may be an answer.
        before = piece.cut(0, marks[0].start(), reason="reasoning")
        return before if before.text else None
    return piece.cut(marks[-1].end(), reason="reasoning")


def _statement(piece: _Piece, dialect: str | None) -> _Piece | None:
    """Return the statement in the rest of an answer."""
    if mark := _MARK_IN_FRONT.match(piece.text):
        piece = piece.cut(mark.end(), reason="tag")
    piece = _unwrapped(piece)
    if piece.text[:1] in {"{", "["} and (inner := _from_json(piece)):
        return _statement(inner, dialect)
    if not OPENS_WITH_SQL.match(piece.text):
        return _after_prose(piece, dialect)
    introduction = _INTRODUCTION.match(piece.text)
    if introduction is not None:
        further = piece.cut(introduction.end(), reason="prose")
        return _after_prose(further, dialect) or _ended(piece, dialect)
    return _ended(piece, dialect)


def _after_prose(piece: _Piece, dialect: str | None) -> _Piece | None:
    """Return the statement after the prose that the answer begins with."""
    if inner := _tagged(piece) or _fenced(piece) or _from_json_in_prose(piece):
        return _statement(inner, dialect)
    lowered = piece.text.lower()
    may_hold = any(word in lowered for word in WORDS_IN_PROSE)
    found = IN_PROSE.search(piece.text) if may_hold else None
    if found:
        return _ended(_unquoted(piece, found.start()), dialect)
    # Clauses without the first keyword of a statement: a misspelled one, left to the parser.
    return piece if LOOKS_LIKE_SQL.search(piece.text) else None


def _unwrapped(piece: _Piece) -> _Piece:
    """Strip a leading label, and quotes around the whole."""
    label = _LABEL.match(piece.text)
    if label and label.end() and OPENS_WITH_SQL.match(piece.text, label.end()):
        piece = piece.cut(label.end(), reason="label")
    mark = piece.text[:1]
    closing = {"`": "`", '"': '"', "'": "'", "\u201c": "\u201d"}.get(mark, "")
    is_quoted = closing and len(piece.text) > 1 and piece.text.endswith(closing)
    others = piece.text[1:-1]
    if is_quoted and OPENS_WITH_SQL.match(others) and mark not in others and closing not in others:
        piece = piece.cut(1, -1, reason="quotes")
    return piece


def _tagged(piece: _Piece) -> _Piece | None:
    """Return the content of the last tags for an answer, if it contains SQL."""
    for tag in reversed(deque(_TAG_OF_ANSWER.finditer(piece.text), maxlen=_MOST_TAGS)):
        closing = f"</{tag['xml']}>" if tag["xml"] else f"[/{tag['square']}]"
        end = piece.text.find(closing, tag.end())
        block = piece.cut(tag.end(), None if end < 0 else end, reason="tag")
        if _MARK_OF_FENCE.match(block.text) or _holds_sql(block.text):
            return block
    return None


def _unquoted(piece: _Piece, start: int) -> _Piece:
    """Return a statement in prose from its start, up to the quote that closes one before it."""
    opening = _OPENING.search(piece.text, max(start - _MOST_SPACE, 0), start)
    end = None
    if opening:
        close = _CLOSING[opening[0].strip()]
        end = piece.text.find(close, start) if close != '"' else piece.text.rfind(close, start)
        if close == '"' and piece.text.count(close, start) % 2 == 0:
            end = None  # they belong to the statement
    return piece.cut(start, None if end is None or end < 0 else end, reason="prose")


_MOST_SPACE: Final = 20


def _fenced(piece: _Piece) -> _Piece | None:
    """Return the last fenced block that contains SQL, or an attempt at it."""
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
        OPENS_WITH_SQL.match(text)
        or (label and OPENS_WITH_SQL.match(text, label.end()))
        or LOOKS_LIKE_SQL.search(text)
    )


def _from_json(piece: _Piece) -> _Piece | None:
    """Return the SQL in a JSON object; also in one that was cut off."""
    try:
        sql = text_of(_read(json.loads, piece.text))
    except (ValueError, RecursionError):
        field = _CUT_OFF_FIELD.search(piece.text)
        sql = _decoded(field[1]) if field else ""
    if not sql:
        return None
    return replace(_Piece(sql, None, piece.stripped).cut(0, reason="json"), start=None)


def _from_json_in_prose(piece: _Piece) -> _Piece | None:
    """Return the SQL in the first JSON object of a text that holds some."""
    place = piece.text.find("{")
    for _ in range(_MOST_OBJECTS):
        if place < 0:
            return None
        try:
            value, end = _read(partial(_JSON.raw_decode, idx=place), piece.text)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if (sql := text_of(value)) and (sql[:1] == "{" or _holds_sql(sql)):
                found = _Piece(sql, None, piece.stripped).cut(0, reason="prose")
                return replace(found.cut(0, reason="json"), start=None)
        place = piece.text.find("{", end)
    return None


_JSON: Final = json.JSONDecoder(strict=False)


def _read(reader: Callable[[str], Any], text: str) -> Any:  # noqa: ANN401 - what JSON holds
    """Read JSON; each level of it is one on the stack."""
    return on_stack_for(text.count("[") + text.count("{"), lambda: reader(text))


def _decoded(literal: str) -> str:
    closed = literal if literal.endswith('"') and len(literal) > 1 else f'{literal}"'
    try:
        return str(json.loads(closed, strict=False))
    except ValueError:
        return closed[1:-1]


def _ended(piece: _Piece, dialect: str | None) -> _Piece:
    """Cut a statement off where something else follows it."""
    found = end_of_statement(piece.text, dialect)
    return piece.cut(0) if found is None else piece.cut(0, found[0], reason=found[1])
