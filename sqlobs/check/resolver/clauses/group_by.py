"""Resolves GROUP BY, and keeps what it groups by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Conditions, Grouping
from sqlobs.check.resolver.clauses.aggregates import is_of_ordered_set
from sqlobs.check.resolver.clauses.arguments import argument_count
from sqlobs.check.resolver.clauses.ordering import check_ordinals, is_bare_alias, note_constant
from sqlobs.check.resolver.model.resolution import ColumnUse
from sqlobs.check.resolver.model.scope import Relation, Scope, note_listed
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import (
    CALLS,
    GROUPING_SETS,
    children,
    is_bare_column,
    within_parentheses,
)
from sqlobs.check.resolver.names.outputs import items_by_name
from sqlobs.check.types.system import NULL_TEST, whole

_NULL_TESTS: Final = (exp.Is, exp.Anonymous)


class Grouped:
    """What one SELECT groups by, and the check of its expressions."""

    def __init__(self, state: State, scope: Scope, used: int) -> None:
        """Group nothing yet. `used`: how many columns had been used before the SELECT."""
        columns = state.resolution.columns[used:]
        self.state, self.scope = state, scope
        self.uses = {id(use.node): use for use in columns if use.level is scope}
        self._forms: dict[str, None] = {}
        """What is grouped by, from the last item to the first."""
        self._has_expressions = False
        """Something else than columns is grouped by: expressions are compared with it."""
        self._columns: dict[int, set[str]] = {}
        self._determining = self._columns
        """The grouped columns that every group has; those of ROLLUP and its like are none."""

    def add(self, item: exp.Expr) -> None:
        """Add a column or an expression that is grouped by."""
        if not self._note_column(self._columns, item):
            self._has_expressions = True
        form = self.form(item)
        self._forms.pop(form, None)  # its place is that of its first occurrence
        self._forms[form] = None

    def determine_by(self, items: Iterable[exp.Expr]) -> None:
        """Let only the keys among some of the grouped columns determine their rows."""
        self._determining = {}
        for item in items:
            self._note_column(self._determining, item)

    def _note_column(self, columns: dict[int, set[str]], item: exp.Expr) -> bool:
        use = self.uses.get(id(item))
        if use is None or use.path:
            return False
        columns.setdefault(id(use.relation), set()).add(self.state.output_key(use.column.name))
        return True

    def add_starred(self, star: exp.Expr) -> bool:
        """Add the columns of a star; False: not all of them are known."""
        qualifier = star.args.get("table")
        relations = list(self.scope.relations.values())
        if qualifier is not None:
            found = self.scope.relations.get(self.state.alias_key(qualifier))
            relations = [found] if found is not None else []
        for relation in relations:
            keys = {self.state.output_key(column.name) for column in relation.outputs}
            shown = keys - relation.hidden if qualifier is None else keys
            self._forms |= dict.fromkeys(f"#{id(relation)}.{key}" for key in shown)
            self._columns.setdefault(id(relation), set()).update(shown)
        return bool(relations) and all(relation.complete for relation in relations)

    def contains(self, expression: exp.Expr) -> bool:
        """Return whether an expression is one of those that were added."""
        return self.form(expression) in self._forms

    def judge(self, expression: exp.Expr) -> None:
        """Record the ungrouped columns below an expression, iteratively."""
        stack = [expression]
        whole = self._wholes(expression)
        while stack:
            node = stack.pop()
            kind = node.__class__
            if (use := self.uses.get(id(node))) is not None:
                if not use.path or self.form(node) not in self._forms:
                    self._judge_column(use)
                    self._judge_part(use)
            elif self.state.aggregates.get(id(node)) is self.scope or _is_grouping(node):
                stack.extend(self._grouped_arguments(node))
            elif kind is exp.Star and isinstance(node.parent, exp.Select):
                self._judge_star(node, self.scope.relations.values())
            elif kind is exp.Column and node.this.__class__ is exp.Star:
                qualifier = node.args.get("table")
                named = self.state.alias_key(qualifier) if qualifier is not None else ""
                self._judge_star(node, filter(None, [self.scope.relations.get(named)]))
            elif self._has_own_fault(node):
                continue
            elif kind in _NULL_TESTS and node.meta.get(NULL_TEST) is not None:
                continue  # `a IS NULL` is a constant where a is never null
            elif not self._is_grouped(node, whole):
                stack.extend(children(node))

    def _grouped_arguments(self, node: exp.Expr) -> Iterator[exp.Expr]:
        """Yield the arguments of an aggregate that must be grouped."""
        if node.__class__ is exp.WithinGroup and is_of_ordered_set(self.state, node.this):
            yield from node.this.expressions
        elif _is_grouping(node):
            if node.name.lower() == "grouping_id" and node.expressions:
                self._check_identified(node)
            for argument in node.expressions:
                if id(argument) in self.uses:
                    yield argument
                elif not self.contains(argument):
                    self.state.add_form(argument, Grouping.grouping_of_other)

    def _check_identified(self, call: exp.Expr) -> None:
        """Record `grouping_id(b)` of some grouped expressions; a numbered one is any."""
        identified = [*map(self.form, call.expressions)]
        if identified != [*reversed(self._forms)]:
            self.state.add_form(call, Grouping.grouping_id_of_some)

    def _is_hidden(self, node: exp.Expr) -> bool:
        """Return whether a name is that of a hidden column, which is not grouped."""
        traits = self.state.traits
        if traits.key_determines or self.state.column_key(node.this) not in traits.hidden_columns:
            return False
        return node.name not in self.scope.aliases and not self.contains(node)

    def _wholes(self, expression: exp.Expr) -> frozenset[int] | None:
        """Return the only expressions that may be grouped ones besides columns; None: any may.

        In BigQuery those are an item of the list and a term of ORDER BY, and no part of one.
        """
        if not self._has_expressions or not self.state.rejects(Grouping.part_that_is_grouped):
            return None
        if isinstance(expression, exp.Order):
            terms = [
                one.this if isinstance(one, exp.Ordered) else one for one in children(expression)
            ]
            return frozenset(id(within_parentheses(term)) for term in terms)
        return frozenset([id(within_parentheses(expression.unalias()))])

    def _is_grouped(self, node: exp.Expr, whole: frozenset[int] | None) -> bool:
        if not self._has_expressions or (whole is not None and id(node) not in whole):
            return False
        return self.form(node) in self._forms

    def _has_own_fault(self, node: exp.Expr) -> bool:
        """Return whether the columns below a node need no check; record a correlated value."""
        if node.__class__ is exp.Column and self._is_hidden(node):
            self.state.add_grouping_fault(node, node.name)
            return True
        if isinstance(node, exp.Subquery) and self._is_correlated(node):
            self.state.add_form(node, Conditions.correlated_value_among_groups)
            return True
        return isinstance(node, CALLS) and self._is_exempt(node)

    def _is_correlated(self, query: exp.Expr) -> bool:
        """Return whether a value of the list is a correlated query, which the engine rejects."""
        if not self.state.rejects(Conditions.correlated_value_among_groups):
            return False
        if self.contains(query):
            return False
        is_listed = query.find_ancestor(exp.Having, exp.Select) is self.scope.node
        return is_listed and any(id(one) in self.uses for one in query.find_all(exp.Column))

    def _is_exempt(self, call: exp.Expr) -> bool:
        """Return whether a call accepts ungrouped columns, or has a fault of its own."""
        state, name = self.state, call.name
        if not state.knows_function(name) or name.lower() in state.traits.ungrouped_calls:
            return True
        known = state.knowledge.signatures(name)
        return bool(known) and not any(one.takes(argument_count(call)) for one in known)

    def _judge_column(self, use: ColumnUse) -> None:
        key = self.state.output_key(use.column.name)
        if self.state.traits.aliases_everywhere and key in self.scope.aliases:
            item = use.node.find_ancestor(exp.Alias, exp.Select)
            if item is None or item.alias != use.column.name:  # `upper(t.a) AS a`
                return  # the name may mean the alias
        is_grouped = key in self._columns.get(id(use.relation), ())
        if not is_grouped and not self._is_of_outer_namesake(use, key):
            self._fault(use.node, use.column.name, use.relation)

    def _judge_part(self, use: ColumnUse) -> None:
        """Record a part of a stored column, which is a column of its own: not that is grouped."""
        is_named = bool(use.path) and not use.path[1:].partition(".")[0].isdecimal()
        if not is_named or not self.state.traits.parts_are_columns or use.relation.table is None:
            return
        if self.state.output_key(use.column.name) in self._columns.get(id(use.relation), ()):
            self._fault(use.node, use.column.name, use.relation)

    def _is_of_outer_namesake(self, use: ColumnUse, key: str) -> bool:
        """Return whether a column of HAVING is that of an outer relation with this alias."""
        if self.state.rejects(Grouping.outer_namesake_in_having):
            return False
        if not isinstance(use.node.find_ancestor(exp.Having, exp.Select), exp.Having):
            return False
        aliases = [alias for alias, one in self.scope.relations.items() if one is use.relation]
        further = islice(self.scope.chain(), 1, None)
        found = (level.relations.get(alias) for level in further for alias in aliases)
        return any(one is not None and key in one.columns for one in found)

    def _judge_star(self, node: exp.Expr, relations: Iterable[Relation]) -> None:
        star = node if node.__class__ is exp.Star else node.this
        named = [one.this if is_bare_column(one) else one for one in star.args.get("except_") or ()]
        left_out = {self.state.column_key(one) for one in named if isinstance(one, exp.Identifier)}
        for relation in relations:
            key = self.state.output_key
            grouped = self._columns.get(id(relation), set()) | left_out
            merged = relation.hidden if node.__class__ is exp.Star else frozenset[str]()
            shown = (column.name for column in relation.outputs if key(column.name) not in merged)
            names = (name for name in shown if key(name) not in grouped)
            if (name := next(names, None)) is not None:
                self._fault(node, name, relation)

    def _fault(self, node: exp.Expr, name: str, relation: Relation) -> None:
        determined = self._is_determined(relation)
        if determined is False:
            self.state.add_grouping_fault(node, name)
        elif determined is None:
            self.state.resolution.undecided.append("keys")

    def _is_determined(self, relation: Relation) -> bool | None:
        """Return whether the grouped columns contain the primary key; None: it is not known."""
        if not self.state.traits.key_determines or relation.table is None:
            return False
        key, grouped = relation.table.key, self._determining.get(id(relation), set())
        if key is None:
            return None if grouped else False
        return bool(key) and key <= grouped

    def form(self, node: exp.Expr) -> str:
        """Return a text that is equal for expressions with the same meaning."""
        use = self.uses.get(id(node))
        if use is not None:
            return f"#{id(use.relation)}.{self.state.output_key(use.column.name)}{use.path}"
        if isinstance(node, exp.Paren):
            return self.form(node.this)
        if isinstance(node, exp.JSONPathKey) or node.is_string:
            return repr(node.this)
        if _counts_rows(node):
            return "count(*)"
        if isinstance(node, exp.Literal):
            return str(node.this)
        if isinstance(node, exp.Identifier):
            return str(node.this).lower()
        parts = [node.key]
        for key, value in node.args.items():
            if value is None or value is False or value == []:
                continue
            parts.append(f"{key}={self._part(value)}")
        return f"({' '.join(parts)})"

    def _part(self, value: object) -> str:
        if isinstance(value, exp.Expr):
            return self.form(value)
        if isinstance(value, list):
            return ",".join(self._part(item) for item in value)
        return str(value).lower()


def _is_grouping(node: exp.Expr) -> bool:
    """Return whether a node is a call whose arguments must be grouped."""
    return node.__class__ is exp.Anonymous and node.name.lower() in _OF_SETS


def _counts_rows(node: exp.Expr) -> bool:
    """Return whether a node is `count(*)` or `count(1)`."""
    if node.__class__ is not exp.Anonymous or node.name.lower() != "count":
        return False
    return [one.__class__ for one in node.expressions] in ([exp.Star], [exp.Literal])


_OF_SETS: Final = frozenset({"grouping", "grouping_id"})
"""Aggregates whose arguments must be grouped."""


def resolve_grouping(
    state: State, node: exp.Expr, scope: Scope, outputs: Sequence[PreparedColumn] | None
) -> None:
    """Resolve GROUP BY; `outputs`: what the SELECT list gives, None: not known."""
    if not any(node.args.values()):
        state.add_form(node, Grouping.group_without_list)
    if node.args.get("all") and not node.expressions:
        state.add_form(node, Grouping.group_by_all)
        if scope.unnested:
            place = "a list that GROUP BY ALL groups by"
            state.add_aggregate_fault(node, "unnest", "scalar", place)
    _check_positions(state, node, outputs)
    scope.clause = "group"
    _note_terms(state, node)
    _check_grouped_places(state, node, scope)
    for item in _terms(node):
        note_constant(state, item, "group")
    used = len(state.resolution.columns)
    for item in children(node):
        if not is_bare_alias(state, item.unnest(), scope):
            found = state.expression(item, scope)
            state.judge(item, state.types.grouped(found, item))
    if state.traits.having_needs_list:
        _note_grouped(state, node, scope, used)


def _note_terms(state: State, node: exp.Expr) -> None:
    for item in node.expressions:
        if isinstance(item, exp.Tuple):
            state.add_form(item, Grouping.row_in_group)
        elif isinstance(item, GROUPING_SETS) and len(node.expressions) > 1:
            state.add_form(node, Grouping.term_beside_rollup)


def check_totals(state: State, group: exp.Expr, select: exp.Expr, scope: Scope) -> None:
    """Record combinations of ClickHouse's WITH TOTALS, ROLLUP and CUBE that it rejects."""
    part, terms = group.args.get, group.expressions
    sets = part("grouping_sets") or [one for one in terms if isinstance(one, exp.GroupingSets)]
    rolled = part("rollup") or part("cube") or any(isinstance(one, _ROLLED) for one in terms)
    is_behind = any(not one.expressions for one in part("rollup") or part("cube") or ())
    count = sum(len(one.expressions) for one in sets)  # of a single one, TOTALS are allowed
    if sets and (is_behind or (part("totals") and count > 1)):
        state.add_form(group, Grouping.totals_of_grouping_sets)
    elif part("totals") and rolled and (select.args.get("having") or select.args.get("qualify")):
        state.add_form(group, Grouping.totals_of_rollup_with_condition)
    elif terms == [exp.Tuple()] and not scope.aggregates and _WITHOUT_GROUPS.search(state.sql):
        state.add_form(group, Grouping.totals_without_groups)


