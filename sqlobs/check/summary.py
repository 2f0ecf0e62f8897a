"""The summary of a statement: operations and targets in order, as `db.query.summary` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot.tokenizer_core import Token

MAX_LENGTH: Final = 255

_VERBS: Final = frozenset(
    {
        TokenType.SELECT,
        TokenType.INSERT,
        TokenType.UPDATE,
        TokenType.DELETE,
        TokenType.MERGE,
        TokenType.CREATE,
        TokenType.DROP,
        TokenType.ALTER,
        TokenType.TRUNCATE,
    }
)


def summary(tree: exp.Expr, tokens: Sequence[Token], targets: Iterable[exp.Table]) -> str:
    """Return operations and tables in order of appearance, without literals.

    Subselects repeat the verb: `SELECT SELECT orders customers`. At most 255 characters, cut at
    a word.
    """
    words = sorted([*_verbs(tokens), *_names(targets)])
    text = " ".join(word for _, word in words) or tree.key.upper()
    return (
        text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH + 1].rpartition(" ")[0][:MAX_LENGTH]
    )


def operation(tree: exp.Expr) -> str:
    """Return the kind of a statement in one lower-case word, such as `select`."""
    if isinstance(tree, exp.Query):
        return "select"
    if isinstance(tree, exp.Command):
        return str(tree.this).lower()
    return tree.key


def _verbs(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    return ((token.start, token.text.upper()) for token in tokens if token.token_type in _VERBS)


def _names(targets: Iterable[exp.Table]) -> Iterator[tuple[int, str]]:
    for target in targets:
        yield target.this.meta.get("start", 0), ".".join(part.name for part in target.parts)
