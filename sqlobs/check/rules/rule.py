"""What a rule is: it recognizes one flaw in a parsed and resolved statement."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import ClassVar, Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqlobs.check.engine.engine_context import EngineContext
from sqlobs.check.engine.knowledge import Answer, EngineKnowledge
from sqlobs.check.engine.prepared_schema import PreparedSchema
from sqlobs.check.engine.profile import Profile
from sqlobs.check.forms import Form
from sqlobs.check.parsing.reparse import is_unread
from sqlobs.check.parsing.statement import Statement
from sqlobs.check.parsing.tokens import OPEN
from sqlobs.check.policy import Policy
from sqlobs.check.report.model import Finding, LazyValue, Severity
from sqlobs.check.resolver.model.resolution import ColumnUse, Resolution
from sqlobs.dialects.resolution_rules import ResolutionRules

Trigger = str | re.Pattern[str]
Place = exp.Expr | Token | tuple[int | None, int | None] | None
"""What a finding underlines: a node, a token, a span in the text, or nothing."""


@dataclass(eq=False)
class Case:
    """A statement with its resolved names, engine, schema and policy."""

    statement: Statement
    resolution: Resolution
    grounds: EngineContext
    """The engine and the schema."""
    policy: Policy | None = None
    unused: Resolution | None = None
    """What was resolved in unreferenced CTEs, for engines that do not resolve these."""
    reserved_names: Sequence[exp.Expr] = ()
    """Unquoted names that are reserved words of the engine in some position."""
    _uses: Mapping[int, ColumnUse] | None = field(default=None, init=False)

    @property
    def profile(self) -> Profile | None:
        """Engine, version and settings; None: no dialect was given."""
        return self.grounds.profile

    @property
    def traits(self) -> ResolutionRules:
        """The rules by which the engine resolves names."""
        return self.grounds.traits

    @property
    def schema(self) -> PreparedSchema | None:
        """None: no schema was given."""
        return self.grounds.schema

    @property
    def knowledge(self) -> EngineKnowledge:
        """What was measured on the engine, or is documented."""
        return self.grounds.knowledge

    @property
    def follows_defaults(self) -> bool:
        """Whether the engine behaves like most engines where nothing else is known."""
        return self.grounds.knowledge.follows_defaults is Answer.YES

    @cached_property
    def nodes(self) -> Mapping[type[exp.Expr], list[exp.Expr]]:
        """Every node of the tree, by its class; few rules need them."""
        nodes: defaultdict[type[exp.Expr], list[exp.Expr]] = defaultdict(list)
        tree = self.statement.tree
        for node in tree.dfs() if tree is not None else ():  # no recursion: it may be deep
            nodes[node.__class__].append(node)
        nodes.default_factory = None
        return nodes

    @property
    def uses(self) -> Mapping[int, ColumnUse]:
        """Every resolved column reference, by the id of its node."""
        if self._uses is None:  # used in most checks: the lock of `cached_property` costs more
            self._uses = {id(use.node): use for use in self.resolution.columns}
        return self._uses

    @property
    def own_calls(self) -> tuple[Token, ...]:
        """Names of calls that sqlglot reads with a grammar of their own, without `a::char(9)`."""
        types = self.knowledge.types
        return tuple(one for one in self.statement.own_calls if one.text.lower() not in types)

    @cached_property
    def unlisted_calls(self) -> tuple[str, ...]:
        """Calls of functions that neither the engine's catalog or manual nor the user lists."""
        has = self.grounds.has_function
        names = [
            call.name
            for call in self.resolution.calls
            if not (call.qualified and has(call.full_name))
        ]
        names += [token.text for token in self.own_calls]
        if not self.follows_defaults:
            names += _VALUE_WORDS & self.statement.words
        unlisted = [name for name in names if not has(name)]
        if self.profile is None or self.profile.is_listed:
            return tuple(unlisted)
        return (*unlisted, *(call.name for call in self.resolution.doubtful_calls))

    @property
    def is_unread(self) -> bool:
        """Whether the statement may be valid although sqlglot cannot parse it."""
        return is_unread(self.statement)

    def is_method(self, place: int) -> bool:
        """Return whether the `::` at a place calls a method of a type: `geography::Parse(a)`."""
        tokens = self.statement.tokens
        is_call = self.statement.shape[place + 2 : place + 3] == OPEN
        return is_call and tokens[place - 1].text.lower() in self.knowledge.types

    def accepts(self, form: Form) -> bool:
        """Return whether the engine supports a form, as measured."""
        return self.knowledge.accepts(form) is Answer.YES

    def rejects(self, form: Form) -> bool:
        """Return whether the engine rejects a form, as measured or as its manual says."""
        return form.name in self.knowledge.rejected


_VALUE_WORDS: Final = frozenset(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"}
)
"""Functions that are called without parentheses."""

RESOLVED: Final = Resolution.__slots__
"""The names of the lists that the resolver fills."""
FAULT: Final = "fault"
"""The statement does not parse."""
DISORDER: Final = "disorder"
"""The clauses, joins or parentheses may be out of order."""
NO_QUERY: Final = "no query"
"""The statement is not a query."""
FURTHER_TEXT: Final = "further text"
"""There is text after the first statement."""
OWN_CALLS: Final = "own calls"
"""There are calls with a grammar of their own: `trim(BOTH FROM a)`."""
RESERVED: Final = "reserved"
"""An unquoted name is a reserved word in some position."""
POLICY: Final = "policy"
"""The user gave a policy."""


