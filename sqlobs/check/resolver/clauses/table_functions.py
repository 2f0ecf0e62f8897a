"""What a function or a VALUES list in FROM gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedTable
from sqlobs.check.forms import FromClause
from sqlobs.check.resolver.clauses.aggregates import note_call
from sqlobs.check.resolver.model.resolution import CallUse, TableUse
from sqlobs.check.resolver.model.scope import Relation, Scope, opaque, stored_relation
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.model.tree import children
from sqlobs.check.resolver.names.outputs import check_names, check_rows_of
from sqlobs.check.resolver.names.relations import (
    given_relation,
    typed_values,
    undescribed,
    unnested_relation,
    values_relation,
    with_column_names,
)
from sqlobs.check.types.system import Type
from sqlobs.schema.declared_type import declared_type


def _values(state: State, node: exp.Values) -> Relation | None:
    if state.traits.values_may_be_described and node.expressions:
        first = next(node.expressions[0].find_all(exp.Literal, exp.Tuple, bfs=False), None)
        while isinstance(first, exp.Tuple) and first.expressions:
            first = first.expressions[0]
        if first is not None and first.is_string:
            relation = _described(state, first.name)
            return relation and with_column_names(state, relation, node.args.get("alias"))
    alias, widths = node.args.get("alias"), check_rows_of(state, node)
    is_named = alias is not None or state.traits.values_name
    if not is_named or len(widths) != 1:
        return None
    relation = typed_values(state, node, values_relation(state, widths.pop()))
    if alias is not None:
        check_names(state, relation, alias, is_cte=False)
    return with_column_names(state, relation, alias)


def _described_by(state: State, call: exp.Expr) -> Relation | None:
    """Return the columns that an argument of a call describes; None: none does."""
    place = state.traits.describing_calls.get(call.name.lower(), len(call.expressions))
    if place >= len(call.expressions) or not call.expressions[place].is_string:
        return None
    return _described(state, call.expressions[place].name)


def _described(state: State, text: str) -> Relation | None:
    """Return the columns that a text describes: `a Int32, b Array(String)`; None: it is none."""
    found = declared_type(f"Tuple({text})")
    types = [one.type.text.partition("(")[0].strip() for one in found.fields]
    if not found.has_names or not all(map(state.types.knows, types)):
        return None
    columns = {
        state.output_key(one.name): PreparedColumn(
            one.name, state.types.declared(one.type.text), one.type.text
        )
        for one in found.fields
    }
    return Relation("", columns)


def _searched(state: State, call: exp.Expr) -> PreparedTable | None:
    """Return the full-text table that is read like a function: `docs('a word')`."""
    key = state.table_key(exp.to_identifier(call.name))
    table = state.context.plain_tables.get(key)
    # Such a table has a column of its own name, which no star gives.
    if table is None or key not in table.columns or table.columns[key] in table.outputs:
        return None
    return table


def _without_table(state: State, node: exp.Table, call: exp.Expr, scope: Scope) -> exp.Expr:
    """Record a call that gives no table; return the part of it to resolve."""
    known = state.knowledge.signatures(call.name)
    if any(one.kind in {"table", "table_macro"} for one in known):
        return node
    if state.traits.table_calls_are_tables:
        use = TableUse(node, call, _searched(state, call))
        state.resolution.tables.append(use)
        if use.table is None:
            state.resolution.unlisted_tables.append(use)
            scope.has_unknown_relation = True
        return call
    if state.knows_function(call.name):  # an unknown function is a finding of its own
        state.add_form(call, FromClause.value_call_as_table)
    return node


def _listed_columns(state: State, node: exp.Expr, alias: exp.Expr | None) -> Relation:
    """Return the columns that JSON_TABLE or XMLTABLE lists, nested ones too."""
    kind = exp.JSONColumnDef if isinstance(node, exp.JSONTable) else exp.ColumnDef
    listed = [column.this for column in node.find_all(kind) if column.this is not None]
    columns = {state.column_key(one): PreparedColumn(state.kept_name(one)) for one in listed}
    if len(columns) < len(listed):
        state.add_form(node, FromClause.repeated_output_of_derived)
    return Relation(alias.name if alias is not None else "", columns)


def _defined(state: State, alias: exp.Expr) -> Relation | None:
    """Return the columns of `AS x (a int, b text)`; None: they have no types."""
    listed = alias.args.get("columns") or []
    if not listed or not all(isinstance(column, exp.ColumnDef) for column in listed):
        return None
    columns = {}
    for column in listed:
        kind = column.args.get("kind")
        found = state.types.named(kind) if kind is not None else None
        columns[state.column_key(column.this)] = PreparedColumn(state.kept_name(column.this), found)
    return Relation(alias.name, columns)


def _unnested(state: State, node: exp.Expr, types: Sequence[Type]) -> Relation | None:
    name = state.traits.unnest_column
    if name is None or not state.types.is_known or len(node.expressions) != 1:
        return None
    kind = state.judge(node, state.types.element(types[0]))
    alias = node.args.get("alias")
    listed = alias.args.get("columns") if alias is not None else None
    if listed:
        name = state.kept_name(listed[0])
    relation = Relation("", {state.output_key(name): PreparedColumn(name, kind)})
    relation.complete = not node.args.get("offset")
    return relation


def _elements(state: State, node: exp.Expr, types: Sequence[Type]) -> Relation:
    """Return what BigQuery's `UNNEST(items) AS item` gives: the fields of an item, or its value."""
    alias, offset = node.args.get("alias"), node.args.get("offset")
    only = types[0] if len(types) == 1 else None
    kind = state.judge(node, state.types.element(only))
    fields = state.types.fields(kind) or {}
    outputs = [PreparedColumn(name, field) for name, field in fields.items()]
    named = alias.args.get("columns") or [] if alias is not None else []
    if not outputs:
        outputs = [PreparedColumn(state.kept_name(name), kind) for name in named[:1]]
    if offset:
        name = offset.name if isinstance(offset, exp.Identifier) else "offset"
        outputs.append(PreparedColumn(name, state.types.output("INTEGER_LITERAL")))
    called = next((one.name for one in named), "")
    relation = Relation(called, {state.output_key(one.name): one for one in outputs}, outputs)
    if kind is None:
        relation.complete, relation.is_undescribed = False, True
    return relation


