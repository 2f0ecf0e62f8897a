"""Resolves INSERT, UPDATE, DELETE and MERGE, and checks what they may write to."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Dml
from sqlobs.check.forms.dml import names_target
from sqlobs.check.resolver.clauses.conditions import check_rows, is_row
from sqlobs.check.resolver.clauses.joins import resolve_conditions, resolve_from, resolve_target
from sqlobs.check.resolver.clauses.sources import add_table
from sqlobs.check.resolver.model.scope import Relation, Scope, opaque
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import children, is_default
from sqlobs.check.resolver.names.columns import resolve_column
from sqlobs.check.resolver.names.outputs import check_width, columns_of_star, output_name
from sqlobs.check.resolver.names.relations import collect
from sqlobs.check.resolver.statements.compound_queries import items_of, with_scope


def _resolve_assignment(state: State, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    """Resolve `column = value`: the column is one of the target, the value sees FROM too."""
    column, value = assignment.this, assignment.args.get("expression")
    if isinstance(column, exp.Func):
        state.add_form(column, Dml.assignment_to_expression)
    if isinstance(value, exp.Expr) and isinstance(column, exp.Tuple):
        _assign_row(state, assignment, target, scope)
    elif isinstance(value, exp.Expr) and isinstance(column, exp.Column):
        _assign(state, column, value, target, scope)
    else:
        state.expression(assignment, scope)


def _assign_row(state: State, assignment: exp.Expr, target: Scope, scope: Scope) -> None:
    columns, value = assignment.this.expressions, assignment.expression
    for column in columns:
        if not isinstance(column, exp.Column):  # `SET ('a', b) = (1, 2)`
            state.add_form(column, Dml.assignment_to_expression)
            state.expression(value, scope)
            return
    if is_row(value):
        for column, one in zip(columns, value.expressions, strict=False):
            _assign(state, column, one, target, scope)
    else:
        state.expression(value, scope)
        types = state.rows.get(id(value.unnest()), ())
        for place, column in enumerate(columns):
            given = resolve_column(state, column, target)
            _check_assigned(state, column, given, value)
            state.assign(given, types[place] if place < len(types) else None, value)
    check_rows(state, assignment, (assignment.this, value))


def _assign(state: State, column: exp.Expr, value: exp.Expr, target: Scope, scope: Scope) -> None:
    if is_default(value) and not state.rejects(Dml.default_in_update):
        _check_assigned(state, column, resolve_column(state, column, target), value)
        return
    if column.args.get("table") is not None:
        state.add_form(column, Dml.qualified_target)
    given = resolve_column(state, column, target)
    _check_assigned(state, column, given, value)
    state.assign(given, state.expression(value, scope), value)
    width = state.widths.get(id(value), 1)
    if width != 1 and isinstance(value, exp.Subquery) and state.follows_defaults:
        state.add_width_fault(value, width, 1)


def _check_assigned(
    state: State, column: exp.Expr, given: PreparedColumn | None, value: exp.Expr
) -> None:
    """Record a value for a generated column, or a column of a query, just resolved as `given`."""
    if given is None or not state.follows_defaults:
        return
    mode = state.traits.generated_columns
    if given.generated and mode != "any" and (mode == "left out" or not is_default(value)):
        _add_generated(state, column, given)
    use = state.resolution.columns[-1] if state.resolution.columns else None
    if use is not None and use.node is column:
        _check_stored(state, column, use.relation)


def _check_stored(state: State, node: exp.Expr, target: Relation) -> None:
    """Record a change of a query's rows: a CTE, a subquery, or a view that is read-only."""
    is_made = target.table is None and target.complete
    is_view = target.table is not None and target.table.is_view
    if is_made or (is_view and not state.traits.views_are_like_tables):
        message = f"{target.name} is the result of a query and cannot be modified."
        state.add_type_fault(node, message)


def _check_assignments(state: State, update: exp.Expr) -> None:
    """Record what SET has besides assignments, and a column that it assigns twice."""
    given = update.expressions
    if not given or any(isinstance(one, (exp.Column, exp.Literal)) for one in given):
        state.add_form(update, Dml.update_without_assignment)
    columns = [one.this for one in given if isinstance(one.this, exp.Column)]
    if len({state.column_key(column.this) for column in columns}) < len(columns):
        state.add_form(columns[-1], Dml.repeated_assignment)


def _check_action(state: State, conflict: exp.Expr) -> None:
    """Record ON CONFLICT and ON DUPLICATE KEY without an action or a target."""
    action, assigned = conflict.text("action"), bool(conflict.expressions)
    if conflict.args.get("duplicate"):
        is_complete = action == "UPDATE" and assigned and conflict.args.get("where") is None
    else:
        is_complete = action == ("DO UPDATE" if assigned else "DO NOTHING")
        is_complete = is_complete and (assigned or conflict.args.get("where") is None)
    if not is_complete:
        state.add_form(conflict, Dml.conflict_without_action)
    if assigned and not any(map(conflict.args.get, _CONFLICT_TARGETS)):
        state.add_form(conflict, Dml.conflict_without_target)