class Rule:
    """One flaw. The docstring of a subclass is its documentation page."""

    code: ClassVar[str]
    """The failure code of its findings."""
    name: ClassVar[str]
    """The flaw in a few words, never the fix: "allow <name>" must read well."""
    triggers: ClassVar[frozenset[Trigger]]
    """Contents of a statement; the rule runs if the statement has at least one of them.

    The text of a token in upper case, a list of `Resolution` by name, a condition of this module,
    or a pattern over the shape.
    """
    severity: ClassVar[Severity]

    def __init_subclass__(
        cls, *, code: str, triggers: Iterable[Trigger], severity: Severity = "error"
    ) -> None:
        cls.code, cls.triggers, cls.severity = code, frozenset(triggers), severity
        cls.name = _WORD_START.sub("-", cls.__name__).lower()

    def findings(self, case: Case) -> Findings:
        """Yield one finding for each place that has the flaw."""
        raise NotImplementedError

    def at(
        self,
        place: Place,
        message: str,
        identifier: str | None = None,
        *,
        severity: Severity | None = None,
        suggestion: Iterable[str] | None = None,
        detail: str | None = None,
    ) -> Finding:
        """Return a finding that underlines a token, the first name or literal of a node, or a span.

        Args:
            place: a span is its start and its end, exclusive; None: nothing is underlined.
            message: one sentence that quotes identifiers, never literals.
            identifier: the wrong name exactly as written.
            severity: overrides that of the rule.
            suggestion: the name that was meant, as a text; or names that exist, of which the one
                most similar to the identifier is suggested.
            detail: a keyword that refines the code.
        """
        start, end = _span(place)
        meant: str | LazyValue[str | None] | None = None
        if isinstance(suggestion, str):
            meant = suggestion
        elif suggestion is not None:
            # kept until it is read: of many the first ones, but of a tuple, which is shared, all
            is_shared = isinstance(suggestion, tuple)
            among = suggestion if is_shared else tuple(islice(suggestion, MOST_KEPT))
            meant = LazyValue(lambda: nearest(identifier or "", among))
        return Finding(
            *(self.code, severity or self.severity, message, identifier, meant, start, end),
            detail=detail,
        )


def own_span(node: exp.Expr) -> tuple[int, int] | None:
    """Return the span of a node itself; None: sqlglot keeps none, e.g. of `percentile_cont(…)`."""
    return (node.meta["start"], node.meta["end"] + 1) if "start" in node.meta else None


def _span(place: Place) -> tuple[int | None, int | None]:
    while isinstance(place, exp.SetOperation):  # its clauses are in no order: sqlglot has a set
        place = place.this
    if isinstance(place, exp.Expr):
        place = next(filter(None, map(own_span, place.walk())), None)
    if place is None or isinstance(place, tuple):
        return place or (None, None)
    return place.start, place.end + 1


_CUTOFF: Final = 0.6
"""Minimum similarity of a suggestion, 0 to 1."""
LONGEST: Final = 128
"""Longest name that is compared, in characters. PostgreSQL truncates names at 63, MySQL at 64."""
MOST_COMPARED: Final = 500
"""Number of candidates compared letter by letter: those with the highest upper bound."""
MOST_KEPT: Final = 2000
"""Maximum number of names in scope that are kept for one suggestion, the nearest first."""


def nearest(name: str, candidates: Iterable[str], *, likeness: float = _CUTOFF) -> str | None:
    """Return the candidate most similar to `name`, or None if none is similar enough.

    >>> nearest("customer_revenue", ["total_revenue", "customer_id"])
    'total_revenue'
    """
    wanted = name.lower()
    if len(wanted) > LONGEST:
        return None
    letters = dict.fromkeys(map(ord, wanted))
    bounded = [
        (_bound(wanted, letters, candidate.lower()), -place, candidate)
        for place, candidate in enumerate(dict.fromkeys(candidates))
        if len(candidate) <= LONGEST
    ]
    best: tuple[float, int, str] | None = None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for bound, place, candidate in nlargest(MOST_COMPARED, bounded):
        least = likeness if best is None else best[0]
        if bound < least:
            break
        matcher.set_seq1(candidate.lower())
        if matcher.quick_ratio() < least:
            continue
        score = matcher.ratio()
        if score >= likeness and (best is None or (score, place) > best[:2]):
            best = (score, place, candidate)
    return best[2] if best is not None else None


def _bound(wanted: str, letters: dict[int, None], candidate: str) -> float:
    """Return an upper bound of the similarity, from the lengths and the letters they share.

    `letters`: those of `wanted`, as a table for `str.translate` that removes them.
    """
    shared = len(candidate) - len(candidate.translate(letters))
    return 2 * min(shared, len(wanted)) / (len(wanted) + len(candidate) or 1)


Findings = Iterator[Finding]
_WORD_START: Final = re.compile("(?<=.)(?=[A-Z])")
"""`UnknownTable` is the rule `unknown-table`."""
