"""Cut SQL text into the tokens that Spider's evaluator sees.

The original runs a tokenizer for English prose over SQL, and its quirks decide what parses: an
operator counts only where spaces or brackets set it off, a comma before a digit does not.
"""

from __future__ import annotations

import re

from sqlobs.errors import InputError

_SPACED = (
    (re.compile("([\u00ab\u00bb\u2018-\u201a\u201c-\u201e]|`+)"), r" \1 "),
    (re.compile(r"([^.])\.([\])}> \u00bb\u2019\u201d]*)\s*$"), r"\1 . \2"),
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"(\.{2,})"), r" \1 "),
    (re.compile(r"([;@#$%&?!*\[\](){}<>])"), r" \1 "),
    (re.compile(r"(--|[\u2012-\u2015])"), r" \1 "),
    *(
        (re.compile(rf"(?i)\b({head})({tail})"), r" \1 \2 ")
        for head, tail in (
            ("can", r"not\b"),
            ("gim|lem", r"me\b"),
            ("gon", r"na\b"),
            ("got", r"ta\b"),
            ("wan", r"na(?=\s|$)"),
        )
    ),
)
_LITERAL = re.compile(r'"[^"]*"')
_PREFIXES = frozenset("!><")


def tokens(sql: str) -> list[str]:
    """Return the tokens in lower case, quoted text whole and as written.

    Raises:
        InputError: a quote is not closed.
    """
    text = sql.replace("'", '"')  # the original does not tell the two quotes apart
    if text.count('"') % 2:
        raise InputError("A quote is not closed.")
    literals: dict[str, str] = {}

    def set_aside(match: re.Match[str]) -> str:
        name = f"__val_{match.start()}_{match.end() - 1}__"
        literals[name] = match[0]
        return name

    text = _LITERAL.sub(set_aside, text)
    for pattern, spaced in _SPACED:
        text = pattern.sub(spaced, text)
    return _joined([literals.get(word, word) for word in text.lower().split()])


def _joined(words: list[str]) -> list[str]:
    """Put `! =`, `> =` and `< =` together."""
    joined: list[str] = []
    for word in words:
        if word == "=" and joined and joined[-1] in _PREFIXES:
            joined[-1] += word
        else:
            joined.append(word)
    return joined