_CONFLICT_TARGETS: Final = ("conflict_keys", "constraint", "duplicate")


def _check_generated(
    state: State, query: exp.Expr, columns: list[PreparedColumn | None], named: list[exp.Expr]
) -> None:
    """Record values that INSERT gives generated columns; `named`: its list of columns."""
    mode = state.traits.generated_columns
    for place, column in enumerate(columns if mode != "any" else ()):
        is_given = mode == "left out" or not _gives_default(query, place)
        if column is not None and column.generated and is_given:
            _add_generated(state, named[place] if named else query, column)


def _check_conflict(state: State, conflict: exp.Expr, target: Relation) -> None:
    """Record ON CONFLICT with columns that are no key of the target."""
    table, keys = target.table, conflict.args.get("conflict_keys") or ()
    if table is None or table.key is None or not table.unique:
        return
    if not state.rejects(Dml.conflict_without_key) or conflict.args.get("index_predicate"):
        return
    terms = [key.this if isinstance(key, exp.Ordered) else key for key in keys]
    named = {state.column_key(term.this) for term in terms if isinstance(term, exp.Column)}
    if len(named) == len(keys) > 0 and named <= table.columns.keys() and named not in table.unique:
        message = f"The columns of ON CONFLICT are not a key of {table.name}."
        state.add_type_fault(terms[0], message)


def _add_generated(state: State, node: exp.Expr, column: PreparedColumn) -> None:
    state.add_type_fault(node, f"The column {column.name} is generated: a value is not allowed.")


def _gives_default(query: exp.Expr, place: int) -> bool:
    if not isinstance(query, exp.Values):
        return False
    rows = [row.expressions for row in query.expressions if isinstance(row, exp.Tuple)]
    return all(len(row) <= place or is_default(row[place]) for row in rows)


def resolve_insert(state: State, node: exp.Expr, around: Scope) -> Relation:
    """Resolve an INSERT and return what it returns."""
    scope = Scope(with_scope(state, node, around))
    target = node.this
    named = _listed(state, target) if isinstance(target, exp.Schema) else []
    table = target.this if isinstance(target, exp.Schema) else target
    if isinstance(table, exp.Table):
        add_table(state, table, scope)
        _check_view(state, table, scope)
    columns = [resolve_column(state, column, scope) for column in named]
    if isinstance(node.expression, exp.Expr):
        sees_target = state.traits.inserts_see_target and isinstance(node.expression, exp.Values)
        outer = scope if sees_target else Scope(ctes=scope.ctes)
        relation = state.query(node.expression, outer)
        if node.args.get("by_name"):
            _check_named(state, relation, target, scope)
        elif not columns:
            columns = _unlisted(state, relation, scope)
        if columns:
            _check_inserted(state, node.expression, relation, columns, is_listed=bool(named))
            _check_generated(state, node.expression, columns, named)
    elif not node.args.get("default"):
        state.add_form(target, Dml.insert_without_rows)
    if (conflict := node.args.get("conflict")) is not None:
        if state.traits.inserts_see_target:
            _add_inserted(state, node, scope)
        _conflict(state, conflict, scope)
    return _resolve_returning(state, node, scope)


def _check_view(state: State, node: exp.Expr, scope: Scope) -> None:
    """Record a change of a read-only view."""
    if (target := scope.target) is not None and target.table is not None:
        _check_stored(state, node, target)


def _listed(state: State, target: exp.Expr) -> list[exp.Expr]:
    """Return the listed columns; record a list that is empty or repeats one."""
    if not target.expressions:
        state.add_form(target.this, Dml.empty_insert_list)
    if len(set(map(state.column_key, target.expressions))) < len(target.expressions):
        state.add_form(target, Dml.repeated_insert_column)
    return [exp.Column(this=identifier) for identifier in target.expressions]


def _add_inserted(state: State, node: exp.Expr, scope: Scope) -> None:
    """Let a conflict see the relations of the inserted query, and the alias of VALUES."""
    alias = node.expression.args.get("alias") if isinstance(node.expression, exp.Values) else None
    if alias is not None and alias.this is not None:
        target = next(iter(scope.relations.values()))
        is_named = bool(alias.args.get("columns"))
        row = opaque(alias.name) if is_named else _only_qualified(target, alias.name)
        scope.relations[state.alias_key(alias.this)] = row
    for select in state.resolution.selects:
        # what is grouped has no rows of its sources any more
        is_grouped = select.aggregates or select.node.args.get("group")
        if select.node is node.expression and not is_grouped:
            for key, relation in select.relations.items():
                scope.relations.setdefault(key, relation)


