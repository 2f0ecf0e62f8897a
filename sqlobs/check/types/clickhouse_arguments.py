"""What ClickHouse's functions require of their arguments beside types: constants, zones, literals.

Everything that is known of a function is looked up once per call, by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlglot import exp

from sqlobs.check.types.clickhouse_constants import (
    is_computed,
    is_computed_late,
    is_constant,
    varies,
)
from sqlobs.check.types.clickhouse_parts import MARK, item_of, plain_of
from sqlobs.check.types.clickhouse_values import ClickhouseValues
from sqlobs.check.types.signatures import STRING, kind_of
from sqlobs.check.types.system import Judgment, Type, sample_of
from sqlobs.dialects.catalog import Catalog
from sqlobs.dialects.clickhouse_texts import FAULTS as FAULTS_OF_TEXTS

_Ways = Sequence[Sequence[str]]
"""The literals that are rejected: beside constants, beside columns."""


@dataclass(frozen=True, slots=True)
class ArgumentRules:
    """What one function requires of its arguments; their places count from 0."""

    zones: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Time zones, with the letters of the types whose values make the function look at them."""
    constants: Sequence[int] = ()
    literals: Mapping[int, _Ways] = field(default_factory=dict)
    """The literals that each argument cannot be."""
    texts: Sequence[tuple[int, str, str]] = ()
    """Arguments in a language: a pattern, a template, a path."""
    units: frozenset[str] = frozenset()
    """What the first argument may be if it is a text."""
    summed: frozenset[str] = frozenset()
    """The types of items that the function can sum; empty: it sums none."""
    reads: Type = None
    """The type as which the function reads a text."""
    names_type: bool = False
    """Whether the last argument names a type."""


_NO_RULES: Final = ArgumentRules()
_READ_TYPE: Final = "jsonextract"


def _rules_of(raw: Mapping[str, Any]) -> dict[str, ArgumentRules]:
    """Return the rules of a catalog by lower-case name; most functions have none."""
    found: dict[str, ArgumentRules] = {_READ_TYPE: ArgumentRules(names_type=True)}

    def note(name: str, **known: Any) -> None:  # noqa: ANN401 - fields of the rules
        found[name] = replace(found.get(name, _NO_RULES), **known)

    for name, zones in raw["zone_arguments"].items():
        note(name, zones=_by_place(zones))
    for name, places in raw["constant_arguments"].items():
        note(name, constants=tuple(places))
    for name, literals in raw["argument_values"].items():
        note(name, literals=_by_place(literals))
    for name, units in raw["words"].items():
        note(name, units=frozenset(units))
    for name, kinds in raw["summed_items"].items():
        note(name, summed=frozenset(kinds))
    for language, functions in raw["texts_in_language"].items():
        for name, places in functions.items():
            known = found.get(name, _NO_RULES).texts
            rows = ((int(place), language, way) for place, way in places.items())
            note(name, texts=(*known, *rows))
    return found


def _by_place(known: Mapping[str, Any]) -> dict[int, Any]:
    return {int(place): value for place, value in known.items()}


