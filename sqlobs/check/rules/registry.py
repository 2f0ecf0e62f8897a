"""Asks the rules about a statement: those whose triggers are in it, in their order."""

from __future__ import annotations

import re
from itertools import compress, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.parsing.token_pattern import kept_by_shape
from sqlobs.check.rules.rule import (
    DISORDER,
    FAULT,
    FURTHER_TEXT,
    NO_QUERY,
    OWN_CALLS,
    POLICY,
    RESERVED,
    RESOLVED,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case, Rule


MOST_OF_A_RULE: Final = 100
"""Findings of one rule that a report holds; then the rule is read no further. All findings of a
rule fail the same label, so that more of them change no verdict."""
_MOST_SETS: Final = 4096


class RuleRegistry:
    """Rules, by what they are concerned with. Most statements concern a fifth of them.

    A set of rules is a number with one bit for each.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._bits: dict[str, int] = {}
        self._hinted = 0
        """Rules that one pattern tells to ask, all together: one search is cheaper than many."""
        hints: list[str] = []
        for place, rule in enumerate(rules):
            for concern in rule.triggers:
                if isinstance(concern, re.Pattern):
                    hints.append(concern.pattern)
                    self._hinted |= 1 << place
                else:
                    self._bits[concern] = self._bits.get(concern, 0) | 1 << place
        hint = re.compile("|".join(hints))
        self._is_hinted = kept_by_shape(lambda shape: hint.search(shape) is not None)
        names = [name for name in RESOLVED if name in self._bits]
        self._lists = attrgetter(*names)
        self._bits_of_lists = [self._bits[name] for name in names]
        self._words = frozenset(self._bits).difference(RESOLVED)
        self._chosen: dict[int, tuple[Rule, ...]] = {}

    def findings(self, case: Case) -> list[Finding]:
        """Return what the rules find in a statement, rule by rule."""
        bits = self._conditions(case)
        for concerned in compress(self._bits_of_lists, self._lists(case.resolution)):
            bits |= concerned
        for word in self._words & case.statement.words:
            bits |= self._bits[word]
        chosen = self._chosen.get(bits) or self._choose(bits)
        found: list[Finding] = []
        for rule in chosen:
            found += islice(rule.findings(case), MOST_OF_A_RULE)
        return found

    def _choose(self, bits: int) -> tuple[Rule, ...]:
        """Return the rules of these bits, and keep them: few sets of triggers are frequent."""
        chosen = tuple(rule for place, rule in enumerate(self._rules) if bits >> place & 1)
        if len(self._chosen) < _MOST_SETS:
            self._chosen[bits] = chosen
        return chosen

    def _conditions(self, case: Case) -> int:
        statement, bits = case.statement, 0
        if self._hinted and self._is_hinted(statement.shape):
            bits |= self._hinted
        if not statement.is_orderly:
            bits |= self._bits.get(DISORDER, 0)
        if statement.fault is not None:
            bits |= self._bits.get(FAULT, 0)
        if not isinstance(statement.tree, exp.Query):
            bits |= self._bits.get(NO_QUERY, 0)
        if statement.own_calls:
            bits |= self._bits.get(OWN_CALLS, 0)
        if statement.has_further_text:
            bits |= self._bits.get(FURTHER_TEXT, 0)
        if case.reserved_names:
            bits |= self._bits.get(RESERVED, 0)
        if case.policy is not None:
            bits |= self._bits.get(POLICY, 0)
        return bits
