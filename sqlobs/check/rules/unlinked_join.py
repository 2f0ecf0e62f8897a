from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from sqlobs.check.resolver.model.scope import Scope
from sqlobs.check.resolver.model.tree import (
    conditions,
    definition,
    gives_one_row,
    has_columns,
    joins,
    sources,
    sources_of,
)
from sqlobs.check.rules.rule import Case, Findings, Rule

_MOST_RELATIONS: Final = 64
"""Relations per SELECT: SQLite's maximum; MariaDB's is 61. Limits the cost of comparing pairs."""
_AROUND: Final = -1
"""The outer query, as a place: a relation connected to it is not a cross product."""


class UnlinkedJoin(Rule, code="efficiency.antipattern", triggers={"selects"}, severity="warning"):
    """A joined relation that no condition links to another one.

    What it finds: a relation of `FROM` that `ON`, `USING` and `WHERE` connect to none of the
    others.
    Why it matters: every row is paired with every row, so the result is multiplied and slow. Of
    model answers with this flaw, five times as many are wrong as right.
    Known limits: relations of one row, table functions and rows selected by their key are exempt,
    and so is a pair of relations that are each compared with a value (`a.name = 'x' AND b.name =
    'y'`); a statement with unknown columns is not checked.
    Example: `SELECT customers.name FROM customers, orders WHERE orders.status = 'paid'`
    Instead: `SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id`
    """

    def findings(self, case: Case) -> Findings:
        for select in case.resolution.selects:
            count = len(select.relations)
            if not 1 < count <= _MOST_RELATIONS or _is_chained(select.node):
                continue
            source = _Links(case, select).apart()
            if source is not None:
                message = (
                    f"No join condition connects {source.alias_or_name or 'the subquery'}"
                    " to another relation."
                )
                yield self.at(source, message, source.alias_or_name or None)


def _is_chained(select: exp.Select) -> bool:
    """Return whether every join names an earlier relation in its ON or USING: the cheap case."""
    from_ = select.args.get("from_")
    if from_ is not None and from_.this.args.get("joins"):
        return False
    return all(map(_is_tied, select.args.get("joins") or ()))


def _is_tied(join: exp.Expr) -> bool:
    condition = join.args.get("on")
    while condition.__class__ is exp.And:
        condition = condition.this
    if condition.__class__ is not exp.EQ:
        return bool(join.args.get("using")) or join.args.get("method") == "NATURAL"
    left, right = condition.this, condition.expression
    if left.__class__ is not exp.Column or right.__class__ is not exp.Column:
        return False
    names = {left.table.lower(), right.table.lower()}
    return len(names) == 2 and "" not in names and join.this.alias_or_name.lower() in names  # noqa: PLR2004 - both sides


class _Links:
    """The relations of one SELECT, grouped by the conditions that connect them."""

    def __init__(self, case: Case, select: Scope) -> None:
        self._case = case
        self._scope = select
        self._sources = sources(select.node)
        self._relations = list(select.relations.values())
        self._groups = {place: place for place in range(_AROUND, len(self._relations))}
        self._node = select.node

    def apart(self) -> exp.Expr | None:
        """Return the first unconnected source; None: there is none, or that is unknown."""
        if len(self._sources) != len(self._relations) or not self._link_all():
            return None
        groups: dict[int, list[int]] = {}
        for place, source in enumerate(self._sources):
            if not self._is_single(place, source):
                groups.setdefault(self._groups[place], []).append(place)
        if len(groups) < 2 or all(any(map(self._fixed, group)) for group in groups.values()):  # noqa: PLR2004 - apart from another
            return None
        return self._sources[list(groups.values())[1][0]]

    def _link_all(self) -> bool:
        """Apply every condition; False: one of them has a column of an unknown relation."""
        for condition in conditions(self._node):
            places = self._places(condition)
            if places is None:
                return False
            self._link(places)
        for join in joins(self._node):
            if join.args.get("using") or join.args.get("method") == "NATURAL":
                first = sources_of(join)[0]
                place = next(place for place, one in enumerate(self._sources) if one is first)
                self._link({place, place - 1})
        for place, source in enumerate(self._sources):
            if not isinstance(source, exp.Table):
                self._link({place, *(self._places(source) or ())})
        return True

    def _places(self, node: exp.Expr) -> set[int] | None:
        """Return the places of the relations that a condition names."""
        places: set[int] = set()
        for column in node.find_all(exp.Column):
            use = self._case.uses.get(id(column))
            if use is None:
                place = self._named(column)
                if place is None:
                    return None
                places.add(place)
            elif use.level is self._scope:
                found = (at for at, one in enumerate(self._relations) if one is use.relation)
                places.add(next(found, _AROUND))
            elif any(level is use.level for level in self._scope.chain()):
                places.add(_AROUND)
        return places

    def _named(self, column: exp.Column) -> int | None:
        """Return the place of an unresolved column, from its qualifier."""
        names = [source.alias_or_name.lower() for source in self._sources]
        name = column.table.lower()
        return names.index(name) if name and names.count(name) == 1 else None

    def _link(self, places: set[int]) -> None:
        groups = {self._groups[place] for place in places}
        for place, group in self._groups.items():
            if group in groups:
                self._groups[place] = min(groups)

    def _is_single(self, place: int, source: exp.Expr) -> bool:
        """Return whether a source adds no rows: one row, or a function of other sources."""
        query = definition(source)
        if query is not None:
            return gives_one_row(query, self._case.resolution)
        if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
            return True
        table = self._relations[place].table
        key = table.key if table is not None else None
        return bool(key) and {name.lower() for name in key or ()} <= self._fixed(place)

    def _fixed(self, place: int) -> set[str]:
        """Return the columns of a relation that a condition equates with a constant."""
        return {
            use.column.name.lower()
            for side, other in _equal(self._node)
            if not has_columns(other)
            and (use := self._case.uses.get(id(side))) is not None
            and use.relation is self._relations[place]
        }


def _equal(select: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield both sides of every equality among the conditions, either first."""
    for condition in conditions(select):
        if isinstance(condition, exp.EQ):
            yield condition.this, condition.expression
            yield condition.expression, condition.this