class ClickhouseArguments(ClickhouseValues):
    """The values that functions accept."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        raw = catalog.raw
        self._fixed = {}  # of the rules
        self._rules = _rules_of(raw)
        for name in self._functions:
            kind = self.declared(name[2:]) if name[:2] == "to" else None
            if kind in self._texts["CAST"]:
                self._rules[name] = replace(self._rules.get(name, _NO_RULES), reads=kind)
        self._constant_kinds = {
            name: frozenset(kinds) for name, kinds in raw["constant_kinds"].items()
        }
        self._letters = {kind: letter for letter, kind in raw["kind_letters"].items()}
        self._rejected_pairs: Mapping[str, str] = raw["rejected_pairs"]
        self._zones = frozenset(raw["time_zones"])

    def _fault_of_values(
        self, name: str, rules: ArgumentRules, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment | None:
        """Return why a function rejects the values of its arguments, whatever their types are."""
        if rules.constants or rules.zones:
            varied = self._fault_of_varied(name, rules, arguments, nodes)
            if varied is not None:
                return varied
        fault = (
            (rules.reads and self._fault_of_read_text(name, rules.reads, nodes))
            or (rules.names_type and self._fault_of_named_type(nodes))
            or (rules.summed and _fault_of_sum(name, rules.summed, arguments))
            or (rules.literals and self._fault_of_literal(name, rules.literals, nodes))
            or (rules.texts and _fault_of_language(name, rules.texts, nodes))
        )
        return Judgment(None, fault) if fault else None

    def _fault_of_varied(
        self, name: str, rules: ArgumentRules, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment | None:
        """Return that an argument must be a constant."""
        for place in (*rules.zones, *rules.constants):
            found = arguments[place] if -len(nodes) <= place < len(nodes) else None
            is_zone = place in rules.zones
            is_expected = found == "STRING" if is_zone else found is not None
            if is_expected and varies(nodes[place]) and not is_computed_late(nodes[0]):
                which = f"Argument {place + 1}" if place >= 0 else "The last argument"
                unless = "allow_nonconst_timezone_arguments" if is_zone else ""
                return Judgment(None, f"{which} of {name} must be a constant.", unless)
        return None

    def _fault_of_read_text(self, name: str, kind: str, nodes: Sequence[exp.Expr]) -> str | None:
        """Return why `toDate('x')` cannot read a text."""
        if not nodes or not nodes[0].is_string:
            return None
        if kind == "TIME" and (len(nodes) > 1 or name[-1] != "e"):
            return None  # of Time64, which reads other texts
        if not self._holds("CAST", kind, nodes[0].name):
            return f"The literal cannot be converted to {kind}."
        return None

    def _fault_of_named_type(self, nodes: Sequence[exp.Expr]) -> str | None:
        last = nodes[-1] if len(nodes) > 1 else None
        if last is None or not last.is_string or self.knows(last.name.partition("(")[0].strip()):
            return None
        return f"{last.name} is not a type."

    def _fault_of_literal(
        self, name: str, literals: Mapping[int, _Ways], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return why a call rejects the value of a literal: `toDecimal32(price, 10)`."""
        for place, ways in literals.items():
            node = nodes[place] if place < len(nodes) else None
            label = self._label_of(node) if node is not None else None
            if label is None or not any(label in rejected for rejected in ways):
                continue
            if _is_rejected(label, ways, nodes):
                return f"{name} does not support this value of argument {place + 1}."
        return None

    def _label_of(self, node: exp.Expr) -> str | None:
        """Return how the catalog calls literals like this one; None: it is none, or unlike all."""
        if isinstance(node, exp.Literal) and node.is_string:
            found = self._shape.fullmatch(node.name)
            return found and found.lastgroup
        sign = "-" if isinstance(node, exp.Neg) else ""
        number = node.this if sign else node
        if not isinstance(number, exp.Literal) or (sign and "." in number.name):
            return None
        return sample_of(sign + number.name)

    def _fault_of_zone(
        self, name: str, rules: ArgumentRules, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return that a literal names no time zone: `toDateTime(at, 'Nowhere')`.

        For values of some types, the function does not look at it: `toDate('2024-01-01', 'x')`.
        """
        for place, kinds in rules.zones.items():
            zone = nodes[place] if place < len(nodes) else None
            if zone is None or not zone.is_string or not zone.name or zone.name in self._zones:
                continue
            value = int(bool(rules.units))
            if zone is nodes[0] or self._looks_at_zone(kinds, arguments[value], nodes[value]):
                return f"Argument {place + 1} of {name} is not a time zone."
        return None

    def _looks_at_zone(self, kinds: Sequence[str], found: Type, node: exp.Expr) -> bool:
        """Return whether a time zone is looked at for a value: by columns, nulls, constants."""
        letter = found and self._letters.get(_plain_kind(found.removesuffix(MARK)))
        of_columns, of_nulls, of_constants = kinds
        if not letter:
            return len(of_columns) == 1  # it has values of one type only
        if letter in of_constants and is_constant(node):
            return True
        return letter in (of_nulls if found != plain_of(found) else of_columns)

    def _fault_of_kinds(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return why a call rejects a constant, or two arguments together, whose types it has."""
        if len(arguments) == 1 and name in self._constant_kinds:
            kind, node = _kind_of_constant(arguments[0]), nodes[0]
            is_rejected = kind in self._constant_kinds[name] and is_constant(node)
            if is_rejected and not is_computed_late(node):
                return f"{name} cannot convert a constant of {arguments[0]}."
        if len(arguments) != _PAIR or None in arguments or name not in self._rejected_pairs:
            return None
        kinds = [_plain_kind(str(found)) for found in arguments]
        is_literal = kinds[1].endswith("_LITERAL")
        if not (kinds[0] in _KINDS_OF_LITERALS or varies(nodes[0])) or not (
            is_literal or varies(nodes[1])
        ):
            return None
        firsts = [self._letters.get(one) for one in _KINDS_OF_LITERALS.get(kinds[0], kinds[:1])]
        rows = [row.partition(":") for row in self._rejected_pairs[name].split()]
        right = self._letters.get(kinds[1]) or " "
        rejected = "".join(left for left, _, others in rows if right in others)
        if all(left is not None and left in rejected for left in firsts):
            return f"{name} does not support {arguments[0]} with {arguments[1]}."
        return None


def _fault_of_sum(name: str, summed: frozenset[str], arguments: Sequence[Type]) -> str | None:
    """Return why `arraySum(tags)` cannot sum: items that are texts, or that may be null."""
    item = item_of(arguments[0]) if arguments else None
    if item is None or kind_of(item.removesuffix(MARK)) in {"VARIANT", "DYNAMIC", "JSON"}:
        return None
    return None if item in summed else f"{name} cannot sum items of {item}."


def _is_rejected(label: str, ways: _Ways, nodes: Sequence[exp.Expr]) -> bool:
    """Return whether a literal is rejected beside these arguments: constants, or columns."""
    early, late = (
        label in rejected or (label == "3" and {"2", "10"} <= {*rejected}) for rejected in ways
    )
    if is_computed_late(nodes[0]):
        return early and late
    return (early and all(map(is_computed, nodes))) or (late and (early or any(map(varies, nodes))))


def _fault_of_language(
    name: str, texts: Iterable[tuple[int, str, str]], nodes: Sequence[exp.Expr]
) -> str | None:
    """Return why a call cannot use a text as a pattern, a template or a path."""
    for place, language, way in texts:
        node = nodes[place] if place < len(nodes) else None
        if node is None or not node.is_string:
            continue
        is_early = all(map(is_computed, nodes)) and not is_computed_late(nodes[0])
        fault = FAULTS_OF_TEXTS[language](node.name, len(nodes) - 1)
        if fault is not None and (way == "always" or is_early):
            return f"{name} cannot use argument {place + 1}: {fault}."
    return None


_PAIR: Final = 2
_KINDS_OF_LITERALS: Final[Mapping[str, Sequence[str]]] = {
    "INTEGER_LITERAL": ("UINT8", "UINT", "UINT64"),
    "DECIMAL_LITERAL": ("FLOAT",),
}
"""Kinds of columns that stand for a literal before another argument."""


def _plain_kind(found: str) -> str:
    """Return the kind of a type; that of arrays of arrays, tuples or maps was not measured."""
    is_nested = found[-1] == "]" and found[-3:-2] in {"]", ")", "?"}
    return "" if is_nested else kind_of(found)


def _kind_of_constant(found: Type) -> str:
    """Return the kind under which constants of a type were measured."""
    kind = "" if found is None else kind_of(found)
    return {STRING: "STRING", "DECIMAL_LITERAL": "FLOAT", "INTEGER_LITERAL": "INTEGER"}.get(
        kind, kind
    )
