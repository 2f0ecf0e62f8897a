"""Nested values in DuckDB: what their items and fields are, and calls over them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.types.signatures import (
    STRING,
    element_of,
    fields_of,
    kind_of,
    labels_of,
    map_of,
    structure,
)
from sqlobs.check.types.system import UNDECIDED, Judgment, Type, TypeSystem, is_in_calendar
from sqlobs.dialects.catalog import Signature

_OPEN: Final = frozenset({"STRUCT", "UNION", "MAP", "TUPLE", "JSON", "GEOMETRY", "VARIANT"})
"""Types whose fields their names may not list."""
_KEEPING: Final = frozenset("list_filter array_filter filter".split())
_TURNING: Final = frozenset("list_transform array_transform list_apply array_apply apply".split())
"""Calls that pass each item to a lambda: they filter the items, or transform each."""
_MOST_PARAMETERS: Final = 2
_AGGREGATING: Final = frozenset(
    "list_aggregate list_aggr array_aggregate array_aggr aggregate".split()
)


class ContainerTypes(TypeSystem, ABC):
    """Checks lists, structures and maps, and calls whose signatures do not describe these."""

    _functions: Mapping[str, tuple[Signature, ...]]
    lists_have_fields = False
    """`items.price` is the list of a field of all items."""

    @abstractmethod
    def output(self, found: str) -> str:
        """Return the type of an output: literals become columns."""

    @abstractmethod
    def either(self, left: str, right: str, *, reads_texts: bool = True) -> Type:
        """Return the common type of two; empty: not known; None: there is none."""

    def array(self, element: str) -> Type:
        """Return the type of a list of values of a type."""
        return f"{self.output(element)}[]"

    def element(self, found: Type) -> Judgment:
        """Check the value of ANY and of UNNEST: a list, or an array."""
        return UNDECIDED if found is None or found in {STRING, "JSON"} else _element(found)

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: an item of a list, a field of a structure, a value of a map."""
        if found is None or found in {STRING, "JSON", "BIT"}:
            return UNDECIDED
        key = keys[0] if len(keys) == 1 else None
        if found[-1] == "]" or found == "VARCHAR":
            whole = isinstance(key, exp.Slice) or found == "VARCHAR"
            return Judgment(found if whole else element_of(found))
        if (pair := map_of(found)) is not None:
            return self._value(pair, key)
        fields = fields_of(found)
        if fields is None:
            has_none = kind_of(found) not in _OPEN
            return Judgment(None, f"{found} has no items.") if has_none else UNDECIDED
        if key is None or not isinstance(key, exp.Literal):
            return UNDECIDED
        if not key.is_string:
            return Judgment(None, "A field is selected by its name, not by a number.")
        if key.name.lower() not in fields:
            return Judgment(None, "The structure has no such field.")
        return Judgment(fields[key.name.lower()])

    def _value(self, pair: tuple[Type, Type], key: exp.Expr | None) -> Judgment:
        asked, (wanted, value) = self.literal(key) if key is not None else None, pair
        is_judged = asked is not None and wanted is not None and asked != STRING
        if is_judged and self.either(str(wanted), str(asked)) is None:
            return Judgment(None, f"The keys of the map are {wanted}, not {asked}.")
        return Judgment(value)

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value by lower-case name; None: it may have any."""
        if found is None or found == "JSON":
            return None
        known = fields_of(found)
        if known is None and self.lists_have_fields and found.endswith("[]"):
            of_items = self.fields(element_of(found))
            return of_items and {
                name: f"{kind}[]" if kind else None for name, kind in of_items.items()
            }
        return known if known is not None or kind_of(found) in _OPEN else {}

    def applied(self, name: str, arguments: Sequence[Type], function: exp.Expr) -> Judgment:
        """Check a call with a lambda for its last argument, whose type is that of its value."""
        items = arguments[0]
        if name in _KEEPING | _TURNING and len(function.expressions) > _MOST_PARAMETERS:
            return Judgment(None, f"The lambda of {name} accepts only an item and its position.")
        if items is None or items in {STRING, "JSON"}:
            return UNDECIDED
        if items[-1] != "]":
            return Judgment(None, f"{name} requires a list, not {items}.")
        if name in _KEEPING:
            return Judgment(items)
        value = arguments[-1]
        if name in _TURNING and value is not None:
            return Judgment(self.array(value))
        return UNDECIDED

    def parameters(self, name: str, arguments: Sequence[Type]) -> tuple[Type, ...]:
        """Return the types of the parameters of a lambda after some arguments of a call."""
        items = arguments[0] if arguments else None
        if items is None or items[-1] != "]" or name.lower() not in _KEEPING | _TURNING:
            return ()
        return (element_of(items), "BIGINT")

    def of_items(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> tuple[str, list[Type]] | None:
        """Return the aggregate that a call computes over the items of a list; None: it does not."""
        items = arguments[0] if arguments else None
        if items is None or items[-1] != "]":
            return None
        if name in _AGGREGATING and nodes[1:] and nodes[1].is_string:
            called = nodes[1].name.lower()
            return (called, [element_of(items), *arguments[2:]]) if called != "histogram" else None
        called = name.removeprefix("list_")
        known = self._functions.get(called, ())
        is_macro = any(one.kind == "macro" for one in self._functions.get(name, ()))
        if not is_macro or not any(one.kind == "aggregate" for one in known):
            return None
        return called, [element_of(items), *arguments[1:]]

    def unnested(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check UNNEST in a SELECT list: of a list an item, of a structure all its fields."""
        found = arguments[0] if len(arguments) == 1 else None
        is_list = found is not None and found != STRING and kind_of(found) != "STRUCT"
        return _element(str(found)) if is_list else UNDECIDED

    def concatenated(self, arguments: Sequence[Type], _nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `concat`: lists and arrays only, or none."""
        lists = [found for found in arguments if found is not None and found[-1] == "]"]
        if not lists:
            return Judgment("VARCHAR" if None not in arguments else None)
        if len(lists) < len(arguments) and None not in arguments:
            return Judgment(None, "A list can be concatenated with lists only.")
        return UNDECIDED

    def packed(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `struct_pack(a := 1)` and `{'a': 1}`: a structure with these fields."""
        fields = {
            node.this.name: None if found is None else self.output(found)
            for node, found in zip(nodes, arguments, strict=False)
            if isinstance(node, (exp.PropertyEQ, exp.Kwarg))
        }
        whole = len(fields) == len(nodes) and all(fields)
        return Judgment(structure(fields)) if whole else UNDECIDED

    def structured(
        self, way: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Judgment:
        """Check `named_struct('a', 1)`, whose `way` is `pairs`, and `struct(1 AS a)`."""
        if way == "pairs":
            if any(isinstance(node, exp.Literal) and not node.is_string for node in nodes[::2]):
                return Judgment(None, "The name of a field must be a string.")
            if not all(isinstance(node, exp.Literal) for node in nodes[::2]):
                return UNDECIDED
            names, types = [node.name for node in nodes[::2]], arguments[1::2]
        else:
            names = [
                _name_of_field(node) or f"col{place}" for place, node in enumerate(nodes, start=1)
            ]
            types = arguments
        if len(names) != len(types):
            return UNDECIDED
        known: dict[str, Type] = {}
        for name, kind in zip(names, types, strict=True):
            known.setdefault(name, self.output(kind) if kind else None)
        return Judgment(structure(known))

    def generated(
        self, name: str, arguments: Sequence[Type], nodes: Sequence[exp.Expr]
    ) -> Mapping[str, Type] | None:
        """Return the columns of the rows that Spark's generators give; None: they are not known."""
        name, found = name.lower().removesuffix("_outer"), arguments[0] if arguments else None
        if name == "stack":
            columns = _stacked(arguments, nodes)
            return columns and {name: kind and self.output(kind) for name, kind in columns.items()}
        if name == "json_tuple":
            return {f"c{place}": "STRING" for place in range(len(nodes) - 1)} or None
        if found is None:
            return None
        if name == "inline":
            return fields_of(element_of(found) or "")
        numbered: dict[str, Type] = {"pos": "INT"} if name.startswith("pos") else {}
        if (pair := map_of(found)) is not None:
            return numbered | {"key": pair[0], "value": pair[1]}
        return numbered | {"col": element_of(found)} if found.endswith("[]") else None

    def field_called(self, arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> Judgment:
        """Check `struct_extract(value, 'name')`."""
        return self.item(arguments[0], nodes[1:]) if len(arguments) == 2 else UNDECIDED  # noqa: PLR2004


def width_of_stack(nodes: Sequence[exp.Expr]) -> int | None:
    """Return how many columns `stack(2, 'a', 1, 'b', 2)` gives; None: not known."""
    count = str(nodes[0].this) if nodes and isinstance(nodes[0], exp.Literal) else ""
    if not count.isdecimal() or int(count) == 0:
        return None
    return -(-(len(nodes) - 1) // int(count))


def _stacked(arguments: Sequence[Type], nodes: Sequence[exp.Expr]) -> dict[str, Type] | None:
    """Return the columns of `stack`, as its first row has them."""
    width = width_of_stack(nodes)
    if width is None:
        return None
    return {f"col{place}": arguments[place + 1] for place in range(width)}


def _name_of_field(node: exp.Expr) -> str:
    """Return the name of an argument of `struct`; empty: it has none."""
    if isinstance(node, exp.PropertyEQ):
        return str(node.this.name)
    if isinstance(node, exp.Dot):
        return str(node.expression.name)
    return str(node.alias_or_name) if isinstance(node, (exp.Alias, exp.Column)) else ""


def _element(found: str) -> Judgment:
    is_list = found[-1] == "]"
    return Judgment(element_of(found)) if is_list else Judgment(None, f"{found} is not a list.")


_NUMBERS: Final = frozenset(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE"
    " DECIMAL".split()
)
_DATES: Final = frozenset(
    {"DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
)
_BOOLEANS: Final = frozenset("true t yes y 1 false f no n 0".split())
_DAY: Final = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_SPECIAL: Final = frozenset("epoch infinity inf nan".split())


def can_hold(kind: str, text: str) -> bool:
    """Return whether a text may be a value of a type. True where that is not known."""
    if (labels := labels_of(kind)) is not None:
        return text in labels
    if kind == "BOOLEAN":
        return text.lower() in _BOOLEANS
    if kind.endswith("[]"):
        return text.lstrip()[:1] == "["
    if kind in _NUMBERS or kind in _DATES:
        if not any(map(str.isdigit, text)):
            return text.strip().lstrip("+-").lower() in _SPECIAL
        return kind in _NUMBERS or _is_day(text)
    return True


def _is_day(text: str) -> bool:
    """Return False for a date beyond the calendar; other formats are accepted."""
    found = _DAY.match(text)
    return found is None or is_in_calendar(*map(int, found.groups()))
