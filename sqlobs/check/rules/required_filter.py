from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from sqlglot import exp

from sqlobs.check.resolver.model.resolution import TableUse
from sqlobs.check.resolver.model.scope import Relation, Scope
from sqlobs.check.resolver.model.tree import conjuncts, has_columns, joins, sources_of
from sqlobs.check.rules.denied_name import spellings
from sqlobs.check.rules.rule import POLICY, Case, Findings, Rule

_Key = tuple[int, str]
"""A column of a relation: the relation's id and the column's folded name."""


class RequiredFilter(Rule, code="safety.unsafe_statement", triggers={POLICY}):
    """A table without the filter that the user's policy requires.

    What it finds: a use of a table with a column of `Policy.required_filters` that no condition
    restricts to given values: `column = value` or `column IN (values)` among the conditions that
    must all be true, or `=` with a column that is so restricted.
    Why it matters: without it a tenant sees the rows of others, or a query reads every partition.
    Known limits: the filter must be in the query that names the table, not in an outer query; the
    rule does not check which value it compares with.
    Example: `SELECT count(*) FROM orders` under `required_filters={"orders.tenant_id"}`
    Instead: `SELECT count(*) FROM orders WHERE tenant_id = 7`
    """

    def findings(self, case: Case) -> Findings:
        if case.policy is None or not case.policy.required_filters:
            return
        wanted = {name.lower() for name in case.policy.required_filters}
        held = _held(case)
        relations: dict[int, Relation] = {}
        for select in case.resolution.selects:
            relations |= select.by_source()
        for use in case.resolution.tables:
            relation = relations.get(id(use.node))
            for column in _wanted(use, wanted):
                if relation is None or (id(relation), column) not in held:
                    message = f"{use.name.name} is used without the required filter on {column}."
                    yield self.at(use.name, message, column, detail="policy")


def _wanted(use: TableUse, wanted: set[str]) -> Iterator[str]:
    """Yield the columns for which a use of a table requires a filter."""
    columns = use.table.columns if use.table is not None else {}
    for name in sorted(wanted):
        owner, _, column = name.rpartition(".")
        if owner in spellings(use) or (not owner and column in map(str.lower, columns)):
            yield column


def _held(case: Case) -> set[_Key]:
    """Return the columns that are restricted to given values, directly or through equalities."""
    held: set[_Key] = set()
    equal: list[tuple[_Key, _Key]] = []
    for select in case.resolution.selects:
        equal.extend(_merged(select))
        for condition, bound in _conditions(select):
            for key, other in _comparisons(case, condition):
                if key is None or key[0] not in bound:
                    continue
                if other is None:
                    held.add(key)
                else:
                    equal.append((key, other))
    while grown := {key for key, other in equal if other in held and key not in held}:
        held |= grown
    return held


def _conditions(select: Scope) -> Iterator[tuple[exp.Expr, set[int]]]:
    """Yield each condition that must hold, with the relations whose rows it restricts."""
    relations = {source: id(relation) for source, relation in select.by_source().items()}
    where = select.node.args.get("where")
    for condition in conjuncts(where.this if where is not None else None):
        yield condition, set(relations.values())
    for join in joins(select.node):
        bound = _restricted(join, relations)
        for condition in conjuncts(join.args.get("on")):
            yield condition, bound


def _restricted(join: exp.Join, relations: dict[int, int]) -> set[int]:
    """Return the relations whose rows a join condition restricts: not the preserved side."""
    added = {relations[id(item)] for item in sources_of(join) if id(item) in relations}
    everything = set(relations.values())
    by_side = {"": everything, "LEFT": added, "RIGHT": everything - added}
    return by_side.get((join.args.get("side") or "").upper(), set())


def _merged(select: Scope) -> Iterator[tuple[_Key, _Key]]:
    """Yield the pairs of columns that the USING of an inner join merges."""
    for join in joins(select.node):
        if join.args.get("side"):
            continue
        for identifier in join.args.get("using") or ():
            name = identifier.name.lower()
            keys = [
                (id(relation), name)
                for relation in select.relations.values()
                if name in map(str.lower, relation.columns)
            ]
            yield from permutations(keys, 2)


def _comparisons(case: Case, condition: exp.Expr) -> Iterator[tuple[_Key | None, _Key | None]]:
    """Yield a column with the column it equals; None: with given values."""
    if isinstance(condition, exp.EQ):
        for side, other in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            if not has_columns(other):
                yield _key(case, side), None
            elif isinstance(other, exp.Column) and (key := _key(case, other)) is not None:
                yield _key(case, side), key
    elif isinstance(condition, exp.In) and condition.expressions:
        for value in condition.expressions:
            if has_columns(value):
                return
        yield _key(case, condition.this), None


def _key(case: Case, node: exp.Expr) -> _Key | None:
    use = case.uses.get(id(node))
    return None if use is None else (id(use.relation), node.name.lower())