def _unlisted(state: State, given: Relation, scope: Scope) -> list[PreparedColumn | None]:
    """Return the columns that an INSERT without a list fills; empty: not known."""
    target = scope.target
    if target is None or not target.complete or not state.follows_defaults:
        return []
    columns = target.outputs
    if state.traits.generated_columns == "left out":
        columns = [column for column in columns if not column.generated]
    return [*columns[: None if state.traits.inserts_whole_rows else len(given.outputs)]]


def _check_named(state: State, relation: Relation, target: exp.Expr, scope: Scope) -> None:
    """Record outputs of INSERT BY NAME that the target does not have."""
    stored = scope.target
    if stored is None or not stored.complete:
        return
    for column in relation.outputs:
        if column.name and state.output_key(column.name) not in stored.columns:
            name = exp.to_identifier(column.name)
            name.meta.update(target.this.meta)
            state.add_column_fault(name, None, "misplaced", scope, (stored,))


def _check_inserted(
    state: State,
    query: exp.Expr,
    relation: Relation,
    columns: list[PreparedColumn | None],
    *,
    is_listed: bool,
) -> None:
    """Record rows with another width than the columns, and values of other types."""
    if not isinstance(query, exp.Values):
        check_width(state, query, relation, len(columns))
        items = items_of(query, len(columns))
        for column, output, item in zip(columns, relation.outputs, items, strict=False):
            state.assign(column, output.type, item)
        return
    for row in query.expressions:
        if not isinstance(row, exp.Tuple) or not (row.expressions or is_listed):
            continue  # `VALUES ()` gives every default
        if len(row.expressions) != len(columns):
            state.add_width_fault(row, len(row.expressions), len(columns))
        values = zip(columns, state.rows.get(id(row), ()), row.expressions, strict=False)
        for column, found, value in values:
            state.assign(column, found, value)


def _conflict(state: State, conflict: exp.Expr, scope: Scope) -> None:
    """Resolve ON CONFLICT and ON DUPLICATE KEY; `excluded` is the row that was to be inserted."""
    scope.clause = "where"
    for key in conflict.args.get("conflict_keys") or ():
        state.expression(key, scope)
    _check_action(state, conflict)
    target, changed = scope.target, scope.of_target()
    if target is not None and not conflict.args.get("duplicate"):
        _check_conflict(state, conflict, target)
        scope.relations["excluded"] = _only_qualified(target)
    for assignment in conflict.expressions:
        if conflict.args.get("duplicate"):
            _inserted_columns(state, assignment, changed)
        _resolve_assignment(state, assignment, changed, scope)
    if (where := conflict.args.get("where")) is not None:
        state.expression(where, scope)
    scope.relations.pop("excluded", None)


def _only_qualified(target: Relation, name: str = "excluded") -> Relation:
    """Return a relation whose columns need its qualifier."""
    row = target.renamed(name)
    row.hidden |= row.columns.keys()
    return row


def _inserted_columns(state: State, value: exp.Expr, target: Scope) -> None:
    """Resolve MariaDB's `VALUES(column)`, the value to insert."""
    for call in value.find_all(exp.Anonymous):
        if call.name.upper() == "VALUES":
            for item in call.expressions:
                if isinstance(item, exp.Identifier):
                    resolve_column(state, exp.Column(this=item), target)


def _resolve_returning(state: State, node: exp.Expr, scope: Scope) -> Relation:
    """Resolve RETURNING and return what it gives; some engines let it see the target only."""
    if (returning := node.args.get("returning")) is None:
        nothing = opaque("")
        nothing.gives_nothing = True
        return nothing
    if state.rejects(Dml.returning_of_source):
        scope = scope.of_target()
    scope.clause, target = "where", scope.target
    if target is not None:
        scope.relations |= dict.fromkeys(state.traits.changed_rows, _only_qualified(target))
    outputs: list[PreparedColumn] = []
    complete = True
    for item in returning.expressions:
        if (star := columns_of_star(state, item, scope)) is not None:
            outputs += star[0]
            complete = complete and star[1]
            continue
        found = state.expression(item.unalias(), scope)
        outputs.append(PreparedColumn(output_name(state, item), found))
    return collect(state, outputs, complete=complete)


def resolve_update(state: State, node: exp.Expr, around: Scope) -> Relation:
    """Resolve an UPDATE and return what it returns."""
    scope = Scope(with_scope(state, node, around))
    of_alias = state.traits.update_names_alias and _names_alias(state, node)
    if not of_alias:
        resolve_target(state, node.this, scope)
    resolve_conditions(state, resolve_from(state, node, scope), scope)
    scope.clause = "where"
    sees_first = node.args.get("from_") is not None and not of_alias
    target = scope.of_target() if sees_first else scope
    for assignment in node.expressions:
        _resolve_assignment(state, assignment, target, scope)
    _check_assignments(state, node)
    return _rest(state, node, scope)


