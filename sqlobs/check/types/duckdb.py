"""DuckDB's types: which combinations it takes was found by asking it for each pair.

A fault is told only where the engine refused the pair, or where no signature of a function takes
the arguments, or several take a string literal equally well, which DuckDB refuses to decide.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.types.system import MOST_KEPT, UNDECIDED, Judgement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.catalogue import Catalogue, Signature
    from sqlobs.check.types.system import Type

STRING: Final = "STRING_LITERAL"
INTEGER: Final = "INTEGER_LITERAL"

_COMPARISONS: Final = frozenset("= <> < <= > >= IN IN_QUERY BETWEEN".split())
_PATTERNS: Final = frozenset({"~~", "~~*", "~"})
_ARITHMETIC: Final = frozenset("+ - * / %".split())
_RESULTS: Final = dict.fromkeys(_COMPARISONS | _PATTERNS, "BOOLEAN") | {"->>": "VARCHAR"}
"""What an operator gives where nothing is known of its operands."""
_PARAMETERS: Final = re.compile(r"\s*\([^)]*\)")
_TYPE_PARAMETERS: Final = frozenset({"ANY", "T", "K", "V"})
_NO_FIT: Final = -1
_LITERAL_COST: Final = 20

_CONSTANTS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "DATE",
    exp.CurrentTimestamp: "TIMESTAMP WITH TIME ZONE",
    exp.Interval: "INTERVAL",
}
_REWRITTEN: Final[dict[type[exp.Expr], tuple[str, tuple[str, ...]]]] = {
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.Max: ("max", ("this", "expressions", "count")),
    exp.Min: ("min", ("this", "expressions", "count")),
    exp.Ceil: ("ceil", ("this",)),
    exp.Floor: ("floor", ("this",)),
    exp.Trim: ("trim", ("this", "expression")),
    exp.Extract: ("date_part", ("this", "expression")),
}


class DuckdbTypes:
    """The types of DuckDB."""

    boolean = "BOOLEAN"
    row: Type = "STRUCT"
    fixes_lengths = False

    def __init__(self, catalogue: Catalogue) -> None:
        self._functions = catalogue.functions
        self._names: Mapping[str, str] = catalogue.raw["type_names"]
        self._known = frozenset(catalogue.raw["types"])
        self._implicit = {
            source: {to: place for place, to in enumerate(targets)}
            for source, targets in catalogue.raw["implicit"].items()
        }
        self._operators = {
            name: {(left, right): result for left, right, result in rows}
            for name, rows in catalogue.raw["operators"].items()
        }
        self._calls: dict[tuple[Type, ...], Judgement] = {}

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        if not text:
            return None
        plain = " ".join(_PARAMETERS.sub("", text.strip().strip('"').upper()).split())
        found = self._names.get(plain)
        return found if found in self._implicit else None

    def knows(self, name: str) -> bool:
        """Say whether the engine has a type of this name."""
        return name.upper() in self._known

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        return self.declared(node.sql("duckdb"))

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        if isinstance(node, exp.Var):
            return STRING  # the unit of EXTRACT
        if not isinstance(node, exp.Literal):
            return None
        if node.is_string:
            return STRING
        return INTEGER if str(node.this).isdigit() else "DECIMAL"

    def constant(self, node: exp.Expr) -> Type:
        """Return the type of a node that always has the same one."""
        return _CONSTANTS.get(node.__class__)

    def rewritten(self, node: exp.Expr) -> tuple[str, tuple[str, ...]] | None:
        """Return function and arguments of a node that sqlglot made of a call."""
        return _REWRITTEN.get(node.__class__)

    def output(self, found: str) -> Type:
        """Return the type of an output: literals become columns."""
        return {STRING: "VARCHAR", INTEGER: "INTEGER"}.get(found, found)

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgement:
        """Judge a call: the cheapest signature that takes the types of the arguments."""
        if name.lower() in {"coalesce", "ifnull"}:
            return self.common(arguments, nodes, what="COALESCE")
        key = (name.lower(), *arguments)
        found = self._calls.get(key)
        if found is None:
            found = self._call(name, arguments)
            if len(self._calls) < MOST_KEPT:
                self._calls[key] = found
        return found

    def operator(
        self,
        name: str,
        left: Type,
        right: Type,
        nodes: tuple[exp.Expr, exp.Expr],
    ) -> Judgement:
        """Judge a binary operator: the pair is one that the engine took when it was asked."""
        if isinstance(nodes[1], (exp.Any, exp.All)):
            name = "IN_QUERY"
        known = self._operators.get(name)
        if known is None or left is None or right is None:
            return Judgement(_RESULTS.get(name))
        if STRING in {left, right}:
            if name in _ARITHMETIC and any(map(_is_string, nodes)):
                return self._arithmetic(name, left, right)
            if name not in _PATTERNS:  # whether a literal can be read is told at run time
                return Judgement(self.boolean if name in _COMPARISONS else None)
            left, right = self.output(left), self.output(right)
        result = known.get((left, right))
        if result is None:
            return Judgement(None, f"DuckDB does not combine {left} {name} {right}.")
        return Judgement(result if result in self._implicit else None)

    def minus(self, found: Type) -> Judgement:
        """Let every value be negated: which ones DuckDB takes was not asked."""
        return Judgement(found)

    def common(
        self,
        types: Sequence[Type],
        nodes: Sequence[exp.Expr],  # noqa: ARG002 - the protocol's
        *,
        what: str,
    ) -> Judgement:
        """Judge values that must have one type, two and two."""
        known = self._operators.get(what)
        if known is None or not types or None in types:
            return UNDECIDED
        chosen = types[0]
        for found in types[1:]:
            if found == chosen or chosen is None or found is None:
                continue
            if STRING in {chosen, found}:
                chosen = found if chosen == STRING else chosen
                continue
            result = known.get((chosen, found))
            if result is None:
                return Judgement(None, f"{what} cannot combine {chosen} and {found}.")
            chosen = result if result in self._implicit else None
        return Judgement(None if chosen is None else self.output(chosen))

    def cast(
        self,
        found: Type,  # noqa: ARG002 - the protocol's
        to: Type,
        node: exp.Expr,  # noqa: ARG002 - the protocol's
    ) -> Judgement:
        """Let every cast pass: what cannot be cast is told at run time."""
        return Judgement(to)

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgement:  # noqa: ARG002 - the protocol's
        """Let every value be stored: it is cast, and what cannot be is told at run time."""
        return Judgement(to)

    def beside(self, found: Type, bound: Type) -> Type:
        """Return the type of both: two literals are compared as texts."""
        if found != STRING:
            return found
        return self.output(STRING) if bound == STRING else bound

    def recursion(self, first: str, whole: str) -> Judgement:  # noqa: ARG002 - the protocol's
        """Let every type pass: the first query's is converted to."""
        return Judgement(whole)

    def array(self, element: str) -> Type:  # noqa: ARG002 - the protocol's
        """Return nothing: types of lists are not known."""
        return None

    def element(self, found: Type) -> Judgement:  # noqa: ARG002 - the protocol's
        """Let every value stand in ANY: types of lists are not known."""
        return UNDECIDED

    def item(self, found: Type) -> Judgement:  # noqa: ARG002 - the protocol's
        """Let every value have items: types of lists are not known."""
        return UNDECIDED

    def condition(
        self,
        found: Type,  # noqa: ARG002 - the protocol's
        node: exp.Expr,  # noqa: ARG002 - the protocol's
        *,
        what: str,  # noqa: ARG002 - the protocol's
    ) -> Judgement:
        """Let every value stand for a condition: DuckDB converts it."""
        return Judgement(self.boolean)

    def _arithmetic(self, name: str, left: Type, right: Type) -> Judgement:
        """Judge an operation with a string literal: it fits several types, or one."""
        result = self._operators[name].get((left, right))
        if result is None:
            return Judgement(None, f"The operator {name} does not fit {left} and {right}.")
        return Judgement(result if result in self._implicit else None)

    def _call(self, name: str, arguments: Sequence[Type]) -> Judgement:
        count = len(arguments)
        signatures = [one for one in self._functions.get(name.lower(), ()) if one.takes(count)]
        if not signatures or None in arguments or any(one.arguments is None for one in signatures):
            return self._agreed(signatures, arguments)
        if all(one.kind == "window" for one in signatures):
            return self._agreed(signatures, arguments)
        if any(one.kind not in {"scalar", "aggregate"} for one in signatures):
            return UNDECIDED
        costs = [self._cost(one, arguments) for one in signatures]
        fitting = [cost for cost in costs if cost != _NO_FIT]
        said = ", ".join(argument or "?" for argument in arguments)
        if not fitting:
            return Judgement(None, f"There is no function {name}({said}).")
        best = [one for one, cost in zip(signatures, costs, strict=True) if cost == min(fitting)]
        if len(best) > 1 and STRING in arguments:
            return Judgement(None, f"The call {name}({said}) is ambiguous: cast the literal.")
        return self._agreed(best, arguments)

    def _cost(self, signature: Signature, arguments: Sequence[Type]) -> int:
        declared = list(signature.arguments or ())
        declared += [signature.variadic] * (len(arguments) - len(declared))
        total = 0
        for argument, parameter in zip(arguments, declared, strict=True):
            cost = self._conversion(str(argument), parameter)
            if cost == _NO_FIT:
                return _NO_FIT
            total += cost
        return total

    def _conversion(self, source: str, to: str) -> int:
        """Return what a conversion without a cast costs; the order of types is the catalogue's."""
        if source == to:
            return 0
        if to in _TYPE_PARAMETERS:
            return 5
        if source == STRING:
            return 1 if to == "VARCHAR" else _LITERAL_COST
        place = self._implicit.get(source, {}).get(to)
        if place is None:
            return _NO_FIT
        return 100 + place

    def _agreed(self, signatures: Sequence[Signature], arguments: Sequence[Type]) -> Judgement:
        results = {self._result(one, arguments) for one in signatures}
        result = results.pop() if len(results) == 1 else None
        return Judgement(result if result in self._implicit else None)

    def _result(self, signature: Signature, arguments: Sequence[Type]) -> Type:
        """Return the type of a value; an aggregate of any type gives that of its argument."""
        takes = signature.arguments or ()
        if (
            signature.kind in {"aggregate", "window"}
            and signature.result == "ANY"
            and "ANY" in takes[:1]
        ):
            return self.output(arguments[0]) if arguments and arguments[0] else None
        return signature.result


def _is_string(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


@lru_cache(maxsize=2)
def duckdb_types(catalogue: Catalogue) -> DuckdbTypes:
    """Return the types of a catalogue; made at the first call, then kept."""
    return DuckdbTypes(catalogue)
