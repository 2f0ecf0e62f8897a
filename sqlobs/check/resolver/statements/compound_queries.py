"""Resolves what combines queries: WITH, recursion, UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Ctes, Form, SelectList, SetOperations
from sqlobs.check.resolver.clauses.ordering import (
    check_settings,
    reject_aggregates,
    resolve_limits,
    resolve_order,
)
from sqlobs.check.resolver.model.resolution import Resolution
from sqlobs.check.resolver.model.scope import DeferredCte, Relation, Scope, opaque
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import is_bare_column, is_lambda, is_same
from sqlobs.check.resolver.names.outputs import check_names, check_width, output_name, width_of
from sqlobs.check.resolver.names.relations import collect, relation_with_columns, with_column_names
from sqlobs.check.types.system import written


def with_scope(state: State, node: exp.Expr, outer: Scope) -> Scope:
    """Resolve the CTEs in front of a query; return the scope that sees them."""
    with_ = node.args.get("with_")
    if with_ is None:
        return outer
    scope = Scope(outer, ctes=dict(outer.ctes))
    if with_.args.get("recursive"):
        state.add_form(with_.expressions[0], Ctes.with_recursive)
    ctes: list[tuple[str, exp.Expr]] = []
    own: set[str] = set()
    named: list[exp.Expr] = []
    for cte in with_.expressions:
        name = cte.args["alias"].this
        if cte.args.get("scalar"):  # ClickHouse's `WITH 5 AS x`; `resolve_named_values` looks at it
            _name_value(state, cte, scope)
            if any(one.alias == cte.alias and one.this != cte.this for one in named):
                state.add_form(name, SelectList.alias_of_two_expressions)
            named.append(cte)
            continue
        ctes.append((state.cte_key(name), cte))
        if ctes[-1][0] in own:
            state.add_form(name, Ctes.repeated_cte)
        own.add(ctes[-1][0])
    if state.traits.checks_unused_ctes:
        _resolve_all(state, ctes, scope, with_)
        return scope
    deferred = [(key, DeferredCte(cte, key, scope, _resolved)) for key, cte in ctes]
    state.deferred_ctes += [one for _, one in deferred]
    if state.traits.ctes_see_later_ones:
        scope.ctes.update(deferred)
    for key, one in deferred:
        one.resolve_once(state)
        scope.ctes[key] = one
    return scope


def _name_value(state: State, cte: exp.Expr, scope: Scope) -> None:
    """Let a query see a value or lambda that WITH names; of `WITH 5 AS (x, y)` there is no name."""
    name = cte.args["alias"].this
    if name is not None:
        scope.aliases[state.column_key(name)] = PreparedColumn(state.kept_name(name))
        state.named_values.add(state.column_key(name))
    if is_lambda(cte.this):
        state.local_functions.add(cte.alias)


def _resolve_all(
    state: State, ctes: Sequence[tuple[str, exp.Expr]], scope: Scope, with_: exp.Expr
) -> None:
    """Resolve CTEs in order; SEARCH and CYCLE extend the last."""
    clauses = [found for name in ("search", "cycle") if (found := with_.args.get(name)) is not None]
    for place, (key, cte) in enumerate(ctes, start=1):
        relation = _resolved(state, cte, scope, key)
        if place == len(ctes):
            for clause in clauses:
                relation = _searched(state, relation, clause)
        scope.ctes[key] = relation


def _searched(state: State, relation: Relation, search: exp.Expr) -> Relation:
    """Return a recursive CTE with the columns that SEARCH or CYCLE adds."""
    added = [search.args.get(name) for name in ("expression", "using")]
    columns = {
        state.column_key(name): PreparedColumn(state.kept_name(name))
        for name in added
        if isinstance(name, exp.Identifier)
    }
    outputs = [*relation.outputs, *columns.values()]
    found = Relation(relation.name, relation.columns | columns, outputs)
    found.complete, found.nameless = relation.complete, relation.nameless
    return found


def _resolved(state: State, cte: exp.Expr, scope: Scope, key: str) -> Relation:
    alias = cte.args["alias"]
    is_combined = isinstance(cte.this, exp.SetOperation)
    is_recursive = is_combined and _reads(state, cte.this, key) and _may_recurse(state, cte)
    if is_recursive:
        itself = _relation_of(state, alias.this.name, cte.this, alias)
        state.recursive[id(cte.this)] = itself
        scope = Scope(scope.parent, ctes={**scope.ctes, key: itself})
    if isinstance(cte.this, (exp.Literal, exp.Alias)) and state.follows_defaults:
        state.add_form(cte, Ctes.cte_of_value)
    relation = state.query(cte.this, scope)
    if is_recursive:
        _check_recursion(state, cte, key)
    check_names(state, relation, alias, is_cte=True)
    names = [state.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names) and not alias.args.get("columns"):
        state.add_form(alias.this, Ctes.repeated_output_of_cte)
    return with_column_names(state, relation, alias)


def _relation_of(state: State, name: str, query: exp.Expr, alias: exp.Expr) -> Relation:
    """Return the columns of a recursive CTE by its first SELECT, which is not resolved."""
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    if listed := alias.args.get("columns"):
        names = [state.kept_name(identifier) for identifier in listed]
    elif not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return opaque(name)
    else:
        names = [output_name(state, item) for item in query.expressions]
    return relation_with_columns(state, name, names)


def _may_recurse(state: State, cte: exp.Expr) -> bool:
    """Return whether a CTE sees itself; some engines require RECURSIVE."""
    with_ = cte.parent
    is_declared = with_ is not None and bool(with_.args.get("recursive"))
    return is_declared or not state.rejects(Ctes.recursion_without_recursive)


def settle_deferred(state: State) -> tuple[Resolution, Resolution]:
    """Return what was found with the referenced CTEs, and in the others.

    Forms that the grammar excludes count everywhere.
    """
    waiting = [cte for cte in state.deferred_ctes if cte.is_read]
    read: set[int] = set()
    while waiting:
        cte = waiting.pop()
        if id(cte) not in read:
            read.add(id(cte))
            waiting += cte.reads
    counting, others = Resolution(), Resolution()
    for cte in state.deferred_ctes:
        is_read = id(cte) in read
        (counting if is_read else others).add(cte.resolution)
        if not is_read:
            counting.unread.append(cte.node)
    counting.add(state.resolution)
    wrong = state.knowledge.ungrammatical  # the grammar is that of the whole text
    counting.forms += [use for use in others.forms if use.form.name in wrong]
    return counting, others


def _check_recursion(state: State, cte: exp.Expr, key: str) -> None:
    """Record what recursion excludes: an order, LIMIT, aggregates over the CTE."""
    for name, form in _RECURSIVE_FORMS.items():
        if cte.this.args.get(name) is not None:
            state.add_form(cte.this.args[name], form)
    _check_places(state, cte.this, key)
    _check_windows(state, cte.this.expression, key)
    if not state.rejects(Ctes.aggregate_in_recursion):
        return
    part = cte.this.expression
    for scope in state.resolution.selects:
        if scope.node is part and scope.aggregates and _reads_in_from(state, part, key):
            for call in part.find_all(exp.Anonymous, exp.AggFunc):
                if state.aggregates.get(id(call)) is scope:
                    state.add_aggregate_fault(call, call.name, "aggregate", "a recursive query")


def _check_windows(state: State, part: exp.Expr, key: str) -> None:
    """Record window functions of the query that reads the CTE, not of its subqueries."""
    if not state.rejects(Ctes.window_in_recursion) or not _reads_in_from(state, part, key):
        return
    for node in part.walk(prune=lambda one: one is not part and isinstance(one, exp.Query)):
        if isinstance(node, exp.Window):
            state.add_form(node, Ctes.window_in_recursion)


_RECURSIVE_FORMS: Final = {
    "order": Ctes.order_in_recursion,
    "limit": Ctes.limit_in_recursion,
    "offset": Ctes.limit_in_recursion,
}


def _check_places(state: State, query: exp.Expr, key: str) -> None:
    if not isinstance(query, exp.Union):
        state.add_form(query, Ctes.recursion_without_union)
    for table in _tables(state, query.this, key):
        is_chain = isinstance(query.this, exp.SetOperation)
        state.add_form(table, Ctes.recursion_in_chain if is_chain else Ctes.recursion_in_first)
    for place, table in enumerate(_tables(state, query.expression, key)):
        if place:
            state.add_form(table, Ctes.recursion_twice)
        if (form := _form(table, query.expression)) is not None:
            state.add_form(table, form)


def _form(table: exp.Expr, part: exp.Expr) -> Form | None:
    """Return the form that a recursive reference has by its place; None: it is allowed."""
    select = table.find_ancestor(exp.Select)
    if select is None or select is part:
        return Ctes.recursion_in_outer_join if _is_optional(table) else None
    above = select.parent
    while isinstance(above, (exp.Subquery, exp.SetOperation)):
        above = above.parent
    if isinstance(above, (exp.From, exp.Join, exp.Lateral)):
        return Ctes.recursion_in_derived
    return None if above is None or isinstance(above, exp.CTE) else Ctes.recursion_in_subquery


def _is_optional(table: exp.Expr) -> bool:
    """Return whether an outer join makes a relation optional."""
    above = table.parent
    if isinstance(above, exp.Join):
        return above.text("side").upper() in {"LEFT", "FULL"}
    select = above.parent if isinstance(above, exp.From) else None
    joins = select.args.get("joins") or () if select is not None else ()
    return any(join.text("side").upper() in {"RIGHT", "FULL"} for join in joins)


def _tables(state: State, node: exp.Expr | None, key: str) -> Iterator[exp.Expr]:
    if node is not None:
        for table in node.find_all(exp.Table):
            if table.args.get("db") is None and state.cte_key(table.this) == key:
                yield table


def _reads_in_from(state: State, part: exp.Expr, key: str) -> bool:
    items = (part.args.get("from_"), *(part.args.get("joins") or ()))
    return any(_reads(state, item, key) for item in items)


def _reads(state: State, node: exp.Expr | None, key: str) -> bool:
    """Return whether a query reads a CTE, in FROM or as `a IN cte`."""
    if next(_tables(state, node, key), None) is not None:
        return True
    fields = (one.args.get("field") for one in node.find_all(exp.In)) if node is not None else ()
    return any(is_bare_column(one) and state.cte_key(one.this) == key for one in fields if one)


def _check_lengths(state: State, node: exp.Expr) -> None:
    """Record columns whose length differs between the two queries of a recursive CTE."""
    first, second = node.this, node.expression
    if not isinstance(first, exp.Select) or not isinstance(second, exp.Select):
        return
    if any(item.is_star for item in (*first.expressions, *second.expressions)):
        return
    declared = {id(use.node): use.column.declared for use in state.resolution.columns}
    for begun, repeated in zip(first.expressions, second.expressions, strict=False):
        length = _length(begun.unalias(), declared)
        value = repeated.unalias()
        # a plain column may be the CTE's own
        is_computed = isinstance(value, (exp.DPipe, exp.Anonymous, exp.Add, exp.Cast, exp.Concat))
        if length and is_computed and _length(value, declared) != length:
            message = "The length of a column differs between the first and the recursive query."
            state.add_type_fault(value, message)


def _length(value: exp.Expr, declared: dict[int, str | None]) -> str:
    """Return the parameters of a type (`(40)`); empty: it has none."""
    if isinstance(value, exp.Array) and value.expressions:
        return _length(value.expressions[0], declared)
    is_cast = isinstance(value, exp.Cast)
    text = written(value.args["to"], "postgres") if is_cast else declared.get(id(value))
    found = (text or "").partition("(")
    return f"({found[2]}" if found[1] else ""


def resolve_set_operation(state: State, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve a chain of set operations along its left spine without recursion."""
    scope = with_scope(state, node, outer)
    spine: list[exp.Expr] = [node]
    first = node.this
    while isinstance(first, exp.SetOperation) and first.args.get("with_") is None:
        spine.append(first)
        first = first.this
    relation = state.query(first, scope)
    own = state.recursive.get(id(node)) if state.recursive else None
    if own is not None:
        _give_types(own, relation)
    if _is_in_parentheses(first):
        state.add_form(first, SetOperations.first_set_operand_in_parentheses)
    names = dict(relation.columns)
    for operation in reversed(spine):
        right = state.query(operation.expression, scope)
        names = {**right.columns, **names}
        if _is_in_parentheses(operation.expression):
            state.add_form(operation.expression, SetOperations.set_operand_in_parentheses)
        if relation.complete and right.complete and not operation.args.get("by_name"):
            check_width(state, operation.expression, right, width_of(operation.this, relation))
            relation = _matched_types(state, operation, relation, right)
    if own is not None:
        _check_recursive_types(state, node, own, relation)
    for operation in spine:
        check_settings(state, operation)
        resolve_order_of_outputs(state, operation, relation, scope, names)
    return relation


