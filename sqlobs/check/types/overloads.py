"""Which function or operator PostgreSQL calls for the types of its arguments, and its type.

The rules are those of the chapter "Type Conversion" of its manual, and of
`func_select_candidate` and `can_coerce_type` in its source (`parse_func.c`, `parse_coerce.c`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlobs.check.types.system import UNDECIDED, Judgment, Kept, Type
from sqlobs.dialects.catalog import Catalog, Signature

UNKNOWN: Final = "unknown"
"""The type of a string literal and of NULL until something gives them one."""
_SAME: Final = frozenset({"anyelement", "anynonarray", "anyenum"})
_ALIKE: Final = frozenset({"anycompatible", "anycompatiblenonarray"})
_NO_ARRAY: Final = frozenset({"anynonarray", "anycompatiblenonarray"})
_ANY: Final = frozenset({'"any"', "any", "anyelement", "anycompatible"})
ANY_ARRAY: Final = frozenset({"anyarray", "anycompatiblearray"})
_VECTORS: Final = frozenset({"oidvector", "int2vector"})
"""Arrays of the system tables, which no other array is converted to."""
_ANY_RANGE: Final = frozenset({"anyrange", "anymultirange"})


class Candidates:
    """Chooses among lists of parameter types."""

    def __init__(
        self,
        types: Mapping[str, list[Any]],
        casts: Sequence[Sequence[str]],
        ranges: Mapping[str, str],
    ) -> None:
        self.category = {name: row[1] for name, row in types.items()}
        """`typcategory` by type."""
        self.element = {name: row[3] for name, row in types.items() if row[3]}
        """The type of the elements of an array, by its type."""
        self.preferred = {name for name, row in types.items() if row[2]}
        """The types that are preferred in their category (`typispreferred`)."""
        self._subtype = ranges
        """The type between whose values a range is, by its type."""
        self._implicit = {(source, to) for source, to, how in casts if how == "i"}

    def coerces(self, source: str, to: str) -> bool:
        """Return whether a type is converted to another without a cast."""
        if source in {to, UNKNOWN} or to in _ANY:
            return True
        if to in _NO_ARRAY:
            return source not in self.element
        if to == "anyenum":
            return self.category.get(source) == "E"
        if to in ANY_ARRAY:
            return source in self.element
        if to in _ANY_RANGE:
            return source.endswith(to[3:]) and (source.endswith("multirange") == ("multi" in to))
        if source in self.element and to in self.element and to not in _VECTORS:
            return self.coerces(self.element[source], self.element[to])
        return (source, to) in self._implicit

    def takes(self, parameters: Sequence[str], arguments: Sequence[Type]) -> bool:
        """Return whether a list of parameters accepts these arguments."""
        pairs = zip(arguments, parameters, strict=False)
        if len(parameters) != len(arguments) or not all(
            source is not None and self.coerces(source, to) for source, to in pairs
        ):
            return False
        same, alike = self._elements(parameters, arguments)
        return len(same) <= 1 and len({self.category.get(one or "") for one in alike}) <= 1

    def best(self, candidates: Sequence[Sequence[str]], arguments: Sequence[Type]) -> list[int]:
        """Return the places of the best candidates (`func_select_candidate`)."""
        places = list(range(len(candidates)))
        for score in (self._exact, self._exact_or_preferred):
            scores = {place: score(candidates[place], arguments) for place in places}
            places = [place for place in places if scores[place] == max(scores.values())]
            if len(places) == 1:
                return places
        if UNKNOWN not in arguments:
            return places
        places = self._of_categories(candidates, arguments, places)
        return self._of_known(candidates, arguments, places) if len(places) > 1 else places

    def bound(self, parameters: Sequence[str], arguments: Sequence[Type]) -> dict[str, str]:
        """Return what the polymorphic types of a call mean, as far as its arguments tell."""
        found = {
            parameter: str(argument)
            for parameter, argument in zip(parameters, arguments, strict=False)
            if parameter in _ANY_RANGE and argument not in {None, UNKNOWN}
        }
        families = zip(self._elements(parameters, arguments), (_SAME, _ALIKE), strict=True)
        arrays = ("anyarray", "anycompatiblearray")
        for (elements, names), array in zip(families, arrays, strict=True):
            if (element := self._common(elements)) is not None:
                found |= dict.fromkeys(names, element)
                if f"{element}[]" in self.element:
                    found[array] = f"{element}[]"
        return found

    def _common(self, types: set[Type]) -> Type:
        """Return the type that all others convert to; None: not known."""
        if None in types or len(types) < 2:  # noqa: PLR2004 - one is what all are
            return next(iter(types), None)
        wide = [to for to in types if all(self.coerces(str(one), str(to)) for one in types)]
        return wide[0] if len(wide) == 1 else None

    def _elements(
        self, parameters: Sequence[str], arguments: Sequence[Type]
    ) -> tuple[set[Type], set[Type]]:
        """Return the element types for `anyelement` and for `anycompatible`."""
        same: set[Type] = set()
        alike: set[Type] = set()
        for parameter, argument in zip(parameters, arguments, strict=False):
            if argument is None or argument == UNKNOWN:
                continue
            if parameter in _SAME:
                same.add(argument)
            elif parameter in _ALIKE:
                alike.add(argument)
            elif parameter in ANY_ARRAY:
                (same if parameter == "anyarray" else alike).add(self.element.get(argument))
            elif parameter in _ANY_RANGE:
                same.add(self._subtype.get(argument))
        return same, alike

    def _exact(self, parameters: Sequence[str], arguments: Sequence[Type]) -> int:
        return sum(a == p for p, a in zip(parameters, arguments, strict=True) if a != UNKNOWN)

    def _exact_or_preferred(self, parameters: Sequence[str], arguments: Sequence[Type]) -> int:
        return sum(
            a == p or (p in self.preferred and self.category[p] == self.category.get(str(a)))
            for p, a in zip(parameters, arguments, strict=True)
            if a != UNKNOWN
        )

    def _of_categories(
        self, candidates: Sequence[Sequence[str]], arguments: Sequence[Type], places: list[int]
    ) -> list[int]:
        """Keep candidates of the categories that unknown arguments get: string if any accepts one.

        Where those of one argument conflict, all stay; so they do where none is left.
        """
        kept = places
        for position, argument in enumerate(arguments):
            if argument != UNKNOWN:
                continue
            taken = {candidates[place][position] for place in places}
            categories = {self.category.get(one) for one in taken}
            if len(categories) > 1 and "S" not in categories:
                return places
            wanted = "S" if "S" in categories else categories.pop()
            fitting = {one for one in taken if self.category.get(one) == wanted}
            fitting = fitting & self.preferred or fitting
            kept = [place for place in kept if candidates[place][position] in fitting]
        return kept or places

    def _of_known(
        self, candidates: Sequence[Sequence[str]], arguments: Sequence[Type], places: list[int]
    ) -> list[int]:
        """Keep the one candidate that accepts the known type in place of unknown ones."""
        known = {argument for argument in arguments if argument != UNKNOWN}
        if len(known) != 1:
            return places
        assumed = [*known] * len(arguments)
        fitting = [place for place in places if self.takes(candidates[place], assumed)]
        return fitting if len(fitting) == 1 else places


_ARITHMETIC: Final = frozenset("+ - * / %".split())
_POLYMORPHIC: Final = frozenset(
    {"anyelement", "anynonarray", "anyarray", "anyenum", "anyrange", "anymultirange"}
)
"""Parameters of one type that the arguments tell; those of `anycompatible` are texts then."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The resolved call or operator, independent of its literals, so that it can be cached."""

    judgment: Judgment = UNDECIDED
    wanted: tuple[str, ...] = ()
    """The types that its arguments are converted to; empty: not known."""


