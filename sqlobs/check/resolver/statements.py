"""Walks whole statements: queries, and the tables and columns of INSERT, UPDATE, DELETE."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms.constructs import names_target
from sqlobs.check.resolver.assignments import resolve_assignment
from sqlobs.check.resolver.columns import resolve_column
from sqlobs.check.resolver.ctes import settle_loose, with_scope
from sqlobs.check.resolver.dml_targets import (
    check_action,
    check_assignments,
    check_conflict,
    check_inserted,
    check_stored,
)
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.merges import resolve_merge
from sqlobs.check.resolver.outputs import collect, output_name
from sqlobs.check.resolver.queries import resolve_query
from sqlobs.check.resolver.resolution import ColumnFault, Facts, FormUse, WidthFault
from sqlobs.check.resolver.scope import Scope, opaque
from sqlobs.check.resolver.set_operations import items_of
from sqlobs.check.resolver.sources import (
    add_table,
    resolve_conditions,
    resolve_from,
    resolve_target,
)
from sqlobs.check.resolver.stars import columns_of_star
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.widths import check_width

if TYPE_CHECKING:
    from sqlobs.check.resolver.scope import Relation
    from sqlobs.check.resolver.state import Walk


def resolve_statement(tree: exp.Expr, walk: Walk) -> tuple[Facts, Facts | None]:
    """Resolve every name of a statement; return the facts, and those about CTEs it does not read.

    Args:
        tree: the statement; it is read, never changed.
        walk: what the names are looked up in; made for this statement alone.
    """
    if isinstance(tree, (exp.Query, exp.Values)) or (
        isinstance(tree, exp.Pivot) and walk.traits.pivots
    ):
        resolve_query(walk, tree, Scope())
    elif resolve_change(walk, tree, Scope()) is None:
        if isinstance(tree, exp.Create) and tree.text("kind").upper() == "TABLE":
            _created(walk, tree)
        # DECLARE names nothing that is stored; what stands behind it is looked at, or is not.
        if not (isinstance(tree, exp.Declare) and walk.traits.takes_several_statements):
            walk.facts.undecided.append(tree.key)
    return settle_loose(walk) if walk.loose_ctes else (walk.facts, None)


def _created(walk: Walk, node: exp.Create) -> None:
    """Resolve the query of CREATE TABLE AS; that of a view may name what is not there yet."""
    if isinstance(node.expression, exp.Query):
        resolve_query(walk, node.expression, Scope())


def resolve_change(walk: Walk, tree: exp.Expr, outer: Scope) -> Relation | None:
    """Resolve a change of rows that sees the CTEs of `outer`, and return what it returns.

    None: it is none that is known.
    """
    around = Scope(ctes=outer.ctes)
    if isinstance(tree, exp.Insert):
        return _insert(walk, tree, around)
    if isinstance(tree, exp.Update):
        return _update(walk, tree, around)
    if isinstance(tree, exp.Delete):
        return _delete(walk, tree, around)
    if isinstance(tree, exp.Merge):
        resolve_merge(walk, tree, around)
        return opaque("")
    return None


def _insert(walk: Walk, node: exp.Insert, around: Scope) -> Relation:
    scope = Scope(with_scope(walk, node, around))
    target = node.this
    named = _listed(walk, target) if isinstance(target, exp.Schema) else []
    table = target.this if isinstance(target, exp.Schema) else target
    if isinstance(table, exp.Table):
        add_table(walk, table, scope)
        _check_view(walk, table, scope)
    columns = [resolve_column(walk, column, scope) for column in named]
    if isinstance(node.expression, exp.Expr):
        sees_target = walk.traits.inserts_see_target and isinstance(node.expression, exp.Values)
        outer = scope if sees_target else Scope(ctes=scope.ctes)
        relation = resolve_query(walk, node.expression, outer)
        if node.args.get("by_name"):
            _check_named(walk, relation, target, scope)
        elif not columns:
            columns = _unlisted(walk, relation, scope)
        if columns:
            _check_inserted(walk, node.expression, relation, columns, is_listed=bool(named))
            check_inserted(walk, node.expression, columns, named)
    elif not node.args.get("default"):
        walk.facts.forms.append(FormUse(target, "insert_without_rows"))
    if (conflict := node.args.get("conflict")) is not None:
        if walk.traits.inserts_see_target:
            _add_inserted(walk, node, scope)
        _conflict(walk, conflict, scope)
    return _returned(walk, node, scope)


def _check_view(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Record a change of a view where none takes changes."""
    target = next(iter(scope.relations.values()), None)
    if target is not None and target.table is not None:
        check_stored(walk, node, target)


