from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from sqlobs.check.forms import SetOperations
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import CLOSE, OPEN, SET_OPERATIONS, kinds, spelled
from sqlobs.check.rules.rule import DISORDER, Case, Findings, Rule

_SET_OPERATIONS: Final = frozenset(spelled("UNION INTERSECT EXCEPT"))
_ORDER: Final = (
    *("FROM JOIN", "WHERE", "GROUP_BY", "HAVING", "WINDOW", "QUALIFY"),
    *("UNION INTERSECT EXCEPT", "ORDER_BY", "LIMIT OFFSET FETCH"),
)
_RANK_OF: Final = {
    letter: rank for rank, words in enumerate(_ORDER, start=1) for letter in spelled(words)
}
_REPEATABLE: Final = frozenset(spelled("JOIN LIMIT OFFSET FETCH"))
_SELECT: Final = spelled("SELECT")
_FROM: Final = spelled("FROM")
_OFFSET: Final = spelled("OFFSET")
_SAMPLED: Final = re.compile(spelled("TABLE_SAMPLE NUMBER (?:SLASH NUMBER)?") + r"\Z")
_BEFORE_VALUES: Final = (
    "SELECT DISTINCT COMMA WITH open L_BRACKET WHERE GROUP_BY ORDER_BY HAVING ON EQ LT GT PLUS"
    " DASH STAR"
)
_CHANGE: Final = spelled("UPDATE SET")
_PIPE: Final = spelled("PIPE_GT")
_STARTS: Final = frozenset({_CHANGE, _PIPE})
"""Where other clauses follow than those of the SELECT before: `INSERT INTO t SELECT … ON CONFLICT
(a) DO UPDATE SET a = 1 WHERE …`, `SELECT … GROUP BY a |> WHERE …`."""
_STRUCTURE: Final = re.compile(
    spelled(
        "open|close|SELECT|UPDATE SET|PIPE_GT"
        f"|(?<![DOT ALIAS AND OR]) (?!(?<=[{_BEFORE_VALUES}]) OFFSET) [{' '.join(_ORDER)}]"
    )
)


class ClauseOrder(Rule, code="syntax.parse_error", triggers={DISORDER}):
    """A clause after one that it must precede, or a repeated clause.

    What it finds: `HAVING` before `WHERE`, a `JOIN` after `WHERE`, `ORDER BY` or `LIMIT` before
    `UNION`.
    Why it matters: sqlglot accepts clauses in any order; engines do not.
    Example: `SELECT city FROM customers GROUP BY city WHERE born > '2000-01-01'`
    Instead: `SELECT city FROM customers WHERE born > '2000-01-01' GROUP BY city`
    """

    def findings(self, case: Case) -> Findings:
        if case.profile is None or case.statement.is_orderly:
            return
        for token in _misplaced(case.statement):
            if not case.follows_defaults and not _is_certain(case, token):
                continue
            is_union = token.token_type in SET_OPERATIONS
            if is_union and case.accepts(SetOperations.order_before_set_operation):
                continue
            word = token.text.upper()
            if word == "WINDOW" and case.traits.window_follows_qualify:
                continue
            yield self.at(token, f"{word} follows a clause that it must precede.")


_CERTAIN: Final = kinds("WHERE GROUP_BY HAVING ORDER_BY JOIN QUALIFY")
_STRANGE: Final = frozenset({"|>", "WINDOW", "QUALIFY", "OFFSET", "FETCH", "MATCH_RECOGNIZE"})
"""Keywords with another position, or that are names, in some engines that were not measured."""


_LIMIT_AS_NAME: Final = re.compile(spelled("LIMIT (?!NUMBER)"))


def _is_certain(case: Case, token: Token) -> bool:
    """Return whether a clause is out of order in engines that were not measured, too."""
    statement = case.statement
    strange = _STRANGE & statement.words
    if token.token_type is TokenType.QUALIFY and "qualify" in case.grounds.traits.alias_clauses:
        strange -= {"QUALIFY"}
    if strange or _LIMIT_AS_NAME.search(statement.shape):
        return False
    if token.token_type in SET_OPERATIONS:
        return case.rejects(SetOperations.order_before_set_operation)
    return token.token_type in _CERTAIN


def _misplaced(statement: Statement) -> Iterator[Token]:
    """Yield clauses out of order, per parenthesis level; None: a level without SELECT."""
    ranks: list[int | None] = [None]
    for found in _STRUCTURE.finditer(statement.shape):
        letter, reached = found[0], ranks[-1]
        if letter == OPEN:
            ranks.append(None)
        elif letter in _STARTS:
            ranks[-1] = None
        elif letter == CLOSE:
            del ranks[max(len(ranks) - 1, 1) :]
        elif letter == _SELECT:
            ranks[-1] = reached or 0
        elif reached is not None and not _is_within(statement, found.start()):
            rank = _RANK_OF[letter]
            if rank < reached or (rank == reached and letter not in _REPEATABLE):
                yield statement.tokens[found.start()]
            ranks[-1] = 0 if letter in _SET_OPERATIONS else max(reached, rank)


def _is_within(statement: Statement, place: int) -> bool:
    """Return whether a keyword starts no clause, as in `DISTINCT FROM`, `* EXCEPT (…)`."""
    before = statement.tokens[place - 1]
    if before.token_type is TokenType.STAR:
        return statement.shape[place] in _SET_OPERATIONS
    if before.token_type is TokenType.FOR:  # `USE INDEX FOR ORDER BY (…)`
        return True
    if statement.shape[place] == _OFFSET and _SAMPLED.search(statement.shape, 0, place):
        return True  # ClickHouse's `SAMPLE 1 / 10 OFFSET 1 / 2`
    # `IS DISTINCT FROM`, and ClickHouse's `ORDER BY x WITH FILL FROM 1`
    return before.text.upper() in {"DISTINCT", "ROWS", "FILL"} and statement.shape[place] == _FROM
