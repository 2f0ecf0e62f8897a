"""The rule of constructs that the engine does not have."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlobs.check.constructs import CONSTRUCTS, TOKEN_CONSTRUCTS
from sqlobs.check.rules.rule import ALWAYS, finding_at_node, finding_at_token
from sqlobs.check.shape import any_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot import exp

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
    concerns = ALWAYS

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each use of such a construct."""
        if case.catalogue is None or case.statement.fault is not None:
            return
        if not _refused_words(case.catalogue).isdisjoint(case.words):
            yield from self._nodes(case, case.catalogue)
            yield from self._tokens(case, case.catalogue)

    def _nodes(self, case: Case, catalogue: Catalogue) -> Iterator[Finding]:
        refused = _refused_nodes(catalogue)
        for kind in refused.keys() & case.nodes.keys():
            for construct in refused[kind]:
                if construct.word not in case.words:
                    continue
                for node in case.nodes[kind]:
                    if construct.recognises(node):
                        message = _message(construct, catalogue)
                        yield finding_at_node(node, code=self.code, message=message)

    def _tokens(self, case: Case, catalogue: Catalogue) -> Iterator[Finding]:
        pattern, refused = _refused_tokens(catalogue)
        for found in pattern.finditer(case.statement.shape):
            token = case.statement.tokens[found.start()]
            if (construct := refused.get(token.text.upper())) is not None:
                message = _message(construct, catalogue)
                yield finding_at_token(token, code=self.code, message=message)


def _message(construct: Construct | TokenConstruct, catalogue: Catalogue) -> str:
    return f"{construct.name} is not known to {catalogue.engine}."


@lru_cache(maxsize=8)
def _refused_words(catalogue: Catalogue) -> frozenset[str]:
    """Return the words without which there is no such construct."""
    constructs: tuple[Construct | TokenConstruct, ...] = (*CONSTRUCTS, *TOKEN_CONSTRUCTS)
    return frozenset([one.word for one in constructs if one.sample in catalogue.refused])


@lru_cache(maxsize=8)
def _refused_nodes(catalogue: Catalogue) -> Mapping[type[exp.Expr], list[Construct]]:
    found: defaultdict[type[exp.Expr], list[Construct]] = defaultdict(list)
    for construct in CONSTRUCTS:
        if construct.sample in catalogue.refused:
            found[construct.node].append(construct)
    return dict(found)


@lru_cache(maxsize=8)
def _refused_tokens(catalogue: Catalogue) -> tuple[re.Pattern[str], Mapping[str, TokenConstruct]]:
    """Return a pattern of the tokens to look at, and the constructs by their words."""
    known = [one for one in TOKEN_CONSTRUCTS if one.sample in catalogue.refused]
    kinds = {one.token for one in known}
    pattern = re.compile(any_of(*kinds) if kinds else r"(?!)")
    return pattern, {one.word: one for one in known}
