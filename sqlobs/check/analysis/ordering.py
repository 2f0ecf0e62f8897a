"""What a bare name in ORDER BY means: an item of the SELECT list, where one has the name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlobs.check.analysis.facts import ColumnFault
from sqlobs.check.analysis.outputs import output_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.check.analysis.scope import Relation, Scope
    from sqlobs.check.analysis.walk import Walk


@dataclass(slots=True)
class _Output:
    """A column or an expression that a SELECT list gives under the name looked for."""

    item: exp.Expr
    key: str = ""
    """The folded name of the column; empty: an expression."""
    owner: Relation | None = None
    """The relation that has the column; None: none is known to."""

    @property
    def is_starred(self) -> bool:
        return bool(self.item.is_star)

    def is_same(self, other: _Output) -> bool:
        if self.key and other.key:
            is_told = self.owner is None or other.owner is None  # that no relation has it
            return is_told or (self.owner is other.owner and self.key == other.key)
        return self.key == other.key and self.item.unalias() == other.item.unalias()


def is_output(walk: Walk, term: exp.Expr, node: exp.Select, scope: Scope) -> bool:
    """Say whether a term of ORDER BY is the name of an item; record a name of several items."""
    name = term.args.get("this")
    if not isinstance(term, exp.Column) or term.args.get("table") is not None:
        return False
    if not isinstance(name, exp.Identifier):
        return False
    found = list(_outputs(walk, node, scope, walk.column_key(name)))
    if not found:
        return False
    convention = walk.traits.orders_by
    if convention == "alias":
        return any(one.is_starred for one in found)
    if convention == "single output":
        return len(found) == 1
    if convention == "column":
        # An expression of the name is taken, whatever column has it too
        found = found if all(one.key for one in found) else found[:1]
    if convention is not None and not all(one.is_same(found[0]) for one in found):
        owners = _owners(found)
        walk.facts.column_faults.append(ColumnFault(name, None, "ambiguous", scope, owners))
    return True


def _owners(found: Sequence[_Output]) -> tuple[Relation, ...]:
    return tuple(one.owner for one in found if one.owner is not None)


def _outputs(walk: Walk, node: exp.Select, scope: Scope, key: str) -> Iterator[_Output]:
    for item in node.expressions:
        if item.is_star:
            yield from (_Output(item, key, owner) for owner in _starred(walk, item, scope, key))
        elif walk.output_key(output_name(walk, item)) == key:
            yield _output(walk, item, scope)


def _starred(walk: Walk, item: exp.Expr, scope: Scope, key: str) -> Sequence[Relation]:
    """Return the relations whose column of a name a star gives."""
    if isinstance(item, exp.Star):
        return scope.relations.showing(key)
    qualifier = item.args.get("table")
    relation = scope.relations.get(walk.alias_key(qualifier)) if qualifier is not None else None
    return [relation] if relation is not None and key in relation.columns else []


def _output(walk: Walk, item: exp.Expr, scope: Scope) -> _Output:
    column = item.unalias()
    while isinstance(column, exp.Paren):
        column = column.this
    if not isinstance(column, exp.Column):
        return _Output(item)
    key, qualifier = walk.column_key(column.this), column.args.get("table")
    if qualifier is None:
        return _Output(item, key, next(iter(scope.relations.showing(key)), None))
    owner = scope.relations.get(walk.alias_key(qualifier))
    return _Output(item, key, owner if owner is not None and key in owner.columns else None)
