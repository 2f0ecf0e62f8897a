"""What makes a statement give other rows the second time, though the data are the same.

Only what differs between two statements of one transaction counts: PostgreSQL's `now()` stands
still in it, and a date of SQLite's changes at midnight only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    from sqlobs.execution.calls import Call
    from sqlobs.execution.parts import Parts

Volatility = Literal["clock", "random", "session", "unordered_limit"]

_RANDOM: Final = {
    *("gen_random_uuid", "normal_rand", "rand", "random", "random_normal"),
    *("uuid", "uuid_generate_v4", "uuidv4", "uuidv7"),
}
_SESSION: Final = {
    *("current_catalog", "current_database", "current_schema", "current_schemas"),
    *("current_role", "current_user", "session_user", "user"),
}
_BARE_CALLS: Final = frozenset(
    kind for kind in TokenType if kind.name.startswith(("CURRENT_", "SESSION_", "LOCALTIME"))
)
"""Functions that are called without parentheses: each is a keyword of its own."""
_TIME_OF_DAY: Final = re.compile("%[HIklMpPSfsJTRX]")
"""Parts of a `strftime` format that change within a day."""


def volatilities_of(parts: Parts, *, calls: Iterable[Call], dialect: str) -> frozenset[Volatility]:
    """Return why a second run of a statement may give other rows; empty for most.

    Args:
        parts: Its tokens and nodes.
        calls: The functions it calls.
        dialect: sqlglot's name.
    """
    return frozenset(
        (
            *_by_call(calls, dialect),
            *_by_keyword(parts, dialect),
            *(
                ("clock",)
                if dialect_of(dialect).execution.now_is_text and _asks_for_now(parts)
                else ()
            ),
            *(("random",) if parts.of(exp.TableSample) else ()),
            *(("unordered_limit",) if any(map(_cuts, parts.of(exp.Query))) else ()),
        )
    )


def _by_call(calls: Iterable[Call], dialect: str) -> Iterator[Volatility]:
    for call in calls:
        yield from _by_name(call.name, dialect)
        clocks = dialect_of(dialect).execution.clocks_without_arguments
        if call.name in clocks and not call.has_arguments:
            yield "clock"


def _by_keyword(parts: Parts, dialect: str) -> Iterator[Volatility]:
    """Yield for functions that are called without parentheses: each is a keyword of its own."""
    if _BARE_CALLS.isdisjoint(parts.token_kinds):
        return
    for token in parts.tokens:
        if token.token_type in _BARE_CALLS:
            yield from _by_name(token.text.lower(), dialect)


def _by_name(name: str, dialect: str) -> tuple[Volatility, ...]:
    if name in dialect_of(dialect).execution.clocks:
        return ("clock",)
    if name in _RANDOM:
        return ("random",)
    return ("session",) if name in _SESSION else ()


def _asks_for_now(parts: Parts) -> bool:
    """Return whether a date function of SQLite's takes the moment: `datetime('now')`."""
    tokens, text = parts.tokens, TokenType.STRING
    return any(
        kind is text
        and tokens[index].text.lower() == "now"
        and _is_finer_than_a_day(tokens[max(index - 3, 0) : index])
        for index, kind in enumerate(parts.token_kinds)
    )


def _is_finer_than_a_day(before: Sequence[Token]) -> bool:
    """Return whether what stands before 'now' shows its time: all but `date(` and some formats."""
    if len(before) > 1 and before[-1].token_type is TokenType.L_PAREN:
        return before[-2].text.lower() != "date"
    is_format = len(before) > 1 and before[-2].token_type is TokenType.STRING
    return not is_format or _TIME_OF_DAY.search(before[-2].text) is not None


def _cuts(node: exp.Query) -> bool:
    """Return whether LIMIT or OFFSET picks rows that no ORDER BY ranks, out of more than one."""
    args = node.args
    if args.get("order") or not (args.get("limit") or args.get("offset")):
        return False
    is_total = not args.get("group") and any(
        isinstance(part, exp.AggFunc) for item in node.selects for part in item.walk()
    )
    return not is_total and not isinstance(node.parent, exp.Exists)
