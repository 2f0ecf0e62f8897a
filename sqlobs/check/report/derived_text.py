"""Texts about a checked statement: summary, and on first use fingerprint and masked text.

The tokens of the latest checks are kept because spans need them at once; earlier statements are
tokenized again, so that cached reports contain no tokens.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import kept_by_shape, spelled, tokenize
from sqlobs.check.report.masking import mask_sql
from sqlobs.dialects.registry import dialect_of

if TYPE_CHECKING:
    from sqlobs.check.report.model import Finding
    from sqlobs.check.resolver.model.resolution import TableUse

    _Cut = tuple[tuple[Token, ...], str]
    """The tokens of a statement, with their shape."""


_latest: Final[deque[DerivedText]] = deque()
"""The statements whose tokens are kept, oldest first."""
_MOST_LATEST: Final = 4
_LONG: Final = 4096
"""A statement with more tokens is the only one kept, to bound memory."""


class DerivedText:
    """Texts computed from the tokens of a statement."""

    __slots__ = ("_ansi_quotes", "_dialect", "_known", "_sql", "cut")

    def __init__(
        self, statement: Statement, known: Callable[[str], bool] | None, *, ansi_quotes: bool
    ) -> None:
        self._sql, self._dialect, self._known = statement.sql, statement.dialect, known
        self._ansi_quotes = ansi_quotes
        self.cut: _Cut | None = (statement.all_tokens, statement.whole_shape)
        """The tokens and their shape; None: released."""
        _latest.append(self)
        most = _MOST_LATEST if len(statement.all_tokens) <= _LONG else 1
        while len(_latest) > most:
            try:
                _latest.popleft().cut = None
            except IndexError:  # another thread was faster
                break

    def fingerprint(self) -> str | None:
        """Return the fingerprint; None if the text cannot be tokenized."""
        cut = self._tokens()
        return None if cut is None else _fingerprint(*cut)

    def masked(self) -> str | None:
        """Return the statement with its values masked; None if the text cannot be tokenized."""
        cut = self._tokens()
        if cut is None:
            return None
        tokens, shape = cut
        return mask_sql(
            self._sql, dialect=self._dialect, tokens=tokens, shape=shape, known=self._known
        )

    def _tokens(self) -> _Cut | None:
        cut = self.cut
        if cut is not None:
            return cut
        text = tokenize(self._sql, self._dialect, ansi_quotes=self._ansi_quotes)
        return None if text.fault is not None else (text.tokens, text.shape)


_VERSION: Final = "1"
"""Incremented when the normal form changes: fingerprints of two versions never compare equal."""

_SPELLED: Final = {
    **dict.fromkeys(spelled("literals"), "?"),
    spelled("EQ"): "=",
    spelled("NEQ"): "<>",
    **dict.fromkeys(spelled("ALIAS INNER SEMICOLON"), ""),
}
"""The spelling of tokens with several spellings, and of optional ones, by their letter."""
_QUOTED: Final = spelled("IDENTIFIER")


def _fingerprint(tokens: Iterable[Token], shape: str) -> str | None:
    """Return the version-prefixed hash of a statement's tokens; None if there are none.

    Keywords and names are lower-cased, quoted names kept, literals replaced by `?`; `AS`, `INNER`
    and semicolons are dropped.
    """
    if not shape:
        return None
    words = [_word(token, letter) for letter, token in zip(shape, tokens, strict=True)]
    digest = blake2b(" ".join(filter(None, words)).encode(errors="replace"), digest_size=8)
    return f"{_VERSION}:{digest.hexdigest()}"


def _word(token: Token, letter: str) -> str:
    spelled = _SPELLED.get(letter)
    if spelled is not None:
        return spelled
    return token.text if letter == _QUOTED else token.text.lower()


MAX_LENGTH: Final = 255

_VERB: Final = re.compile(spelled("[SELECT INSERT UPDATE DELETE MERGE CREATE DROP ALTER TRUNCATE]"))


def summary(statement: Statement, tables: Iterable[TableUse]) -> str:
    """Return operations and tables in order of appearance, without literals.

    Subselects repeat the verb: `SELECT SELECT orders customers`. At most 255 characters, cut at
    a word.
    """
    places = _verbs(statement.shape)
    if places == (0,):  # the tables are already in order
        words = [statement.tokens[0].text.upper(), *map(_name, tables)]
    else:
        verbs = [statement.tokens[place] for place in places]
        found = [(verb.start, verb.text.upper()) for verb in verbs]
        found += [(use.name.meta.get("start", 0), _name(use)) for use in tables]
        words = [word for _, word in sorted(found)]
    text = " ".join(words) or (statement.tree.key.upper() if statement.tree is not None else "")
    return (
        text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH + 1].rpartition(" ")[0][:MAX_LENGTH]
    )


@kept_by_shape
def _verbs(shape: str) -> tuple[int, ...]:
    return tuple([match.start() for match in _VERB.finditer(shape)])


def operation(tree: exp.Expr) -> str:
    """Return the kind of a statement in one lower-case word, such as `select`."""
    if isinstance(tree, exp.Query):
        return "select"
    if isinstance(tree, exp.Command):
        return str(tree.this).lower()
    return tree.key


def _name(use: TableUse) -> str:
    if use.node.args.get("db") is None:
        return use.name.name
    return ".".join(part.name for part in use.node.parts)


def apply_suggestions(sql: str, findings: Iterable[Finding], *, dialect: str) -> str | None:
    """Return the statement with every wrong name replaced; None if an error has no suggestion."""
    edits: dict[tuple[int, int], str] = {}
    for finding in findings:
        if finding.severity != "error":
            continue
        if finding.suggestion is None or finding.start is None or finding.end is None:
            return None
        edits[finding.start, finding.end] = quote_if_needed(finding.suggestion, dialect=dialect)
    for (start, end), text in sorted(edits.items(), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql if edits else None


def quote_if_needed(name: str, *, dialect: str) -> str:
    """Return a name as the dialect spells it: quoted unless it is a plain identifier."""
    known = dialect_of(dialect)
    return known.quoted(name) if known.needs_quotes(name) else name
