"""The rule of constructs that the engine does not have."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlobs.check.constructs import CONSTRUCTS, TOKEN_CONSTRUCTS
from sqlobs.check.rules.rule import finding_at_node, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlglot.tokenizer_core import TokenType

    from sqlobs.check.catalogue import Catalogue
    from sqlobs.check.constructs import Construct, TokenConstruct
    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case


class ForeignConstruct:
    """A construct of another dialect.

    What it finds: what `constructs` lists and the engine refused when it was asked.
    Why it matters: sqlglot reads it in every dialect, the engine answers with an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    code = "syntax.dialect_mismatch"
    name = "foreign-construct"

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each use of such a construct."""
        if case.catalogue is None or case.statement.fault is not None:
            return
        refused_nodes, refused_tokens, words = _refused_by(case.catalogue)
        if words.isdisjoint(case.words):
            return
        for construct in refused_nodes:
            if construct.word in case.words:
                for node in case.nodes.get(construct.node, ()):
                    if construct.recognises(node):
                        yield finding_at_node(
                            node, code=self.code, message=_message(construct, case)
                        )
        for token in case.statement.tokens:
            for known in refused_tokens.get(token.token_type, ()):
                if known.word == token.text.upper():
                    yield finding_at_token(token, code=self.code, message=_message(known, case))


def _message(construct: Construct | TokenConstruct, case: Case) -> str:
    engine = case.catalogue.engine if case.catalogue is not None else ""
    return f"{construct.name} is not known to {engine}."


@lru_cache(maxsize=8)
def _refused_by(
    catalogue: Catalogue,
) -> tuple[list[Construct], Mapping[TokenType, list[TokenConstruct]], frozenset[str]]:
    """Return the constructs that an engine refuses, and the words that give them away."""
    nodes = [construct for construct in CONSTRUCTS if construct.sample in catalogue.refused]
    tokens: dict[TokenType, list[TokenConstruct]] = defaultdict(list)
    for known in TOKEN_CONSTRUCTS:
        if known.sample in catalogue.refused:
            tokens[known.token].append(known)
    words = [known.word for known in nodes] + [one.word for row in tokens.values() for one in row]
    return nodes, dict(tokens), frozenset(words)
