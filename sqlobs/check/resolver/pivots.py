"""Walks PIVOT and UNPIVOT, as clauses of FROM and as statements, and tells what they give."""

from __future__ import annotations

import re
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.engine.prepared_schema import PreparedColumn
from sqlobs.check.parsing.parse_cost import MAX_PIVOT_COLUMNS
from sqlobs.check.resolver.expressions import resolve_expression
from sqlobs.check.resolver.outputs import collect
from sqlobs.check.resolver.resolution import FormUse, GroupingFault
from sqlobs.check.resolver.scope import Relation, Scope
from sqlobs.check.resolver.selection import has_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlobs.check.resolver.state import Walk
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
    made = _made(walk, terms, calls, kinds)
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
    walk: Walk, terms: Iterable[exp.Expr], calls: Sequence[exp.Expr], kinds: Sequence[Type]
) -> list[PreparedColumn] | None:
    """Return the columns that PIVOT makes of values; None: the data alone tells them."""
    values = [_values(walk, term) for term in terms]
    named = [walk.kept_name(alias) if (alias := call.args.get("alias")) else "" for call in calls]
    if len(calls) > 1 and "" in named:
        return None
    form = walk.traits.pivot_names
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


def _values(walk: Walk, term: exp.Expr) -> list[str] | None:
    """Return the names of the values that an `x IN (…)` lists; None: it lists none, or others."""
    if not isinstance(term, exp.In):
        return None
    names = [_name_of_value(walk, value) for value in term.expressions]
    told = [name for name in names if name is not None]
    return told if len(told) == len(names) else None


_PLAIN: Final = re.compile(r"[^\W\d]\w*+")


def _name_of_value(walk: Walk, value: exp.Expr) -> str | None:
    """Return what the column of a value is called; None: that is not known."""
    if isinstance(value, exp.PivotAlias):
        alias = value.args["alias"]
        return walk.kept_name(alias) if isinstance(alias, exp.Identifier) else alias.name
    if isinstance(value, exp.Boolean):
        return str(value.this).lower() if walk.traits.pivots else None
    if isinstance(value, exp.Column) and walk.traits.pivots_names and not value.table:
        return walk.kept_name(value.this)
    if not isinstance(value, exp.Literal):
        return None
    text = str(value.this)
    if walk.traits.pivots_literals:
        return f"'{text}'" if value.is_string else text
    return text if walk.traits.pivots or _PLAIN.fullmatch(text) else None


def _unpivot(walk: Walk, node: exp.Expr, relation: Relation, scope: Scope) -> Relation:
    first = len(walk.facts.columns)
    fields, into = node.args.get("fields"), node.args.get("into")
    terms = fields[0].expressions if fields else node.expressions
    values = [one.this if isinstance(one, exp.PivotAlias) else one.unalias() for one in terms]
    kinds = [resolve_expression(walk, value, scope) for value in values]
    if not any(isinstance(value, exp.Tuple) for value in values):
        walk.common(node, kinds, values, what="UNPIVOT")
    if fields:
        names = [fields[0].this, *_within_tuples(node.expressions)]
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


def _within_tuples(names: Iterable[exp.Expr]) -> list[exp.Expr]:
    """Return names, with those that stand in brackets: `UNPIVOT ((a, b) FOR …)`."""
    return [
        inner
        for name in names
        for inner in (name.expressions if isinstance(name, exp.Tuple) else (name,))
    ]
