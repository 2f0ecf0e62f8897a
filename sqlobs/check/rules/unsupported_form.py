"""The rule of forms that are a syntax error in the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms import FORMS
from sqlobs.check.forms.form import Tokens
from sqlobs.check.forms.token_notation import spelled
from sqlobs.check.parsing.token_pattern import finder
from sqlobs.check.rules.rule import finding_at_node, finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.engine.engine_context import EngineContext
    from sqlobs.check.forms import Form
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.parsing.token_pattern import Finder
    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case, Trigger

_FORMS: Final = [
    (form, form.recognizer) for form in FORMS.values() if isinstance(form.recognizer, Tokens)
]


def _hint() -> re.Pattern[str]:
    """Return what is in the shape of every statement with a form that no word tells of."""
    shapes = {spelled(one.rare or one.shape) for _, one in _FORMS if not one.words}
    single = {shape for shape in shapes if _SINGLE.fullmatch(shape)}
    letters = sorted(set("".join(single)) - set("[]"))
    return re.compile("|".join([f"[{''.join(letters)}]", *sorted(shapes - single)]))


_SINGLE: Final = re.compile(r".|\[[^]^]+\]")
"""One kind of token, or a set of kinds (`[AB]`): those are searched for together."""
_RARE: Final = _hint()
_WORDS: Final = frozenset([word for _, one in _FORMS for word in one.words])
"""A statement without any of these has no such form: searching for each form costs more."""


class UnsupportedForm:
    """A form that the engine's grammar does not have.

    What it finds: `LIMIT 1, 2` and `AS 'name'` in PostgreSQL, `INTERVAL '1 day'` in MySQL,
    `DATE '2024-01-01'` in SQLite, a subquery in FROM without an alias in PostgreSQL 15.
    Why it matters: sqlglot parses them in every dialect, engines answer with an error.
    Example: `SELECT name AS 'full name' FROM customers` in PostgreSQL
    Instead: `SELECT name AS "full name" FROM customers`
    """

    code = "syntax.parse_error"
    name = "unsupported-form"
    triggers: frozenset[Trigger] = _WORDS | {_RARE, "forms"}

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such place."""
        if not case.grounds.refused or case.statement.fault is not None:
            return
        for form, token in _tokens(case.statement, case.grounds):
            yield finding_at_token(token, code=self.code, message=form.says(""))
        for use in case.resolution.forms:
            if use.form.code == self.code and case.refuses(use.form):
                yield finding_at_node(use.node, code=self.code, message=use.form.says(""))


def _tokens(statement: Statement, grounds: EngineContext) -> Iterator[tuple[Form, Token]]:
    rejected = _rejected_by(grounds.refused)
    if rejected.alike and _RARE.search(statement.shape):
        for name, first, end in rejected.find(statement.shape):
            for form, tokens in rejected.alike[name]:
                if _is_at(statement, first, tokens, grounds):
                    yield form, statement.tokens[end - 1 if tokens.marks_last else first]
                    break
    if _WORDS.isdisjoint(statement.words):
        return
    for form, tokens in rejected.worded:
        if statement.words.isdisjoint(tokens.words):
            continue
        for found in tokens.pattern.finditer(statement.shape):
            if _is_at(statement, found.start(), tokens, grounds):
                yield form, statement.tokens[found.start()]


def _is_at(statement: Statement, place: int, tokens: Tokens, grounds: EngineContext) -> bool:
    """Say whether a match of the pattern is the form."""
    token = statement.tokens[place]
    if tokens.text is not None and not tokens.text.match(statement.sql, token.start):
        return False
    if tokens.is_call and not grounds.has_function(token.text):
        return False
    return not tokens.is_of_queries or isinstance(statement.tree, exp.Query)


@dataclass(frozen=True, slots=True)
class _Rejected:
    """The forms that an engine rejects."""

    find: Finder
    alike: Mapping[str, list[tuple[Form, Tokens]]]
    """Forms of one shape, which only their text tells apart, under the name of the first."""
    worded: list[tuple[Form, Tokens]]
    """Forms that are searched for only where the statement has one of their words."""


@lru_cache(maxsize=32)
def _rejected_by(names: frozenset[str]) -> _Rejected:
    rejected = [(form, tokens) for form, tokens in _FORMS if form.name in names]
    by_shape: dict[str, list[tuple[Form, Tokens]]] = {}
    for form, tokens in rejected:
        if not tokens.words:
            by_shape.setdefault(tokens.shape, []).append((form, tokens))
    alike = {forms[0][0].name: forms for forms in by_shape.values()}
    find = finder({name: spelled(forms[0][1].shape) for name, forms in alike.items()})
    return _Rejected(find, alike, [one for one in rejected if one[1].words])
