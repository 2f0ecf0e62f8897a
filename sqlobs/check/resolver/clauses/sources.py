"""Resolves items of FROM: tables, CTEs, calls, and what PIVOT and MATCH_RECOGNIZE make of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedTable
from sqlobs.check.forms import FromClause
from sqlobs.check.parsing.input_limits import MAX_PIVOT_COLUMNS
from sqlobs.check.resolver.clauses.table_functions import resolve_function
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.state import DispatchTable, SourceResolver, State
from sqlobs.check.resolver.model.tree import children, has_columns, is_bare_column
from sqlobs.check.resolver.names.outputs import check_names, output_name
from sqlobs.check.resolver.names.relations import (
    collect,
    named_relation,
    undescribed,
    with_column_names,
)
from sqlobs.check.types.system import Type


def pivoted(state: State, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    """Return what PIVOT or UNPIVOT, a clause or a statement, makes of a relation."""
    inner = Scope(scope)
    inner.relations[state.output_key(relation.name) or "\0"] = relation
    inner.clause = "select"
    if node.args.get("unpivot"):
        return _unpivot(state, node, relation, inner)
    return _pivot(state, node, relation, inner)


def _pivot(state: State, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    first = len(state.resolution.columns)
    fields = node.args.get("fields")
    terms = fields or node.expressions
    calls = node.expressions if fields else node.args.get("using") or ()
    for term in terms:
        found = state.expression(term.this if isinstance(term, exp.In) else term, scope)
        _check_values(state, term, found)
        _check_term(state, term, scope)
    if fields and len(calls) > 1 and not all(isinstance(call, exp.Alias) for call in calls):
        state.add_form(node, FromClause.nameless_aggregates_of_pivot)
    kinds = [_aggregate(state, call.unalias(), scope) for call in calls]
    if (group := node.args.get("group")) is None:
        kept = _unused(state, relation, scope, first)
    else:
        kept = [_grouped(state, term, scope) for term in group.expressions]
    made = _made(state, terms, calls, kinds)
    complete = made is not None and (relation.complete or group is not None)
    return collect(state, [*kept, *(made or ())], complete=complete)


def _unused(state: State, relation: Relation, scope: Scope, first: int) -> list[PreparedColumn]:
    """Return the columns of a relation that nothing uses, from the use `first` on."""
    used = {id(use.column) for use in state.resolution.columns[first:] if use.level is scope}
    return [column for column in relation.outputs if id(column) not in used]


def _check_values(state: State, term: exp.Expr, found: Type) -> None:
    """Record values of `x IN (…)` of another type, or no constants; a bare name is a text."""
    for value in term.expressions if isinstance(term, exp.In) else ():
        written = value.this if isinstance(value, exp.PivotAlias) else value
        if is_bare_column(written):
            state.add_form(written, FromClause.name_in_values_of_pivot)
        elif has_columns(written):
            state.add_form(written, FromClause.column_in_values_of_pivot)
        elif isinstance(written, exp.Literal):
            state.compare("IN", found, state.types.literal(written), (term.this, written))


def _check_term(state: State, term: exp.Expr, scope: Scope) -> None:
    """Record a call before the IN of PIVOT."""
    if not isinstance(term, exp.In) or isinstance(term.this, (exp.Column, exp.Tuple)):
        return
    if scope.aggregates or scope.windows:
        state.add_form(term.this, FromClause.aggregate_before_in_of_pivot)
    else:
        state.add_form(term.this, FromClause.call_before_in_of_pivot)


def _aggregate(state: State, call: exp.Expr, scope: Scope) -> Type:
    """Resolve what PIVOT computes for each value: an aggregate, perhaps within an expression."""
    windows = scope.windows
    found = state.expression(call, scope)
    if isinstance(call, exp.Column):
        state.add_grouping_fault(call, call.name)
    elif scope.windows > windows:
        state.add_form(call, FromClause.window_in_pivot)
    elif any(_is_outside(state, one, call) for one in call.find_all(exp.Column)):
        state.add_form(call, FromClause.scalar_in_pivot)
    elif id(call) not in state.aggregates and call.__class__ is exp.Anonymous:
        state.add_form(call, FromClause.expression_in_pivot)
    return found


def _is_outside(state: State, column: exp.Expr, call: exp.Expr) -> bool:
    """Return whether a column within an expression is in no aggregate of it."""
    node: exp.Expr | None = column
    while node is not None and node is not call.parent:
        if id(node) in state.aggregates:
            return False
        node = node.parent
    return True


def _grouped(state: State, term: exp.Expr, scope: Scope) -> PreparedColumn:
    if not is_bare_column(term):
        state.add_form(term, FromClause.expression_in_group_of_pivot)
    return PreparedColumn(term.name, state.expression(term, scope))


def _made(
    state: State, terms: Iterable[exp.Expr], calls: Sequence[exp.Expr], kinds: Sequence[Type]
) -> list[PreparedColumn] | None:
    """Return the columns that PIVOT makes of values; None: only the data decides."""
    values = [_values(state, term) for term in terms]
    named = [state.kept_name(alias) if (alias := call.args.get("alias")) else "" for call in calls]
    if len(calls) > 1 and "" in named:
        return None
    form = state.traits.pivot_names
    if form is None and any(named):
        return None
    listed = [value for value in values if value]
    if len(listed) < len(values) or prod(map(len, [*listed, calls])) > MAX_PIVOT_COLUMNS:
        return None
    names = ["_".join(combination) for combination in product(*listed)]
    return [
        PreparedColumn(form.format(value=name, alias=alias) if form and alias else name, kind)
        for name in names
        for alias, kind in zip(named or [""], kinds or [None], strict=True)
    ]


def _values(state: State, term: exp.Expr) -> list[str] | None:
    """Return the names of the values of `x IN (…)`; None: not known."""
    if not isinstance(term, exp.In):
        return None
    names = [_name_of_value(state, value) for value in term.expressions]
    known = [name for name in names if name is not None]
    return known if len(known) == len(names) else None


_WORD: Final = re.compile(r"[^\W\d]\w*+")


def _name_of_value(state: State, value: exp.Expr) -> str | None:
    if isinstance(value, exp.PivotAlias):
        alias = value.args["alias"]
        return state.kept_name(alias) if isinstance(alias, exp.Identifier) else alias.name
    if isinstance(value, exp.Boolean):
        return str(value.this).lower() if state.traits.pivots else None
    if isinstance(value, exp.Column) and state.traits.pivots_names and not value.table:
        return state.kept_name(value.this)
    if not isinstance(value, exp.Literal):
        return None
    text = str(value.this)
    if state.traits.pivots_literals:
        return f"'{text}'" if value.is_string else text
    return text if state.traits.pivots or _WORD.fullmatch(text) else None


def _unpivot(state: State, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    first = len(state.resolution.columns)
    fields, into = node.args.get("fields"), node.args.get("into")
    terms = fields[0].expressions if fields else node.expressions
    values = [one.this if isinstance(one, exp.PivotAlias) else one.unalias() for one in terms]
    kinds = [state.expression(value, scope) for value in values]
    if not any(isinstance(value, exp.Tuple) for value in values):
        state.common(node, kinds, values, what="UNPIVOT")
    if fields:
        names = [fields[0].this]
        for name in node.expressions:  # `UNPIVOT ((a, b) FOR …)`
            names += name.expressions if isinstance(name, exp.Tuple) else (name,)
    else:
        names = [into.this, *into.expressions] if into is not None else []
    given = [
        state.kept_name(name.this if isinstance(name, exp.Column) else name) for name in names
    ] or ["name", "value"]
    kept = _unused(state, relation, scope, first)
    plain = all(isinstance(value, (exp.Column, exp.Cast, exp.Tuple)) for value in values)
    outputs = [*(kept if plain else ()), *map(PreparedColumn, given)]
    return collect(state, outputs, complete=plain and relation.complete)


def matched_relation(
    state: State, node: exp.Expr, scope: Scope, *, is_alone: bool
) -> tuple[Relation, exp.Expr | None]:
    """Return what MATCH_RECOGNIZE gives, and its alias; what it reads leaves the scope.

    `is_alone`: FROM has one item only; otherwise the tree does not tell which one is read.
    """
    alias = node.args.get("alias")
    name = alias.this if alias is not None else None
    defined = (one.alias for one in node.args.get("define") or ())
    variables = {*_WORD.findall(node.text("pattern")), *defined}
    if not is_alone or len(scope.relations) != 1 or len(variables) > _MOST_VARIABLES:
        return undescribed(alias.name if alias is not None else ""), name
    key, read = scope.relations.popitem()
    bare = frozenset(read.columns)
    inner = Scope(scope)
    inner.relations[key] = read
    for variable in variables:
        row = read.renamed(variable)
        row.hidden = bare  # a name without a qualifier means the relation itself
        inner.relations.setdefault(state.alias_key(exp.to_identifier(variable)), row)
    relation = _given_by_match(state, node, read, inner)
    return with_column_names(state, relation, alias), name


_MOST_VARIABLES: Final = 64


def _given_by_match(state: State, node: exp.Expr, read: Relation, scope: Scope) -> Relation:
    """Resolve every part; return what one row, or all rows, give per match."""
    keys, order = node.args.get("partition_by") or (), node.args.get("order")
    measures = [one.this for one in node.args.get("measures") or ()]
    tests = [one.this for one in node.args.get("define") or ()]
    ordered = children(order) if order is not None else ()
    for term in (*keys, *ordered, *(one.unalias() for one in measures), *tests):
        state.expression(term, scope)
    measured = [PreparedColumn(output_name(state, one)) for one in measures]
    if node.text("rows").upper().startswith("ALL"):
        return collect(state, [*read.outputs, *measured], complete=read.complete)
    kept = [PreparedColumn(output_name(state, one)) for one in keys]
    return collect(state, [*kept, *measured], complete=True)


_FORMS = {'"': FromClause.double_quoted_table, "'": FromClause.single_quoted_table}


def add_table(
    state: State, node: exp.Table, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add a stored table, a CTE or a table function to the scope."""
    name, alias = node.this, node.args.get("alias")
    if (sample := node.args.get("sample")) is not None:
        check_modifier(state, sample, node, scope, "SAMPLE")
    if not isinstance(name, exp.Identifier):
        _function(state, node, scope, waiting)
        return
    if name.args.get("quoted") and (form := _FORMS.get(state.quote(name))) is not None:
        state.add_form(name, form)
    if state.traits.arrays_in_from and _is_of_item(state, node, scope):
        _array(state, node, scope)
        return
    relation = named_relation(state, node, name, scope)
    relation.gives_rows = relation.table is None
    if (version := node.args.get("version")) is not None:
        state.expression(version, scope)
    if node.args.get("pivots"):
        relation, alias = pivoted_item(state, node, relation, scope)
    if alias is not None:
        name = alias.this or name
        if state.rejects(FromClause.table_alias_with_as) and state.is_behind_as(name):
            state.add_form(name, FromClause.table_alias_with_as)
        if alias.args.get("columns"):
            state.add_form(name, FromClause.table_column_aliases)
            check_names(state, relation, alias, is_cte=False)
            relation = with_column_names(state, relation, alias)
    scope.add(state, relation, name)


