"""Where a statement begins and ends in a text: its first keywords, and the prose after it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

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
_SMALL: Final = (
    r"(?i:select\b|(?:insert|merge|replace)\s++into\b|delete\s++from\b|update\s++\S++\s++set\b|values\s*+\("
    r"|create\s++(?:or\s++replace\s++)?(?:temp\s++|temporary\s++)?(?:table|view|index)\b"
    r"|(?:alter|drop|truncate)\s++table\b|explain\s++(?:select|with)\b|pragma\s)"
)
"""Statements in any case: one word is not enough to distinguish them from English."""
CAPITALS: Final = rf"(?:{'|'.join(_STATEMENTS)})\b"
OPENS_WITH_SQL: Final = re.compile(rf"{_BLANK}[(\s]*+(?:{_SMALL}|{_CTE}|{CAPITALS})")
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
