"""What a name or a function in FROM means, and the columns of what it gives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn, PreparedTable
from sqlobs.check.forms import Ctes
from sqlobs.check.resolver.model.resolution import TableUse
from sqlobs.check.resolver.model.scope import DeferredCte, Relation, Scope, opaque, stored_relation
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.names.columns import element_of, exploded, fields_of


def collect(state: State, outputs: list[PreparedColumn], *, complete: bool) -> Relation:
    """Return the relation of these outputs, by name."""
    columns: dict[str, PreparedColumn] = {}
    repeated: set[str] = set()
    relation = Relation("", columns, outputs)
    relation.complete = complete
    for column in outputs:
        if not column.name:
            relation.nameless = True
            continue
        key = state.output_key(column.name)
        if key not in columns:
            columns[key] = column
        elif state.traits.duplicate_outputs != "first" and not (
            state.traits.repeats_columns and columns[key] is column
        ):
            repeated.add(key)
    if repeated:
        relation.repeated = frozenset(repeated)
    return relation


def values_relation(state: State, width: int) -> Relation:
    """Return what a VALUES list of a width gives; each engine names its columns its own way."""
    if (first := state.traits.values_name) is None:
        return relation_with_columns(state, "", [""] * width)
    stem, number = first.rstrip("0123456789"), int(first[-1])
    return relation_with_columns(state, "", [f"{stem}{number + place}" for place in range(width)])


def typed_values(state: State, values: exp.Expr, relation: Relation) -> Relation:
    """Give the columns of a VALUES list the common types of its rows, already resolved."""
    rows = [row for row in values.expressions if isinstance(row, exp.Tuple)]
    if not state.types.is_known or any(id(row) not in state.rows for row in rows):
        return relation
    typed: dict[int, PreparedColumn] = {}
    for place, column in enumerate(relation.outputs):
        nodes = [row.expressions[place] for row in rows]
        types = [state.rows[id(row)][place] for row in rows]
        found = state.common(nodes[0], types, nodes, what="VALUES")
        typed[id(column)] = replace(column, type=found)
    columns = {key: typed[id(column)] for key, column in relation.columns.items()}
    given = Relation(relation.name, columns, list(typed.values()))
    given.nameless = relation.nameless
    return given


def relation_with_columns(state: State, name: str, names: list[str]) -> Relation:
    """Return a relation with columns of these names; an empty one is unknown to queries."""
    outputs = [PreparedColumn(column) for column in names]
    columns = {state.output_key(column.name): column for column in outputs if column.name}
    relation = Relation(name, columns, outputs)
    relation.nameless = "" in names
    return relation


def with_column_names(state: State, relation: Relation, alias: exp.Expr | None) -> Relation:
    """Apply `AS name(a, b, …)` to a relation; without an alias it stays as it is."""
    if alias is None:
        return relation
    name = alias.name if alias.this is not None else relation.name
    names = alias.args.get("columns") or []
    if not names:
        return relation.renamed(name)
    columns = [
        PreparedColumn(state.kept_name(identifier), column.type)
        for identifier, column in zip(names, relation.outputs, strict=False)
    ]
    keys = [state.column_key(identifier) for identifier in names]
    rest = relation.outputs[len(names) :]
    outputs = [*columns, *rest]
    by_name = dict(zip(keys, columns, strict=False)) | {
        state.output_key(column.name): column for column in rest if column.name
    }
    if not relation.complete:
        by_name |= {key: PreparedColumn(key) for key in keys if key not in by_name}
    named = Relation(name, by_name, outputs)
    named.complete, named.nameless = relation.complete, relation.nameless
    return named


def named_relation(state: State, node: exp.Table, name: exp.Expr, scope: Scope) -> Relation:
    """Return what a name in FROM means: a CTE, a table of the schema, or something else."""
    key = state.table_key(name)
    if node.args.get("db") is None:
        found = scope.ctes.get(state.cte_key(name)) if scope.ctes else None
        if (
            isinstance(found, DeferredCte)
            and found.is_open
            and not state.traits.ctes_see_themselves
        ):
            found = opaque(name.name) if _is_recursive(found.node) else None
        if found is not None:
            if isinstance(found, DeferredCte):
                found = found.relation(state, around_derived(state, scope))
            if found.gives_nothing:
                state.add_form(node, Ctes.dml_cte_without_returning)
            return found.renamed(found.name)
        item = scope.relations.get(state.alias_key(name)) if state.traits.tables_by_alias else None
        if item is not None and (item.table is None or item.table.name != name.name):
            return item.renamed(name.name)
        table = state.context.plain_tables.get(key)
        if table is not None and (state.follows_defaults or not _is_of_session(name)):
            state.resolution.tables.append(TableUse(node, name, table))
            return stored_relation(state, table)
    return _looked_up(state, node, key, scope)


def _is_recursive(cte: exp.Expr) -> bool:
    """Return whether other parts of a WITH RECURSIVE may read a CTE before it is resolved."""
    with_ = cte.parent
    is_declared = with_ is not None and bool(with_.args.get("recursive"))
    return is_declared and isinstance(cte.this, exp.SetOperation)


def _looked_up(state: State, node: exp.Table, key: str, scope: Scope) -> Relation:
    name, db = node.this, node.args.get("db")
    namespace = state.table_key(db) if isinstance(db, exp.Expr) else None
    if namespace is None and (made := _made_up(state, name, key)) is not None:
        return made
    use, schema = TableUse(node, name, None), state.context.schema
    state.resolution.tables.append(use)
    if schema is None or _is_system(state, key, namespace):
        use.is_system = schema is not None
        state.resolution.unlisted_tables.append(use)
        return opaque(name.name)
    if _is_of_session(name) or _is_elsewhere(state, node, name, namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(name.name)
        return opaque(name.name)
    if not _is_in_other_namespace(state, namespace):
        use.table = _listed(state, node, schema.table(key, namespace))
    if use.table is None and (given := _given_otherwise(state, use, key, namespace)) is not None:
        return given
    if namespace is not None and _is_undescribed(state, namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(namespace)
    if use.table is not None:
        return stored_relation(state, use.table)
    state.resolution.unlisted_tables.append(use)
    if namespace is not None and not _is_known_namespace(state, namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(namespace)
    scope.has_unknown_relation = True
    return opaque(name.name)


def _listed(state: State, node: exp.Table, table: PreparedTable | None) -> PreparedTable | None:
    """Return a table unless its name lacks the namespace, or has that of another database."""
    if table is None or table.db is None:
        return table
    catalog = node.args.get("catalog")
    if catalog is not None and table.catalog is not None and state.traits.lists_namespaces:
        return table if state.table_key(catalog) == table.catalog else None
    is_bare = state.traits.needs_namespace and node.args.get("db") is None
    has_path = state.context.schema is not None and state.context.schema.has_search_path
    return None if is_bare and not has_path else table


def _is_of_session(name: exp.Expr) -> bool:
    """Return whether a name is that of a temporary table (`#recent`), which no schema lists."""
    return bool(name.args.get("temporary") or name.args.get("global_") or name.name[:1] == "#")


def _is_elsewhere(state: State, node: exp.Expr, name: exp.Expr, namespace: str | None) -> bool:
    """Return whether a name is a file, in a database of the engine's, or on a linked server."""
    if namespace is None:
        return "@" in name.name and not name.args.get("quoted")  # Oracle's `orders@link`
    if namespace.lower() in state.traits.file_schemas and not name.name.isidentifier():
        return True
    catalog = node.args.get("catalog")
    return isinstance(catalog, exp.Identifier) and state.table_key(catalog) in (
        state.traits.system_catalogs
    )


