"""The rule of constructs that the engine does not have."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.constructs import CONSTRUCTS, TOKEN_CONSTRUCTS
from sqlobs.check.parsing.statement import LITERALS
from sqlobs.check.parsing.token_pattern import OPEN, letter_of, none_of
from sqlobs.check.rules.rule import finding_at_node, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot import exp

    from sqlobs.check.forms.constructs.construct import Construct, TokenConstruct
    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


_NAME_BEFORE_JOIN: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={letter_of(TokenType.JOIN)})")


class ForeignConstruct:
    """A construct of another dialect.

    What it finds: what `constructs` lists and the engine refused when it was asked, or its manual
    does not have.
    Why it matters: sqlglot reads it in every dialect, the engine answers with an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    code = "syntax.dialect_mismatch"
    name = "foreign-construct"
    triggers = frozenset(
        [construct.words[0] for construct in CONSTRUCTS] + [one.word for one in TOKEN_CONSTRUCTS]
    )

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each use of such a construct."""
        if not case.grounds.refused or case.statement.fault is not None:
            return
        refused = _refused(case.grounds.refused)
        for word in refused.words & case.statement.words:
            for construct in refused.nodes.get(word, ()):
                if construct.is_disorder and case.statement.is_orderly:
                    continue
                if case.statement.words.issuperset(construct.words):
                    yield from self._nodes(case, construct)
            if word in refused.tokens:
                yield from self._tokens(case, refused.tokens[word])
            if word == "FULL":
                yield from self._aliases(case)

    def _nodes(self, case: Case, construct: Construct) -> Iterator[Finding]:
        for node in case.nodes.get(construct.node, ()):
            if construct.recognises(node) and not (construct.is_call and _is_unread(case, node)):
                yield finding_at_node(
                    node,
                    code=self.code,
                    message=_message(construct, case),
                    identifier=construct.words[0] if construct.is_call else None,
                )

    def _aliases(self, case: Case) -> Iterator[Finding]:
        """Yield a warning for each `t FULL JOIN u` where FULL has become a name of t."""
        for found in _NAME_BEFORE_JOIN.finditer(case.statement.shape):
            token = case.statement.tokens[found.start()]
            if token.text.upper() == "FULL":
                message = "FULL is an alias here: the engine has no FULL JOIN."
                finding = finding_at_token(token, code=self.code, message=message)
                yield replace(finding, severity="warning")

    def _tokens(self, case: Case, construct: TokenConstruct) -> Iterator[Finding]:
        for place, token in enumerate(case.statement.tokens):
            if token.token_type is not construct.token or token.text.upper() != construct.word:
                continue
            if not _is_call(case, place):
                yield finding_at_token(token, code=self.code, message=_message(construct, case))


def _is_call(case: Case, place: int) -> bool:
    """Say whether an operator's word is the name of a call that the engine has (`xor(a, b)`)."""
    name = case.statement.tokens[place].text.lower()
    if case.catalogue is None or name not in case.catalogue.functions:
        return False
    return _CALL.match(case.statement.shape, max(place - 1, 0)) is not None


_NO_CALL: Final = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.CROSS, TokenType.OUTER)
_CALL: Final = re.compile(f"{none_of(*_NO_CALL, TokenType.VAR, *LITERALS)}.{OPEN}", re.DOTALL)
"""What stands before the name of a call, its name and its bracket."""


def _is_unread(case: Case, node: exp.Expr) -> bool:
    """Say whether a call stands in a CTE that the engine does not look into."""
    above: exp.Expr | None = node if case.resolution.unread else None
    while above is not None:
        if any(above is cte for cte in case.resolution.unread):
            return True
        above = above.parent
    return False


def _message(construct: Construct | TokenConstruct, case: Case) -> str:
    engine = case.profile.engine if case.profile is not None else "this engine"
    if case.catalogue is not None:
        engine = case.catalogue.engine
    return f"{construct.name} is not known to {engine}."


@dataclass(frozen=True, slots=True)
class _Refused:
    """What an engine does not have, by a word that is in every use of it."""

    nodes: Mapping[str, list[Construct]]
    tokens: Mapping[str, TokenConstruct]
    words: frozenset[str]


@lru_cache(maxsize=32)
def _refused(samples: frozenset[str]) -> _Refused:
    nodes: defaultdict[str, list[Construct]] = defaultdict(list)
    for construct in CONSTRUCTS:
        if construct.sample in samples:
            nodes[construct.words[0]].append(construct)
    tokens = {one.word: one for one in TOKEN_CONSTRUCTS if one.sample in samples}
    return _Refused(dict(nodes), tokens, frozenset([*nodes, *tokens]))
