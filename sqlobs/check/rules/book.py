"""Asks the rules about a statement: those whose concerns are in it, in their order."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import DISORDER, FURTHER_TEXT, POLICY
from sqlobs.check.shape import letter_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case, Rule


class RuleBook:
    """Rules, by what they are concerned with. Most statements concern a third of them."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._always = [place for place, rule in enumerate(rules) if not rule.concerns]
        self._by_node: defaultdict[type[exp.Expr], list[int]] = defaultdict(list)
        self._by_letter: defaultdict[str, list[int]] = defaultdict(list)
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for place, rule in enumerate(rules):
            for concern in rule.concerns:
                if isinstance(concern, TokenType):
                    self._by_letter[letter_of(concern)].append(place)
                elif isinstance(concern, str):
                    self._by_word[concern].append(place)
                else:
                    self._by_node[concern].append(place)
        self._facts = tuple(self._by_word.keys() - {DISORDER, FURTHER_TEXT, POLICY})

    def findings(self, case: Case) -> list[Finding]:
        """Return what the rules find in a statement, rule by rule."""
        concerned = set(self._always)
        for kind in self._by_node.keys() & case.nodes.keys():
            concerned.update(self._by_node[kind])
        for letter in self._by_letter.keys() & set(case.statement.shape):
            concerned.update(self._by_letter[letter])
        for word in self._words(case):
            concerned.update(self._by_word[word])
        rules = self._rules
        return [found for place in sorted(concerned) for found in rules[place].findings(case)]

    def _words(self, case: Case) -> Iterator[str]:
        statement, facts = case.statement, case.facts
        for name in self._facts:
            if getattr(facts, name):
                yield name
        if not statement.is_orderly:
            yield DISORDER
        if len(statement.all_tokens) > len(statement.tokens):
            yield FURTHER_TEXT
        if case.policy is not None:
            yield POLICY