def _called(
    state: State, node: exp.Expr, call: exp.Expr | None, types: Sequence[Type]
) -> Relation | None:
    """Return what a call gives that has one value per row; None: that is not known."""
    alias, kind = node.args.get("alias"), types[0] if types else None
    if not state.types.is_known or alias is None:
        return None
    function = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(function, exp.Unnest):
        kind = state.judge(node, state.types.call("unnest", types, function.expressions))
        kind = kind if len(types) == 1 else None
    elif call is None or state.knowledge.columns_of(call.name.lower()) is not None:
        return None
    listed = alias.args.get("columns") or [alias.this]
    width = 1 + _is_numbered(node)  # the value, and the row number
    if kind not in {None, state.types.row} and len(listed) > width:
        state.add_width_fault(alias, width, len(listed))
    if kind in {None, state.types.row} or not isinstance(listed[0], exp.Identifier):
        return None
    key, name = state.column_key(listed[0]), state.kept_name(listed[0])
    own = state.knowledge.value_name(call.name.lower()) if call is not None else None
    if own is not None and not alias.args.get("columns"):
        name = own
    outputs = [PreparedColumn(name, kind)]
    if (number := _number(state, node, function)) is not None:
        outputs.append(number)
    columns = {state.output_key(column.name): column for column in reversed(outputs)}
    relation = Relation(alias.name, {**columns, key: outputs[0]}, outputs)
    relation.gives_values = True
    return relation


def _is_numbered(node: exp.Expr) -> bool:
    """Return whether the row number is a column next to the value."""
    return bool(node.args.get("ordinality") or node.args.get("offset"))


