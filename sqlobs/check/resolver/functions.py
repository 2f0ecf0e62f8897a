"""What a function or a VALUES list gives where a table stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.calls import note_call
from sqlobs.check.resolver.ctes import with_column_names
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.outputs import typed_values, values_relation
from sqlobs.check.resolver.resolution import CallUse, FormUse, TableUse, WidthFault
from sqlobs.check.resolver.scope import Relation, opaque
from sqlobs.check.resolver.tree import children
from sqlobs.check.resolver.unnesting import unnested_relation, untold
from sqlobs.check.resolver.widths import check_rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.check.engine.prepared_schema import PreparedTable
    from sqlobs.check.resolver.scope import Scope
    from sqlobs.check.resolver.state import Walk
    from sqlobs.check.types.system import Type


def _values(walk: Walk, node: exp.Values) -> Relation | None:
    """Return what a VALUES list gives; None: that is not known."""
    alias, widths = node.args.get("alias"), check_rows_of(walk, node)
    is_told = alias is not None or (walk.catalogue is None and walk.traits.values_name)
    if not is_told or len(widths) != 1:
        return None
    relation = typed_values(walk, node, values_relation(walk, widths.pop()))
    return with_column_names(walk, relation, alias) if alias is not None else relation


def given_relation(walk: Walk, key: str, call: exp.Expr) -> Relation | None:
    """Return what a function in FROM gives; None: that is not known."""
    listed = walk.catalogue.table_columns.get(key) if walk.catalogue is not None else None
    if listed is None:
        return None
    columns = {name.lower(): PreparedColumn(name) for name, _ in listed}
    outputs = [columns[name.lower()] for name, is_hidden in listed if not is_hidden]
    return Relation(call.name, columns, outputs)


def _is_shapeless(walk: Walk, call: exp.Expr) -> bool:
    return walk.catalogue is not None and call.name.lower() in walk.catalogue.shapeless


def _gives_table(walk: Walk, call: exp.Anonymous) -> bool:
    """Say whether a function gives a table, or may."""
    if walk.catalogue is None:
        return True
    known = walk.catalogue.functions.get(call.name.lower(), ())
    return any(one.kind in {"table", "table_macro"} for one in known)


def _searched(walk: Walk, call: exp.Expr) -> PreparedTable | None:
    """Return the full-text table that is read like a function: `docs('a word')`."""
    key = walk.table_key(exp.to_identifier(call.name))
    table = walk.plain_tables.get(key)
    # Such a table has a column of its own name, which no star gives.
    if table is None or key not in table.columns or table.columns[key] in table.outputs:
        return None
    return table


def _without_table(walk: Walk, node: exp.Table, call: exp.Expr, scope: Scope) -> exp.Expr:
    """Record a call that gives no table; return what of it is to be resolved."""
    if walk.traits.table_calls_are_tables:
        use = TableUse(node, call, _searched(walk, call))
        walk.facts.tables.append(use)
        if use.table is not None:
            return call
        walk.facts.unlisted_tables.append(use)
        scope.has_unknown_relation = True
        return call
    if walk.knows_function(call.name):  # else that is what is told
        walk.facts.forms.append(FormUse(call, "value_call_as_table"))
    return node


def _listed_columns(walk: Walk, node: exp.Expr, alias: exp.Expr | None) -> Relation:
    """Return what JSON_TABLE or XMLTABLE gives: the columns that it lists, nested ones too."""
    kind = exp.JSONColumnDef if isinstance(node, exp.JSONTable) else exp.ColumnDef
    listed = [column.this for column in node.find_all(kind) if column.this is not None]
    columns = {walk.column_key(one): PreparedColumn(walk.kept_name(one)) for one in listed}
    if len(columns) < len(listed):
        walk.facts.forms.append(FormUse(node, "repeated_output_of_derived"))
    return Relation(alias.name if alias is not None else "", columns)


def _defined(walk: Walk, alias: exp.Expr) -> Relation | None:
    """Return what columns with types define, as `AS x (a int, b text)`; None: there are none."""
    listed = alias.args.get("columns") or []
    if not listed or not all(isinstance(column, exp.ColumnDef) for column in listed):
        return None
    columns = {}
    for column in listed:
        kind = column.args.get("kind")
        found = walk.types.named(kind) if walk.types is not None and kind is not None else None
        columns[walk.column_key(column.this)] = PreparedColumn(walk.kept_name(column.this), found)
    return Relation(alias.name, columns)


def _type_series(walk: Walk, relation: Relation, values: Type) -> None:
    """Give the only column of `range(…)` in FROM the type of the items of such a list."""
    if walk.types is not None and values is not None and len(relation.outputs) == 1:
        relation.outputs[0].type = walk.types.element(values).type


def _unnested(walk: Walk, node: exp.Expr, types: Sequence[Type]) -> Relation | None:
    """Return what UNNEST gives in FROM; None: that is not known."""
    name = walk.traits.unnest_column
    if name is None or walk.types is None or len(node.expressions) != 1:
        return None
    kind = walk.judge(node, walk.types.element(types[0]))
    alias = node.args.get("alias")
    listed = alias.args.get("columns") if alias is not None else None
    if listed:
        name = walk.kept_name(listed[0])
    relation = Relation("", {walk.output_key(name): PreparedColumn(name, kind)})
    relation.complete = not node.args.get("offset")
    return relation


def _called(
    walk: Walk, node: exp.Expr, call: exp.Expr | None, types: Sequence[Type]
) -> Relation | None:
    """Return what a call of one value in each row gives in FROM; None: that is not known."""
    alias, kind = node.args.get("alias"), types[0] if types else None
    if walk.types is None or walk.catalogue is None or alias is None:
        return None
    function = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(function, exp.Unnest):
        kind = walk.judge(node, walk.types.call("unnest", types, function.expressions))
        kind = kind if len(types) == 1 else None
    elif call is None or call.name.lower() in walk.catalogue.table_columns:
        return None
    listed = alias.args.get("columns") or [alias.this]
    if kind not in {None, walk.types.row} and len(listed) > 1:
        _check_names_of_call(walk, node, alias)
    if kind in {None, walk.types.row} or not isinstance(listed[0], exp.Identifier):
        return None
    key, name = walk.column_key(listed[0]), walk.kept_name(listed[0])
    own = walk.catalogue.value_names.get(call.name.lower()) if call is not None else None
    if own is not None and not alias.args.get("columns"):
        name = own
    outputs = [PreparedColumn(name, kind)]
    if (number := _number(walk, node, function)) is not None:
        outputs.append(number)
    columns = {walk.output_key(column.name): column for column in reversed(outputs)}
    relation = Relation(alias.name, {**columns, key: outputs[0]}, outputs)
    relation.gives_values = True
    return relation


def _is_numbered(node: exp.Expr) -> bool:
    """Say whether the number of the row stands beside the value."""
    return bool(node.args.get("ordinality") or node.args.get("offset"))


def _number(walk: Walk, *nodes: exp.Expr) -> PreparedColumn | None:
    """Return the column of WITH ORDINALITY behind those of a call; None: there is none."""
    for node in filter(_is_numbered, nodes):
        alias, named = nodes[0].args.get("alias"), node.args.get("offset")
        listed = alias.args.get("columns") if alias is not None else None
        if listed and len(listed) > 1:
            named = listed[1]
        name = walk.kept_name(named) if isinstance(named, exp.Identifier) else "ordinality"
        return PreparedColumn(name, "bigint")
    return None


def _given_by(walk: Walk, node: exp.Expr, call: exp.Expr) -> Relation | None:
    """Return what a function in FROM gives, with the number of each row where it is wanted."""
    relation = given_relation(walk, call.name.lower(), call)
    if walk.traits.table_calls_are_tables and (table := _searched(walk, call)) is not None:
        relation = Relation(table.name, table.columns, table.outputs)
        relation.table = table
    if relation is None or not node.args.get("ordinality"):
        return relation
    number = PreparedColumn("ordinality", "bigint")
    columns = relation.columns | {number.name: number}
    return Relation(relation.name, columns, [*relation.outputs, number])


def _check_names_of_call(walk: Walk, node: exp.Expr, alias: exp.Expr) -> None:
    """Record more names than the value, and the number of its row, have columns."""
    width = 1 + _is_numbered(node)
    if len(alias.args["columns"]) > width:
        walk.facts.width_faults.append(WidthFault(alias, width, len(alias.args["columns"])))


def _answering_to(walk: Walk, relation: Relation, alias: exp.Expr) -> Relation:
    """Let the name of a relation with one column stand for that column, too."""
    if walk.traits.unnest_column is None or alias.this is None or alias.args.get("columns"):
        return relation
    if len(relation.outputs) > 1:
        return relation
    columns = relation.columns | {walk.column_key(alias.this): relation.outputs[0]}
    return Relation(relation.name, columns, relation.outputs)


def _is_called_as_function(walk: Walk, call: exp.Expr, scope: Scope) -> bool:
    """Say whether a function in FROM without an alias goes by its own name."""
    if walk.catalogue is not None:
        return True
    return walk.alias_key(exp.to_identifier(call.name)) not in scope.relations


def _reads_package(call: exp.Expr | None) -> bool:
    """Say whether a call of a package without brackets stands in `TABLE(DBMS_XPLAN.DISPLAY)`."""
    if call is None or call.name.upper() != "TABLE" or len(call.expressions) != 1:
        return False
    only = call.expressions[0]
    return isinstance(only, exp.Column) and only.args.get("table") is not None


def _types(
    walk: Walk, parts: list[exp.Expr], scope: Scope, waiting: list[exp.Expr] | None
) -> list[Type]:
    """Resolve what stands in a function, or let it be `waiting`; return the types, if known."""
    if waiting is None:
        return [resolve_expression(walk, part, scope) for part in parts]
    waiting += parts
    return []


def resolve_function(
    walk: Walk, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None = None
) -> tuple[Relation, exp.Expr | None]:
    """Resolve a table function or VALUES list; return what it gives, and its name.

    Where its arguments see what stands behind it, they are `waiting` to be resolved.
    """
    alias = node.args.get("alias")
    call = node.this if isinstance(node.this, exp.Anonymous) else None
    is_unnest = isinstance(node, exp.Lateral) and isinstance(node.this, exp.Unnest)
    walked = node.this if is_unnest else node
    if call is not None and isinstance(node, exp.Table) and not _gives_table(walk, call):
        walked = _without_table(walk, node, call, scope)
    names = call is not None and call.name.lower() in walk.traits.naming_calls
    if names and call is not None:
        note_call(walk, CallUse(call, call.name, len(call.expressions)))
    names = names or _reads_package(call)
    no_parts = (alias, walked.args.get("offset"))
    parts = [
        child
        for child in (() if names else children(walked))
        if not any(child is one for one in no_parts) and not isinstance(child, exp.Join)
    ]
    types = _types(walk, parts, scope, waiting if call is not None else None)
    name = alias.this if alias is not None else None
    if alias is None and call is not None and _is_called_as_function(walk, call, scope):
        name = exp.to_identifier(call.name)  # without an alias it is called as the function is
    if alias is not None and name is None:  # BigQuery's name of an element is that of its row too
        name = next(iter(alias.args.get("columns") or ()), None)
    elif alias is not None and alias.args.get("columns"):
        walk.facts.forms.append(FormUse(alias, "derived_column_aliases"))
    if alias is None and isinstance(node, exp.Unnest) and walk.traits.unnest_column:
        name = exp.to_identifier(walk.traits.unnest_column)
    relation = _given(walk, node, call, types)
    if relation is None and alias is not None:
        relation = _defined(walk, alias)
    if relation is None and call is not None and _is_shapeless(walk, call):
        walk.facts.forms.append(FormUse(call, "call_without_columns"))
    if relation is None:
        called = name.name if name is not None else ""
        relation = opaque(called) if walk.catalogue is not None else untold(called)
    return relation, name


def _given(
    walk: Walk, node: exp.Expr, call: exp.Expr | None, types: Sequence[Type]
) -> Relation | None:
    """Return what VALUES, UNNEST or a call gives under its alias; None: that is not known."""
    if isinstance(node, exp.Values):
        return _values(walk, node)
    if isinstance(node.this, (exp.JSONTable, exp.XMLTable)):
        return _listed_columns(walk, node.this, node.args.get("alias"))
    if walk.catalogue is None and (given := unnested_relation(walk, node)) is not None:
        return given
    if walk.traits.calls_name_columns and (found := _called(walk, node, call, types)) is not None:
        return found
    alias, relation = node.args.get("alias"), None
    if call is not None:
        relation = _given_by(walk, node, call)
        if relation is not None and types and walk.traits.unnest_column:
            _type_series(walk, relation, types[0])
        if relation is not None and alias is not None:
            relation = with_column_names(walk, relation, alias)
    elif isinstance(node, exp.Unnest):
        relation = _unnested(walk, node, types)
    if relation is None or alias is None:
        return relation
    return _answering_to(walk, relation, alias)