_ROLLED: Final = (exp.Rollup, exp.Cube)
_WITHOUT_GROUPS: Final = re.compile(r"\bWITH\s+(?:TOTALS|ROLLUP|CUBE)\b", re.IGNORECASE)


_Listed = TypeVar("_Listed")


def items_by_number(state: State, term: exp.Expr, items: Sequence[_Listed]) -> Sequence[_Listed]:
    """Return the item of the SELECT list that a term of GROUP BY means by its number, if any."""
    is_number = isinstance(term, exp.Literal) and not term.is_string
    if not is_number or not state.traits.groups_by_position or not str(term.this).isdecimal():
        return ()
    place = whole(term.this)
    return items[place - 1 : place] if place else ()


def _check_positions(
    state: State, node: exp.Expr, outputs: Sequence[PreparedColumn] | None
) -> None:
    """Check positions (`GROUP BY 1`), and the values that they or `GROUP BY ALL` group by."""
    if state.traits.groups_by_position:
        check_ordinals(state, node.expressions, None if outputs is None else len(outputs))
    if outputs is None:
        return
    if node.args.get("all"):
        _check_outputs(state, node, outputs)
    for item in node.expressions:
        for output in items_by_number(state, item, outputs):
            state.judge(item, state.types.grouped(state.given(output), item))