def _number(state: State, *nodes: exp.Expr) -> PreparedColumn | None:
    """Return the column of WITH ORDINALITY; None: there is none."""
    for node in filter(_is_numbered, nodes):
        alias, named = nodes[0].args.get("alias"), node.args.get("offset")
        listed = alias.args.get("columns") if alias is not None else None
        if listed and len(listed) > 1:
            named = listed[1]
        name = state.kept_name(named) if isinstance(named, exp.Identifier) else "ordinality"
        return PreparedColumn(name, "bigint")
    return None


def _given_by(state: State, node: exp.Expr, call: exp.Expr) -> Relation | None:
    """Return what a call gives, with the row number of WITH ORDINALITY."""
    relation = given_relation(state, call.name.lower(), call)
    if state.traits.table_calls_are_tables and (table := _searched(state, call)) is not None:
        relation = Relation(table.name, table.columns, table.outputs)
        relation.table = table
    if relation is None or not node.args.get("ordinality"):
        return relation
    number = PreparedColumn("ordinality", "bigint")
    columns = relation.columns | {number.name: number}
    return Relation(relation.name, columns, [*relation.outputs, number])


def _answering_to(state: State, relation: Relation, alias: exp.Expr) -> Relation:
    """Let the alias of a relation with one column also name that column."""
    if state.traits.unnest_column is None or alias.this is None or alias.args.get("columns"):
        return relation
    if len(relation.outputs) > 1:
        return relation
    columns = relation.columns | {state.column_key(alias.this): relation.outputs[0]}
    return Relation(relation.name, columns, relation.outputs)


def _reads_package(call: exp.Expr | None) -> bool:
    """Return whether a package is called without parentheses: `TABLE(DBMS_XPLAN.DISPLAY)`."""
    if call is None or call.name.upper() != "TABLE" or len(call.expressions) != 1:
        return False
    only = call.expressions[0]
    return isinstance(only, exp.Column) and only.args.get("table") is not None


def _name_of_given(
    state: State, node: exp.Expr, call: exp.Expr | None, scope: Scope
) -> exp.Expr | None:
    """Return the alias of what a function gives, else the name of the function."""
    if (alias := node.args.get("alias")) is not None:
        # BigQuery's name of an element is that of its row too
        return alias.this or next(iter(alias.args.get("columns") or ()), None)
    if isinstance(node, exp.Unnest) and state.traits.unnest_column:
        return exp.to_identifier(state.traits.unnest_column)
    name = exp.to_identifier(call.name) if call is not None else None
    if name is None or state.follows_defaults:
        return name
    return None if state.alias_key(name) in scope.relations else name


def resolve_function(
    state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None = None
) -> tuple[Relation, exp.Expr | None]:
    """Resolve a table function or VALUES list; return what it gives, and its name.

    Arguments that see later items of FROM are left `waiting`.
    """
    call = node.this if isinstance(node.this, exp.Anonymous) else None
    if (view := _view_called(state, node, call)) is not None:
        return view, _name_of_given(state, node, call, scope)
    if call is not None and call.name.lower() in state.traits.counting_calls:
        _check_amounts(state, call)
    return _resolve_function(state, node, scope, waiting)


def _check_amounts(state: State, call: exp.Expr) -> None:
    """Record arguments of `numbers(10)` that are no whole number, or may be NULL."""
    for node in call.expressions:
        is_signed = node.__class__ is exp.Neg and node.this.name != "0"
        is_fraction = node.is_number and not float(node.name).is_integer() if node.name else False
        if node.is_string or is_signed or is_fraction or isinstance(node, _NO_AMOUNT):
            fault = f"The arguments of {call.name} must be whole numbers that are not negative."
            state.add_type_fault(node, fault, call.name)


_NO_AMOUNT: Final = (exp.Array, exp.Tuple, exp.Null, exp.Lambda, exp.Star, exp.Query)


