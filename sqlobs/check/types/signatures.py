"""Which of a function's signatures DuckDB calls, and what the call gives.

A letter in a signature (`T[]`, `MAP(K, V)`) stands for one type throughout the call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlobs.check.types.nested import LIST, LONGEST, UNKNOWN, element_of, kind_of, map_of
from sqlobs.check.types.system import UNDECIDED, Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.check.types.system import Type
    from sqlobs.dialects.catalog import Signature

STRING: Final = "STRING_LITERAL"
INTEGER: Final = "INTEGER_LITERAL"
_COLUMNS: Final = {STRING: "VARCHAR", INTEGER: "INTEGER"}

_NO_FIT: Final = -1
_LITERAL_COST: Final = 20
_HELD_COST: Final = 5
_LETTER: Final = re.compile(r"\b[TKV]\b")
_ANY: Final = frozenset({"ANY", "T", "K", "V"})


class Signatures:
    """Judges calls by the signatures of a catalog."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Signature, ...]],
        implicit: Mapping[str, Mapping[str, int]],
        both: Callable[[str, str], Type],
    ) -> None:
        """Keep what calls are judged by.

        Args:
            functions: the signatures by lower-case name.
            implicit: the types that each is converted to without a cast, with their places.
            both: returns the type that takes values of two; empty: not known; None: there is none.
        """
        self._functions = functions
        self._implicit = implicit
        self._both = both

    def judge(self, name: str, arguments: Sequence[Type]) -> Judgement:
        """Judge a call: the cheapest signature that takes the types of the arguments."""
        count = len(arguments)
        signatures = [one for one in self._functions.get(name.lower(), ()) if one.takes(count)]
        if not signatures or None in arguments or any(one.arguments is None for one in signatures):
            return self._agreed(signatures, arguments)
        if all(one.kind == "window" for one in signatures):
            return self._agreed(signatures, arguments)
        if any(one.kind == "scalar" for one in signatures):
            signatures = [one for one in signatures if one.kind != "table"]  # they take the same
        if any(one.kind not in {"scalar", "aggregate"} for one in signatures):
            return UNDECIDED
        costs = [self._cost(one, arguments) for one in signatures]
        fitting = [cost for cost in costs if cost != _NO_FIT]
        said = ", ".join(argument or "?" for argument in arguments)
        if not fitting:
            return Judgement(None, f"Unknown function {name}({said}).")
        best = [one for one, cost in zip(signatures, costs, strict=True) if cost == min(fitting)]
        if len(best) > 1 and STRING in arguments:
            return Judgement(None, f"The call {name}({said}) is ambiguous: cast the literal.")
        return self._agreed(best, arguments)

    def _cost(self, signature: Signature, arguments: Sequence[Type]) -> int:
        total = 0
        for argument, parameter in _paired(signature, arguments):
            cost = self._conversion(str(argument), parameter)
            if cost == _NO_FIT:
                return _NO_FIT
            total += cost
        if not _sizes_agree(signature, arguments):
            return _NO_FIT
        if _has_letters(signature) and None in self._meant(signature, arguments).values():
            return _NO_FIT
        return total

    def _conversion(self, source: str, to: str) -> int:
        """Return what a conversion without a cast costs; the order of types is the catalog's."""
        if source == to:
            return 0
        if to in _ANY or UNKNOWN in {source, to}:
            return _HELD_COST
        if to[-1] in ")]":
            return self._holding(source, to)
        if source == STRING and to != "LAMBDA":
            return 1 if to == "VARCHAR" else _LITERAL_COST
        place = self._implicit.get(kind_of(source), {}).get(to)
        if place is None:
            return _HELD_COST if kind_of(source) == to else _NO_FIT
        return 100 + place

    def _holding(self, source: str, to: str) -> int:
        """Return what it costs to give a list, an array or a map to a parameter."""
        if source == STRING:
            return _LITERAL_COST
        if to[-1] == ")":
            return _HELD_COST if kind_of(source) == kind_of(to) else _NO_FIT
        if source[-1] != "]" or (kind_of(to) != LIST and kind_of(source) == LIST):
            return _NO_FIT
        return self._conversion(element_of(source) or UNKNOWN, str(element_of(to)))

    def _meant(self, signature: Signature, arguments: Sequence[Type]) -> dict[str, Type]:
        """Return what each letter of a signature means; empty: not known; None: nothing fits."""
        meant: dict[str, Type] = {}
        for argument, parameter in _paired(signature, arguments):
            for letter, kind in _bound(parameter, argument):
                known = meant.setdefault(letter, kind)
                if known and known != kind:
                    meant[letter] = self._of_two(known, kind)
        return meant

    def _of_two(self, known: str, kind: str) -> Type:
        if STRING in {known, kind}:
            return kind if known == STRING else known
        return self._both(known, kind)

    def _agreed(self, signatures: Sequence[Signature], arguments: Sequence[Type]) -> Judgement:
        results = {self._result(one, arguments) for one in signatures}
        result = results.pop() if len(results) == 1 else None
        known = result is not None and kind_of(result) in self._implicit
        return Judgement(result if known else None)

    def _result(self, signature: Signature, arguments: Sequence[Type]) -> Type:
        """Return the type of a value; an aggregate of any type gives that of its argument."""
        takes, result = signature.arguments or (), signature.result
        if result is None or (result == "VARCHAR" and "VARCHAR[]" in takes):
            return None  # `regexp_extract` with names for its groups
        is_scalar = signature.kind not in {"aggregate", "window"}
        if result == "ANY" and "ANY" in takes[:1] and not is_scalar:
            return as_column(arguments[0]) if arguments and arguments[0] else None
        if result in {"ANY[]", "STRUCT[]"}:
            return f"{UNKNOWN}[]"
        if "NULL" in result or not _LETTER.search(result):
            return None if "NULL" in result else result
        meant = self._meant(signature, arguments)
        found = _LETTER.sub(lambda letter: as_column(meant.get(letter[0]) or "") or UNKNOWN, result)
        return None if found == UNKNOWN or len(found) > LONGEST else found


def as_column(kind: str) -> str:
    """Return the type of a column that holds a value: literals become columns."""
    return _COLUMNS.get(kind, kind)


def _has_letters(signature: Signature) -> bool:
    return any(_LETTER.search(parameter) for parameter in signature.arguments or ())


def _sizes_agree(signature: Signature, arguments: Sequence[Type]) -> bool:
    """Say whether arrays that must be of one size are."""
    sizes = {
        argument[argument.rindex("[") :]
        for argument, parameter in _paired(signature, arguments)
        if parameter.endswith("[ANY]") and argument is not None and argument.endswith("]")
    }
    return len(sizes) <= 1


def _paired(signature: Signature, arguments: Sequence[Type]) -> Iterable[tuple[Type, str]]:
    """Return each argument with the type of its parameter."""
    declared = list(signature.arguments or ())
    declared += [signature.variadic] * (len(arguments) - len(declared))
    return zip(arguments, declared, strict=False)


def _bound(parameter: str, argument: Type) -> Iterable[tuple[str, str]]:
    """Yield each letter of a parameter with the type that an argument gives it, if known."""
    while parameter.endswith("[]") and argument is not None:
        parameter, argument = parameter[:-2], element_of(argument)
    if argument is None or argument == UNKNOWN:
        return
    if len(parameter) == 1:
        yield parameter, argument
    elif parameter == "MAP(K, V)":
        for letter, kind in zip("KV", map_of(argument) or (None, None), strict=True):
            if kind is not None:
                yield letter, kind
