"""Walks FROM: stored tables, CTEs, derived tables, table functions, joins."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.resolver.asof import check_asof
from sqlobs.check.resolver.ctes import (
    resolve_named_values,
    with_column_names,
    with_scope,
)
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.functions import resolve_function
from sqlobs.check.resolver.join_visibility import check_later_items, sees_no_later_items
from sqlobs.check.resolver.outputs import collect
from sqlobs.check.resolver.resolution import ColumnFault, FormUse
from sqlobs.check.resolver.scope import MOST_OWNERS, Relation, Relations, Scope, opaque
from sqlobs.check.resolver.stars import are_too_many, shown_columns
from sqlobs.check.resolver.tables import around_derived, named_relation
from sqlobs.check.resolver.widths import check_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.check.resolver.state import Walk


def resolve_from(walk: Walk, node: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """Add every relation of a FROM clause to the scope and resolve its join conditions.

    Returns:
        The conditions that are still to be resolved, by `resolve_conditions`: where they see all of
        FROM, they may see the SELECT list, too.
    """
    waiting: list[exp.Expr] = []
    if (from_ := node.args.get("from_")) is not None:
        _source(walk, from_.this, scope, waiting)
    elif node.args.get("joins") and isinstance(node, exp.Select):
        walk.facts.forms.append(FormUse(node.args["joins"][0].this, "join_without_from"))
    if walk.catalogue is None and (match := node.args.get("match")) is not None:
        _match(walk, match, scope, is_alone=not node.args.get("joins"))
    begun = 0  # relations before the latest comma
    only_tested: set[str] = set()
    for join in node.args.get("joins") or ():
        count = len(scope.relations)
        if _follows_comma(walk, join):
            begun = count
        _join(walk, join, scope, waiting, unseen=begun)
        if join.args.get("kind") in _TESTS and not walk.traits.semi_join_gives_columns:
            only_tested.update(islice(scope.relations, count, None))
    for lateral in node.args.get("laterals") or ():
        _source(walk, lateral, scope, waiting)
    if only_tested:
        kept = scope.relations.items()
        scope.relations = Relations({key: one for key, one in kept if key not in only_tested})
    if walk.catalogue is None and (with_ := node.args.get("with_")) is not None:
        resolve_named_values(walk, with_, scope)
    return waiting


def _match(walk: Walk, node: exp.Expr, scope: Scope, *, is_alone: bool) -> None:
    from sqlobs.check.resolver.match_recognize import matched_relation

    relation, name = matched_relation(walk, node, scope, is_alone=is_alone)
    _add(walk, relation, scope, name)


def resolve_conditions(walk: Walk, conditions: list[exp.Expr], scope: Scope) -> None:
    """Resolve join conditions that had to wait."""
    for condition in conditions:
        begun = len(walk.facts.columns)
        _condition(walk, condition, scope)
        if sees_no_later_items(walk, condition):
            check_later_items(walk, condition, scope, begun)


_TESTS: Final = frozenset({"SEMI", "ANTI"})
"""Joins that only test whether there is a row: what they join is not seen elsewhere."""


def resolve_target(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Add what an UPDATE or DELETE changes, with what it is joined to."""
    waiting: list[exp.Expr] = []
    _source(walk, node, scope, waiting)
    resolve_conditions(walk, waiting, scope)


def _follows_comma(walk: Walk, join: exp.Expr) -> bool:
    """Say whether an item of FROM stands behind a comma, where joins do not see beyond it."""
    # Behind JOIN, sqlglot looks for pivots; behind a comma it does not.
    return join.args.keys() == {"this"} and walk.refuses("using_sees_comma_items")


def _join(
    walk: Walk, join: exp.Expr, scope: Scope, waiting: list[exp.Expr], *, unseen: int = 0
) -> None:
    """Add what is joined; `unseen` relations stand before the latest comma."""
    count = len(scope.relations)
    _source(walk, join.this, scope, waiting)
    for further in join.expressions:  # ClickHouse's `ARRAY JOIN a, b`
        _source(walk, further, scope, waiting)
    if (condition := join.args.get("match_condition")) is not None:
        _condition(walk, condition, scope, unseen)
    if (condition := join.args.get("on")) is not None:
        if walk.traits.on_sees_all:
            waiting.append(condition)
        else:
            _condition(walk, condition, scope, unseen)
    if join.args.get("method") == "ASOF" and condition is not None:
        check_asof(walk, join, condition, list(scope.relations.values())[count:])
    using, is_natural = join.args.get("using"), join.args.get("method") == "NATURAL"
    if using or is_natural:
        walk.facts.forms.append(FormUse(join.this, "join_using" if using else "natural_join"))
        relations = list(scope.relations.values())
        earlier, added = relations[unseen:count], relations[count:]
        if is_natural:
            merged = _merge_all(walk, join, earlier, added, scope)
        else:
            merged = _merge_listed(walk, using or (), earlier, added, scope)
        _hide(walk, frozenset(merged), earlier, added)
        if join.args.get("side") == "RIGHT":
            _turn(merged, earlier, added)