def _given_otherwise(
    state: State, use: TableUse, key: str, namespace: str | None
) -> Relation | None:
    """Return what a name means that is not one table: a function, or several tables."""
    if namespace is None and state.traits.table_calls_are_tables:
        given = given_relation(state, key, use.name)
        if given is not None:
            use.is_system = True
            state.resolution.unlisted_tables.append(use)
        return given
    if not state.traits.wildcard_tables or not key.endswith("*") or state.context.schema is None:
        return None
    tables = state.context.schema.beginning_with(key[:-1], namespace)
    return _of_wildcard(state, use, tables) if tables else None


def _of_wildcard(state: State, use: TableUse, tables: list[PreparedTable]) -> Relation:
    """Return the tables that `events_*` unites in BigQuery.

    Its columns are those of the latest one, which is unknown: those of all are accepted.
    See cloud.google.com/bigquery/docs/querying-wildcard-tables.
    """
    use.table = tables[-1]
    relation = stored_relation(state, use.table)
    if len(tables) > 1:
        columns = {name: column for table in tables for name, column in table.columns.items()}
        relation.columns = columns | relation.columns
    return relation


def _made_up(state: State, name: exp.Expr, key: str) -> Relation | None:
    """Return what the engine itself defines: a word, DUAL, a sequence of numbers."""
    traits = state.traits
    if key in traits.value_relations and not name.args.get("quoted"):
        return Relation(key, {key: PreparedColumn(key)})
    if key in traits.empty_tables:
        return Relation(key, {})
    if traits.numbered_relations is not None and re.fullmatch(traits.numbered_relations, key):
        return Relation(key, {"seq": PreparedColumn("seq")})
    return None


