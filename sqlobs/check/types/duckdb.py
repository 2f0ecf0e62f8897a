"""DuckDB's types: which combinations it accepts was measured for each pair.

A fault is reported only where the engine rejected the pair, or no signature of a function accepts
the arguments, or several accept a string literal equally well, which DuckDB rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp

from sqlobs.check.types.container_types import can_hold
from sqlobs.check.types.measured import COMBINED, MeasuredTypes
from sqlobs.check.types.signatures import STRING, enumeration, kind_of, labels_of
from sqlobs.check.types.system import UNDECIDED, Judgment, Type
from sqlobs.dialects.catalog import Catalog

Special = Callable[[Sequence[Type], Sequence[exp.Expr]], Judgment]
"""Checks a call whose signatures do not describe its arguments."""


_EXTRACTED: Final = {"->": "JSON", "->>": "VARCHAR"}
"""What a path into a document gives."""


class DuckdbTypes(MeasuredTypes):
    """The types of DuckDB."""

    reads_literals_late = True

    def __init__(self, catalog: Catalog, enums: Sequence[tuple[str, ...]] = ()) -> None:
        super().__init__(catalog)
        self._enums = {name.upper(): enumeration(values) for name, *values in enums}
        self._parts = catalog.units.get("extracted", frozenset())
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

    def _plain(self, text: str) -> Type:
        name = text.strip().strip('"').upper()
        if name in self._enums:
            return self._enums[name]
        if name.partition("(")[0].rstrip() == "ENUM":
            return enumeration(labels_of(text) or ())
        return super()._plain(text)

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

    def _operation(
        self, name: str, left: Type, right: Type, nodes: tuple[exp.Expr, exp.Expr]
    ) -> Judgment:
        if name in _EXTRACTED:
            return Judgment(_extracted(_EXTRACTED[name], nodes[1]))
        return super()._operation(name, left, right, nodes)

    def common(self, types: Sequence[Type], nodes: Sequence[exp.Expr], *, what: str) -> Judgment:
        """Check values that must have one type, two and two."""
        if what == "VALUES":
            return self._below_each_other(types, nodes)
        if what == "CASE" and nodes and nodes[0].arg_key != "default":
            types, nodes = [None, *types], [exp.Null(), *nodes]
        is_null = [node.__class__ is exp.Null for node in nodes]
        kinds = [found for found, null in zip(types, is_null, strict=False) if not null]
        if not kinds or None in kinds or what not in COMBINED:
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


def _extracted(kind: str, path: exp.Expr) -> Type:
    """Return what a path gives: several values where it has a star; None: it is no constant."""
    if isinstance(path, exp.JSONPath):
        return f"{kind}[]" if path.find(exp.JSONPathWildcard, exp.JSONPathRecursive) else kind
    return None


@lru_cache(maxsize=32)
def type_system(catalog: Catalog, enums: tuple[tuple[str, ...], ...] = ()) -> DuckdbTypes:
    """Return the types of a catalog and the enums (name, then values) of a schema; cached."""
    return DuckdbTypes(catalog, enums)
