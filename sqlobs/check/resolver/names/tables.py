"""What a name in FROM means: a CTE, a table of the schema, or a relation of the engine's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.engine.knowledge import Answer
from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.forms import Ctes
from sqlobs.check.resolver.model.resolution import TableUse
from sqlobs.check.resolver.model.scope import DeferredCte, Relation, Scope, opaque

if TYPE_CHECKING:
    from sqlobs.check.engine.prepared_schema import PreparedTable
    from sqlobs.check.resolver.model.state import ResolverState


def named_relation(state: ResolverState, node: exp.Table, name: exp.Expr, scope: Scope) -> Relation:
    """Return what a name in FROM means: a CTE, a table of the schema, or something else."""
    key = state.table_key(name)
    if node.args.get("db") is None:
        if scope.ctes and (found := scope.ctes.get(state.cte_key(name))) is not None:
            if isinstance(found, DeferredCte):
                found = found.relation(state, around_derived(state, scope))
            if found.gives_nothing:
                state.add_form(node, Ctes.dml_cte_without_returning)
            return found.renamed(found.name)
        table = state.context.plain_tables.get(key)
        if table is not None and (state.follows_defaults or not _is_of_session(name)):
            state.resolution.tables.append(TableUse(node, name, table))
            return _relation_of(state, table)
    return _looked_up(state, node, key, scope)


def _relation_of(state: ResolverState, table: PreparedTable) -> Relation:
    relation = Relation(table.name, table.columns, table.outputs)
    relation.table = table
    if not table.columns:  # a view
        relation.complete = False
        state.resolution.undecided.append(table.name)
    return relation


def _looked_up(state: ResolverState, node: exp.Table, key: str, scope: Scope) -> Relation:
    """Find what a name means that is not just a table of the schema."""
    name, db = node.this, node.args.get("db")
    namespace = state.table_key(db) if isinstance(db, exp.Expr) else None
    if namespace is None and (made := _made_up(state, name, key)) is not None:
        return made
    use = TableUse(node, name, None)
    state.resolution.tables.append(use)
    if state.context.schema is None or _is_system(state, key, namespace):
        use.is_system = state.context.schema is not None
        state.resolution.unlisted_tables.append(use)
        return opaque(name.name)
    if _is_of_session(name) or _is_elsewhere(state, node, name, namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(name.name)
        return opaque(name.name)
    use.table = state.context.schema.table(key, namespace)
    if use.table is None and (given := _given_otherwise(state, use, key, namespace)) is not None:
        return given
    if namespace is not None and _is_undescribed(state, namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(namespace)
    if use.table is not None:
        return _relation_of(state, use.table)
    state.resolution.unlisted_tables.append(use)
    if namespace is not None and not state.context.schema.knows_namespace(namespace):
        use.foreign_namespace = True
        state.resolution.undecided.append(namespace)
    scope.has_unknown_relation = True
    return opaque(name.name)


def _is_of_session(name: exp.Expr) -> bool:
    """Say whether a name is that of a temporary table (`#recent`), which no schema lists."""
    return bool(name.args.get("temporary") or name.args.get("global_") or name.name[:1] == "#")


def _is_elsewhere(
    state: ResolverState, node: exp.Expr, name: exp.Expr, namespace: str | None
) -> bool:
    """Say whether a name is that of a file, of a database of the engine's, or behind a link."""
    if namespace is None:
        return "@" in name.name and not name.args.get("quoted")  # Oracle's `orders@link`
    if namespace.lower() in state.traits.file_schemas and not name.name.isidentifier():
        return True
    catalog = node.args.get("catalog")
    return isinstance(catalog, exp.Identifier) and state.table_key(catalog) in (
        state.traits.system_catalogs
    )


def _given_otherwise(
    state: ResolverState, use: TableUse, key: str, namespace: str | None
) -> Relation | None:
    """Return what a name means that stands for no one table: a function, or several tables."""
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


def _of_wildcard(state: ResolverState, use: TableUse, tables: list[PreparedTable]) -> Relation:
    """Return what `events_*` stands for in BigQuery: the tables whose names begin so, united.

    Its columns are those of the latest one; which that is, nobody can tell: those of all are taken.
    See cloud.google.com/bigquery/docs/querying-wildcard-tables.
    """
    use.table = tables[-1]
    relation = _relation_of(state, use.table)
    if len(tables) > 1:
        columns = {name: column for table in tables for name, column in table.columns.items()}
        relation.columns = columns | relation.columns
    return relation


def _made_up(state: ResolverState, name: exp.Expr, key: str) -> Relation | None:
    """Return what a name gives that the engine makes up: a word, DUAL, a sequence of numbers."""
    traits = state.traits
    if key in traits.value_relations and not name.args.get("quoted"):
        return Relation(key, {key: PreparedColumn(key)})
    if key in traits.empty_tables:
        return Relation(key, {})
    if traits.numbered_relations is not None and re.fullmatch(traits.numbered_relations, key):
        return Relation(key, {"seq": PreparedColumn("seq")})
    return None


def _is_undescribed(state: ResolverState, namespace: str) -> bool:
    """Say whether a schema without namespaces tells nothing about one."""
    if state.context.schema is None or state.context.schema.qualified:
        return False
    return bool(state.traits.own_schemas) and namespace not in state.traits.own_schemas


def _is_system(state: ResolverState, key: str, namespace: str | None) -> bool:
    if not state.follows_defaults and _is_listed_by_engine(state, key):
        return True
    if namespace is not None:
        return namespace in state.traits.system_schemas
    is_listed = state.knowledge.has("relations", key) is Answer.YES
    return is_listed or key in state.traits.system_tables


def _is_listed_by_engine(state: ResolverState, key: str) -> bool:
    """Say whether a name is one of the engine's views behind a data set, or of a table's metadata.

    sqlglot makes one name of BigQuery's `INFORMATION_SCHEMA.TABLES`.
    """
    if key in state.traits.system_tables:
        return True
    of, mark, told = key.rpartition("$")
    if mark and told in state.traits.metadata_tables:
        return state.context.schema is None or state.context.schema.table(of, None) is not None
    return key.partition(".")[0].lower() == "information_schema" and "." in key


def around_derived(state: ResolverState, scope: Scope) -> Scope:
    """Return the scope that a subquery in FROM sees around itself."""
    if state.traits.derived_sees_siblings:
        return scope
    if state.traits.derived_sees_outer and scope.parent is not None:
        return scope.parent
    return Scope(ctes=scope.ctes)


def given_relation(state: ResolverState, key: str, call: exp.Expr) -> Relation | None:
    """Return what a function in FROM gives; None: that is not known."""
    listed = state.knowledge.columns_of(key)
    if listed is None:
        return None
    columns = {name.lower(): PreparedColumn(name) for name, _ in listed}
    outputs = [columns[name.lower()] for name, is_hidden in listed if not is_hidden]
    return Relation(call.name, columns, outputs)