def _is_undescribed(state: State, namespace: str) -> bool:
    """Return whether a schema without namespaces says nothing about this one."""
    own, schema = state.traits.own_schemas, state.context.schema
    if schema is None or schema.qualified or state.traits.one_namespace:
        return False
    return bool(own) and namespace not in own


def _is_known_namespace(state: State, namespace: str) -> bool:
    """Return whether a schema says which tables a namespace has."""
    schema = state.context.schema
    return state.traits.lists_namespaces or schema is None or schema.knows_namespace(namespace)


def _is_in_other_namespace(state: State, namespace: str | None) -> bool:
    """Return whether a namespace is none, as the schema describes the only one there is."""
    if namespace is None or not state.traits.one_namespace or state.context.schema is None:
        return False
    return not state.context.schema.qualified and namespace not in state.traits.own_schemas


def _is_system(state: State, key: str, namespace: str | None) -> bool:
    if _is_listed_by_engine(state, key):
        return True
    if namespace is not None:
        return namespace.lower() in state.traits.system_schemas
    is_listed = state.knowledge.has("relations", key) is Answer.YES
    return is_listed or key in state.traits.system_tables


def _is_listed_by_engine(state: State, key: str) -> bool:
    """Return whether a name is a view of the engine's in a data set, or metadata of a table.

    sqlglot makes one name of BigQuery's `INFORMATION_SCHEMA.TABLES`.
    """
    if key in state.traits.system_tables:
        return True
    of, mark, metadata = key.rpartition("$")
    if mark and metadata in state.traits.metadata_tables:
        return state.context.schema is None or state.context.schema.table(of, None) is not None
    return key.partition(".")[0].lower() == "information_schema" and "." in key


def around_derived(state: State, scope: Scope) -> Scope:
    """Return the scope that a subquery in FROM sees around itself."""
    if state.traits.derived_sees_siblings:
        return scope
    if state.traits.derived_sees_outer and scope.parent is not None:
        return scope.parent
    return Scope(ctes=scope.ctes)


def given_relation(state: State, key: str, call: exp.Expr) -> Relation | None:
    """Return what a function in FROM gives; None: that is not known."""
    listed = state.knowledge.columns_of(key)
    if listed is None:
        return None
    columns = {
        name.lower(): PreparedColumn(name, state.types.declared(kind[0]) if kind else None)
        for name, _, *kind in listed
    }
    outputs = [columns[name.lower()] for name, is_hidden, *_ in listed if not is_hidden]
    return Relation(call.name, columns, outputs)


def unnested_relation(state: State, node: exp.Expr) -> Relation | None:
    """Return what a function or an array gives in FROM; None: that is not known.

    Its columns are those of WITH (`OPENJSON … WITH (a int)`), of the documentation (`FLATTEN`), the
    fields of its elements, or those of its alias (`LATERAL VIEW explode(tags) t AS tag`).
    """
    alias = node.args.get("alias")
    listed = alias.args.get("columns") or [] if alias is not None else []
    if isinstance(node, exp.Unnest):
        return _elements(state, node, alias, listed)
    value = node.this
    if isinstance(value, exp.OpenJSON) and value.expressions:
        return _of_names(state, alias, [column.this for column in value.expressions])
    if (given := _exploded(state, node, value, listed)) is not None:
        return given
    documented = state.knowledge.columns_of(_name_of_call(value))
    if documented is not None:
        columns = {state.output_key(name): PreparedColumn(name) for name, *_ in documented}
        return with_column_names(state, Relation("", columns), alias)
    return _of_names(state, alias, listed) if listed else None


