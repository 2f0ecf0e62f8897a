"""What a type system is: it names types and judges calls, operators and comparisons.

A type is the engine's own name of it. None means not known: nothing is then said about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs.dialects.catalog import catalog_of_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import exp

    from sqlobs.check.engine.profile import Profile
    from sqlobs.dialects.catalog import Catalog
    from sqlobs.schema.model import Schema


Type = str | None
MOST_KEPT: Final = 8192
"""Judgements kept: names in calls are a model's inventions, so there is no end of them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The type of an expression, and what is wrong with it, if anything."""

    type: Type = None
    fault: str | None = None
    """One sentence without literals; None: nothing is wrong."""


UNDECIDED = Judgement()


class TypeSystem(Protocol):
    """The types of one engine."""

    boolean: str
    row: Type
    """The type of a relation that stands for a value; None: it is not judged."""
    fixes_lengths: bool
    """A recursive CTE must keep the length of its first query's columns."""

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        ...

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name, in lower case, without parameters."""
        ...

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        ...

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        ...

    def constant(self, node: exp.Expr) -> Type:
        """Return the type of a node that always has the same one (`CURRENT_DATE`)."""
        ...

    def rewritten(self, node: exp.Expr) -> tuple[str, tuple[str, ...]] | None:
        """Return function and arguments of a node that sqlglot made of a call."""
        ...

    def output(self, found: str) -> Type:
        """Return the type that a column of a SELECT list gets from its expression."""
        ...

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgement:
        """Judge a call of a known function; `nodes` are its arguments."""
        ...

    def ordered(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgement:
        """Judge a call with WITHIN GROUP; the terms of its order are its last arguments."""
        ...

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgement:
        """Judge a binary operator, comparisons and LIKE among them."""
        ...

    def minus(self, found: Type) -> Judgement:
        """Judge a value with a minus before it."""
        ...

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgement:
        """Judge values that must have one type: branches of CASE, columns of UNION."""
        ...

    def cast(self, found: Type, to: Type, node: exp.Expr) -> Judgement:
        """Judge a cast of a value to a type."""
        ...

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgement:
        """Judge a value that is to stand in a column of a type."""
        ...

    def beside(self, found: Type, bound: Type) -> Type:
        """Return the type that BETWEEN gives its value for the upper bound, the lower one seen."""
        ...

    def recursion(self, first: str, whole: str) -> Judgement:
        """Judge the type that a recursive CTE gives a column in its first query and in all."""
        ...

    def frame(self, kind: str, term: Type, offset: Type, node: exp.Expr) -> Judgement:
        """Judge a bound of a frame (`ROWS`, `RANGE`) over rows in the order of one term."""
        ...

    def array(self, element: str) -> Type:
        """Return the type of an array of values of a type."""
        ...

    def element(self, found: Type) -> Judgement:
        """Judge the value of `ANY (…)`: an array, whose element is compared."""
        ...

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgement:
        """Judge `value[key]`: the value has items, and one of them is given."""
        ...

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value by lower-case name; None: it may have any."""
        ...

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda behind some arguments of a call."""
        ...

    def condition(self, found: Type, node: exp.Expr, *, what: str) -> Judgement:
        """Judge a value where a condition is expected."""
        ...


def types_of(profile: Profile, schema: Schema | None) -> TypeSystem | None:
    """Return the types of a profile; None where the engine minds none, or they are not known.

    Args:
        profile: the engine.
        schema: declares types beside those of the engine.
    """
    name = profile.known.types.system
    catalog = catalog_of_version(*profile.catalog_key) if name else None
    if catalog is None:
        return None
    made: Callable[[Catalog, tuple[tuple[str, ...], ...]], TypeSystem]
    made = import_module(f"sqlobs.check.types.{name}").type_system
    return made(catalog, () if schema is None else schema.enums)
