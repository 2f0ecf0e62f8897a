"""The rules, one flaw in one module; `RULES` lists the modules in the order in which rules run.

`STRICT_RULES` give hints only, and run in strict mode only.

Tests: `tests/check/test_rules.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from itertools import compress, islice
from operator import attrgetter
from typing import Final

from sqlglot import exp

from sqlobs.check.parsing.tokens import kept_by_shape
from sqlobs.check.report.model import Finding
from sqlobs.check.rules.rule import (
    DISORDER,
    FAULT,
    FURTHER_TEXT,
    NO_QUERY,
    OWN_CALLS,
    POLICY,
    RESERVED,
    RESOLVED,
    Case,
    Rule,
)


def _rules(names: str) -> tuple[Rule, ...]:
    """Return rules of modules of this package: `unknown_table` defines `UnknownTable`.

    `foreign_form.unsupported_form` is another one that a module defines.
    """
    parts = [name.partition(".") for name in names.split()]
    return tuple(
        getattr(import_module(f"{__name__}.{module}"), (other or module).title().replace("_", ""))()
        for module, _, other in parts
    )


RULES: Final = _rules(
    "parse_error multiple_statements reserved_word unbalanced_brackets adjacent_values"
    " clause_order unconditioned_join dangling_comma missing_part"
    " missing_part.incomplete_expression"
    " foreign_form spaced_call foreign_form.unsupported_form rejected_cast unknown_function"
    " wrong_argument_count unknown_table unknown_table.circular_cte unknown_column quoted_word"
    " wrong_owner unknown_position ambiguous_reference misplaced_aggregate ungrouped_column"
    " ungrouped_column.having_without_group unknown_type unknown_collation unknown_unit"
    " type_mismatch tolerated_type wrong_column_count unsafe_statement outside_access"
    " system_catalog tautology denied_name unlisted_name required_filter integer_division"
    " null_comparison unlinked_join"
)
STRICT_RULES: Final = _rules(
    "filtered_outer_join leading_wildcard not_in_subquery star_output subquery_per_row"
    " unbounded_recursion unprefixed_column unused_cte unused_join wrapped_column"
)

MOST_OF_A_RULE: Final = 100
"""Maximum number of findings of one rule in a report: all of them fail the same label, so that
more findings never change the verdict."""
_MOST_SETS: Final = 4096


class RuleRegistry:
    """Rules by their triggers. Most statements trigger a fifth of them.

    A set of rules is a number with one bit for each.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._bits: dict[str, int] = {}
        self._hinted = 0
        """Rules whose triggers are patterns: one search for all of them is cheaper than many."""
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
        """Return the findings of all triggered rules, rule by rule."""
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


BOOK: Final = RuleRegistry(RULES)
FACT_BOOK: Final = RuleRegistry([rule for rule in RULES if rule.triggers <= set(RESOLVED)])
"""The rules that read only what was resolved: they can run on a part of a statement."""
STRICT_BOOK: Final = RuleRegistry(RULES + STRICT_RULES)
"""All rules, those of strict mode too."""


def findings_of(case: Case, strict: str | None) -> list[Finding]:
    """Apply the rules of a definition of an error; None: what the engine rejects."""
    findings = (BOOK if strict is None else STRICT_BOOK).findings(case)
    if case.unused is not None:  # in CTEs that nothing references: the engine ignores them
        ignored = replace(case, resolution=case.unused, unused=None, policy=None)
        findings += [replace(one, severity="warning") for one in FACT_BOOK.findings(ignored)]
    return findings