class Overloads:
    """Resolves the functions and operators of a catalog; results are cached."""

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
        self._calls = Kept(self._call)
        self._pairs = Kept(self._operator)

    def operator(self, name: str, left: Type, right: Type) -> Resolved:
        """Resolve a binary operator: a row of `pg_operator` must accept both types."""
        return self._pairs[name, left, right]

    def has_prefix(self, name: str, found: str) -> bool:
        """Return whether a prefix operator accepts a type."""
        taken = [right for left, right, _ in self._operators[name] if not left]
        return any(self._candidates.coerces(found, right) for right in taken)

    def call(self, name: str, arguments: tuple[Type, ...]) -> Resolved:
        """Resolve a call: a signature must accept the types of the arguments."""
        return self._calls[name, *arguments]

    def ordered(self, name: str, arguments: tuple[Type, ...]) -> Resolved:
        """Resolve a call with WITHIN GROUP, of values and terms."""
        known = self._functions.get(name.lower(), ())
        signatures = [one for one in known if one.kind == "ordered"]
        if not signatures or None in arguments:
            return self._agreed(signatures, arguments)
        return self._chosen(name, signatures, arguments)

    def _call(self, name: str, *arguments: Type) -> Resolved:
        folded, count = name.lower(), len(arguments)
        signatures = [one for one in self._functions.get(folded, ()) if one.takes(count)]
        loose = any(one.kind in {"ordered", "hypothetical"} for one in signatures)
        if not signatures or loose or None in arguments:
            return self._agreed(signatures, arguments)
        if count == 1 and (to := self._cast_to(folded, arguments[0])) is not None:
            return Resolved(Judgment(to))
        return self._chosen(name, signatures, arguments)

    def _chosen(
        self, name: str, signatures: Sequence[Signature], arguments: tuple[Type, ...]
    ) -> Resolved:
        count = len(arguments)
        takes = self._candidates.takes
        fitting = [one for one in signatures if takes(self._parameters(one, count), arguments)]
        if not fitting:
            said = ", ".join(argument or "?" for argument in arguments)
            return Resolved(Judgment(None, f"Unknown function {name}({said})."))
        best = self._candidates.best([self._parameters(one, count) for one in fitting], arguments)
        if len(best) != 1:
            if UNKNOWN in arguments:
                said = ", ".join(map(str, arguments))
                return Resolved(Judgment(None, f"The call {name}({said}) is ambiguous."))
            return self._agreed(fitting, arguments)
        chosen = fitting[best[0]]
        wanted = self._parameters(chosen, count)
        given = {a for p, a in zip(wanted, arguments, strict=True) if p in _POLYMORPHIC}
        is_open = given == {UNKNOWN}  # only literals would decide its type
        fault = f"The call {name} needs a type: cast its literal." if is_open else None
        wanted = self._concrete(wanted, arguments)
        return Resolved(Judgment(self._result(chosen, arguments), fault), wanted)

    def _operator(self, name: str, left: Type, right: Type) -> Resolved:
        candidates = [row for row in self._operators.get(name, ()) if row[0]]
        if left == right == UNKNOWN and name in _ARITHMETIC:
            fault = f"The operator {name} is ambiguous for untyped literals."
            return Resolved(Judgment(None, fault))
        if not candidates or left is None or right is None:
            return self._same_result(candidates)
        pair = (left, right)
        known = right if left == UNKNOWN else left
        exact = (known, known) if UNKNOWN in pair else pair
        rows = [row for row in candidates if (row[0], row[1]) == exact]
        if not rows:
            rows = [row for row in candidates if self._candidates.takes(row[:2], pair)]
            if not rows:
                fault = f"The operator {name} is not defined for {left} and {right}."
                return Resolved(Judgment(None, fault))
            best = self._candidates.best([tuple(row[:2]) for row in rows], pair)
            rows = [rows[place] for place in best]
            if len(rows) > 1:
                fault = f"The operator {name} between {left} and {right} is ambiguous: cast one."
                return Resolved(Judgment(None, fault))
        wanted = self._concrete(tuple(rows[0][:2]), pair) if len(rows) == 1 else ()
        result = self._same_result(rows)
        if result.judgment.type in ANY_ARRAY:
            return Resolved(Judgment(left if left in self._candidates.element else right), wanted)
        if result.judgment.type in _POLYMORPHIC and len(rows) == 1:
            bound = self._candidates.bound(tuple(rows[0][:2]), pair)
            return Resolved(Judgment(bound.get(result.judgment.type)), wanted)
        return replace(result, wanted=wanted)

    def _parameters(self, signature: Signature, count: int) -> tuple[str, ...]:
        declared = signature.arguments or ()
        if signature.variadic and count >= len(declared):
            return declared[:-1] + (signature.variadic,) * (count - len(declared) + 1)
        return declared[:count]

    def _result(self, signature: Signature, arguments: Sequence[Type]) -> Type:
        result = signature.result
        if result in self._candidates.category and self._candidates.category[result] != "P":
            return result
        bound = self._candidates.bound(self._parameters(signature, len(arguments)), arguments)
        return bound.get(result) if result is not None else None

    def _concrete(self, parameters: tuple[str, ...], arguments: Sequence[Type]) -> tuple[str, ...]:
        bound = self._candidates.bound(parameters, arguments)
        return tuple(bound.get(one, one) for one in parameters) if bound else parameters

    def _agreed(self, signatures: Sequence[Signature], arguments: Sequence[Type]) -> Resolved:
        results = {self._result(one, arguments) for one in signatures}
        return Resolved(Judgment(results.pop() if len(results) == 1 else None))

    def _same_result(self, rows: Sequence[Sequence[str]]) -> Resolved:
        results = {row[2] for row in rows}
        return Resolved(Judgment(results.pop() if len(results) == 1 else None))
