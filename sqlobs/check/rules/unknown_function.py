from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from sqlglot import exp

from sqlobs.check.engine.knowledge import EngineKnowledge
from sqlobs.check.forms import Calls
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.report.model import Finding
from sqlobs.check.resolver.model.resolution import CallUse
from sqlobs.check.rules.rule import OWN_CALLS, Case, Findings, Place, Rule, own_span


class UnknownFunction(Rule, code="syntax.dialect_mismatch", triggers={"doubtful_calls", OWN_CALLS}):
    """A function that the engine does not have.

    What it finds: a call of a function that is neither in the engine's catalog, or in its complete
    manual, nor declared.
    Why it matters: the model mixed up dialects; the database reports an error.
    Known limits: undecided with `functions="partial"` or declared extensions.
    Example: `SELECT YEAR(born) FROM customers` in SQLite
    Instead: `SELECT strftime('%Y', born) FROM customers`
    Options: `Schema.functions` declares functions of the user.
    """

    def findings(self, case: Case) -> Findings:
        knowledge = case.knowledge
        if not knowledge.lists_functions or case.grounds.has_unlisted_functions:
            return
        own = _defined_here(case.statement)
        for call in case.resolution.doubtful_calls:
            if call.name.lower() in own:
                continue
            if call.qualified and not case.grounds.traits.chains_calls:
                continue  # it may be in a namespace that was not read
            if not case.grounds.has_function(call.name) or _is_misused(case, call):
                yield self._finding(knowledge, call.name, own_span(call.node))
        for token in case.own_calls:
            if not case.grounds.has_function(token.text):
                yield self._finding(knowledge, token.text, token)

    def _finding(self, knowledge: EngineKnowledge, name: str, place: Place) -> Finding:
        message = f"Unknown function {name} in {knowledge.engine}."
        # those with the same first letter: comparing thousands takes too long
        alike = _by_first_letter(knowledge).get(name[:1].lower(), ())
        return self.at(place, message, name, suggestion=alike)


def _defined_here(statement: Statement) -> frozenset[str]:
    """Return the functions of `WITH FUNCTION doubled(x int) RETURNS int RETURN x * 2 …`."""
    if "FUNCTION" not in statement.words:
        return frozenset()
    following = pairwise(statement.tokens)
    return frozenset(
        name.text.lower() for word, name in following if word.text.upper() == "FUNCTION"
    )


def _is_misused(case: Case, call: CallUse) -> bool:
    """Return whether a call that the grammar defines has a form that it does not define."""
    if call.name.lower() in {"all", "some"}:
        return call.arguments != 1 and not case.knowledge.signatures(call.name.lower())
    if call.name.lower() in case.knowledge.quoted_calls:
        return isinstance(call.node.args.get("this"), str)  # otherwise it is quoted
    return _wants_group(case, call)


def _wants_group(case: Case, call: CallUse) -> bool:
    """Return whether the engine has a function only with WITHIN GROUP, and the call has none."""
    name = call.name.lower()
    if name in case.grounds.declared_functions or isinstance(call.node.parent, exp.WithinGroup):
        return False
    form = Calls.of_grammar.get(name)
    is_listed = bool(case.knowledge.signatures(name))
    return form is not None and "WITHIN GROUP" in form.probe and not is_listed


@lru_cache(maxsize=8)
def _by_first_letter(knowledge: EngineKnowledge) -> Mapping[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(knowledge.written_names()):
        found[name[:1].lower()].append(name)
    return {letter: tuple(names) for letter, names in found.items()}
