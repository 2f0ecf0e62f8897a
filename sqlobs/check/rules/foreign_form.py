"""The rule of forms that belong to other dialects."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms import FORMS
from sqlobs.check.forms.form import FOREIGN, Tree, Word
from sqlobs.check.parsing.statement import LITERALS
from sqlobs.check.parsing.token_pattern import OPEN, letter_of, none_of
from sqlobs.check.rules.rule import finding_at_node, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot import exp

    from sqlobs.check.forms import Form
    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case

_TREES: Final = [
    (form, form.recognizer) for form in FORMS.values() if type(form.recognizer) is Tree
]
_WORDS: Final = [
    (form, form.recognizer) for form in FORMS.values() if type(form.recognizer) is Word
]
_NAME_BEFORE_JOIN: Final = re.compile(f"{letter_of(TokenType.VAR)}(?={letter_of(TokenType.JOIN)})")
"""`t FULL JOIN u`, where FULL is read as an alias of t."""


class ForeignForm:
    """A form of another dialect.

    What it finds: clauses, operators and calls that the engine rejected when it was asked, or that
    its manual excludes.
    Why it matters: sqlglot parses them in every dialect, the engine answers with an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    code = FOREIGN
    name = "foreign-form"
    triggers = frozenset([tree.words[0] for _, tree in _TREES] + [word.text for _, word in _WORDS])

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each use of such a form."""
        if not case.grounds.refused or case.statement.fault is not None:
            return
        rejected = _rejected(case.grounds.refused)
        for word in rejected.words & case.statement.words:
            for form, tree in rejected.trees.get(word, ()):
                if tree.is_disorder and case.statement.is_orderly:
                    continue
                if case.statement.words.issuperset(tree.words):
                    yield from _nodes(case, form, tree)
            if word in rejected.tokens:
                yield from _tokens(case, *rejected.tokens[word])
            if word == "FULL":
                yield from _aliases(case)


def _nodes(case: Case, form: Form, tree: Tree) -> Iterator[Finding]:
    for node in case.nodes.get(tree.node, ()):
        if tree.where is not None and not tree.where(node):
            continue
        if not (tree.is_call and _is_unread(case, node)):
            identifier = tree.words[0] if tree.is_call else None
            message = form.says(_engine(case))
            yield finding_at_node(node, code=form.code, message=message, identifier=identifier)


def _tokens(case: Case, form: Form, word: Word) -> Iterator[Finding]:
    for place, token in enumerate(case.statement.tokens):
        if token.token_type is not word.kind or token.text.upper() != word.text:
            continue
        if not _is_call(case, place):
            yield finding_at_token(token, code=form.code, message=form.says(_engine(case)))


def _aliases(case: Case) -> Iterator[Finding]:
    """Yield a warning for each `t FULL JOIN u` where FULL has become an alias of t."""
    for found in _NAME_BEFORE_JOIN.finditer(case.statement.shape):
        token = case.statement.tokens[found.start()]
        if token.text.upper() == "FULL":
            message = f"`FULL` is an alias here: `FULL JOIN` is not supported by {_engine(case)}."
            finding = finding_at_token(token, code=FOREIGN, message=message)
            yield replace(finding, severity="warning")


def _is_call(case: Case, place: int) -> bool:
    """Say whether an operator's word is the name of a call that the engine has (`xor(a, b)`)."""
    name = case.statement.tokens[place].text.lower()
    if case.catalogue is None or name not in case.catalogue.functions:
        return False
    return _CALL.match(case.statement.shape, max(place - 1, 0)) is not None


_NO_CALL: Final = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.CROSS, TokenType.OUTER)
_CALL: Final = re.compile(f"{none_of(*_NO_CALL, TokenType.VAR, *LITERALS)}.{OPEN}", re.DOTALL)
"""The token before a call, its name and its parenthesis: `, xor(`, unlike `x XOR (`."""


def _is_unread(case: Case, node: exp.Expr) -> bool:
    """Say whether a call stands in a CTE that the engine does not resolve."""
    above: exp.Expr | None = node if case.resolution.unread else None
    while above is not None:
        if any(above is cte for cte in case.resolution.unread):
            return True
        above = above.parent
    return False


def _engine(case: Case) -> str:
    if case.catalogue is not None:
        return case.catalogue.engine
    return case.profile.engine if case.profile is not None else "this engine"


@dataclass(frozen=True, slots=True)
class _Rejected:
    """The forms that an engine rejects, by a word that every use of them contains."""

    trees: Mapping[str, list[tuple[Form, Tree]]]
    tokens: Mapping[str, tuple[Form, Word]]
    words: frozenset[str]


@lru_cache(maxsize=32)
def _rejected(names: frozenset[str]) -> _Rejected:
    trees: defaultdict[str, list[tuple[Form, Tree]]] = defaultdict(list)
    for form, tree in _TREES:
        if form.name in names:
            trees[tree.words[0]].append((form, tree))
    tokens = {word.text: (form, word) for form, word in _WORDS if form.name in names}
    return _Rejected(dict(trees), tokens, frozenset([*trees, *tokens]))
