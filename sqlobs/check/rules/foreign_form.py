from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqlobs.check.forms import FORMS, Form, Joins
from sqlobs.check.forms.form import FOREIGN, Tokens, Tree, Word
from sqlobs.check.parsing.tokens import Finder, finder, spelled
from sqlobs.check.rules.rule import Case, Findings, Rule, Trigger

_Uses = Iterator[tuple[Form, exp.Expr | Token]]


class FormRule(Rule, code="", triggers=()):
    """Reports each use of a form of its code that the engine rejects."""

    def __init_subclass__(cls, *, code: str) -> None:
        super().__init_subclass__(code=code, triggers=_triggers(code))

    def findings(self, case: Case) -> Findings:
        if not case.knowledge.rejected or case.statement.fault is not None:
            return
        rejected = _rejected(self.code, case.knowledge.rejected)
        for form, place in chain(_by_words(case, rejected), _by_patterns(case, rejected)):
            tree = form.recognizer
            identifier = tree.words[0] if isinstance(tree, Tree) and tree.is_call else None
            yield self.at(place, says(form, case), identifier)
        for use in case.resolution.forms:
            if use.form.code == self.code and case.rejects(use.form):
                yield self.at(use.node, says(use.form, case))


def _triggers(code: str) -> Iterator[Trigger]:
    """Yield the triggers of the forms of this code: each use contains at least one of them."""
    for form in FORMS.values():
        if form.code == code:
            yield from form.recognizer.triggers if form.recognizer is not None else ("forms",)
            if _is_unworded(form):
                yield _RARE


def says(form: Form, case: Case) -> str:
    """Return the message of a form for the engine of a statement."""
    if form.name in case.knowledge.messages:
        return case.knowledge.messages[form.name]
    return form.says(case.knowledge.engine or case.grounds.engine or "this engine")


def _by_words(case: Case, rejected: _Rejected) -> _Uses:
    """Yield the forms that a node or a single token shows."""
    words = case.statement.words
    for word in sorted(rejected.words & words):  # one order in every process
        for form, tree in rejected.trees.get(word, ()):
            if words.issuperset(tree.words):
                for node in _nodes(case, tree):
                    yield form, node
        if word in rejected.tokens:
            form, only = rejected.tokens[word]
            for place, token in enumerate(case.statement.tokens):
                is_found = token.token_type is only.kind and token.text.upper() == word
                if is_found and not _is_call(case, place) and not case.is_method(place):
                    yield form, token


def _nodes(case: Case, tree: Tree) -> Iterator[exp.Expr]:
    if tree.is_disorder and case.statement.is_orderly:
        return
    for node in case.nodes.get(tree.node, ()):
        if tree.where is not None and not tree.where(node):
            continue
        if not (tree.is_call and _is_in_unresolved_cte(case, node)):
            yield node


def _is_in_unresolved_cte(case: Case, node: exp.Expr) -> bool:
    """Return whether a node stands in a CTE that the engine does not resolve."""
    above: exp.Expr | None = node if case.resolution.unread else None
    while above is not None:
        if any(above is cte for cte in case.resolution.unread):
            return True
        above = above.parent
    return False


def _is_call(case: Case, place: int) -> bool:
    """Return whether the word of an operator is a call of a function: `xor(a, b)`."""
    name = case.statement.tokens[place].text
    if not case.knowledge.signatures(name):
        return False
    return _CALL.match(case.statement.shape, max(place - 1, 0)) is not None


_CALL: Final = re.compile(spelled("[^close R_BRACKET CROSS OUTER VAR literals] . open"), re.DOTALL)
"""The token before a call, its name and its parenthesis: `, xor(`, unlike `x XOR (`."""


def _by_patterns(case: Case, rejected: _Rejected) -> _Uses:
    """Yield the forms that a pattern of tokens shows."""
    statement = case.statement
    if rejected.alike and _RARE.search(statement.shape):
        for name, first, end in rejected.find(statement.shape):
            for form, tokens in rejected.alike[name]:
                if _is_at(case, first, tokens):
                    yield form, statement.tokens[end - 1 if tokens.marks_last else first]
                    break
    if rejected.hints.isdisjoint(statement.words):
        return
    for form, tokens in rejected.worded:
        if statement.words.isdisjoint(tokens.words):
            continue
        for found in tokens.pattern.finditer(statement.shape):
            if _is_at(case, found.start(), tokens):
                yield form, statement.tokens[found.start()]


