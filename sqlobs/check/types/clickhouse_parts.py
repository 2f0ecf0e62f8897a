"""Types of ClickHouse by name, and their parts: fields of tuples and maps, items of arrays.

Which values may be null is part of a type: `INT?`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sqlobs.check.types.measured import MeasuredTypes
from sqlobs.check.types.signatures import (
    STRING,
    element_of,
    fields_of,
    kind_of,
    map_of,
    structure,
)
from sqlobs.check.types.system import UNDECIDED, Judgment, Type
from sqlobs.dialects.catalog import Catalog

STATE: Final = "STATE"
"""The kind of a state of an aggregate: `STATE(uniq)`."""
MARK: Final = "?"
"""Behind the name of a type whose values may be null."""


class ClickhouseParts(MeasuredTypes):
    """The types of ClickHouse, and what they consist of."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        self.row = None
        self._implicit |= {f"{kind}{MARK}": targets for kind, targets in self._implicit.items()}
        self._lower_types = frozenset(map(str.lower, catalog.raw["types"]))

    def declared(self, text: str | None) -> Type:
        """Return the type that a column declaration names; a tuple is a structure."""
        found = super().declared(text)
        plain = found and found.replace("TUPLE(", "STRUCT(")
        return marked(plain) if _NULLABLE.match(text or "") else plain

    def is_never_null(self, found: Type) -> bool:
        """Return whether no value of a type is null: `x IS NULL` is 0 before any row is read."""
        if found is None or found[-1] == MARK or _DYNAMIC in found:
            return False
        return kind_of(found) != "VARIANT"

    def knows(self, name: str) -> bool:
        """Return whether the engine has a type of this name."""
        return name.lower() in self._lower_types

    def _plain(self, text: str) -> Type:
        name, _, inside = text.strip().partition("(")
        if name.upper() in {"NULLABLE", "LOWCARDINALITY"}:
            found = self.declared(inside.rstrip()[:-1])
            return marked(found) if name.upper() == "NULLABLE" else found
        if name.upper() == "NESTED":
            return self.declared(f"Array(Tuple({inside})")
        if name.upper() == "JSON" and _TYPED_PATH.search(inside):
            return f"JSON({_TYPED})"
        if name.upper() == "VARIANT" and "(" in inside:
            return f"{_DYNAMIC} VARIANT"  # its parts decide what calls of it are
        if name.upper() == "AGGREGATEFUNCTION":
            return f"{STATE}({re.split(r'[,()]', inside)[0].strip()})"
        if name.upper() == "SIMPLEAGGREGATEFUNCTION":
            return self.declared(inside.partition(",")[2].strip()[:-1])
        return super()._plain(text)

    def row_of(self, columns: Mapping[str, Type]) -> Type:
        """Return the type of the row of a subquery: a tuple."""
        return structure(columns)

    def nested(self, fields: Mapping[str, Type]) -> Type:
        """Return the type of a column that is several arrays: an array of tuples."""
        found = structure(fields)
        return found and f"{found}[]"

    def element(self, found: Type) -> Judgment:
        """Check the value of ARRAY JOIN: an array, or a map, of which it gives tuples."""
        found = plain_of(found)
        if found is None or kind_of(found) in {STRING, "MAP", "JSON", "VARIANT"}:
            return UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"ARRAY JOIN requires an array or a map, not {found}.")
        return Judgment(item_of(found))

    def fields(self, found: Type) -> Mapping[str, Type] | None:
        """Return the fields of a value: of a tuple by name and number, of an array of tuples too.

        Others are parts that are stored of a column: `items.size0`, `attributes.keys`.
        """
        found = found if found == _DYNAMIC else plain_of(found)
        if found in {"JSON", _DYNAMIC}:
            return _Paths()
        if found is None or kind_of(found) in {"VARIANT", STATE, "JSON"}:
            return None
        if (pair := map_of(found)) is not None:
            key, value = pair
            return {**_STORED, "keys": key and f"{key}[]", "values": value and f"{value}[]"}
        if found[-1] == "]":
            of_items = self.fields(item_of(found)) if item_of(found) else None
            return of_items and {
                **_STORED,
                **{name: kind and f"{kind}[]" for name, kind in of_items.items()},
            }
        named = fields_of(found)
        if named is None:
            return None if kind_of(found) in {"STRUCT", "MAP"} else _STORED
        numbers = {str(place): kind for place, kind in enumerate(named.values(), 1)}
        return {**_STORED, **numbers, **named}

    def item(self, found: Type, keys: Sequence[exp.Expr]) -> Judgment:
        """Check `value[key]`: an item of an array, a value of a map, a path of a document."""
        found = plain_of(found)
        if found is None or kind_of(found) in {"STRUCT", "JSON", "VARIANT", STATE}:
            return UNDECIDED
        if (pair := map_of(found)) is not None or found == "MAP":
            return self._value(pair, keys[0]) if pair is not None else UNDECIDED
        if found[-1] != "]":
            return Judgment(None, f"{found} has no items.")
        if keys and isinstance(keys[0], exp.Literal) and keys[0].is_string:
            return Judgment(item_of(found), f"The items of {found} have numbers, not names.")
        return Judgment(item_of(found))


_NULLABLE: Final = re.compile(r"\s*(?:LowCardinality\s*\(\s*)?Nullable\s*\(", re.IGNORECASE)
"""`Nullable(String)`, `LowCardinality(Nullable(String))`."""
_TYPED_PATH: Final = re.compile(r"[\w`)] +[A-Za-z`]")
"""`a.b UInt32` in `JSON(a.b UInt32, max_dynamic_paths = 8)`."""
_TYPED: Final = "TYPED"
"""In the type of a document some of whose paths have types, which are not kept."""
_DYNAMIC: Final = "DYNAMIC"
"""The type of a path of a document."""
_VARIED: Final = re.compile(r"\b(?:DYNAMIC|VARIANT)\b")
_STORED: Final[Mapping[str, Type]] = dict.fromkeys(("null", "size", "size0", "size1", "size2"))
"""Parts of columns: whether they are null, their sizes."""


def is_dynamic(found: Type) -> bool:
    """Return whether values of a type may have different types: paths of documents, variants."""
    may_be = found is not None and ("DYNAMIC" in found or "VARIANT" in found)
    return may_be and _VARIED.search(str(found)) is not None


def plain_of(found: Type) -> Type:
    """Return a type without the mark of those that may be null; None: it has values of any type."""
    if found is None or _DYNAMIC in found:
        return None
    return found[:-1] if found[-1] == MARK and found != MARK else found


def marked(found: Type) -> Type:
    """Return a type whose values may be null; arrays and tuples never are."""
    is_plain = found is not None and found[-1] not in "])?"
    return f"{found}{MARK}" if is_plain else found


class _Paths(dict[str, Type]):
    """The paths of a document, any of which may exist."""

    def __contains__(self, _name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Type:
        return None if "(" in name else _DYNAMIC  # `value.`Array(Int8)`` has this type


def item_of(found: Type) -> Type:
    """Return the type of the items of an array."""
    return None if found is None else element_of(found)
