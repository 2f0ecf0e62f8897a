"""The rules, one flaw in one file; `RULES` lists them in the order in which they run.

`STRICT_RULES` give hints only, and run in strict mode only.

Tests: `tests/check/test_rules.py`.
"""

from __future__ import annotations

import re
from itertools import compress, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.parsing.tokens import kept_by_shape
from sqlobs.check.rules.adjacent_values import AdjacentValues
from sqlobs.check.rules.ambiguous_reference import AmbiguousReference
from sqlobs.check.rules.circular_cte import CircularCte
from sqlobs.check.rules.clause_order import ClauseOrder
from sqlobs.check.rules.dangling_comma import DanglingComma
from sqlobs.check.rules.denied_name import DeniedName
from sqlobs.check.rules.filtered_outer_join import FilteredOuterJoin
from sqlobs.check.rules.foreign_form import ForeignForm
from sqlobs.check.rules.having_without_group import HavingWithoutGroup
from sqlobs.check.rules.incomplete_expression import IncompleteExpression
from sqlobs.check.rules.integer_division import IntegerDivision
from sqlobs.check.rules.leading_wildcard import LeadingWildcard
from sqlobs.check.rules.misplaced_aggregate import MisplacedAggregate
from sqlobs.check.rules.missing_part import MissingPart
from sqlobs.check.rules.multiple_statements import MultipleStatements
from sqlobs.check.rules.not_in_subquery import NotInSubquery
from sqlobs.check.rules.null_comparison import NullComparison
from sqlobs.check.rules.outside_access import OutsideAccess
from sqlobs.check.rules.parse_error import ParseError
from sqlobs.check.rules.quoted_word import QuotedWord
from sqlobs.check.rules.rejected_cast import RejectedCast
from sqlobs.check.rules.required_filter import RequiredFilter
from sqlobs.check.rules.reserved_word import ReservedWord
from sqlobs.check.rules.rule import (
    DISORDER,
    FAULT,
    FURTHER_TEXT,
    NO_QUERY,
    OWN_CALLS,
    POLICY,
    RESERVED,
    RESOLVED,
    Rule,
)
from sqlobs.check.rules.spaced_call import SpacedCall
from sqlobs.check.rules.star_output import StarOutput
from sqlobs.check.rules.subquery_per_row import SubqueryPerRow
from sqlobs.check.rules.system_catalog import SystemCatalog
from sqlobs.check.rules.tautology import Tautology
from sqlobs.check.rules.tolerated_type import ToleratedType
from sqlobs.check.rules.type_mismatch import TypeMismatch
from sqlobs.check.rules.unbalanced_brackets import UnbalancedBrackets
from sqlobs.check.rules.unbounded_recursion import UnboundedRecursion
from sqlobs.check.rules.unconditioned_join import UnconditionedJoin
from sqlobs.check.rules.ungrouped_column import UngroupedColumn
from sqlobs.check.rules.unknown_collation import UnknownCollation
from sqlobs.check.rules.unknown_column import UnknownColumn
from sqlobs.check.rules.unknown_function import UnknownFunction
from sqlobs.check.rules.unknown_position import UnknownPosition
from sqlobs.check.rules.unknown_table import UnknownTable
from sqlobs.check.rules.unknown_type import UnknownType
from sqlobs.check.rules.unknown_unit import UnknownUnit
from sqlobs.check.rules.unlinked_join import UnlinkedJoin
from sqlobs.check.rules.unlisted_name import UnlistedName
from sqlobs.check.rules.unprefixed_column import UnprefixedColumn
from sqlobs.check.rules.unsafe_statement import UnsafeStatement
from sqlobs.check.rules.unsupported_form import UnsupportedForm
from sqlobs.check.rules.unused_cte import UnusedCte
from sqlobs.check.rules.unused_join import UnusedJoin
from sqlobs.check.rules.wrapped_column import WrappedColumn
from sqlobs.check.rules.wrong_argument_count import WrongArgumentCount
from sqlobs.check.rules.wrong_column_count import WrongColumnCount
from sqlobs.check.rules.wrong_owner import WrongOwner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.report.model import Finding
    from sqlobs.check.rules.rule import Case

RULES: Final[tuple[Rule, ...]] = (
    ParseError(),
    MultipleStatements(),
    ReservedWord(),
    UnbalancedBrackets(),
    AdjacentValues(),
    ClauseOrder(),
    UnconditionedJoin(),
    DanglingComma(),
    MissingPart(),
    IncompleteExpression(),
    ForeignForm(),
    SpacedCall(),
    UnsupportedForm(),
    RejectedCast(),
    UnknownFunction(),
    WrongArgumentCount(),
    UnknownTable(),
    CircularCte(),
    UnknownColumn(),
    QuotedWord(),
    WrongOwner(),
    UnknownPosition(),
    AmbiguousReference(),
    MisplacedAggregate(),
    UngroupedColumn(),
    HavingWithoutGroup(),
    UnknownType(),
    UnknownCollation(),
    UnknownUnit(),
    TypeMismatch(),
    ToleratedType(),
    WrongColumnCount(),
    UnsafeStatement(),
    OutsideAccess(),
    SystemCatalog(),
    Tautology(),
    DeniedName(),
    UnlistedName(),
    RequiredFilter(),
    IntegerDivision(),
    NullComparison(),
    UnlinkedJoin(),
)

STRICT_RULES: Final[tuple[Rule, ...]] = (
    FilteredOuterJoin(),
    LeadingWildcard(),
    NotInSubquery(),
    StarOutput(),
    SubqueryPerRow(),
    UnboundedRecursion(),
    UnprefixedColumn(),
    UnusedCte(),
    UnusedJoin(),
    WrappedColumn(),
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