def _listed(walk: Walk, target: exp.Expr) -> list[exp.Expr]:
    """Return the columns that INSERT lists; record a list that is empty, or has one twice."""
    if not target.expressions:
        walk.facts.forms.append(FormUse(target.this, "empty_insert_list"))
    if len(set(map(walk.column_key, target.expressions))) < len(target.expressions):
        walk.facts.forms.append(FormUse(target, "repeated_insert_column"))
    return [exp.Column(this=identifier) for identifier in target.expressions]


def _add_inserted(walk: Walk, node: exp.Insert, scope: Scope) -> None:
    """Let a conflict see what the inserted query reads, and the row by the alias of VALUES."""
    alias = node.expression.args.get("alias") if isinstance(node.expression, exp.Values) else None
    if alias is not None and alias.this is not None:
        target = next(iter(scope.relations.values()))
        row = opaque(alias.name)
        if not alias.args.get("columns"):
            row = _only_qualified(target, alias.name)
        scope.relations[walk.alias_key(alias.this)] = row
    for use in walk.facts.selects:
        # what is grouped has no rows of its sources any more
        if use.node is node.expression and not (use.scope.aggregates or use.node.args.get("group")):
            for key, relation in use.scope.relations.items():
                scope.relations.setdefault(key, relation)


def _unlisted(walk: Walk, given: Relation, scope: Scope) -> list[PreparedColumn | None]:
    """Return the columns that get what is given where none are listed; none: they are not known."""
    target = next(iter(scope.relations.values()), None)
    if target is None or not target.complete or walk.catalogue is None:
        return []
    columns = target.outputs
    if walk.traits.generated_columns == "left out":
        columns = [column for column in columns if not column.generated]
    return [*columns[: None if walk.traits.inserts_whole_rows else len(given.outputs)]]


def _check_named(walk: Walk, relation: Relation, target: exp.Expr, scope: Scope) -> None:
    """Record what INSERT BY NAME gives and the target does not have."""
    stored = next(iter(scope.relations.values()), None)
    if stored is None or not stored.complete:
        return
    for column in relation.outputs:
        if column.name and walk.output_key(column.name) not in stored.columns:
            name = exp.to_identifier(column.name)
            name.meta.update(target.this.meta)
            fault = ColumnFault(name, None, "misplaced", scope, (stored,))
            walk.facts.column_faults.append(fault)


def _check_inserted(
    walk: Walk,
    query: exp.Expr,
    relation: Relation,
    columns: list[PreparedColumn | None],
    *,
    is_listed: bool,
) -> None:
    """Record rows of another width than the list of columns, and values that these do not take."""
    if not isinstance(query, exp.Values):
        check_width(walk, query, relation, len(columns))
        items = items_of(query, len(columns))
        for column, output, item in zip(columns, relation.outputs, items, strict=False):
            walk.assign(column, output.type, item)
        return
    for row in query.expressions:
        if not isinstance(row, exp.Tuple) or not (row.expressions or is_listed):
            continue  # `VALUES ()` gives every default
        if len(row.expressions) != len(columns):
            walk.facts.width_faults.append(WidthFault(row, len(row.expressions), len(columns)))
        values = zip(columns, walk.rows.get(id(row), ()), row.expressions, strict=False)
        for column, found, value in values:
            walk.assign(column, found, value)


def _conflict(walk: Walk, conflict: exp.Expr, scope: Scope) -> None:
    """Walk ON CONFLICT and ON DUPLICATE KEY; `excluded` is the row that was to be inserted."""
    scope.clause = "where"
    for key in conflict.args.get("conflict_keys") or ():
        resolve_expression(walk, key, scope)
    check_action(walk, conflict)
    target = next(iter(scope.relations.values()), None)
    changed = Scope(ctes=scope.ctes)
    changed.relations.update(islice(scope.relations.items(), 1))
    if target is not None and not conflict.args.get("duplicate"):
        check_conflict(walk, conflict, target)
        scope.relations["excluded"] = _only_qualified(target)
    for assignment in conflict.expressions:
        if conflict.args.get("duplicate"):
            _inserted_columns(walk, assignment, changed)
        resolve_assignment(walk, assignment, changed, scope)
    if (where := conflict.args.get("where")) is not None:
        resolve_expression(walk, where, scope)
    scope.relations.pop("excluded", None)


