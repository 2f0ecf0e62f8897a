"""Nested types of measured engines, and which of a function's signatures a call means.

Names of types are like DuckDB's own (`STRUCT(a INTEGER)[]`), with `?` for a type inside that is not
known. A letter in a signature (`T[]`, `MAP(K, V)`) stands for one type throughout the call: E and K
for types that are converted without reading texts, A for exactly one, the others for any common
one. A lambda is a parameter, too: `(K, V) -> BOOLEAN`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol

from sqlobs.check.types.system import UNDECIDED, Judgment, Type
from sqlobs.dialects.catalog import Signature
from sqlobs.schema.declared_type import DeclaredType, declared_type

UNKNOWN: Final = "?"
LONGEST: Final = 10_000
"""Longest name of a type that is made: structures of structures, each twice, double with each."""
LIST: Final = "INTEGER[]"
ARRAY: Final = "FLOAT[3]"
"""The list and the array that were measured, for all of them."""
_KEPT_WORDS: Final = frozenset({"UNION", "TUPLE"})
"""Structures that are types of their own; all others are called STRUCT."""
_VALUE: Final = re.compile(r"'((?:[^']|'')*+)'")


def kind_of(name: str) -> str:
    """Return the type that the catalog knows in place of one with others inside."""
    if name[-1:] == "]":
        return LIST if name.endswith("[]") else ARRAY
    return name.partition("(")[0] if name[-1:] == ")" else name


def element_of(name: str) -> Type:
    """Return the type of the items of a list or array; None: not known, or it is none."""
    if not name.endswith("]"):
        return None
    found = name[: name.rindex("[")]
    return None if found == UNKNOWN else found


@lru_cache(maxsize=4096)
def fields_of(name: str) -> Mapping[str, Type] | None:
    """Return the fields of a structure or union by lower-case name; None: it is none."""
    if name.partition("(")[0] not in {"STRUCT", "UNION"}:
        return None
    found = declared_type(name)
    if found.shape != "structure":
        return None
    return {one.name.lower(): _known(one.type.text) for one in found.fields}


def map_of(name: str) -> tuple[Type, Type] | None:
    """Return the types of the keys and of the values of a map; None: it is none."""
    found = declared_type(name) if name.startswith("MAP(") else None
    if found is None or found.shape != "map":
        return None
    key, value = found.parts
    return _known(key.text), _known(value.text)


def _known(name: str) -> Type:
    return None if name == UNKNOWN else name


def canonical(text: str, plain: Callable[[str], Type]) -> Type:
    """Return the name of a declared type; `plain` names one without types inside.

    `ARRAY<STRUCT<a INT64>>` is called `STRUCT(a INT64)[]`.
    """
    return _named(declared_type(text), plain)


def _named(found: DeclaredType, plain: Callable[[str], Type]) -> Type:
    if found.shape == "plain":
        return plain(found.name)
    if found.shape == "structure":
        fields = [
            (one.name or str(place), _named(one.type, plain) or UNKNOWN)
            for place, one in enumerate(found.fields, start=1)
        ]
        return _structure(found.word if found.word in _KEPT_WORDS else "STRUCT", fields)
    parts = [_named(part, plain) or UNKNOWN for part in found.parts]
    return f"{parts[0]}[{found.size}]" if found.shape == "list" else f"MAP({', '.join(parts)})"


def structure(fields: Mapping[str, Type]) -> Type:
    """Return the name of a structure with these fields; None: it is too long."""
    found = _structure("STRUCT", [(name, kind or UNKNOWN) for name, kind in fields.items()])
    return found if len(found) <= LONGEST else None


def enumeration(values: Iterable[str]) -> str:
    """Return the name of an enum with these values."""
    return "ENUM({})".format(", ".join("'" + value.replace("'", "''") + "'" for value in values))


@lru_cache(maxsize=1024)
def labels_of(name: str) -> tuple[str, ...] | None:
    """Return the values of an enum; None: it is none, or has none that are known."""
    if not name.upper().startswith("ENUM(") or not name.endswith(")"):
        return None
    return tuple(value.replace("''", "'") for value in _VALUE.findall(name[5:-1])) or None


def _structure(word: str, fields: list[tuple[str, str]]) -> str:
    return f"{word}({', '.join(f'{_quoted(name)} {kind}' for name, kind in fields)})"


def _quoted(name: str) -> str:
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


def _split(text: str) -> Iterator[str]:
    """Yield the parts between the commas that no bracket encloses: `K, MAP(K, V)`."""
    depth, begin = 0, 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()


STRING: Final = "STRING_LITERAL"
INTEGER: Final = "INTEGER_LITERAL"
DECIMAL: Final = "DECIMAL_LITERAL"
_NO_FIT: Final = -1
_LITERAL_COST: Final = 20
_HELD_COST: Final = 5
_LETTERS: Final = frozenset("TUVEKA")
_LETTER: Final = re.compile(rf"\b[{''.join(sorted(_LETTERS))}]\b")
_ANY: Final = _LETTERS | {"ANY"}
_CALLED: Final = frozenset({"scalar", "aggregate", "window"})
"""Kinds that are called for a value; others are used in FROM or with WITHIN GROUP."""
_TIGHT: Final = frozenset("EK")
_EXACT: Final = frozenset("A")
_ARROW: Final = ") -> "


class Conversions(Protocol):
    """What signatures need to know about types."""

    @property
    def reads_literals_late(self) -> bool:
        """A string literal has the type of what it meets."""

    def either(self, left: str, right: str, *, reads_texts: bool = True) -> Type:
        """Return the common type of two; empty: not known; None: there is none."""

    def output(self, found: str) -> str:
        """Return the type of a column with a value: literals become columns."""


class Signatures:
    """Checks calls by the signatures of a catalog."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Signature, ...]],
        implicit: Mapping[str, Mapping[str, int]],
        types: Conversions,
    ) -> None:
        """Keep what calls are checked with.

        Args:
            functions: the signatures by lower-case name.
            implicit: the types that each is converted to without a cast, with their places.
            types: how types are combined.
        """
        self._functions = functions
        self._implicit = implicit
        self._types = types
        self._adapts = types.reads_literals_late

    def judge(self, name: str, *arguments: Type) -> Judgment:
        """Check a call: the cheapest signature that accepts the types of the arguments."""
        count = len(arguments)
        signatures = [one for one in self._functions.get(name.lower(), ()) if one.takes(count)]
        if not self._adapts and any(one.kind in _CALLED for one in signatures):
            signatures = [one for one in signatures if one.kind in _CALLED]
        is_open = None in arguments
        if not signatures or any(one.arguments is None for one in signatures):
            return self._agreed(signatures, arguments)
        if self._adapts and (is_open or all(one.kind == "window" for one in signatures)):
            return self._agreed(signatures, arguments)
        if any(one.kind == "scalar" for one in signatures):
            signatures = [one for one in signatures if one.kind != "table"]  # they accept the same
        if any(one.kind not in {"scalar", "aggregate", "window"} for one in signatures):
            return UNDECIDED
        costs = [self._cost(one, arguments) for one in signatures]
        fitting = [cost for cost in costs if cost != _NO_FIT]
        said = ", ".join(argument or "?" for argument in arguments)
        if not fitting:
            return Judgment(None, f"Unknown function {name}({said}).")
        rows = zip(signatures, costs, strict=True)
        wanted = fitting if is_open else [min(fitting)]
        best = [one for one, cost in rows if cost in wanted]
        if len(best) > 1 and STRING in arguments and self._adapts:
            return Judgment(None, f"The call {name}({said}) is ambiguous: cast the literal.")
        return self._agreed(best, arguments)

    def _cost(self, signature: Signature, arguments: Sequence[Type]) -> int:
        total = 0
        for argument, parameter in _paired(signature, arguments):
            cost = self._conversion(UNKNOWN if argument is None else argument, parameter)
            if cost == _NO_FIT:
                return _NO_FIT
            total += cost
        if not _sizes_agree(signature, arguments):
            return _NO_FIT
        return _NO_FIT if None in self._meant(signature, arguments).values() else total

    def _conversion(self, source: str, to: str) -> int:
        """Return what a conversion without a cast costs; the order of types is the catalog's."""
        to = to.rpartition(_ARROW)[2]  # of a lambda, the value
        if source == to:
            return 0
        if to in _ANY or UNKNOWN in {source, to}:
            return _HELD_COST
        if to[-1] in ")]":
            return self._holding(source, to)
        if source == STRING and to != "LAMBDA" and self._adapts:
            return 1 if to == "VARCHAR" else _LITERAL_COST
        place = self._implicit.get(kind_of(source), {}).get(to)
        if place is None:
            return _HELD_COST if kind_of(source) == to else _NO_FIT
        return 100 + place

    def _holding(self, source: str, to: str) -> int:
        """Return the cost of passing a list, an array or a map."""
        if source == STRING and self._adapts:
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
                    meant[letter] = self._of_two(letter, known, kind)
        return meant

    def _of_two(self, letter: str, known: str, kind: str) -> Type:
        if letter in _EXACT:
            return known if kind_of(known) != known else None
        if STRING in {known, kind} and self._adapts:
            return kind if known == STRING else known
        return self._types.either(known, kind, reads_texts=letter not in _TIGHT)

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda after some arguments of a call."""
        place = len(arguments)
        for signature in reversed(self._functions.get(name.lower(), ())):
            wanted = lambda_parameters(signature, place)
            if wanted:
                meant = self._meant(signature, arguments)
                return tuple(self._filled(one, meant) for one in wanted)
        return ()

    def _filled(self, kind: str, meant: Mapping[str, Type]) -> Type:
        """Return a type with the types that letters stand for; None: one of them is not known."""
        found = _LETTER.sub(
            lambda letter: self._types.output(meant.get(letter[0]) or "") or UNKNOWN, kind
        )
        return None if found == UNKNOWN or len(found) > LONGEST else found

    def _agreed(self, signatures: Sequence[Signature], arguments: Sequence[Type]) -> Judgment:
        results = {self._result(one, arguments) for one in signatures}
        result = results.pop() if len(results) == 1 else None
        known = result is not None and kind_of(result) in self._implicit
        return Judgment(result if known else None)

    def _result(self, signature: Signature, arguments: Sequence[Type]) -> Type:
        """Return the type of a value; an aggregate of any type gives that of its argument."""
        takes, result = signature.arguments or (), signature.result
        if result is None or (result == "VARCHAR" and "VARCHAR[]" in takes):
            return None  # `regexp_extract` with names for its groups
        is_scalar = signature.kind not in {"aggregate", "window"}
        if result == "ANY" and "ANY" in takes[:1] and not is_scalar:
            return self._types.output(arguments[0]) if arguments and arguments[0] else None
        if result in {"ANY[]", "STRUCT[]"}:
            return f"{UNKNOWN}[]"
        if "NULL" in result or not _LETTER.search(result):
            return None if "NULL" in result else result
        return self._filled(result, self._meant(signature, arguments))


def lambda_parameters(signature: Signature, place: int) -> tuple[str, ...]:
    """Return the types of the parameters of a lambda in some place; empty: none is expected."""
    declared = signature.arguments or ()
    if place >= len(declared) or _ARROW not in declared[place]:
        return ()
    return tuple(_split(declared[place].rpartition(_ARROW)[0][1:]))


def _sizes_agree(signature: Signature, arguments: Sequence[Type]) -> bool:
    sizes = {
        argument[argument.rindex("[") :]
        for argument, parameter in _paired(signature, arguments)
        if parameter.endswith("[ANY]") and argument is not None and argument.endswith("]")
    }
    return len(sizes) <= 1


def _paired(signature: Signature, arguments: Sequence[Type]) -> Iterable[tuple[Type, str]]:
    declared = list(signature.arguments or ())
    declared += [signature.variadic] * (len(arguments) - len(declared))
    return zip(arguments, declared, strict=False)


def _bound(parameter: str, argument: Type) -> Iterable[tuple[str, str]]:
    """Yield each letter of a parameter with the type that an argument gives it, if known."""
    parameter = parameter.rpartition(_ARROW)[2]
    while parameter.endswith("[]") and argument is not None:
        parameter, argument = parameter[:-2], element_of(argument)
    if argument is None or argument == UNKNOWN:
        return
    if parameter in _LETTERS:
        yield parameter, argument
    elif parameter[:4] == "MAP(":
        for letter, kind in zip(_split(parameter[4:-1]), map_of(argument) or (), strict=False):
            if kind is not None and letter in _LETTERS:
                yield letter, kind