def _condition(walk: Walk, condition: exp.Expr, scope: Scope, unseen: int = 0) -> None:
    scope.clause = "on"
    relations, parent = scope.relations, scope.parent
    if unseen:
        scope.relations = Relations(islice(relations.items(), unseen, None))
        if not walk.refuses("on_sees_comma_items"):  # they are further out, then
            scope.parent = Scope(parent)
            scope.parent.relations = Relations(islice(relations.items(), unseen))
    found = resolve_expression(walk, condition, scope)
    walk.condition(found, condition, what="ON")
    scope.relations, scope.parent = relations, parent
    scope.clause = "from"


def _merge_listed(
    walk: Walk,
    using: Iterable[exp.Expr],
    earlier: list[Relation],
    added: list[Relation],
    scope: Scope,
) -> list[str]:
    """Merge the columns that USING lists, and return their names."""
    keys = (_merge(walk, identifier, earlier, added, scope) for identifier in using)
    return [key for key in keys if key is not None]


def _merge(
    walk: Walk, identifier: exp.Expr, earlier: list[Relation], added: list[Relation], scope: Scope
) -> str | None:
    """Merge a column of USING: it must exist on both sides and is one column from now on."""
    name = identifier.this if isinstance(identifier, exp.Column) else identifier
    key = walk.column_key(name)
    for side in (earlier, added):
        if any(key in relation.columns or not relation.complete for relation in side):
            continue
        fault = ColumnFault(name, None, "misplaced", scope, tuple(side[:MOST_OWNERS]))
        walk.facts.column_faults.append(fault)
        return None
    _merge_key(walk, name, key, earlier, added, scope)
    return key


def _merge_all(
    walk: Walk, join: exp.Expr, earlier: list[Relation], added: list[Relation], scope: Scope
) -> Iterable[str]:
    """Merge every column that both sides of a NATURAL join have, and return their names."""
    names = dict.fromkeys(key for relation in added for key in relation.columns)
    if are_too_many(walk, len(names) * len(earlier)):
        for relation in added:
            relation.complete = False
        return names
    common = [key for key in names if any(key in one.columns for one in earlier)]
    for key in common:
        _merge_key(walk, join.this, key, earlier, added, scope)
    if not common and all(relation.complete for relation in (*earlier, *added)):
        walk.facts.forms.append(FormUse(join.this, "natural_without_common_column"))
    return common


def _hide(
    walk: Walk, merged: frozenset[str], earlier: list[Relation], added: list[Relation]
) -> None:
    """Let merged columns be those of the left side from now on."""
    for relation in added:
        relation.hidden |= merged & relation.columns.keys()
    if walk.traits.merged_column_alone and not are_too_many(walk, len(earlier)):
        for relation in (*earlier, *added):
            relation.merged |= merged & relation.columns.keys()


def _turn(merged: Iterable[str], earlier: list[Relation], added: list[Relation]) -> None:
    """Let the names of columns that a RIGHT join has merged mean those of the right side."""
    for key in merged:
        meant = next((one for one in added if key in one.columns), None)
        for relation in earlier:
            if meant is not None and key in relation.columns:
                relation.turned = {**relation.turned, key: meant}


def _merge_key(
    walk: Walk,
    node: exp.Expr,
    key: str,
    earlier: list[Relation],
    added: list[Relation],
    scope: Scope,
) -> None:
    """Compare the columns of one name: one of the left side with one of the right."""
    left = [one for one in earlier if key in one.columns and key not in one.hidden]
    right = [one for one in added if key in one.columns]
    if len(left) > 1 and walk.refuses("using_of_repeated_column"):
        fault = ColumnFault(node, None, "ambiguous", scope, tuple(left[:MOST_OWNERS]))
        walk.facts.column_faults.append(fault)
    elif left and right:
        types = [walk.given(one.columns[key]) for one in (left[0], right[0])]
        walk.compare("=", types[0], types[1], (node, node))


