"""The names that a statement itself gives, told from its tokens; it need not parse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

LITERALS: Final = frozenset(
    {
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.BYTE_STRING,
        TokenType.NATIONAL_RAW_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    }
)
_NAMES: Final = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_BEFORE_ALIAS: Final = _NAMES | LITERALS | {TokenType.R_PAREN, TokenType.END, TokenType.ALIAS}
_NO_ALIAS: Final = frozenset(
    (
        "AT BOTH CENTURY CHARSET CONFLICT DAY DAYS DECADE DO DOW DOY ENCODING EPOCH ESCAPE EXCLUDE"
        " FILTER FIRST FOLLOWING FORMAT GROUPS HOUR HOURS IGNORE LAST LATERAL LEADING LOCKED"
        " MATERIALIZED MICROSECOND MILLISECOND MINUTE MINUTES MONTH MONTHS NO NOTHING NOTNULL"
        " NOWAIT NULLS ONLY ORDINALITY OTHERS OVER PERCENT PRECEDING PRECISION QUARTER RESPECT"
        " SEARCH SECOND SECONDS SEPARATOR SIGNED SIMILAR SKIP SYMMETRIC TIES TO TRAILING UNBOUNDED"
        " UNSIGNED VARYING WEEK WEEKS WITHIN YEAR YEARS ZONE"
    ).split()
)
"""Words of SQL that sqlglot does not know as such, and that may stand behind an expression."""

_CASTS: Final = frozenset({"CAST", "TRY_CAST", "SAFE_CAST", "CONVERT", "TRY_CONVERT"})


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names of columns, tables and CTEs that hold within the statement only."""

    names: frozenset[str]
    """In lower case."""
    places: frozenset[int]
    """The tokens that give them, by number; `max(x) AS max` gives a name that is also called."""


def find_aliases(tokens: Sequence[Token], kinds: Sequence[TokenType]) -> Aliases:
    """Return aliases of columns and tables, names of CTEs and of their columns.

    Args:
        tokens: The tokens of a statement.
        kinds: Their types.
    """
    found: set[int] = set()
    opened: list[int] = []
    before = None
    following = [*kinds[1:], None]
    for place, kind in enumerate(kinds):
        if kind is TokenType.L_PAREN:
            opened.append(place)
        elif kind is TokenType.R_PAREN:
            opening = opened.pop() if opened else 0
            if opening and following[place] is TokenType.ALIAS and _opens_cte(tokens, kinds, place):
                found.update(_listed(kinds, opening))
                found.add(opening - 1)
        elif kind in _NAMES and (
            (before in _BEFORE_ALIAS and _is_alias(tokens, kinds, place, opened))
            or (following[place] is TokenType.ALIAS and _opens_cte(tokens, kinds, place))
        ):
            found.add(place)
            if following[place] is TokenType.L_PAREN:
                found.update(_listed(kinds, place + 1))
        before = kind
    names = frozenset(tokens[place].text.lower() for place in found)
    return Aliases(names, frozenset(found))


def _is_alias(
    tokens: Sequence[Token], kinds: Sequence[TokenType], place: int, opened: list[int]
) -> bool:
    if kinds[place - 1] is TokenType.ALIAS:
        if tokens[place].text.upper() == "MATERIALIZED":
            return False
        return not (opened and opened[-1] and tokens[opened[-1] - 1].text.upper() in _CASTS)
    return not {tokens[place].text.upper(), tokens[place - 1].text.upper()} & _NO_ALIAS


def _opens_cte(tokens: Sequence[Token], kinds: Sequence[TokenType], place: int) -> bool:
    """Say whether a bracket follows the AS behind a token, as with a CTE or a window."""
    after = place + 2
    while after < len(kinds) and tokens[after].text.upper() in {"NOT", "MATERIALIZED"}:
        after += 1
    return after < len(kinds) and kinds[after] is TokenType.L_PAREN


def _listed(kinds: Sequence[TokenType], opening: int) -> list[int]:
    """Return the names of a plain list of names in parentheses; none if it holds anything else."""
    found: list[int] = []
    for place in range(opening + 1, len(kinds)):
        if kinds[place] is TokenType.R_PAREN:
            return found
        if kinds[place] in _NAMES:
            found.append(place)
        elif kinds[place] is not TokenType.COMMA:
            break
    return []
