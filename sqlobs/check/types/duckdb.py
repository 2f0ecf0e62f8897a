"""DuckDB's types: which combinations it accepts was measured for each pair.

A fault is reported only where the engine rejected the pair, or no signature of a function accepts
the arguments, or several accept a string literal equally well, which DuckDB rejects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp

from sqlobs.check.types.container_types import ContainerTypes, can_hold
from sqlobs.check.types.signatures import (
    INTEGER,
    STRING,
    Signatures,
    as_column,
    canonical,
    element_of,
    enumeration,
    kind_of,
    labels_of,
)
from sqlobs.check.types.system import MOST_KEPT, UNDECIDED, Judgment, Kept, Type, written
from sqlobs.dialects.catalog import Catalog

Special = Callable[[Sequence[Type], Sequence[exp.Expr]], Judgment]
"""Checks a call whose signatures do not describe its arguments."""


_COMPARISONS: Final = frozenset("= <> < <= > >= IN IN_QUERY BETWEEN".split())
_PATTERNS: Final = frozenset({"~~", "~~*", "~"})
_CONTAINMENT: Final = frozenset({"&&", "@>", "<@"})
_OF_LISTS: Final = _CONTAINMENT | {"||"}
"""Operators of two lists, whose items must have one type."""
_ARITHMETIC: Final = frozenset("+ - * / %".split())
_RESULTS: Final = dict.fromkeys(_COMPARISONS | _PATTERNS | _CONTAINMENT, "BOOLEAN")
"""What an operator gives where nothing is known of its operands."""
_EXTRACTED: Final = {"->": "JSON", "->>": "VARCHAR"}
"""What a path into a document gives."""
_BY_OPERANDS: Final = _ARITHMETIC | _EXTRACTED.keys()
"""Operators whose result their operands tell, not the types of these alone."""
_PARAMETERS: Final = re.compile(r"\s*\([^)]*\)")
_HOLDING: Final = frozenset(")]")
"""How the names of nested types end."""
_COMMON: Final = frozenset({"CASE", "COALESCE", "ARRAY", "GREATEST", "LEAST", "UNPIVOT", "UNION"})
_CONSTANTS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "DATE",
    exp.CurrentTime: "TIME WITH TIME ZONE",
    exp.Localtime: "TIME",
    exp.Localtimestamp: "TIMESTAMP",
    exp.CurrentTimestamp: "TIMESTAMP WITH TIME ZONE",
    exp.Interval: "INTERVAL",
}
_REWRITTEN: Final[dict[type[exp.Expr], tuple[str, tuple[str, ...]]]] = {
    exp.Struct: ("struct_pack", ("expressions",)),
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.Max: ("max", ("this", "expressions", "count")),
    exp.Min: ("min", ("this", "expressions", "count")),
    exp.Ceil: ("ceil", ("this",)),
    exp.Floor: ("floor", ("this",)),
    exp.Trim: ("trim", ("this", "expression")),
    exp.Extract: ("date_part", ("this", "expression")),
    exp.Chr: ("chr", ("expressions",)),
    exp.PercentileCont: ("quantile_cont", ("this", "expression")),
    exp.ApproxQuantile: ("approx_quantile", ("this", "quantile")),
}


class DuckdbTypes(ContainerTypes):
    """The types of DuckDB."""

    is_known = True
    boolean = "BOOLEAN"
    row: Type = "STRUCT"
    fixes_lengths = False
    constants = _CONSTANTS
    rewritings = _REWRITTEN

    def __init__(self, catalog: Catalog, enums: Sequence[tuple[str, ...]] = ()) -> None:
        self._functions = catalog.functions
        self._names: Mapping[str, str] = catalog.raw["type_names"]
        self._known = frozenset(catalog.raw["types"])
        self._implicit = {
            source: {to: place for place, to in enumerate(targets)}
            for source, targets in catalog.raw["implicit"].items()
        }
        self._operators = {
            name: {(left, right): result for left, right, result in rows}
            for name, rows in catalog.raw["operators"].items()
        }
        self._enums = {name.upper(): enumeration(values) for name, *values in enums}
        self._parts = catalog.units.get("extracted", frozenset())
        self._negated: Mapping[str, str] = catalog.raw["negated"]
        self._judged: dict[Type, Judgment] = {kind: Judgment(kind) for kind in self._implicit}
        signatures = Signatures(self._functions, self._implicit, self.either)
        self._calls = Kept(signatures.judge)
        self._combined: dict[tuple[Type, ...], Judgment] = {}
        self._special: dict[str, Special] = {
            "coalesce": partial(self.common, what="COALESCE"),
            "ifnull": partial(self.common, what="COALESCE"),
            "greatest": partial(self.common, what="GREATEST"),
            "least": partial(self.common, what="LEAST"),
            "list_value": self._listed,
            "list_pack": self._listed,
            "struct_extract": self.field_called,
            "struct_pack": self.packed,
            "concat": self.concatenated,
            "unnest": self.unnested,
            "quantile_cont": partial(self._quantile, name="quantile_cont"),
            "approx_quantile": partial(self._quantile, name="approx_quantile"),
            **dict.fromkeys(("date_part", "datepart"), partial(self._part, name="date_part")),
            **dict.fromkeys(("date_trunc", "datetrunc"), partial(self._part, name="date_trunc")),
        }

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        return canonical(text, self._plain) if text else None

    def _plain(self, text: str) -> Type:
        plain = " ".join(_PARAMETERS.sub("", text.strip().strip('"').upper()).split())
        if plain in self._enums:
            return self._enums[plain]
        if plain == "ENUM":
            return enumeration(labels_of(text) or ())
        found = self._names.get(plain)
        return found if found in self._implicit else None

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name."""
        return name.upper() in self._known

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        return self.declared(written(node, "duckdb"))

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        if isinstance(node, exp.Var):
            return STRING  # the unit of EXTRACT
        if not isinstance(node, exp.Literal):
            return None
        if node.is_string:
            return STRING
        return INTEGER if str(node.this).isdigit() else "DECIMAL"

    def output(self, found: str) -> str:
        """Return the type of an output: literals become columns."""
        return as_column(found)

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call: the cheapest signature that accepts the types of the arguments."""
        lowered = name.lower()
        if (special := self._special.get(lowered)) is not None:
            return special(arguments, nodes)
        if nodes and nodes[-1].__class__ is exp.Lambda and lowered in self._functions:
            return self.applied(lowered, arguments, nodes[-1])
        if (aggregate := self.of_items(lowered, arguments, nodes)) is not None:
            name, arguments = aggregate
            if name not in self._functions:
                return Judgment(None, f"Unknown aggregate function {name}.")
        return self._by_signature(name, arguments)

    def _by_signature(self, name: str, arguments: Sequence[Type]) -> Judgment:
        return self._calls[name, *arguments]

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator: the engine accepted the pair when it was measured."""
        if nodes[1].__class__ in _MAY_QUANTIFY and _is_quantified(nodes[1]):
            name = "IN_QUERY"
        key = (name, left, right)
        found = self._combined.get(key)
        if found is None:
            found = self._operation(name, left, right, nodes)
            if name not in _BY_OPERANDS and len(self._combined) < MOST_KEPT:
                self._combined[key] = found
        return found

    def _operation(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        if name in _EXTRACTED:
            return Judgment(_extracted(_EXTRACTED[name], nodes[1]))
        known = self._operators.get(name)
        if known is None or left is None or right is None:
            return Judgment(_RESULTS.get(name))
        if left[-1] in _HOLDING or right[-1] in _HOLDING or name in _CONTAINMENT:
            return self._of_holders(name, left, right)
        if STRING in {left, right}:
            if name in _ARITHMETIC and any(node.is_string for node in nodes):
                result = known.get((left, right))
                if result is None:
                    return _undefined(name, left, right)
                return Judgment(result if result in self._implicit else None)
            if name not in _PATTERNS:  # whether a literal can be read is known at run time
                return self._judged[self.boolean] if name in _COMPARISONS else UNDECIDED
            left, right = self.output(left), self.output(right)
        result = known.get((left, right))
        if result is None:
            return _undefined(name, left, right)
        return self._judged.get(result, UNDECIDED)

    def _of_holders(self, name: str, left: str, right: str) -> Judgment:
        """Check an operator with nested types: all types of a kind behave alike."""
        if STRING in {left, right} and name in _COMPARISONS:
            return Judgment(self.boolean)
        sides = kind_of(left), kind_of(right)
        result: Type = self._operators[name].get(sides)
        if result is not None and name in _OF_LISTS and left[-1] == right[-1] == "]":
            result = self._both(left, right, "COALESCE")
        if result is None:
            return _undefined(name, left, right)
        return Judgment(_RESULTS.get(name) or (result if name == "||" and result else None))

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it: a number, or an interval."""
        if found is None or found == STRING:
            return UNDECIDED
        if found not in self._negated:
            return Judgment(None, f"The operator - is not defined for {found}.")
        return Judgment(found)

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type, two and two."""
        if what == "VALUES":
            return self._below_each_other(types, nodes)
        if what == "CASE" and nodes and nodes[0].arg_key != "default":
            types, nodes = [None, *types], [exp.Null(), *nodes]
        is_null = [node.__class__ is exp.Null for node in nodes]
        kinds = [found for found, null in zip(types, is_null, strict=False) if not null]
        if not kinds or None in kinds or what not in _COMMON:
            return UNDECIDED
        chosen = kinds[0] if not is_null[0] else self.output(str(kinds[0]))
        for found in kinds[1:]:
            if found == chosen or chosen is None or found is None:
                continue
            if STRING in {chosen, found}:
                chosen = found if chosen == STRING else chosen
                continue
            result = self._both(chosen, found, "UNION" if what == "UNION" else "COALESCE")
            if result is None:
                return Judgment(None, f"{what} cannot combine {chosen} and {found}.")
            chosen = result if kind_of(result) in self._implicit else None
        return Judgment(None if chosen is None else self.output(chosen))

    def _below_each_other(self, types: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a column of VALUES: a text in the first row makes it a text."""
        rows = zip(types, nodes, strict=True)
        kinds = [(found, node) for found, node in rows if node.__class__ is not exp.Null]
        if not kinds or any(found is None for found, _ in kinds):
            return UNDECIDED
        chosen = self.output(str(kinds[0][0]))
        for found, node in kinds[1:]:
            if found == STRING:
                if isinstance(node, exp.Literal) and not can_hold(str(chosen), node.name):
                    return Judgment(None, f"The text cannot be read as {chosen}.")
                continue
            result = self.either(str(chosen), str(found))
            if result is None:
                return Judgment(None, f"VALUES cannot combine {chosen} and {found}.")
            if not result:
                return UNDECIDED
            chosen = self.output(result)
        return Judgment(chosen)

    def either(self, left: str, right: str) -> Type:
        """Return the common type of two; empty: not known; None: there is none."""
        return left if left == right else self._both(left, right, "COALESCE")

    def _both(self, left: str, right: str, what: str) -> Type:
        result = self._operators[what].get((kind_of(left), kind_of(right)))
        if result is None or not (left[-1] in _HOLDING or right[-1] in _HOLDING):
            return result
        first, second = element_of(left), element_of(right)
        if what == "UNION" or first is None or second is None:
            return ""
        item = self.either(self.output(first), self.output(second))
        return f"{item}[]" if item else item

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgment:
        """Check a value that is stored: it is cast, which fails at once for a literal of VALUES."""
        is_listed = isinstance(node, exp.Literal) and isinstance(node.parent, exp.Tuple)
        if found == STRING and is_listed and not can_hold(to, node.name):
            return Judgment(to, f"The text cannot be read as {kind_of(to)}.")
        return Judgment(to)

    def beside(self, found: Type, bound: Type) -> Type:
        """Return the type of both: two literals are compared as texts."""
        if found != STRING:
            return found
        return self.output(STRING) if bound == STRING else bound

    def ordered(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call with WITHIN GROUP, where it is another way to write one with two values."""
        if name.lower() != "percentile_cont" or len(arguments) != 2:  # noqa: PLR2004
            return UNDECIDED
        return self._quantile(arguments[::-1], nodes, name="quantile_cont")

    def _quantile(
        self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr], *, name: str
    ) -> Judgment:
        """Check a call whose value differs from its signature: several quantiles are a list."""
        return Judgment(None, self._by_signature(name, arguments).fault)

    def frame(self, kind: str, term: Type, offset: Type, node: exp.Expr) -> Judgment:
        """Check a bound of a frame: RANGE subtracts it from the term, and adds it."""
        if kind != "RANGE":
            return UNDECIDED
        return Judgment(None, self.operator("-", term, offset, (node, node)).fault)

    def _listed(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        found = self.common(arguments, nodes, what="ARRAY")
        return found if found.type is None else Judgment(self.array(found.type))

    def _part(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr], *, name: str) -> Judgment:
        part = nodes[0] if nodes else None
        if part is not None and part.is_string and part.name.lower() not in self._parts:
            return Judgment(None, "Unknown part of a date.")
        return self._by_signature(name, arguments)


def _undefined(name: str, left: str, right: str) -> Judgment:
    return Judgment(None, f"The operator {name} is not defined for {left} and {right}.")


def _extracted(kind: str, path: exp.Expr) -> Type:
    """Return what a path gives: several values where it has a star; None: it is no constant."""
    if isinstance(path, exp.JSONPath):
        return f"{kind}[]" if path.find(exp.JSONPathWildcard, exp.JSONPathRecursive) else kind
    return None


_MAY_QUANTIFY: Final = frozenset({exp.Any, exp.All, exp.Anonymous})


def _is_quantified(node: exp.Expr) -> bool:
    """Return whether a value is `ANY (…)` or `ALL (…)`; of a list, sqlglot makes some a call."""
    if isinstance(node, exp.Anonymous):
        return node.name.upper() in {"ANY", "ALL", "SOME"}
    return isinstance(node, (exp.Any, exp.All))


@lru_cache(maxsize=32)
def type_system(catalog: Catalog, enums: tuple[tuple[str, ...], ...] = ()) -> DuckdbTypes:
    """Return the types of a catalog and the enums (name, then values) of a schema; cached."""
    return DuckdbTypes(catalog, enums)