def _source(walk: Walk, node: exp.Expr, scope: Scope, waiting: list[exp.Expr]) -> None:
    outside = len(scope.relations)
    if isinstance(node, exp.Table):
        add_table(walk, node, scope, waiting)
    elif isinstance(node, exp.Subquery):
        _derived(walk, node, scope, waiting)
    elif isinstance(node, exp.Lateral):
        _lateral(walk, node, scope)
    elif isinstance(node, (exp.Final, exp.Stream)):  # ClickHouse's `t FINAL`, `STREAM(t)`
        _source(walk, node.this, scope, waiting)
    elif isinstance(node, (exp.Alias, exp.Column)):
        _unfolded(walk, node, scope)
    else:
        _function(walk, node, scope, waiting)
    if joins := node.args.get("joins"):
        if not walk.refuses("inner_join_condition_sees_outside"):
            outside = 0
        for join in joins:
            _join(walk, join, scope, waiting, unseen=outside)
    for lateral in node.args.get("laterals") or ():
        _source(walk, lateral, scope, waiting)


_FORMS = {'"': "double_quoted_table", "'": "single_quoted_table"}


def _add(walk: Walk, relation: Relation, scope: Scope, alias: exp.Expr | None) -> None:
    key = walk.alias_key(alias) if alias is not None else f"\0{len(scope.relations)}"
    if key in scope.relations:
        if walk.traits.repeated_alias == "refused" and alias is not None:
            others = (scope.relations[key], relation)
            walk.facts.column_faults.append(ColumnFault(alias, None, "ambiguous", scope, others))
        scope.repeated |= {key}
        key = f"{key}\0{len(scope.relations)}"
    scope.relations[key] = relation


