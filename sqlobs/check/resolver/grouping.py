"""Finds columns of a grouped query that are neither grouped nor aggregated."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.resolver.arguments import argument_count
from sqlobs.check.resolver.calls import is_of_ordered_set
from sqlobs.check.resolver.columns_call import chooses_columns
from sqlobs.check.resolver.group_all import groups_by_all, items_of_all
from sqlobs.check.resolver.outputs import items_by_name
from sqlobs.check.resolver.plain_columns import check_plain_columns
from sqlobs.check.resolver.resolution import GroupingFault
from sqlobs.check.resolver.tree import GROUPING_SETS, children
from sqlobs.check.types.literals import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from sqlobs.check.resolver.resolution import ColumnUse
    from sqlobs.check.resolver.scope import Relation, Scope
    from sqlobs.check.resolver.state import Walk


def check_grouping(walk: Walk, node: exp.Select, scope: Scope, used: int) -> None:
    """Record what a grouped SELECT, its HAVING, or ORDER BY behind DISTINCT may not name.

    Args:
        walk: the state of the walk.
        node: the SELECT, resolved.
        scope: its scope.
        used: how many columns had been used before it.
    """
    part = node.args.get
    having = part("having")
    if part("group") is not None or having is not None or scope.aggregates:
        _check_columns(walk, node, scope, used)
    if having is not None and walk.traits.having_needs_list:
        _check_having(walk, node, scope, used)
    if part("distinct") is not None and part("order") is not None:
        _check_distinct_order(walk, node, scope, used)


def _check_columns(walk: Walk, node: exp.Select, scope: Scope, used: int) -> None:
    """Record the columns of a grouped SELECT that are neither grouped nor aggregated."""
    group = node.args.get("group")
    is_all = group is not None and groups_by_all(walk, group)
    if not walk.traits.strict_grouping or (is_all and walk.catalogue is None):
        return
    faults = walk.facts.column_faults
    if faults and any(fault.scope is scope for fault in faults):
        return  # what is not known is no column of a group: that would be told twice
    uses = {id(use.node): use for use in walk.facts.columns[used:] if use.level is scope}
    if walk.catalogue is None:
        check_plain_columns(walk, node, scope, uses)
        return
    grouped = _Grouped(walk, scope, uses)
    if is_all:
        _check_order_of_all(walk, node, scope, grouped, uses)
    else:
        _check_clauses(walk, node, scope, grouped, uses)


def _check_clauses(
    walk: Walk,
    node: exp.Select,
    scope: Scope,
    grouped: _Grouped,
    uses: Mapping[int, ColumnUse],
) -> None:
    """Record the columns that the terms of GROUP BY do not group by, in all clauses behind it."""
    group = node.args.get("group")
    terms = list(children(group)) if group is not None else []
    for item in _grouping_items(walk, node, terms, scope):
        grouped.add(item)
        if walk.traits.lateral_aliases and walk.refuses("alias_within_grouped_item"):
            _check_item(walk, item, uses, scope)
    everywhere = [term for term in terms if not isinstance(term, GROUPING_SETS)]
    if len(everywhere) < len(terms):
        grouped.determine_by(_grouping_items(walk, node, everywhere, scope))
    for expression in _judged(node):
        grouped.judge(expression)
    if walk.refuses("ungrouped_in_unread_window"):
        for window in node.args.get("windows") or ():
            grouped.judge(window)


def _check_order_of_all(
    walk: Walk,
    node: exp.Select,
    scope: Scope,
    grouped: _Grouped,
    uses: Mapping[int, ColumnUse],
) -> None:
    """Record the columns of ORDER BY that GROUP BY ALL does not group by."""
    for item in items_of_all(walk, node, scope, uses):
        grouped.add(item)
    order = node.args.get("order")
    if order is not None and not any(map(_gives_several, node.expressions)):
        grouped.judge(order)


def _gives_several(item: exp.Expr) -> bool:
    """Say whether an item stands for several columns: a star, or a call of COLUMNS."""
    return item.is_star or any(map(chooses_columns, item.find_all(exp.Anonymous)))


def _grouping_items(
    walk: Walk, node: exp.Select, terms: Iterable[exp.Expr], scope: Scope
) -> Iterator[exp.Expr]:
    """Yield what terms of GROUP BY group by: ordinals and aliases stand for items of the list."""
    named: dict[str, list[exp.Expr]] | None = None
    waiting = list(terms)
    while waiting:
        item = waiting.pop()
        if isinstance(item, (*GROUPING_SETS, exp.Tuple, exp.Paren)):
            waiting.extend(children(item))
        elif isinstance(item, exp.Literal) and not item.is_string:
            place = whole(item.this) - 1 if item.this.isdecimal() else -1
            if 0 <= place < len(node.expressions):
                yield node.expressions[place].unalias()
        elif _is_other_name(walk, item, scope):
            named = items_by_name(walk, node.expressions) if named is None else named
            yield named.get(walk.column_key(item.this), [item])[0].unalias()
        else:
            yield item


def _check_item(walk: Walk, item: exp.Expr, uses: Mapping[int, ColumnUse], scope: Scope) -> None:
    """Record the first alias that what is grouped by reads of another item."""
    if id(item) in uses:
        return
    for column in item.find_all(exp.Column):
        is_alias = id(column) not in uses and column.args.get("table") is None
        if is_alias and walk.column_key(column.this) in scope.aliases:
            walk.facts.grouping_faults.append(GroupingFault(column, column.name))
            return


def _is_other_name(walk: Walk, item: exp.Expr, scope: Scope) -> bool:
    """Say whether a grouped expression is a bare name that no relation has as a column."""
    if not isinstance(item, exp.Column) or item.args.get("table") is not None:
        return False
    if isinstance(item.this, exp.Star):
        return False
    return not scope.relations.have(walk.column_key(item.this))


def _judged(node: exp.Select) -> Iterator[exp.Expr]:
    yield from node.expressions
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr) and distinct.args.get("on") is not None:
        yield distinct.args["on"]
    for name in ("having", "qualify", "order"):
        clause = node.args.get(name)
        if clause is not None:
            yield clause


def _check_having(walk: Walk, node: exp.Select, scope: Scope, used: int) -> None:
    """Record columns of HAVING that are neither selected, grouped nor aggregated."""
    group = node.args.get("group")
    terms = children(group) if group is not None else ()
    uses = {id(use.node): use for use in walk.facts.columns[used:] if use.level is scope}
    known = _Grouped(walk, scope, uses)
    for item in (
        *(item.unalias() for item in node.expressions),
        *_grouping_items(walk, node, terms, scope),
    ):
        known.add(item)
    if not any(item.is_star for item in node.expressions):
        known.judge(node.args["having"].this)


def _check_distinct_order(walk: Walk, node: exp.Select, scope: Scope, used: int) -> None:
    """Record terms of ORDER BY that a SELECT DISTINCT does not list."""
    if not walk.traits.distinct_orders_by_list:
        return
    distinct, order = node.args["distinct"], node.args["order"]
    if distinct.args.get("on") is not None:
        _check_distinct_on(walk, distinct.args["on"], order, scope, used)
        return
    uses = {id(use.node): use for use in walk.facts.columns[used:] if use.level is scope}
    listed = _Grouped(walk, scope, uses)
    for item in node.expressions:
        if not item.is_star:
            listed.add(item.unalias())
        elif not listed.add_starred(item):
            return
    aliases = scope.aliases.keys() | scope.outputs.keys()
    for term in order.expressions:
        expression = term.this if isinstance(term, exp.Ordered) else term
        if isinstance(expression, exp.Literal) or listed.holds(expression):
            continue
        is_plain = isinstance(expression, exp.Column)
        if id(expression) not in uses and (is_plain or walk.catalogue is None):
            continue  # the name of an output, a fault of its own, or what nobody was asked about
        if _is_one_of(walk, expression, aliases):
            continue
        walk.facts.grouping_faults.append(GroupingFault(expression, expression.name))


def _check_distinct_on(walk: Walk, on: exp.Expr, order: exp.Expr, scope: Scope, used: int) -> None:
    """Record terms of ORDER BY before those of DISTINCT ON have all stood there."""
    uses = {id(use.node): use for use in walk.facts.columns[used:] if use.level is scope}
    wanted = _Grouped(walk, scope, uses)
    keys = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    items = order.parent.expressions if order.parent is not None else []
    named = items_by_name(walk, items)
    for key in keys:
        wanted.add(key if id(key) in uses else _listed(walk, key, items, named))
    for term in order.expressions[: len(keys)]:
        expression = term.this if isinstance(term, exp.Ordered) else term
        if id(expression) not in uses:
            expression = _listed(walk, expression, items, named)
        is_plain = id(expression) in uses
        if is_plain and not wanted.holds(expression):
            walk.facts.grouping_faults.append(GroupingFault(expression, expression.name))


def _listed(
    walk: Walk, term: exp.Expr, items: list[exp.Expr], named: Mapping[str, list[exp.Expr]]
) -> exp.Expr:
    """Return the item of the SELECT list that a term stands for, a position or name; else it."""
    if term.is_int:
        place = whole(term.this)
        return items[place - 1].unalias() if 1 <= place <= len(items) else term
    if not isinstance(term, exp.Column) or term.args.get("table") is not None:
        return term
    return named.get(walk.column_key(term.this), [term])[0].unalias()


def _is_one_of(walk: Walk, node: exp.Expr, aliases: AbstractSet[str]) -> bool:
    if not isinstance(node, exp.Column) or node.args.get("table") is not None:
        return False
    return walk.column_key(node.this) in aliases


class _Grouped:
    """What one SELECT groups by, and the judgement on its expressions."""

    def __init__(self, walk: Walk, scope: Scope, uses: dict[int, ColumnUse]) -> None:
        self._walk = walk
        self._scope = scope
        self._uses = uses
        self._forms: set[str] = set()
        self._has_expressions = False
        """Something else than columns is grouped by: expressions are compared with it."""
        self._columns: dict[int, set[str]] = {}
        self._determined: dict[int, bool | None] = {}
        self._determining = self._columns
        """The grouped columns that every group has; those of ROLLUP and its like are none."""

    def add(self, item: exp.Expr) -> None:
        use = self._uses.get(id(item))
        if use is not None and not use.path:
            keys = self._columns.setdefault(id(use.relation), set())
            keys.add(self._walk.output_key(use.column.name))
        else:
            self._has_expressions = True
        self._forms.add(self._form(item))

    def determine_by(self, items: Iterable[exp.Expr]) -> None:
        """Let only the keys among some of the grouped columns determine their rows."""
        self._determining = {}
        for item in items:
            if (use := self._uses.get(id(item))) is not None and not use.path:
                keys = self._determining.setdefault(id(use.relation), set())
                keys.add(self._walk.output_key(use.column.name))

    def add_starred(self, star: exp.Expr) -> bool:
        """Add what a star stands for; false: nobody knows all of it."""
        qualifier = star.args.get("table")
        relations = list(self._scope.relations.values())
        if qualifier is not None:
            found = self._scope.relations.get(self._walk.alias_key(qualifier))
            relations = [found] if found is not None else []
        for relation in relations:
            keys = {self._walk.output_key(column.name) for column in relation.outputs}
            hidden = relation.hidden if qualifier is None else frozenset()
            self._forms |= {f"#{id(relation)}.{key}" for key in keys - hidden}
        return bool(relations) and all(relation.complete for relation in relations)

    def holds(self, expression: exp.Expr) -> bool:
        """Say whether an expression is one of those that were added."""
        return self._form(expression) in self._forms

    def judge(self, expression: exp.Expr) -> None:
        """Record the ungrouped columns below an expression, iteratively."""
        stack = [expression]
        while stack:
            node = stack.pop()
            kind = node.__class__
            if (use := self._uses.get(id(node))) is not None:
                if not use.path or self._form(node) not in self._forms:
                    self._judge_column(use)
            elif self._walk.aggregates.get(id(node)) is self._scope:
                if kind is exp.WithinGroup and is_of_ordered_set(self._walk, node.this):
                    stack.extend(node.this.expressions)
            elif kind is exp.Star and isinstance(node.parent, exp.Select):
                self._judge_star(node, list(self._scope.relations.values()))
            elif kind is exp.Column and node.this.__class__ is exp.Star:
                self._judge_qualified_star(node)
            elif kind is exp.Anonymous and self._is_exempt(node):
                continue
            elif not self._has_expressions or self._form(node) not in self._forms:
                stack.extend(children(node))

    def _is_exempt(self, call: exp.Expr) -> bool:
        """Say whether a call may take ungrouped columns, or takes other arguments anyway."""
        walk, name = self._walk, call.name.lower()
        if not walk.knows_function(name) or name in walk.traits.ungrouped_calls:
            return True
        known = walk.catalogue.functions.get(name) if walk.catalogue is not None else None
        return bool(known) and not any(one.takes(argument_count(call)) for one in known or ())

    def _judge_column(self, use: ColumnUse) -> None:
        key = self._walk.output_key(use.column.name)
        if key in self._columns.get(id(use.relation), ()):
            return
        if not self._is_of_outer_namesake(use, key):
            self._fault(use.node, use.column.name, use.relation)

    def _is_of_outer_namesake(self, use: ColumnUse, key: str) -> bool:
        """Say whether a column of HAVING means that of a relation further out, of the same name."""
        if self._walk.refuses("outer_namesake_in_having"):
            return False
        if not isinstance(use.node.find_ancestor(exp.Having, exp.Select), exp.Having):
            return False
        aliases = [alias for alias, one in self._scope.relations.items() if one is use.relation]
        further = islice(self._scope.chain(), 1, None)
        found = (level.relations.get(alias) for level in further for alias in aliases)
        return any(one is not None and key in one.columns for one in found)

    def _judge_qualified_star(self, node: exp.Expr) -> None:
        if (qualifier := node.args.get("table")) is not None:
            relation = self._scope.relations.get(self._walk.alias_key(qualifier))
            if relation is not None:
                self._judge_star(node, [relation])

    def _judge_star(self, node: exp.Expr, relations: list[Relation]) -> None:
        for relation in relations:
            grouped = self._columns.get(id(relation), set())
            for column in relation.outputs:
                if self._walk.output_key(column.name) not in grouped:
                    self._fault(node, column.name, relation)
                    break

    def _fault(self, node: exp.Expr, name: str, relation: Relation) -> None:
        determined = self._is_determined(relation)
        if determined is False:
            self._walk.facts.grouping_faults.append(GroupingFault(node, name))
        elif determined is None:
            self._walk.facts.undecided.append("keys")

    def _is_determined(self, relation: Relation) -> bool | None:
        """Say whether the grouped columns hold the primary key of a relation; None: not known."""
        if not self._walk.traits.key_determines or relation.table is None:
            return False
        found = self._determined.get(id(relation), ...)
        if found is not ...:
            return found
        key = relation.table.key
        grouped = self._determining.get(id(relation), set())
        result: bool | None = bool(key) and key <= grouped if key is not None else None
        if key is None and not grouped:
            result = False
        self._determined[id(relation)] = result
        return result

    def _form(self, node: exp.Expr) -> str:
        """Return a text that is equal for expressions that are the same after name resolution."""
        use = self._uses.get(id(node))
        if use is not None:
            return f"#{id(use.relation)}.{self._walk.output_key(use.column.name)}{use.path}"
        if isinstance(node, exp.Paren):
            return self._form(node.this)
        if isinstance(node, exp.Literal):
            return repr(node.this) if node.is_string else str(node.this)
        if isinstance(node, exp.JSONPathKey):
            return repr(node.this)
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
            return self._form(value)
        if isinstance(value, list):
            return ",".join(self._part(item) for item in value)
        return str(value).lower()
