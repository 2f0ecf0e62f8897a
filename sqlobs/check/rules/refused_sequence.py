"""The rule of words that the engine does not take one after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.forms.sequences import SEQUENCES
from sqlobs.check.forms.sequences.spelling import spelled
from sqlobs.check.parsing.token_pattern import finder
from sqlobs.check.rules.rule import finding_at_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlglot.tokenizer_core import Token

    from sqlobs.check.engine.engine_context import EngineContext
    from sqlobs.check.forms.sequences import Sequence
    from sqlobs.check.parsing.statement import Statement
    from sqlobs.check.parsing.token_pattern import Finder
    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case


def _hint() -> re.Pattern[str]:
    """Return what is in the shape of every statement with a sequence that no word tells of."""
    shapes = {spelled(one.rare or one.shape) for one in SEQUENCES if not one.words}
    single = {shape for shape in shapes if _SINGLE.fullmatch(shape)}
    letters = sorted(set("".join(single)) - set("[]"))
    return re.compile("|".join([f"[{''.join(letters)}]", *sorted(shapes - single)]))


_SINGLE: Final = re.compile(r".|\[[^]^]+\]")
"""One kind of tokens, or some of which one may stand there: those are looked for together."""
_RARE: Final = _hint()
_WORDS: Final = frozenset([word for one in SEQUENCES for word in one.words])
"""Where none of these is, there is no sequence: looking for all of them costs more."""


class RefusedSequence:
    """Words that the engine does not take one after the other.

    What it finds: `INTERVAL '1 day'` in MySQL, `DATE '2024-01-01'` in SQLite, a query that begins
    with FROM outside DuckDB, `LIMIT 5 PERCENT`, `USING id` without brackets.
    Why it matters: sqlglot reads them in every dialect, engines answer with an error.
    Example: `SELECT name FROM customers WHERE born > DATE '2000-01-01'` in SQLite
    Instead: `SELECT name FROM customers WHERE born > '2000-01-01'`
    """

    code = "syntax.parse_error"
    name = "refused-sequence"
    triggers = _WORDS | {_RARE}

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each such place."""
        if not case.grounds.refused or case.statement.fault is not None:
            return
        for sequence, token in _refused(case.statement, case.grounds):
            yield finding_at_token(token, code=self.code, message=sequence.message)


def _refused(statement: Statement, grounds: EngineContext) -> Iterator[tuple[Sequence, Token]]:
    refused = _refused_by(grounds.refused, is_asked=grounds.catalogue is not None)
    if refused.alike and _RARE.search(statement.shape):
        for name, place, _ in refused.find(statement.shape):
            for sequence in refused.alike[name]:
                if _is_at(statement, place, sequence, grounds):
                    yield sequence, statement.tokens[place]
                    break
    if _WORDS.isdisjoint(statement.words):
        return
    for sequence in refused.worded:
        if statement.words.isdisjoint(sequence.words):
            continue
        for found in sequence.pattern.finditer(statement.shape):
            if _is_at(statement, found.start(), sequence, grounds):
                yield sequence, statement.tokens[found.start()]


def _is_at(statement: Statement, place: int, sequence: Sequence, grounds: EngineContext) -> bool:
    """Say whether what has the shape of a sequence is one."""
    token = statement.tokens[place]
    if sequence.text is not None and not sequence.text.match(statement.sql, token.start):
        return False
    if sequence.is_call and not grounds.has_function(token.text):
        return False
    return not sequence.is_of_queries or isinstance(statement.tree, exp.Query)


@dataclass(frozen=True, slots=True)
class _Refused:
    """The sequences that an engine refuses."""

    find: Finder
    alike: Mapping[str, list[Sequence]]
    """Those of one shape, which only the text tells apart, are found as one: the first."""
    worded: tuple[Sequence, ...]
    """Those that are looked for where one of their words is."""


@lru_cache(maxsize=32)
def _refused_by(names: frozenset[str], *, is_asked: bool) -> _Refused:
    """Return what an engine refuses; without a sample, what every engine does that was asked."""
    refused = [one for one in SEQUENCES if one.name in names or (is_asked and one.sample is None)]
    by_shape: dict[str, list[Sequence]] = {}
    for one in refused:
        if not one.words:
            by_shape.setdefault(one.shape, []).append(one)
    alike = {forms[0].name: forms for forms in by_shape.values()}
    find = finder({name: spelled(forms[0].shape) for name, forms in alike.items()})
    return _Refused(find, alike, tuple(one for one in refused if one.words))