def _is_of_item(state: State, node: exp.Expr, scope: Scope) -> bool:
    """Return whether a dotted name begins with an earlier item: `FROM t JOIN t.items i`.

    A namespace may have the name of a table: what the schema has is not a column.
    """
    db = node.args.get("db")
    first = node.args.get("catalog") or db
    if not isinstance(first, exp.Identifier) or state.alias_key(first) not in scope.relations:
        return False
    namespace = state.table_key(db) if isinstance(db, exp.Identifier) else None
    key = state.table_key(node.this)
    return state.context.schema is None or state.context.schema.table(key, namespace) is None


def _array(state: State, node: exp.Expr, scope: Scope) -> None:
    """Add the elements of a column, under their alias."""
    named = (node.args.get(part) for part in ("catalog", "db", "this"))
    parts = [part.copy() for part in named if isinstance(part, exp.Expr)]
    column = exp.Column(**dict(zip(("this", "table", "db"), reversed(parts), strict=False)))
    alias = node.args.get("alias")
    name = (alias.this if alias is not None else node.this).copy()
    _function(state, exp.Unnest(expressions=[column], alias=exp.TableAlias(columns=[name])), scope)


def pivoted_item(
    state: State, node: exp.Expr, relation: Relation, scope: Scope
) -> tuple[Relation, exp.Expr | None]:
    """Return what the PIVOT and UNPIVOT clauses of an item make of it, and its name then."""
    pivots, alias = node.args["pivots"], node.args.get("alias")
    if alias is not None and alias.this is not None:
        relation = relation.renamed(alias.name)
    for pivot in pivots:
        relation = pivoted(state, pivot, relation, scope)
    return relation, pivots[-1].args.get("alias") or alias