def _only_qualified(target: Relation, name: str = "excluded") -> Relation:
    """Return a relation whose columns are not meant where no qualifier names it."""
    row = target.renamed(name)
    row.hidden |= row.columns.keys()
    return row


def _inserted_columns(walk: Walk, value: exp.Expr, target: Scope) -> None:
    """Resolve the columns of `VALUES(column)`, the value that was to be inserted, as in MariaDB."""
    for call in value.find_all(exp.Anonymous):
        if call.name.upper() == "VALUES":
            for item in call.expressions:
                if isinstance(item, exp.Identifier):
                    resolve_column(walk, exp.Column(this=item), target)


def _returned(walk: Walk, node: exp.Expr, scope: Scope) -> Relation:
    """Walk RETURNING and return what it gives; some engines let it see the target only."""
    if (returning := node.args.get("returning")) is None:
        nothing = opaque("")
        nothing.gives_nothing = True
        return nothing
    if walk.refuses("returning_of_source"):
        seen = islice(scope.relations.items(), 1)
        scope = Scope(ctes=scope.ctes)
        scope.relations.update(seen)
    scope.clause = "where"
    target = next(iter(scope.relations.values()), None)
    if target is not None:
        scope.relations |= dict.fromkeys(walk.traits.changed_rows, _only_qualified(target))
    outputs: list[PreparedColumn] = []
    complete = True
    for item in returning.expressions:
        if (star := columns_of_star(walk, item, scope)) is not None:
            outputs += star[0]
            complete = complete and star[1]
            continue
        found = resolve_expression(walk, item.unalias(), scope)
        outputs.append(PreparedColumn(output_name(walk, item), found))
    return collect(walk, outputs, complete=complete)


def _update(walk: Walk, node: exp.Update, around: Scope) -> Relation:
    scope = Scope(with_scope(walk, node, around))
    of_alias = walk.traits.update_names_alias and _names_alias(walk, node)
    if not of_alias:
        resolve_target(walk, node.this, scope)
    resolve_conditions(walk, resolve_from(walk, node, scope), scope)
    scope.clause = "where"
    target = scope
    if node.args.get("from_") is not None and not of_alias:
        target = Scope(ctes=scope.ctes)
        target.relations.update(islice(scope.relations.items(), 1))
    for assignment in node.expressions:
        resolve_assignment(walk, assignment, target, scope)
    check_assignments(walk, node)
    return _rest(walk, node, scope)


def _names_alias(walk: Walk, node: exp.Update) -> bool:
    """Say whether the target of an UPDATE is what its FROM clause calls a relation.

    `UPDATE o SET … FROM orders AS o`; learn.microsoft.com/sql/t-sql/queries/update-transact-sql.
    """
    from_ = node.args.get("from_")
    if from_ is None or not isinstance(node.this, exp.Table) or node.this.args.get("db"):
        return False
    key = walk.alias_key(node.this.this)
    items = [from_.this, *(join.this for join in from_.this.args.get("joins") or ())]
    items += [join.this for join in node.args.get("joins") or ()]
    aliases = (item.args.get("alias") or item for item in items)
    return any(
        isinstance(alias.this, exp.Identifier) and walk.alias_key(alias.this) == key
        for alias in aliases
    )


def _delete(walk: Walk, node: exp.Delete, around: Scope) -> Relation:
    scope = Scope(with_scope(walk, node, around))
    using = node.args.get("using") or ()
    if isinstance(node.this, exp.Table) and not (using and names_target(node)):
        resolve_target(walk, node.this, scope)
        _check_view(walk, node.this, scope)
    for table in using:
        resolve_target(walk, table, scope)
    if walk.catalogue is None and not node.this and not using:  # `DELETE orders WHERE …`
        for table in node.args.get("tables") or ():
            resolve_target(walk, table, scope)
    for table in node.args.get("tables") or ():
        if walk.catalogue is None:
            continue
        if (changed := scope.relations.get(walk.alias_key(table.this))) is not None:
            check_stored(walk, table, changed)
        else:
            walk.facts.column_faults.append(ColumnFault(table.this, None, "no_source", scope))
    return _rest(walk, node, scope)


def _rest(walk: Walk, node: exp.Expr, scope: Scope) -> Relation:
    """Walk what stands behind the target: WHERE, ORDER BY, RETURNING."""
    scope.clause = "where"
    for name in ("where", "order"):
        if (clause := node.args.get(name)) is not None:
            for child in children(clause):
                found = resolve_expression(walk, child, scope)
                if name == "where":
                    walk.condition(found, child, what="WHERE")
    return _returned(walk, node, scope)