def add_table(
    walk: Walk, node: exp.Table, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add a stored table, a CTE or a table function to the scope."""
    name, alias = node.this, node.args.get("alias")
    if not isinstance(name, exp.Identifier):
        _function(walk, node, scope, waiting)
        return
    if name.args.get("quoted") and (form := _FORMS.get(walk.quote(name))) is not None:
        walk.facts.forms.append(FormUse(name, form))
    if walk.traits.arrays_in_from and _is_of_item(walk, node, scope):
        _array(walk, node, scope)
        return
    relation = named_relation(walk, node, name, scope)
    if node.args.get("pivots"):
        relation, alias = _pivoted(walk, node, relation, scope)
    if alias is not None:
        name = alias.this or name
        if walk.catalogue is None and _has_as(walk, name):
            walk.facts.forms.append(FormUse(name, "table_alias_with_as"))
        if alias.args.get("columns"):
            walk.facts.forms.append(FormUse(name, "table_column_aliases"))
            check_names(walk, relation, alias, is_cte=False)
            relation = with_column_names(walk, relation, alias)
    _add(walk, relation, scope, name)


def _is_of_item(walk: Walk, node: exp.Table, scope: Scope) -> bool:
    """Say whether a dotted name in FROM begins with an earlier item: `FROM t JOIN t.items i`.

    A namespace may be called like a table in it: what the schema has is no column.
    """
    db = node.args.get("db")
    first = node.args.get("catalog") or db
    if not isinstance(first, exp.Identifier) or walk.alias_key(first) not in scope.relations:
        return False
    namespace = walk.table_key(db) if isinstance(db, exp.Identifier) else None
    key = walk.table_key(node.this)
    return walk.schema is None or walk.schema.table(key, namespace) is None


def _array(walk: Walk, node: exp.Table, scope: Scope) -> None:
    """Add the elements of a column, under their alias."""
    named = (node.args.get(part) for part in ("catalog", "db", "this"))
    parts = [part.copy() for part in named if isinstance(part, exp.Expr)]
    column = exp.Column(**dict(zip(("this", "table", "db"), reversed(parts), strict=False)))
    alias = node.args.get("alias")
    name = (alias.this if alias is not None else node.this).copy()
    _function(walk, exp.Unnest(expressions=[column], alias=exp.TableAlias(columns=[name])), scope)


def _has_as(walk: Walk, alias: exp.Expr) -> bool:
    """Say whether AS stands before an alias."""
    start = alias.meta.get("start")
    return start is not None and walk.sql[:start].rstrip()[-3:].upper().strip() == "AS"


def _pivoted(
    walk: Walk, node: exp.Expr, relation: Relation, scope: Scope
) -> tuple[Relation, exp.Expr | None]:
    """Return what PIVOT or UNPIVOT makes of an item of FROM, and its name then."""
    from sqlobs.check.resolver.pivots import pivoted

    pivots, alias = node.args["pivots"], node.args.get("alias")
    if alias is not None and alias.this is not None:
        relation = relation.renamed(alias.name)
    for pivot in pivots:
        relation = pivoted(walk, pivot, relation, scope)
    return relation, pivots[-1].args.get("alias") or alias


def resolve_pivot(walk: Walk, node: exp.Expr, outer: Scope) -> Relation:
    """Resolve PIVOT or UNPIVOT where a query stands."""
    from sqlobs.check.resolver.pivots import pivoted

    if not walk.traits.pivots:
        return opaque("")
    scope = Scope(with_scope(walk, node, outer))
    scope.clause = "from"
    resolve_target(walk, node.this, scope)
    sources = list(scope.relations.values())
    relation = sources[0] if len(sources) == 1 else opaque("")
    return pivoted(walk, node, relation, outer)


def _derived(walk: Walk, node: exp.Subquery, scope: Scope, waiting: list[exp.Expr]) -> None:
    alias = node.args.get("alias")
    if isinstance(node.this, (exp.Table, exp.Subquery)) and _is_join_group(node):
        _source(walk, node.this, scope, waiting)
        return
    if alias is None:
        walk.facts.forms.append(FormUse(node, "derived_without_alias"))
    if isinstance(node.this, exp.Table):
        relation = _joined(walk, node, scope)
    else:
        relation = _resolved(walk, node, around_derived(walk, scope))
    if node.args.get("pivots"):
        relation, alias = _pivoted(walk, node, relation, scope)
    names = [walk.output_key(column.name) for column in relation.outputs if column.name]
    if len(set(names)) < len(names):
        walk.facts.forms.append(FormUse(node, "repeated_output_of_derived"))
    _name_derived(walk, relation, scope, alias)


def _joined(walk: Walk, node: exp.Subquery, scope: Scope) -> Relation:
    """Return what a join in brackets gives under the alias behind them."""
    if node.this.args.get("joins"):
        walk.facts.forms.append(FormUse(node, "alias_of_join"))
    inner = Scope(around_derived(walk, scope))
    resolve_target(walk, node.this, inner)
    relations = inner.relations.values()
    if not walk.refuses("name_within_named_join") and len(relations) > 1:
        for key, one in inner.relations.items():
            known = scope.relations.setdefault(key, one.renamed(one.name))
            known.hidden |= frozenset(one.columns)  # seen only with its name before it
    complete = all(relation.complete for relation in relations)
    return collect(walk, shown_columns(walk, relations), complete=complete)


def _is_join_group(node: exp.Subquery) -> bool:
    """Say whether parentheses only group joins: `FROM (a JOIN b ON …)`."""
    inner = node.this
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return isinstance(inner, exp.Table) and node.args.get("alias") is None


def _resolved(walk: Walk, node: exp.Expr, outer: Scope) -> Relation:
    from sqlobs.check.resolver.queries import resolve_query

    return resolve_query(walk, node, outer)


_HIDDEN: Final = {name: PreparedColumn(name) for name in ("rowid", "oid", "_rowid_")}


def _name_derived(walk: Walk, relation: Relation, scope: Scope, alias: exp.Expr | None) -> None:
    if alias is None:
        _add(walk, relation, scope, None)
        return
    if alias.args.get("columns"):
        walk.facts.forms.append(FormUse(alias.this or alias, "derived_column_aliases"))
        check_names(walk, relation, alias, is_cte=False)
    relation = with_column_names(walk, relation, alias)
    if walk.traits.derived_has_hidden:
        relation.columns = _HIDDEN | relation.columns
    _add(walk, relation, scope, alias.this)


def _lateral(walk: Walk, node: exp.Lateral, scope: Scope) -> None:
    if isinstance(node.this, exp.Subquery):
        relation = _resolved(walk, node.this, scope)
        _name_derived(walk, relation, scope, node.args.get("alias"))
    else:
        _function(walk, node, scope)


def _unfolded(walk: Walk, node: exp.Expr, scope: Scope) -> None:
    """Add what ARRAY JOIN gives: a column of the elements, or the array's own name for them."""
    resolve_expression(walk, node, scope)
    if isinstance(node, exp.Alias):
        column = PreparedColumn(walk.kept_name(node.args["alias"]))
        key = walk.column_key(node.args["alias"])
        _add(walk, Relation("", {key: column}), scope, None)


def _function(
    walk: Walk, node: exp.Expr, scope: Scope, waiting: list[exp.Expr] | None = None
) -> None:
    """Add what a function gives; where conditions see all of FROM, so do its arguments."""
    waits = waiting is not None and walk.traits.on_sees_all and walk.catalogue is not None
    relation, name = resolve_function(walk, node, scope, waiting if waits else None)
    _add(walk, relation, scope, name)
