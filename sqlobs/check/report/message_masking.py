"""Masks the values in messages of models, engines and exceptions.

Values are found by their position: between quotes, in parentheses, behind a colon, as numbers, and
where the statement itself has them as literals. Names that the statement has stay, and prose does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlobs.check.report.masking import mask_sql
from sqlobs.dialects.identifiers import PLAIN_NAME

_LONGEST: Final = 500
_KEPT: Final = 8
"""Statements whose words are kept: each finding of a statement has a message."""
_WORD: Final = re.compile(r"[\w$]+")
_NAME: Final = re.compile(rf"{PLAIN_NAME}(?:\.{PLAIN_NAME})*")
_QUOTES: Final = "'\"`“”«»\u2018\u2019"
_CLOSING: Final = {"“": "”", "«": "»", "\u2018": "\u2019"}
_OPENS: Final = re.compile(rf"(?<!\w)[{_QUOTES}]|[“«\u2018]")
r"""A quote that may open a quotation: not the apostrophe of `can't`."""
_CLOSES: Final = re.compile(rf"[{_QUOTES}](?!\w)")
_IN_PARENTHESES: Final = re.compile(r"\(.*\)|\(.*$")
"""`(918273645 * 3)`, `(mail)=(a@b.c)`: first to last: a value may contain parentheses."""
_NUMBER: Final = re.compile(r"(?<![\w?])[-+]?\d[\w.:/+-]*")
"""`918273645`, `2031-07-29`, `1e9`; not the digits of `INT32`."""
_STATUS: Final = re.compile(r"HTTP \d{3}")
_MASKS: Final = re.compile(r"\?(?:[\s.,]*\?)+")


@dataclass(frozen=True, slots=True)
class StatementWords:
    """The words of a statement, case-folded."""

    names: frozenset[str]
    """Names and keywords, which masking keeps."""
    values: frozenset[str]
    """Words of literals and comments, which masking removes."""

    @staticmethod
    @lru_cache(maxsize=_KEPT)
    def of(sql: str, masked_sql: str | None) -> StatementWords:
        """Separate names from values; without masked text every word may be a value."""
        names = _words(masked_sql or "")
        return StatementWords(names, _words(sql) - names)

    def have(self, name: str) -> bool:
        """Return whether a name, with or without qualifiers, is in the statement."""
        return _NAME.fullmatch(name) is not None and self.names.issuperset(_words(name))

    def unqualified(self, name: str) -> str | None:
        """Return a known name without its unknown qualifier: `?.orders`; None for others."""
        qualifier, dot, last = name.rpartition(".")
        return f"?.{last}" if dot and qualifier and self.have(last) else None


def mask_message(
    message: str, *, sql: str, masked_sql: str | None, known: Callable[[str], bool] | None = None
) -> str:
    """Return the first line of a message about a statement, without the statement's values.

    For messages of checks and models, which have seen the statement and no rows: what they quote
    is kept only if it is a name.

    Args:
        message: The message.
        sql: The statement.
        masked_sql: The same without its values; None: values and names cannot be separated.
        known: Returns whether to keep a name that the statement does not have.

    >>> mask_message(
    ...     "The type that FROBNICATE gives for 'Ann' is wrong.",
    ...     sql="SELECT frobnicate('Ann')",
    ...     masked_sql="SELECT frobnicate(?)",
    ... )
    'The type that FROBNICATE gives for ? is wrong.'
    """
    words = StatementWords.of(sql, masked_sql)

    def keeps(name: str) -> bool:
        return words.have(name) or (known is not None and known(name))

    return _tidy(_without_quotations(_line(message), keeps, words))


def mask_engine_message(
    message: str, *, sql: str = "", dialect: str = "", is_about_names: bool = False
) -> str:
    """Return the first line of an engine's message without values of the statement or of rows.

    Args:
        message: The message of the engine or its driver.
        sql: The statement; empty: none.
        dialect: sqlglot's name of its dialect.
        is_about_names: The engine rejected the statement for its names, before it read a row: each
            quotation is masked by itself. Otherwise everything from the first quote to the last is
            masked, since a value of a row may contain quotes.

    >>> mask_engine_message('invalid input syntax for type integer: "Ann"')
    'invalid input syntax for type integer: ?'
    >>> mask_engine_message("no such column: totl", sql="SELECT totl FROM t", dialect="sqlite")
    'no such column: totl'
    """
    words = StatementWords.of(sql, mask_sql(sql, dialect=dialect) if sql else None)
    line = _line(message)
    if _STATUS.fullmatch(line):
        return line
    if is_about_names:
        line = _without_quotations(line, words.have, words)
    else:
        line = _without_values(_without_span(line, words), words)
    head, colon, tail = line.partition(": ")
    return _tidy(f"{head}: {_tail(tail, words)}" if colon else line)


def _tail(text: str, words: StatementWords) -> str:
    """Return what may follow a colon: a name, or the class of error (`syntax error`)."""
    if text == "syntax error" or words.have(text):
        return text
    return words.unqualified(text) or "?"


def _line(message: str) -> str:
    return message.strip().partition("\n")[0][:_LONGEST]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _tidy(line: str) -> str:
    return _MASKS.sub("?", line)


def _without_quotations(line: str, keeps: Callable[[str], bool], words: StatementWords) -> str:
    """Mask every quotation that is not a name, and all values of the statement."""
    parts: list[str] = []
    done = 0
    while (opening := _OPENS.search(line, done)) is not None:
        parts.append(_without_words(line[done : opening.start()], words))
        quote = _CLOSING.get(opening[0], opening[0])
        end = line.find(quote, opening.end())
        if end < 0:  # the truncated rest may be a value
            return "".join(parts) + "?"
        content = line[opening.end() : end]
        shown = content if keeps(content) else words.unqualified(content)
        parts.append("?" if shown is None else f"{opening[0]}{shown}{quote}")
        done = end + 1
    return "".join(parts) + _without_words(line[done:], words)


def _without_span(line: str, words: StatementWords) -> str:
    """Mask everything from the first quote to the last, unless it is a single name."""
    opening = _OPENS.search(line)
    if opening is None:
        return line
    closings = list(_CLOSES.finditer(line, opening.end()))
    end = closings[-1].end() if closings else len(line)
    span = line[opening.start() : end]
    if words.have(span.strip(_QUOTES)):
        return line
    return f"{line[: opening.start()]}?{line[end:]}"


def _without_values(line: str, words: StatementWords) -> str:
    """Mask parentheses, numbers, and all values of the statement."""
    line = _IN_PARENTHESES.sub("(?)", line)
    return _NUMBER.sub("?", _without_words(line, words))


def _without_words(text: str, words: StatementWords) -> str:
    if not words.values:
        return text
    return _WORD.sub(lambda found: "?" if found[0].casefold() in words.values else found[0], text)