def _is_at(case: Case, place: int, tokens: Tokens) -> bool:
    """Return whether a match of the pattern is the form."""
    token = case.statement.tokens[place]
    if tokens.text is not None and not tokens.text.match(case.statement.sql, token.start):
        return False
    if not case.statement.words.isdisjoint(tokens.unless):
        return False
    if tokens.is_call and not case.grounds.has_function(token.text):
        return False
    return not tokens.is_of_queries or isinstance(case.statement.tree, exp.Query)


def _is_unworded(form: Form) -> bool:
    return isinstance(form.recognizer, Tokens) and not form.recognizer.words


def _hint() -> re.Pattern[str]:
    """Return a pattern that every statement matches that has a form without trigger words."""
    unworded = [form.recognizer for form in FORMS.values() if _is_unworded(form)]
    shapes = {spelled(one.rare or one.shape) for one in unworded if isinstance(one, Tokens)}
    single = {shape for shape in shapes if _SINGLE.fullmatch(shape)}
    letters = sorted(set("".join(single)) - set("[]"))
    return re.compile("|".join([f"[{''.join(letters)}]", *sorted(shapes - single)]))


_SINGLE: Final = re.compile(r".|\[[^]^]+\]")
"""One kind of token, or a set of kinds (`[AB]`): those are searched for together."""
_RARE: Final = _hint()
"""A statement without a match has none of these forms: searching for each form costs more."""


@dataclass(frozen=True, slots=True)
class _Rejected:
    """The forms of one code that an engine rejects."""

    trees: Mapping[str, list[tuple[Form, Tree]]]
    """By the rarest of the words that every use contains."""
    tokens: Mapping[str, tuple[Form, Word]]
    words: frozenset[str]
    find: Finder
    alike: Mapping[str, list[tuple[Form, Tokens]]]
    """Forms with the same shape, which differ only in their text, by the name of the first."""
    worded: list[tuple[Form, Tokens]]
    """Forms whose search requires one of their words in the statement."""
    hints: frozenset[str]
    """All those words."""


@lru_cache(maxsize=64)
def _rejected(code: str, names: frozenset[str]) -> _Rejected:
    trees: defaultdict[str, list[tuple[Form, Tree]]] = defaultdict(list)
    tokens: dict[str, tuple[Form, Word]] = {}
    by_shape: defaultdict[str, list[tuple[Form, Tokens]]] = defaultdict(list)
    worded: list[tuple[Form, Tokens]] = []
    for form in FORMS.values():
        if form.code != code or form.name not in names:
            continue
        one = form.recognizer
        if isinstance(one, Tree):
            trees[one.words[0]].append((form, one))
        elif isinstance(one, Word):
            tokens[one.text] = form, one
        elif one is not None and one.words:
            worded.append((form, one))
        elif one is not None:
            by_shape[one.shape].append((form, one))
    alike = {forms[0][0].name: forms for forms in by_shape.values()}
    find = finder({name: spelled(forms[0][1].shape) for name, forms in alike.items()})
    words = frozenset([*trees, *tokens])
    hints = frozenset(word for _, one in worded for word in one.words)
    return _Rejected(dict(trees), tokens, words, find, alike, worded, hints)


_NAME_BEFORE_JOIN: Final = re.compile(spelled("VAR (?=JOIN)"))
"""`t FULL JOIN u`, where FULL is read as an alias of t."""


class ForeignForm(FormRule, code=FOREIGN):
    """A form of another dialect.

    What it finds: clauses, operators and calls that the engine rejects, as measured or as
    documented by its vendor.
    Why it matters: sqlglot parses them in every dialect; the engine reports an error.
    Example: `SELECT name FROM customers WHERE name ILIKE 'a%'` in SQLite
    Instead: `SELECT name FROM customers WHERE name LIKE 'a%'`
    """

    def findings(self, case: Case) -> Findings:
        yield from super().findings(case)
        is_parsed = case.statement.fault is None
        if is_parsed and "FULL" in case.statement.words and case.rejects(Joins.full_join):
            for found in _NAME_BEFORE_JOIN.finditer(case.statement.shape):
                token = case.statement.tokens[found.start()]
                if token.text.upper() == "FULL":
                    message = f"`FULL` is read as an alias. {says(Joins.full_join, case)}"
                    yield self.at(token, message, severity="warning")


class UnsupportedForm(FormRule, code="syntax.parse_error"):
    """A form that is a syntax error in the engine.

    What it finds: `LIMIT 1, 2` and `AS 'name'` in PostgreSQL, `INTERVAL '1 day'` in MySQL, `DATE
    '2024-01-01'` in SQLite, a subquery in `FROM` without an alias in PostgreSQL 15.
    Why it matters: sqlglot parses them in every dialect; the engine reports an error.
    Example: `SELECT name AS 'full name' FROM customers` in PostgreSQL
    Instead: `SELECT name AS "full name" FROM customers`
    """