def _exploded(
    state: State, node: exp.Expr, value: exp.Expr, listed: list[exp.Expr]
) -> Relation | None:
    """Return what `explode(items)` gives; None: the schema does not say."""
    if not state.traits.generators or not isinstance(value, exp.Anonymous):
        return None
    typed = state.generated.get(id(value), {})
    given = exploded(state, value, _declared(state, value)) or [
        PreparedColumn(name, kind) for name, kind in typed.items()
    ]
    if listed and given and len(listed) != len(given):
        state.add_width_fault(node, len(given), len(listed))
    if not given or (listed and len(listed) != len(given)):
        return None
    relation = Relation("", {state.output_key(one.name): one for one in given}, given)
    named = with_column_names(state, relation, node.args.get("alias"))
    for column, one in zip(named.outputs, given, strict=True):
        column.declared = one.declared
    return named


def _name_of_call(call: exp.Expr) -> str:
    """Return the lower-case name of a call as the documentation has it."""
    if isinstance(call, exp.Explode):  # what sqlglot makes of Snowflake's FLATTEN
        return "flatten"
    if isinstance(call, exp.OpenJSON):
        return "openjson"
    if isinstance(call, exp.Anonymous):
        is_wrapper = call.name.upper() == "TABLE" and call.expressions  # `TABLE(FLATTEN(…))`
        return _name_of_call(call.expressions[0]) if is_wrapper else call.name.lower()
    return str(call.sql_name()).lower() if isinstance(call, exp.Func) else ""


def _of_names(state: State, alias: exp.Expr | None, names: Iterable[exp.Expr]) -> Relation | None:
    """Return a relation with these columns; None: one is not a plain name."""
    columns = {}
    for name in names:
        identifier = name.this if isinstance(name, exp.ColumnDef) else name
        if not isinstance(identifier, exp.Identifier):
            return None
        columns[state.column_key(identifier)] = PreparedColumn(state.kept_name(identifier))
    return Relation(alias.name if alias is not None else "", columns)


def _elements(
    state: State, node: exp.Expr, alias: exp.Expr | None, listed: list[exp.Expr]
) -> Relation | None:
    """Return what UNNEST gives: the fields of its elements, or a column for each value."""
    names, offset = list(listed), node.args.get("offset")
    is_element = alias is not None and alias.this is None  # as an alias is in BigQuery
    relation = _fields(state, node) if is_element or not names else None
    if relation is None and (is_element or names):
        relation = _of_names(state, alias, names)
        if relation is not None and is_element and _fields_are_undescribed(state, node):
            relation.complete, relation.is_undescribed = False, True
    if relation is not None and offset:
        name = offset.name if isinstance(offset, exp.Identifier) else "offset"
        relation.columns = relation.columns | {state.output_key(name): PreparedColumn(name)}
    return relation


def _fields_are_undescribed(state: State, node: exp.Expr) -> bool:
    """Return whether the elements may be rows whose fields nothing describes."""
    return state.traits.whole_row and element_of(_declared(state, node)) is None


def _fields(state: State, node: exp.Expr) -> Relation | None:
    """Return the fields of the elements of an array of structures; None: it is no such array."""
    fields = fields_of(element_of(_declared(state, node)))
    columns = {
        state.output_key(one.name): replace(one, type=state.types.declared(one.declared))
        for one in (fields or {}).values()
    }
    return Relation("", columns) if columns else None


def _declared(state: State, node: exp.Expr) -> str | None:
    """Return the declared type of the unnested stored column; None: it is none."""
    only = node.expressions[0] if len(node.expressions) == 1 else None
    uses = (use for use in reversed(state.resolution.columns) if use.node is only)
    return next((use.column.declared for use in uses), None)


def undescribed(name: str) -> Relation:
    """Return a relation whose columns neither the documentation nor the statement describes."""
    relation = opaque(name)
    relation.is_undescribed = True
    return relation