_HIDDEN: Final = {name: PreparedColumn(name) for name in ("rowid", "oid", "_rowid_")}


def name_derived(state: State, relation: Relation, scope: Scope, alias: exp.Expr | None) -> None:
    """Add what a subquery gives, under its alias and with the columns that this names."""
    relation.gives_rows = True
    if alias is None:
        scope.add(state, relation, None)
        return
    if alias.args.get("columns"):
        state.add_form(alias.this or alias, FromClause.derived_column_aliases)
        check_names(state, relation, alias, is_cte=False)
    relation = with_column_names(state, relation, alias)
    if state.traits.derived_has_hidden:
        relation.columns = _HIDDEN | relation.columns
    scope.add(state, relation, alias.this)


def _lateral(state: State, node: exp.Expr, scope: Scope, _waiting: list[exp.Expr]) -> None:
    if isinstance(node.this, exp.Subquery):
        relation = state.query(node.this, scope)
        name_derived(state, relation, scope, node.args.get("alias"))
    else:
        _function(state, node, scope)


def check_modifier(
    state: State, modifier: exp.Expr, source: exp.Expr, scope: Scope, name: str
) -> None:
    """Record FINAL, SAMPLE or PREWHERE of what does not support it.

    That is a query, what a call computes, or a table whose storage engine is known.
    """
    source = source.this if isinstance(source, exp.Final) else source
    is_computed, table = isinstance(source, exp.Subquery), None
    if isinstance(source, exp.Table) and source.args.get("db") is None:
        if isinstance(source.this, exp.Identifier):
            is_computed = state.cte_key(source.this) in scope.ctes
            table = state.context.plain_tables.get(state.table_key(source.this))
        else:  # others may open a table
            is_computed = state.knowledge.columns_of(source.this.name.lower()) is not None
            is_computed = is_computed or _lacks(state, source.this.name.lower(), name)
    elif isinstance(source, exp.Values):
        is_computed = _lacks(state, "values", name)
    if is_computed:
        state.add_form(modifier, FromClause.modifier_of_query)
    elif table is not None and table.engine is not None and not _supports(state, table, name):
        state.add_form(modifier, FromClause.modifier_of_storage)


