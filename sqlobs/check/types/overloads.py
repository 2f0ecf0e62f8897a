"""Which function or operator PostgreSQL takes for the types of its arguments, and what that gives.

The rules are those of the chapter "Type Conversion" of its manual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.check.types.candidates import ANY_ARRAY, UNKNOWN
from sqlobs.check.types.system import MOST_KEPT, UNDECIDED, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.check.types.candidates import Candidates
    from sqlobs.check.types.system import Type
    from sqlobs.dialects.catalog import Catalog, Signature

_ARITHMETIC: Final = frozenset("+ - * / %".split())
_POLYMORPHIC: Final = frozenset(
    {"anyelement", "anynonarray", "anyarray", "anyenum", "anyrange", "anymultirange"}
)
"""Parameters of one type that the arguments tell; those of `anycompatible` are texts then."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a call or operator comes to, whatever the literals: kept for the next time."""

    judgement: Judgement = UNDECIDED
    wanted: tuple[str, ...] = ()
    """The types that its arguments are converted to; empty: not known."""


class Overloads:
    """The functions and operators of a catalog; what one pair or call came to is kept."""

    def __init__(
        self, catalog: Catalog, candidates: Candidates, cast_to: Callable[[str, Type], Type]
    ) -> None:
        """Keep what calls are resolved by.

        Args:
            catalog: what the engine has.
            candidates: how types are converted.
            cast_to: returns the type that a call with one argument is a cast to, by its name and
                the type of the argument; None: it is no cast.
        """
        self._functions = catalog.functions
        self._operators: Mapping[str, list[list[str]]] = catalog.raw["operators"]
        self._candidates = candidates
        self._cast_to = cast_to
        self._calls: dict[tuple[Type, ...], Resolved] = {}
        self._pairs: dict[tuple[Type, ...], Resolved] = {}

    def operator(self, name: str, left: Type, right: Type) -> Resolved:
        """Resolve a binary operator: a row of `pg_operator` must take both types."""
        key = (name, left, right)
        found = self._pairs.get(key)
        if found is None:
            found = self._operator(name, left, right)
            if len(self._pairs) < MOST_KEPT:
                self._pairs[key] = found
        return found

    def has_prefix(self, name: str, found: str) -> bool:
        """Say whether an operator before its only operand takes a type."""
        taken = [right for left, right, _ in self._operators[name] if not left]
        return any(self._candidates.coerces(found, right) for right in taken)

    def call(self, name: str, arguments: tuple[Type, ...]) -> Resolved:
        """Resolve a call: a signature must take the types of the arguments."""
        key = (name, *arguments)
        found = self._calls.get(key)
        if found is None:
            found = self._call(name, arguments)
            if len(self._calls) < MOST_KEPT:
                self._calls[key] = found
        return found

    def ordered(self, name: str, arguments: tuple[Type, ...]) -> Resolved:
        """Resolve a call with WITHIN GROUP, of values and terms."""
        known = self._functions.get(name.lower(), ())
        signatures = [one for one in known if one.kind == "ordered"]
        if not signatures or None in arguments:
            return self._agreed(signatures, arguments)
        return self._chosen(name, signatures, arguments)

    def _call(self, name: str, arguments: tuple[Type, ...]) -> Resolved:
        folded, count = name.lower(), len(arguments)
        signatures = [one for one in self._functions.get(folded, ()) if one.takes(count)]
        loose = any(one.kind in {"ordered", "hypothetical"} for one in signatures)
        if not signatures or loose or None in arguments:
            return self._agreed(signatures, arguments)
        if count == 1 and (to := self._cast_to(folded, arguments[0])) is not None:
            return Resolved(Judgement(to))
        return self._chosen(name, signatures, arguments)

    def _chosen(
        self, name: str, signatures: Sequence[Signature], arguments: tuple[Type, ...]
    ) -> Resolved:
        """Return what the best of some signatures makes of arguments."""
        count = len(arguments)
        fitting = [one for one in signatures if self._fits(one, arguments)]
        if not fitting:
            said = ", ".join(argument or "?" for argument in arguments)
            return Resolved(Judgement(None, f"Unknown function {name}({said})."))
        best = self._candidates.best([self._parameters(one, count) for one in fitting], arguments)
        if len(best) != 1:
            if UNKNOWN in arguments:
                said = ", ".join(map(str, arguments))
                return Resolved(Judgement(None, f"The call {name}({said}) is ambiguous."))
            return self._agreed(fitting, arguments)
        chosen = fitting[best[0]]
        wanted = self._parameters(chosen, count)
        fault = self._shapeless(name, wanted, arguments)
        wanted = self._concrete(wanted, arguments)
        return Resolved(Judgement(self._result(chosen, arguments), fault), wanted)

    def _shapeless(
        self, name: str, parameters: Sequence[str], arguments: Sequence[Type]
    ) -> str | None:
        """Return what is wrong where literals alone would have to tell the type of a call."""
        told = {a for p, a in zip(parameters, arguments, strict=True) if p in _POLYMORPHIC}
        return f"The call {name} needs a type: cast its literal." if told == {UNKNOWN} else None

    def _operator(self, name: str, left: Type, right: Type) -> Resolved:
        candidates = [row for row in self._operators.get(name, ()) if row[0]]
        if left == right == UNKNOWN and name in _ARITHMETIC:
            return Resolved(Judgement(None, f"The operator {name} between two texts is ambiguous."))
        if not candidates or left is None or right is None:
            return self._same_result(candidates)
        pair = (left, right)
        known = right if left == UNKNOWN else left
        exact = (known, known) if UNKNOWN in pair else pair
        rows = [row for row in candidates if (row[0], row[1]) == exact]
        if not rows:
            rows = [row for row in candidates if self._candidates.takes(row[:2], pair)]
            if not rows:
                return Resolved(Judgement(None, f"Unknown operator {left} {name} {right}."))
            best = self._candidates.best([tuple(row[:2]) for row in rows], pair)
            rows = [rows[place] for place in best]
            if len(rows) > 1:
                fault = f"The operator {name} between {left} and {right} is ambiguous: cast one."
                return Resolved(Judgement(None, fault))
        wanted = self._concrete(tuple(rows[0][:2]), pair) if len(rows) == 1 else ()
        result = self._same_result(rows)
        if result.judgement.type in ANY_ARRAY:
            return Resolved(Judgement(left if left in self._candidates.element else right), wanted)
        if result.judgement.type in _POLYMORPHIC and len(rows) == 1:
            bound = self._candidates.bound(tuple(rows[0][:2]), pair)
            return Resolved(Judgement(bound.get(result.judgement.type)), wanted)
        return replace(result, wanted=wanted)

    def _parameters(self, signature: Signature, count: int) -> tuple[str, ...]:
        declared = signature.arguments or ()
        if signature.variadic and count >= len(declared):
            return declared[:-1] + (signature.variadic,) * (count - len(declared) + 1)
        return declared[:count]

    def _fits(self, signature: Signature, arguments: Sequence[Type]) -> bool:
        return self._candidates.takes(self._parameters(signature, len(arguments)), arguments)

    def _result(self, signature: Signature, arguments: Sequence[Type]) -> Type:
        result = signature.result
        if result in self._candidates.category and self._candidates.category[result] != "P":
            return result
        bound = self._candidates.bound(self._parameters(signature, len(arguments)), arguments)
        return bound.get(result) if result is not None else None

    def _concrete(self, parameters: tuple[str, ...], arguments: Sequence[Type]) -> tuple[str, ...]:
        """Return parameters with what their polymorphic ones mean in a call."""
        bound = self._candidates.bound(parameters, arguments)
        return tuple(bound.get(one, one) for one in parameters) if bound else parameters

    def _agreed(self, signatures: Sequence[Signature], arguments: Sequence[Type]) -> Resolved:
        results = {self._result(one, arguments) for one in signatures}
        return Resolved(Judgement(results.pop() if len(results) == 1 else None))

    def _same_result(self, rows: Sequence[Sequence[str]]) -> Resolved:
        results = {row[2] for row in rows}
        return Resolved(Judgement(results.pop() if len(results) == 1 else None))