def _is_in_parentheses(operand: exp.Expr) -> bool:
    """Return whether an operand is in parentheses.

    sqlglot also makes a subquery of what an INTERSECT binds, which the parser has not read.
    """
    return isinstance(operand, exp.Subquery) and "pivots" in operand.args


def _give_types(own: Relation, first: Relation) -> None:
    """Give a recursive CTE's own relation the types of its first query."""
    if len(own.outputs) != len(first.outputs) or not first.complete:
        return
    pairs = zip(own.outputs, first.outputs, strict=True)
    typed = {id(column): replace(column, type=other.type) for column, other in pairs}
    own.outputs = [typed[id(column)] for column in own.outputs]
    own.columns = {key: typed.get(id(column), column) for key, column in own.columns.items()}


def _check_recursive_types(state: State, node: exp.Expr, own: Relation, whole: Relation) -> None:
    if len(own.outputs) != len(whole.outputs):
        return
    for column, other in zip(own.outputs, whole.outputs, strict=True):
        if column.type is not None and other.type is not None:
            state.judge(node, state.types.recursion(column.type, other.type))
    if state.types.fixes_lengths:
        _check_lengths(state, node)


def _matched_types(state: State, node: exp.Expr, left: Relation, right: Relation) -> Relation:
    if not state.types.is_known or len(left.outputs) != len(right.outputs):
        return left
    width, what, outputs = len(left.outputs), node.key.upper(), []
    firsts, seconds = items_of(node.this, width), items_of(node.expression, width)
    for column, other, *pair in zip(left.outputs, right.outputs, firsts, seconds, strict=True):
        found = state.common(node, (column.type, other.type), pair, what=what)
        if node.args.get("distinct"):
            state.judge(node, state.types.grouped(found, node))
        outputs.append(replace(column, type=found))
    return collect(state, outputs, complete=True)