def _names_alias(state: State, node: exp.Expr) -> bool:
    """Return whether the target of an UPDATE is an alias of its FROM clause.

    `UPDATE o SET … FROM orders AS o`; learn.microsoft.com/sql/t-sql/queries/update-transact-sql.
    """
    from_ = node.args.get("from_")
    if from_ is None or not isinstance(node.this, exp.Table) or node.this.args.get("db"):
        return False
    key = state.alias_key(node.this.this)
    items = [from_.this, *(join.this for join in from_.this.args.get("joins") or ())]
    items += [join.this for join in node.args.get("joins") or ()]
    aliases = (item.args.get("alias") or item for item in items)
    return any(
        isinstance(alias.this, exp.Identifier) and state.alias_key(alias.this) == key
        for alias in aliases
    )


def resolve_delete(state: State, node: exp.Expr, around: Scope) -> Relation:
    """Resolve a DELETE, of one table or several, and return what it returns."""
    scope = Scope(with_scope(state, node, around))
    using = node.args.get("using") or ()
    if isinstance(node.this, exp.Table) and not (using and names_target(node)):
        resolve_target(state, node.this, scope)
        _check_view(state, node.this, scope)
    for table in using:
        resolve_target(state, table, scope)
    names_only_target = state.traits.deletes_without_from or not state.follows_defaults
    if not node.this and not using and names_only_target:  # `DELETE orders WHERE …`
        for table in node.args.get("tables") or ():
            resolve_target(state, table, scope)
    for table in node.args.get("tables") or ():
        if names_only_target:
            continue
        if (changed := scope.relations.get(state.alias_key(table.this))) is not None:
            _check_stored(state, table, changed)
        else:
            state.add_column_fault(table.this, None, "no_source", scope)
    return _rest(state, node, scope)


def _rest(state: State, node: exp.Expr, scope: Scope) -> Relation:
    """Resolve WHERE, ORDER BY and RETURNING."""
    scope.clause = "where"
    for name in ("where", "order"):
        if (clause := node.args.get(name)) is not None:
            for child in children(clause):
                found = state.expression(child, scope)
                if name == "where":
                    state.condition(found, child, what="WHERE")
    return _resolve_returning(state, node, scope)


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the parts of a MERGE see."""

    both: Scope
    target: Scope
    source: Scope


def resolve_merge(state: State, node: exp.Expr, around: Scope) -> Relation:
    """Resolve every name of a MERGE but those of RETURNING, whose columns stay unknown."""
    both = Scope(with_scope(state, node, around))
    resolve_target(state, node.this, both)
    sides = _Sides(both, Scope(ctes=both.ctes), Scope(ctes=both.ctes))
    sides.target.relations.update(both.relations)
    if isinstance(node.args.get("using"), exp.Expr):
        resolve_target(state, node.args["using"], both)
    sides.source.relations.update(islice(both.relations.items(), len(sides.target.relations), None))
    both.clause = "on"
    if isinstance(node.args.get("on"), exp.Expr):
        state.expression(node.args["on"], both)
    whens = node.args.get("whens")
    for when in whens.expressions if whens is not None else ():
        _when(state, when, sides)
    return opaque("")


def _when(state: State, when: exp.Expr, sides: _Sides) -> None:
    """Resolve one WHEN; without a matching row of the target it sees the source only."""
    is_new = not when.args.get("matched") and not when.args.get("source")
    seen = sides.source if is_new else sides.both
    condition, then = when.args.get("condition"), when.args.get("then")
    seen.clause = "where"
    if condition is not None:
        state.condition(state.expression(condition, seen), condition, what="WHEN")
    if isinstance(then, exp.Update):
        for assignment in then.expressions or ():
            if isinstance(assignment, exp.EQ):
                _resolve_assignment(state, assignment, sides.target, seen)
    elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
        _insert_of_merge(state, then, then.expression, sides)
    if isinstance(then, exp.Expr) and (where := then.args.get("where")) is not None:  # Oracle's
        state.condition(state.expression(where.this, sides.both), where.this, what="WHERE")


def _insert_of_merge(state: State, insert: exp.Insert, row: exp.Tuple, sides: _Sides) -> None:
    listed = insert.this.expressions if isinstance(insert.this, exp.Tuple) else ()
    columns = [
        resolve_column(state, column, sides.target)
        for column in listed
        if isinstance(column, exp.Column)
    ]
    if listed and len(row.expressions) != len(listed):
        state.add_width_fault(row, len(row.expressions), len(listed))
    for place, value in enumerate(row.expressions):
        if not is_default(value) and not isinstance(value, exp.Var):
            found = state.expression(value, sides.source)
            state.assign(columns[place] if place < len(columns) else None, found, value)
