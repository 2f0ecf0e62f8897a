"""PostgreSQL's types: its own rules over the dumps of its own system tables.

The rules are those of the chapter "Type Conversion" of its manual. Where several candidates stay,
the type of the result is not known; a fault is reported only where no candidate fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp

from sqlobs.check.types.overloads import UNKNOWN, Candidates, Overloads, Resolved
from sqlobs.check.types.system import (
    UNDECIDED,
    Judgment,
    Type,
    TypeSystem,
    is_readable,
    items_of,
    whole,
    written,
)
from sqlobs.dialects.catalog import Catalog

_TRUTH: Final = Judgment("boolean")
_SPELLINGS: Final = {
    "int": "integer",
    "decimal": "numeric",
    "dec": "numeric",
    "float": "double precision",
    "varchar": "character varying",
    "nvarchar": "character varying",
    "char": "character",
    "nchar": "character",
    "bool": "boolean",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "serial": "integer",
    "serial4": "integer",
    "bigserial": "bigint",
    "serial8": "bigint",
    "smallserial": "smallint",
    "varbit": "bit varying",
}
"""Names of the grammar that no system table has."""
_GRAMMAR: Final = frozenset({"int", "decimal", "dec", "float", "varchar", "char", "nchar"})
"""Of these, the ones that PostgreSQL reads in a CAST; the others are types of columns only."""
_PARAMETERS: Final = re.compile(r"\s*\([^)]*\)")
_SYNONYMS: Final = {"IN": "=", "IN_QUERY": "=", "BETWEEN": ">="}
"""Forms of comparison, with the operator that they come down to."""
_USERS: Final = exp.DType.USERDEFINED
_STRINGS: Final = frozenset({"text", "character varying", "character", "name"})
_CONSTANTS: Final[dict[type[exp.Expr], str]] = {
    exp.CurrentDate: "date",
    exp.CurrentTimestamp: "timestamp with time zone",
    exp.CurrentTime: "time with time zone",
    exp.Localtimestamp: "timestamp without time zone",
    exp.Localtime: "time without time zone",
    exp.Interval: "interval",
    exp.CurrentUser: "name",
    exp.JSONPath: UNKNOWN,
}
_REWRITTEN: Final[dict[type[exp.Expr], tuple[str, tuple[str, ...]]]] = {
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.Ceil: ("ceil", ("this",)),
    exp.Floor: ("floor", ("this",)),
    exp.GroupConcat: ("string_agg", ("this", "separator")),
    exp.Extract: ("extract", ("this", "expression")),
    exp.Trim: ("btrim", ("this", "expression")),
    exp.Chr: ("chr", ("expressions",)),
    exp.Initcap: ("initcap", ("this",)),
    exp.AtTimeZone: ("timezone", ("zone", "this")),
    exp.StrPosition: ("position", ("this", "substr")),
    exp.JSONObject: ("json_object", ("expressions",)),
}
"""Calls that sqlglot reads its own way: the function, and where its arguments are."""
_COORDINATES: Final = {
    "point": "double precision",
    "line": "double precision",
    "lseg": "point",
    "box": "point",
}
"""Types of a fixed number of values, which `value[0]` gives."""


class PostgresTypes(TypeSystem):
    """The types of PostgreSQL."""

    is_known = True
    boolean = "boolean"
    row: Type = "record"
    fixes_lengths = True
    constants = _CONSTANTS
    rewritings = _REWRITTEN

    def __init__(self, catalog: Catalog, enums: Sequence[tuple[str, ...]] = ()) -> None:
        raw = catalog.raw
        own: Mapping[str, list[Any]] = raw["types"]
        types = {**_rows_of(enums), **own}
        self._labels = _labels_of(enums)
        self._functions = catalog.functions
        self._candidates = Candidates(types, raw["casts"], raw["ranges"])
        self._category, self._element = self._candidates.category, self._candidates.element
        self._names = {row[0]: name for name, row in types.items()} | {n: n for n in types}
        self._own_names = frozenset(own) | {row[0] for row in own.values()} | _GRAMMAR
        self._names |= _SPELLINGS
        self._assigned = {(source, to) for source, to, how in raw["casts"] if how in {"i", "a"}}
        self._explicit = {(source, to) for source, to, _ in raw["casts"]}
        self._casts: dict[exp.DType, Type] = {}
        self._overloads = Overloads(catalog, self._candidates, self._cast_to)

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names."""
        if not text:
            return None
        plain = " ".join(_PARAMETERS.sub("", text.strip().strip('"').lower()).split())
        plain = plain if plain in self._names else plain.rpartition(".")[2]
        element = plain.removesuffix("[]")
        if element != plain and plain not in self._names:
            plain = f"{self._names.get(element)}[]"
        return self._names.get(plain)

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name."""
        return name in self._own_names

    def named(self, node: exp.Expr) -> Type:
        """Return the type that a CAST names."""
        kind = node.this
        if node.expressions or not isinstance(kind, exp.DType) or kind is _USERS:
            return self.declared(written(node, "postgres"))
        if kind not in self._casts:
            self._casts[kind] = self.declared(node.sql("postgres"))
        return self._casts[kind]

    def literal(self, node: exp.Expr) -> Type:
        """Return the type of a literal."""
        if not isinstance(node, exp.Literal) or node.is_string:
            return UNKNOWN
        text = str(node.this)
        if not text.isdecimal():
            return "numeric"
        if whole(text) < 2**31:
            return "integer"
        return "bigint" if whole(text) < 2**63 else "numeric"

    def output(self, found: str) -> Type:
        """Return the type of an output; an untyped literal becomes text."""
        return "text" if found == UNKNOWN else found

    def call(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call: a signature must accept the types of the arguments."""
        folded = name.lower()
        if folded in {"coalesce", "greatest", "least"}:
            return self.common(arguments, nodes, what=name.upper())
        if folded == "nullif":
            return self._nullif(arguments, nodes)
        return self._read(self._overloads.call(name, tuple(arguments)), arguments, nodes)

    def ordered(self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check a call with WITHIN GROUP: a signature must accept values and terms."""
        resolved = self._overloads.ordered(name, tuple(arguments))
        return self._read(resolved, arguments, nodes)

    def _nullif(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        if len(arguments) != 2:  # noqa: PLR2004 - it has two
            return UNDECIDED
        compared = self.operator("=", arguments[0], arguments[1], (nodes[0], nodes[1]))
        found = arguments[0] if arguments[0] != UNKNOWN else arguments[1]
        return Judgment(None if found is None else self.output(found), compared.fault)

    def operator(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        """Check a binary operator: a row of `pg_operator` must accept both types."""
        resolved = self._overloads.operator(_SYNONYMS.get(name, name), left, right)
        return self._read(resolved, (left, right), nodes)

    def minus(self, found: Type) -> Judgment:
        """Check a value with a minus before it: a row of `pg_operator` must accept its type."""
        if found == UNKNOWN:
            return Judgment(None, "The operator - is ambiguous for an untyped literal: cast it.")
        if found is None:
            return UNDECIDED
        if not self._overloads.has_prefix("-", found):
            return Judgment(None, f"The operator - is not defined for {found}.")
        return Judgment(found)

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type (`select_common_type`)."""
        if None in types:
            return UNDECIDED
        known = [found for found in types if found is not None and found != UNKNOWN]
        if not known:
            return Judgment("text" if types else None)
        chosen = known[0]
        for found in known[1:]:
            if found == chosen:
                continue
            if self._category.get(found) != self._category.get(chosen):
                return Judgment(None, f"{what} cannot combine {chosen} and {found}.")
            coerces = self._candidates.coerces
            one_way = coerces(chosen, found) and not coerces(found, chosen)
            if chosen not in self._candidates.preferred and one_way:
                chosen = found
        rejected = next((one for one in known if not self._candidates.coerces(one, chosen)), None)
        if rejected is not None:
            return Judgment(None, f"{what} cannot combine {chosen} and {rejected}.")
        return Judgment(chosen, self._unreadable([chosen] * len(types), types, nodes))

    def cast(self, found: Type, to: Type, node: exp.Expr) -> Judgment:
        """Check a cast: a literal must be readable as the type, of others `pg_cast` must tell."""
        if found is None or to is None:
            return Judgment(to)
        if found == UNKNOWN:
            return Judgment(to, self._unreadable([to], [found], [node]))
        fault = f"{found} cannot be cast to {to}."
        return Judgment(to, None if self._is_castable(found, to) else fault)

    def assigned(self, to: str, found: str, node: exp.Expr) -> Judgment:
        """Check a value that a column is to store: `pg_cast` lists what is converted."""
        if found == UNKNOWN:
            return Judgment(to, self._unreadable([to], [found], [node]))
        source, target = self._element.get(found), self._element.get(to)
        if source is not None and target is not None:
            return self.assigned(target, source, node)
        if found == to or (found, to) in self._assigned or self._category.get(to) == "S":
            return Judgment(to)
        return Judgment(to, f"The column is of type {to}, its value of type {found}.")

    def recursion(self, first: str, whole: str) -> Judgment:
        """Check a recursive CTE: its first query decides the type."""
        if self.output(first) == self.output(whole):
            return Judgment(whole)
        fault = f"The recursive CTE returns {whole}, its first query {first}: cast it."
        return Judgment(whole, fault)

    def frame(self, kind: str, term: Type, offset: Type, node: exp.Expr) -> Judgment:
        """Check a bound of a frame: RANGE adds it to the term, by the function `in_range`."""
        if term is None or offset is None:
            return UNDECIDED
        if kind != "RANGE":
            return self.assigned("bigint", offset, node)
        taken = [
            one.arguments[2]
            for one in self._functions["in_range"]
            if one.arguments is not None and one.arguments[0] == term
        ]
        fitting = [to for to in taken if self._candidates.coerces(offset, to)]
        if not fitting:
            return Judgment(None, f"RANGE cannot add an offset of type {offset} to {term}.")
        wanted = term if term in fitting else fitting[0]
        return Judgment(None, self._unreadable([wanted], [offset], [node]))

    def array(self, element: str) -> Type:
        """Return the type of an array of values of a type."""
        found = f"{element}[]"
        return found if found in self._element else None

    def element(self, found: Type) -> Judgment:
        """Check the value of `ANY (…)`: an array, whose element is compared."""
        if found is None or found == UNKNOWN:
            return Judgment(found)
        if found not in self._element:
            return Judgment(None, f"ANY and ALL require an array, not {found}.")
        return Judgment(self._element[found])

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[1]`, `value[1:2]`: an array, of any number of dimensions, or `jsonb`."""
        if found is None or found in {UNKNOWN, "jsonb"}:
            return Judgment(found if found == "jsonb" else None)
        above = keys[0].parent if keys else None
        if isinstance(above, exp.Bracket) and isinstance(above.this, exp.Bracket):
            return Judgment(found)  # `value[1][2]`: the first index has decided the type
        if found in _COORDINATES:
            return Judgment(_COORDINATES[found])
        if found in self._element:
            is_part = any(isinstance(key, exp.Slice) for key in keys)
            fault = self._unreadable(["integer"] * len(keys), [UNKNOWN] * len(keys), keys)
            return Judgment(found if is_part else self._element[found], fault)
        return Judgment(None, f"A value of type {found} has no items.")

    def condition(self, found: Type, node: exp.Expr, *, what: str) -> Judgment:
        """Check a value where a boolean is expected."""
        if found is None or found == self.boolean:
            return _TRUTH
        if found == UNKNOWN:
            return Judgment(self.boolean, self._unreadable(["boolean"], [found], [node]))
        return Judgment(self.boolean, f"{what} requires a boolean, not {found}.")

    def _read(
        self, resolved: Resolved, types: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment:
        """Return a judgment, with the fault of a literal that the wanted type cannot read."""
        judgment = resolved.judgment
        if UNKNOWN not in types or judgment.fault is not None:
            return judgment
        fault = self._unreadable(resolved.wanted, types, nodes)
        return judgment if fault is None else Judgment(judgment.type, fault)

    def _cast_to(self, name: str, source: Type) -> Type:
        """Return the type that `type(x)` casts to; None: it is a call."""
        to = self._names.get(name)
        if to is None or source is None or name in _SPELLINGS:
            return None
        return to if source == UNKNOWN or self._is_castable(source, to) else None

    def _is_castable(self, source: str, to: str) -> bool:
        """Return whether an explicit cast exists; text casts from and to every type."""
        if source == to or (source, to) in self._explicit:
            return True
        if source in self._element and to in self._element:
            return self._is_castable(self._element[source], self._element[to])
        return source in _STRINGS or self._category.get(to) == "S"

    def _unreadable(
        self, targets: Sequence[str], types: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> str | None:
        """Return what is wrong with a string literal that cannot be read as its target type."""
        for to, found, node in zip(targets, types, nodes, strict=False):
            if found != UNKNOWN:
                continue
            literal, wanted = node, to
            if isinstance(node, (exp.Any, exp.All)):
                literal, wanted = node.this.unnest(), f"{to}[]"
            is_text = isinstance(literal, exp.Literal) and literal.is_string
            if is_text and not self._reads(wanted, str(literal.this)):
                return f"The literal cannot be read as {wanted}."
        return None

    def _reads(self, to: str, text: str) -> bool:
        """Return whether a literal can be read as a type. True where that is not known."""
        if to in self._labels:
            return text in self._labels[to]
        element = self._element.get(to)
        if element is None or not is_readable(text, to):
            return element is None and is_readable(text, to)
        return all(self._reads(element, item) for item in items_of(text))


def _rows_of(enums: Iterable[tuple[str, ...]]) -> dict[str, list[Any]]:
    names = [name.lower() for name, *_ in enums]
    return {name: [name, "E", 0, ""] for name in names} | {
        f"{name}[]": [f"_{name}", "A", 0, name] for name in names
    }


def _labels_of(enums: Iterable[tuple[str, ...]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, *values in enums:
        found[name.lower()] = found.get(name.lower(), frozenset()).union(values)
    return found


@lru_cache(maxsize=64)
def type_system(catalog: Catalog, enums: tuple[tuple[str, ...], ...]) -> PostgresTypes:
    """Return the types of a catalog and the enums (name, then values) of a schema; cached."""
    return PostgresTypes(catalog, enums)
