"""Messages of parsers, drivers and exceptions without the values they quote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_VOCABULARY: Final = frozenset(
    (
        "a aborted absent access after aggregate aggregated aggregates alias allowed already"
        " ambiguous an and answer any argument arguments as at authentication be because before"
        " belongs between bit blank block boolean both bound bracket by byte bytes call called"
        " can cannot cast catalog character characters check clause closed code col column"
        " columns comes command commands comment compare compile concurrent condition conflict"
        " connect connection constraint contain contains convert converted could create current"
        " cursor cut data database date deadlock declared default defined delete denied"
        " detected did different disk division does domain driver duplicate each either empty"
        " end ended error exceeded exist existing exists expected expecting expression failed"
        " failure false field fields file fit for foreign found from full function functions"
        " given gives group grouped had has have hint holds identifier illegal implicit in"
        " incompatible incomplete incorrect index initially input insert integer internal"
        " interval into invalid is it its join key keyword kill known large length level limit"
        " line list literal locked log long lost make many matches maximum may memory message"
        " missing more most multiple must name names near neither nested no non nor not null"
        " number numeric object of off on one only open operand operands operation operator"
        " operators or order out outside over overflow parameter parameters parenthesis parse"
        " parsed parser parsing permission position possible precede preceding precision primary"
        " process query quota quote quoted range read recursion recursive reference referenced"
        " relation required requires reserved resource result returned right role row rows"
        " running schema scope select server set should single size some source space sql stack"
        " stand stands start state statement statements string structure subquery such"
        " supported syntax system table tables take takes terminated text than that the there"
        " this time timed timeout timestamp to token tokens too transaction true type types"
        " unable unexpected unhandled unique unknown unrecognized unsupported unterminated"
        " update use used user using value values view violates violation was when where which"
        " while window with within without word wrong you zero"
    ).split()
)
"""The words that engines, parsers and our own rules use. Any other may come from a value."""

_PART: Final = re.compile(
    r"'(?:[^']|'')*+'?|\"[^\"]*+\"?|`[^`]*+`?|[^\W\d_]+(?![\w@])|\s+|[.,:;()](?=\s|$)|\S+?(?=[\s'\"`]|$)"
)
_OWN: Final = re.compile(r"[.,:;()]|\s+")
_LONGEST: Final = 500


def mask_message(message: str, *, known: Callable[[str], bool] | None = None) -> str:
    """Return the first line of a message with every part that may come from a value as `?`.

    Only words of the engines' own vocabulary stay, and names that the schema has: engines quote
    values with quotes, in parentheses, behind colons, and not at all.

    Args:
        message: What a parser or driver said.
        known: Whether the schema has a name.

    >>> mask_message('invalid input syntax for type integer: "Ann"')
    'invalid input syntax for type integer: ?'
    """
    line = message.strip().partition("\n")[0][:_LONGEST]
    masked = "".join(_masked(match[0], known) for match in _PART.finditer(line))
    return re.sub(r"\?(?:\s*\?)+", "?", masked)


def _masked(part: str, known: Callable[[str], bool] | None) -> str:
    if _OWN.fullmatch(part) or part.lower() in _VOCABULARY:
        return part
    name = part.strip("'\"`")
    return name if known is not None and known(name) else "?"