def _lacks(state: State, function: str, modifier: str) -> bool:
    """Return whether what a function in FROM gives certainly does not support a modifier."""
    known = state.knowledge.storages.get(f"{function}()")
    return known is not None and modifier not in known


def _supports(state: State, table: PreparedTable, modifier: str) -> bool:
    """Return whether the storage engine of a table supports FINAL, SAMPLE or PREWHERE."""
    engine = str(table.engine).removeprefix("Replicated").removeprefix("Shared")
    known = state.knowledge.storages.get(engine)
    if known is None:
        return True
    reads_others = not engine.endswith("MergeTree")  # whose DDL has the `SAMPLE BY`
    return modifier in known and (modifier != "SAMPLE" or table.sampled or reads_others)


def _wrapped(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    """Add what ClickHouse's `t FINAL` and `STREAM(t)` read."""
    if isinstance(node, exp.Final):
        check_modifier(state, node, node, scope, "FINAL")
    state.source(node.this, scope, waiting)


def _unfolded(state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    """Add the column of elements that ARRAY JOIN gives."""
    if isinstance(node.parent, exp.From):  # in a subquery there, sqlglot makes a column of a table
        table = exp.Table(this=node.this.copy(), db=node.args.get("table"))
        node.replace(table)
        state.source(table, scope, waiting)
        return
    element = state.judge(node, state.types.element(state.expression(node, scope)))
    if isinstance(node, exp.Alias) and node.args.get("alias") is not None:
        if not state.is_behind_as(node.args["alias"], unknown=True):
            state.add_form(node, FromClause.unfolded_without_as)
        column = PreparedColumn(state.kept_name(node.args["alias"]), element)
        key = state.column_key(node.args["alias"])
        scope.add(state, Relation("", {key: column}), None)


def _unfolded_columns(state: State, node: exp.Expr, scope: Scope, _waiting: list[exp.Expr]) -> None:
    """Add the columns of `ARRAY JOIN COLUMNS('^tag')`, which may give the items of any array."""
    del node
    columns = {
        key: PreparedColumn(column.name)
        for relation in scope.relations.values()
        for key, column in relation.columns.items()
        if column.type is not None and column.type[-1] == "]"
    }
    scope.add(state, Relation("", columns), None)


def _function(
    state: State, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add what a function gives; its arguments may see all of FROM, as conditions do."""
    waits = waiting is not None and state.traits.on_sees_all and state.follows_defaults
    relation, name = resolve_function(state, node, scope, waiting if waits else None)
    scope.add(state, relation, name)


ITEMS: Final[DispatchTable[SourceResolver]] = DispatchTable(
    {
        exp.Expr: _function,
        exp.Table: add_table,
        exp.Lateral: _lateral,
        exp.Final: _wrapped,
        exp.Stream: _wrapped,
        exp.Alias: _unfolded,
        exp.Column: _unfolded,
        exp.Columns: _unfolded_columns,
    }
)