def _resolve_function(
    state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None
) -> tuple[Relation, exp.Expr | None]:
    alias = node.args.get("alias")
    call = node.this if isinstance(node.this, exp.Anonymous) else None
    is_unnest = isinstance(node, exp.Lateral) and isinstance(node.this, exp.Unnest)
    walked = node.this if is_unnest else node
    if call is not None and isinstance(node, exp.Table) and state.follows_defaults:
        walked = _without_table(state, node, call, scope)
    names = call is not None and call.name.lower() in state.traits.naming_calls
    if names and call is not None:
        note_call(state, CallUse(call, call.name, len(call.expressions)))
    names = names or _reads_package(call)
    no_parts = (alias, walked.args.get("offset"))
    parts = [
        child
        for child in (() if names else children(walked))
        if not any(child is one for one in no_parts) and not isinstance(child, exp.Join)
    ]
    types: list[Type] = []
    if waiting is None or call is None:
        seen = scope
        if not state.traits.calls_see_siblings and not isinstance(node, exp.Lateral):
            seen = Scope(scope.parent, ctes=scope.ctes)
        types = [state.expression(part, seen) for part in parts]
    else:
        waiting += parts
    if alias is not None and alias.this is not None and alias.args.get("columns"):
        state.add_form(alias, FromClause.derived_column_aliases)
    name = _name_of_given(state, node, call, scope)
    if state.traits.arrays_in_from and state.follows_defaults and isinstance(node, exp.Unnest):
        return _elements(state, node, types), name
    relation = _given(state, node, call, types)
    if relation is None and alias is not None:
        relation = _defined(state, alias)
    if relation is None:
        if call is not None and state.knowledge.has("shapeless", call.name.lower()) is Answer.YES:
            state.add_form(call, FromClause.call_without_columns)
        is_described = state.follows_defaults and not state.traits.generators
        unknown = opaque if is_described else undescribed
        relation = unknown(name.name if name is not None else "")
    return relation, name


def _view_called(state: State, node: exp.Expr, call: exp.Expr | None) -> Relation | None:
    """Return the view that is called with its parameters: `sales_since(first = '2024-01-01')`."""
    if call is None or not state.traits.views_take_parameters or not isinstance(node, exp.Table):
        return None
    name = exp.to_identifier(call.name)
    table = state.context.plain_tables.get(state.table_key(name))
    if table is None or not table.is_view:
        return None
    state.resolution.tables.append(TableUse(node, name, table))
    return stored_relation(state, table)


def _check_listed(state: State, relation: Relation, alias: exp.Expr | None) -> None:
    """Record an alias that does not name all columns, where that is required."""
    if alias is not None and state.rejects(FromClause.short_column_list):
        check_names(state, relation, alias, is_cte=False)


def _given(
    state: State, node: exp.Expr, call: exp.Expr | None, types: Sequence[Type]
) -> Relation | None:
    if isinstance(node, exp.Values):
        return _values(state, node)
    if isinstance(node.this, (exp.JSONTable, exp.XMLTable)):
        return _listed_columns(state, node.this, node.args.get("alias"))
    may_explode = bool(state.traits.generators) or not state.follows_defaults
    if may_explode and (given := unnested_relation(state, node)) is not None:
        return given
    if state.traits.calls_name_columns and (found := _called(state, node, call, types)) is not None:
        return found
    alias, relation = node.args.get("alias"), None
    if call is not None:
        relation = _described_by(state, call) or _given_by(state, node, call)
        if relation is not None:
            is_series = state.traits.unnest_column is not None and len(relation.outputs) == 1
            if is_series and types and types[0] is not None:
                relation.outputs[0].type = state.types.element(types[0]).type
            _check_listed(state, relation, alias)
            relation = with_column_names(state, relation, alias)
    elif isinstance(node, exp.Unnest):
        relation = _unnested(state, node, types)
    if relation is None or alias is None:
        return relation
    return _answering_to(state, relation, alias)