def items_of(query: exp.Expr, width: int) -> list[exp.Expr]:
    """Return the items of an operand without their aliases; unknown ones are the operand."""
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or len(query.expressions) != width:
        return [query] * width
    return [item.unalias() for item in query.expressions]


def resolve_order_of_outputs(
    state: State,
    node: exp.Expr,
    relation: Relation,
    outer: Scope,
    names: dict[str, PreparedColumn] | None = None,
) -> None:
    """Resolve ORDER BY and LIMIT after a set operation or parentheses: they see outputs only.

    `names`: the outputs of all operands, which some engines see.
    """
    scope = Scope(outer)
    scope.relations[""] = relation.renamed("")
    if names is not None and not state.rejects(SetOperations.order_by_name_of_last_operand):
        scope.aliases = names
    width = len(relation.outputs) if relation.complete else None
    order = node.args.get("order")
    listed: tuple[exp.Expr, ...] = ()
    if order is not None and isinstance(node, exp.SetOperation):
        listed = _check_order_of_set(state, node, order)
    resolve_order(state, order, scope, width, listed=listed)
    if order is not None and scope.aggregates:
        reject_aggregates(state, order, scope, "ORDER BY of a set operation")
    resolve_limits(state, node, scope)


def _check_order_of_set(state: State, node: exp.Expr, order: exp.Expr) -> tuple[exp.Expr, ...]:
    """Record expressions that ORDER BY does not allow; return the terms that a list contains."""
    takes_any = not state.rejects(SetOperations.expression_in_order_of_set)
    knows_lists = not state.rejects(SetOperations.selected_expression_in_order_of_set)
    listed = []
    for item in order.expressions:
        term = item.this if isinstance(item, exp.Ordered) else item
        if knows_lists and isinstance(term, exp.Collate):
            term = term.this
        is_name = isinstance(term, exp.Column) or term.is_int or term.is_string
        if knows_lists and _is_listed(term, node):
            listed.append(item)
        elif not takes_any and not is_name:
            state.add_form(term, SetOperations.expression_in_order_of_set)
    return tuple(listed)


def _is_listed(term: exp.Expr, node: exp.Expr) -> bool:
    waiting = [node]
    while waiting:
        query = waiting.pop()
        if isinstance(query, exp.SetOperation):
            waiting += [query.this, query.expression]
        elif any(is_same(item.unalias(), term) for item in query.expressions):
            return True
    return False
