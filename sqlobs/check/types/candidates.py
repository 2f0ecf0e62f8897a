"""Which of PostgreSQL's candidates take some arguments, and which of these it prefers.

The rules are those of `func_select_candidate` and `can_coerce_type` in its source (`parse_func.c`,
`parse_coerce.c`), told in the chapter "Type Conversion" of its manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.types.system import Type

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
        """Say whether a value of a type can stand where another is wanted, without a cast."""
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
        """Say whether a list of parameters takes these arguments."""
        if len(parameters) != len(arguments) or not self._all_coerce(arguments, parameters):
            return False
        return self._is_consistent(parameters, arguments)

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

    def _all_coerce(self, sources: Sequence[Type], targets: Sequence[str]) -> bool:
        return all(
            source is not None and self.coerces(source, to)
            for source, to in zip(sources, targets, strict=True)
        )

    def _is_consistent(self, parameters: Sequence[str], arguments: Sequence[Type]) -> bool:
        """Say whether all `anyelement` get one type, and all `anycompatible` types of one kind."""
        same, alike = self._elements(parameters, arguments)
        return len(same) <= 1 and len({self.category.get(one or "") for one in alike}) <= 1

    def bound(self, parameters: Sequence[str], arguments: Sequence[Type]) -> dict[str, str]:
        """Return what the polymorphic types of a call mean, as far as its arguments tell."""
        found = {
            parameter: str(argument)
            for parameter, argument in zip(parameters, arguments, strict=False)
            if parameter in _ANY_RANGE and argument not in {None, UNKNOWN}
        }
        families = zip(self._elements(parameters, arguments), (_SAME, _ALIKE), strict=True)
        for (elements, names), array in zip(
            families, ("anyarray", "anycompatiblearray"), strict=True
        ):
            if (element := self._common(elements)) is not None:
                found |= dict.fromkeys(names, element)
                if f"{element}[]" in self.element:
                    found[array] = f"{element}[]"
        return found

    def _common(self, types: set[Type]) -> Type:
        """Return the one of some types that all the others can stand for; None: not known."""
        if None in types or len(types) < 2:  # noqa: PLR2004 - one is what all are
            return next(iter(types), None)
        wide = [to for to in types if all(self.coerces(str(one), str(to)) for one in types)]
        return wide[0] if len(wide) == 1 else None

    def _elements(
        self, parameters: Sequence[str], arguments: Sequence[Type]
    ) -> tuple[set[Type], set[Type]]:
        """Return the types that arguments give `anyelement`, and those for `anycompatible`."""
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
        """Keep candidates of the categories that unknown arguments get: string if any takes one.

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
        """Keep the one candidate that would take the known type for the unknown ones as well."""
        known = {argument for argument in arguments if argument != UNKNOWN}
        if len(known) != 1:
            return places
        assumed = [*known] * len(arguments)
        fitting = [place for place in places if self.takes(candidates[place], assumed)]
        return fitting if len(fitting) == 1 else places
