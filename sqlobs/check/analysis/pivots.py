"""Walks PIVOT and UNPIVOT, as clauses of FROM and as statements, and tells what they give."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.expressions import resolve_expression
from sqlobs.check.analysis.facts import FormUse, GroupingFault
from sqlobs.check.analysis.outputs import collect
from sqlobs.check.analysis.scope import Relation, Scope
from sqlobs.check.analysis.selection import has_columns
from sqlobs.check.prepared import PreparedColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.analysis.walk import Walk
    from sqlobs.check.types.system import Type


def pivoted(walk: Walk, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    """Return what PIVOT or UNPIVOT makes of a relation.

    Args:
        walk: the state of the walk.
        node: the clause, or the statement.
        relation: what it is made of.
        scope: the query around it.
    """
    inner = Scope(scope)
    inner.relations[walk.output_key(relation.name) or "\0"] = relation
    inner.clause = "select"
    if node.args.get("unpivot"):
        return _unpivot(walk, node, relation, inner)
    return _pivot(walk, node, relation, inner)


def check_pivot(walk: Walk, node: exp.Expr, relation: Relation, scope: Scope) -> None:
    """Resolve the columns that PIVOT or UNPIVOT names, where what it gives is not known."""
    inner = Scope(scope)
    inner.relations[walk.output_key(relation.name) or "\0"] = relation
    inner.clause = "select"
    fields = [field for field in node.args.get("fields") or () if isinstance(field, exp.In)]
    if not node.args.get("unpivot"):
        for term in (*node.expressions, *(field.this for field in fields)):
            resolve_expression(walk, term.unalias(), inner)
        return
    for field in fields:
        for column in field.expressions:
            named = column.this if isinstance(column, exp.PivotAlias) else column
            resolve_expression(walk, named, inner)


def _pivot(walk: Walk, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    first = len(walk.facts.columns)
    fields = node.args.get("fields")
    terms, calls = (fields, node.expressions) if fields else (node.expressions, _using(node))
    for term in terms:
        resolve_expression(walk, term.this if isinstance(term, exp.In) else term, scope)
        _check_values(walk, term)
    kinds = [_aggregate(walk, call.unalias(), scope) for call in calls]
    used = {id(use.column) for use in walk.facts.columns[first:] if use.level is scope}
    group = node.args.get("group")
    if group is None:
        kept = [column for column in relation.outputs if id(column) not in used]
    else:
        kept = [_grouped(walk, term, scope) for term in group.expressions]
    made = _made(terms, calls, kinds)
    complete = made is not None and (relation.complete or group is not None)
    return collect(walk, [*kept, *(made or ())], complete=complete)


def _check_values(walk: Walk, term: exp.Expr) -> None:
    """Record values of `x IN (…)` that are no constants; a bare name stands for its own text."""
    for value in term.expressions if isinstance(term, exp.In) else ():
        written = value.this if isinstance(value, exp.PivotAlias) else value
        is_name = isinstance(written, exp.Column) and written.args.get("table") is None
        if not is_name and has_columns(written):
            walk.facts.forms.append(FormUse(written, "column_in_values_of_pivot"))


def _using(node: exp.Expr) -> Sequence[exp.Expr]:
    return node.args.get("using") or ()


def _aggregate(walk: Walk, call: exp.Expr, scope: Scope) -> Type:
    found = resolve_expression(walk, call, scope)
    if isinstance(call, exp.Column):
        walk.facts.grouping_faults.append(GroupingFault(call, call.name))
    return found


def _grouped(walk: Walk, term: exp.Expr, scope: Scope) -> PreparedColumn:
    if not isinstance(term, exp.Column) or term.args.get("table") is not None:
        walk.facts.forms.append(FormUse(term, "expression_in_group_of_pivot"))
    return PreparedColumn(term.name, resolve_expression(walk, term, scope))


def _made(
    terms: Iterable[exp.Expr], calls: Sequence[exp.Expr], kinds: Sequence[Type]
) -> list[PreparedColumn] | None:
    """Return the columns that PIVOT makes of values; None: the data alone tells them."""
    values = [_values(term) for term in terms]
    named = [call.alias for call in calls]
    if len(calls) > 1 and "" in named:
        return None
    listed = [value for value in values if value]
    if len(listed) < len(values):
        return None
    names = ["_".join(combination) for combination in product(*listed)]
    return [
        PreparedColumn(f"{name}_{alias}" if alias else name, kind)
        for name in names
        for alias, kind in zip(named or [""], kinds or [None], strict=True)
    ]


def _values(term: exp.Expr) -> list[str] | None:
    """Return the names of the values that an `x IN (…)` lists; None: it lists none, or others."""
    if not isinstance(term, exp.In):
        return None
    names: list[str] = []
    for value in term.expressions:
        if isinstance(value, exp.PivotAlias):
            names.append(value.args["alias"].name)
        elif isinstance(value, exp.Literal):
            names.append(str(value.this))
        elif isinstance(value, exp.Boolean):
            names.append(str(value.this).lower())
        else:
            return None
    return names


def _unpivot(walk: Walk, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    first = len(walk.facts.columns)
    fields, into = node.args.get("fields"), node.args.get("into")
    terms = fields[0].expressions if fields else node.expressions
    values = [one.this if isinstance(one, exp.PivotAlias) else one.unalias() for one in terms]
    kinds = [resolve_expression(walk, value, scope) for value in values]
    if not any(isinstance(value, exp.Tuple) for value in values):
        walk.common(node, kinds, values, what="UNPIVOT")
    if fields:
        names = [fields[0].this, *node.expressions]
    else:
        names = [into.this, *into.expressions] if into is not None else []
    given = [walk.kept_name(_identifier(name)) for name in names] or ["name", "value"]
    used = {id(use.column) for use in walk.facts.columns[first:] if use.level is scope}
    kept = [column for column in relation.outputs if id(column) not in used]
    plain = all(isinstance(value, (exp.Column, exp.Cast, exp.Tuple)) for value in values)
    outputs = [*(kept if plain else ()), *map(PreparedColumn, given)]
    return collect(walk, outputs, complete=plain and relation.complete)


def _identifier(name: exp.Expr) -> exp.Expr:
    return name.this if isinstance(name, exp.Column) else name
