"""Asks the rules about a statement: those whose concerns are in it, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.rules.rule import DISORDER, FURTHER_TEXT, POLICY
from sqlobs.check.shape import letter_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from sqlobs.check.report import Finding
    from sqlobs.check.rules.rule import Case, Rule


_MOST_SETS: Final = 4096


class RuleBook:
    """Rules, by what they are concerned with. Most statements concern a third of them.

    A set of rules is a number with one bit for each.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._always = 0
        self._by_node: dict[type[exp.Expr], int] = {}
        self._by_letter: dict[str, int] = {}
        self._by_word: dict[str, int] = {}
        for place, rule in enumerate(rules):
            self._enter(rule, 1 << place)
        self._facts = tuple(self._by_word.keys() - {DISORDER, FURTHER_TEXT, POLICY})
        self._chosen: dict[int, tuple[Rule, ...]] = {}

    def _enter(self, rule: Rule, bit: int) -> None:
        self._always |= 0 if rule.concerns else bit
        for concern in rule.concerns:
            if isinstance(concern, TokenType):
                letter = letter_of(concern)
                self._by_letter[letter] = self._by_letter.get(letter, 0) | bit
            elif isinstance(concern, str):
                self._by_word[concern] = self._by_word.get(concern, 0) | bit
            else:
                self._by_node[concern] = self._by_node.get(concern, 0) | bit

    def findings(self, case: Case) -> list[Finding]:
        """Return what the rules find in a statement, rule by rule."""
        bits = self._always
        for kind in case.nodes:
            bits |= self._by_node.get(kind, 0)
        for letter in set(case.statement.shape):
            bits |= self._by_letter.get(letter, 0)
        for word in self._words(case):
            bits |= self._by_word.get(word, 0)
        chosen = self._chosen.get(bits) or self._choose(bits)
        return [found for rule in chosen for found in rule.findings(case)]

    def _choose(self, bits: int) -> tuple[Rule, ...]:
        """Return the rules of these bits, and keep them: few sets of concerns are frequent."""
        chosen = tuple(rule for place, rule in enumerate(self._rules) if bits >> place & 1)
        if len(self._chosen) < _MOST_SETS:
            self._chosen[bits] = chosen
        return chosen

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