def _check_outputs(state: State, node: exp.Expr, outputs: Sequence[PreparedColumn]) -> None:
    """Check the values that `GROUP BY ALL` groups by: all outputs without an aggregate."""
    items = node.parent.expressions if node.parent is not None else []
    if len(items) != len(outputs):
        return  # there is a star
    for item, output in zip(items, outputs, strict=True):
        if not any(id(one) in state.aggregates for one in item.walk()):
            state.judge(item, state.types.grouped(state.given(output), item))


def _note_grouped(state: State, node: exp.Expr, scope: Scope, used: int) -> None:
    """Let HAVING see the grouped columns, except those that the SELECT list names."""
    grouped: dict[str, ColumnUse | None] = {}
    for use in state.resolution.columns[used:]:
        if use.level is scope and use.node.parent is node:
            note_listed(grouped, state.output_key(use.column.name), use)
    scope.listed = grouped | scope.listed


def _terms(group: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the terms, those in rows, ROLLUP, CUBE and GROUPING SETS too."""
    waiting = list(children(group))
    while waiting:
        term = waiting.pop()
        if isinstance(term, (exp.Tuple, *GROUPING_SETS)):
            waiting += term.expressions
        else:
            yield term


def _check_grouped_places(state: State, node: exp.Expr, scope: Scope) -> None:
    if not (scope.aggregates or scope.windows) or not state.rejects(Grouping.ordinal_of_aggregate):
        return
    items = node.parent.expressions if node.parent is not None else []
    named = items_by_name(state, items) if scope.computed else {}
    for term in _places(node):
        found = items_by_number(state, term.unnest(), items)
        if named and is_bare_alias(state, term, scope):  # a name is reported once
            found = named.pop(state.column_key(term.this), [])
        for item in found:
            _check_grouped_item(state, item, scope)


def _places(group: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the terms that may be positions or names: those of ROLLUP and its like, too."""
    for term in children(group):
        if isinstance(term, GROUPING_SETS):
            yield from _terms(term)
        else:
            yield term


def _check_grouped_item(state: State, item: exp.Expr, scope: Scope) -> None:
    for call in item.find_all(exp.Window, exp.Anonymous, exp.AggFunc, exp.WithinGroup):
        if isinstance(call, exp.Window):
            state.add_aggregate_fault(call.this, call.this.name, "window", "GROUP BY")
        elif state.aggregates.get(id(call)) is scope:
            named = call.this if isinstance(call, exp.WithinGroup) else call
            name = named.name if isinstance(named, CALLS) else named.key.upper()
            state.add_aggregate_fault(call, name, "aggregate", "GROUP BY")


@dataclass(slots=True)
class _Item:
    """What an item of the list is made of."""

    has_aggregate: bool = False
    column: exp.Expr | None = None
    """The first one outside of its aggregates."""
    window: exp.Expr | None = None

    def add(self, other: _Item) -> None:
        """Take in what another item is made of, by its alias."""
        self.has_aggregate = self.has_aggregate or other.has_aggregate
        self.column = self.column or other.column
        self.window = self.window or other.window


def groups_by_all(state: State, group: exp.Expr) -> bool:
    """Return whether a clause is `GROUP BY ALL`, or what means the same in the engine."""
    terms, word = group.expressions, state.traits.word_of_all
    is_word = word is not None and len(terms) == 1 and terms[0].name.lower() == word
    if group.args.get("all") or is_word:
        return True
    is_star = len(terms) == 1 and isinstance(terms[0], exp.Star)
    return is_star and state.knowledge.accepts(Grouping.group_by_star) is Answer.YES


def items_of_all(grouped: Grouped, node: exp.Expr) -> list[exp.Expr]:
    """Return the items that GROUP BY ALL groups by; record those that it rejects.

    An item is grouped by or aggregated, never both, and a window function is neither.
    """
    state = grouped.state
    if (qualify := node.args.get("qualify")) is not None:
        state.add_form(qualify, Grouping.qualify_of_group_by_all)
    takes_columns = not state.rejects(Grouping.column_beside_aggregate_of_all)
    known: dict[str, _Item] = {}
    items = []
    for expression in node.expressions:
        value = expression.unalias()
        item = _read(grouped, value, known)
        if value is not expression:
            known.setdefault(state.column_key(expression.args["alias"]), item)
        if item.column is None or (takes_columns and (item.has_aggregate or item.window)):
            continue
        if item.has_aggregate:
            state.add_grouping_fault(item.column, item.column.name)
        elif item.window is not None:
            state.add_aggregate_fault(item.window, item.window.this.name, "window", "GROUP BY ALL")
        else:
            items.append(value)
    return items


def _read(grouped: Grouped, value: exp.Expr, known: Mapping[str, _Item]) -> _Item:
    """Return the parts of an item; an alias means the earlier item that has it."""
    state, uses, item, waiting = grouped.state, grouped.uses, _Item(), [value]
    while waiting:
        part = waiting.pop()
        if state.aggregates.get(id(part)) is grouped.scope:
            item.has_aggregate = True
        elif id(part) in uses:
            item.column = item.column or part
        elif isinstance(part, exp.Query):
            inner = (column for column in part.find_all(exp.Column) if id(column) in uses)
            item.column = item.column or next(inner, None)
        elif isinstance(part, exp.Column):
            if part.args.get("table") is None and isinstance(part.this, exp.Identifier):
                item.add(known.get(state.column_key(part.this), _Item()))
        else:
            if isinstance(part, exp.Window):
                item.window = part
            waiting += children(part)
    return item
