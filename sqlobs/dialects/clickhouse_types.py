"""Which parameters the types of ClickHouse accept, and which types may be inside others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

_Fault = tuple[str, str]
"""What is wrong with a type, and the setting that allows it; empty: none does."""
_UNNESTED: Final = frozenset(
    "ARRAY MAP NULLABLE LOWCARDINALITY VARIANT DYNAMIC AGGREGATEFUNCTION".split()
)
"""Types that cannot be inside Nullable."""
_NUMBERS: Final = re.compile(
    r"(?:U?INT|BFLOAT|FLOAT)\d*|BIGINT|SMALLINT|TINYINT|INTEGER|DOUBLE|REAL|INTERVAL[A-Z]+"
)
_DATES: Final = frozenset({"DATE", "DATE32", "DATETIME", "DATETIME64"})
_TEXTS: Final = frozenset({"STRING", "FIXEDSTRING", "ENUM", "ENUM8", "ENUM16"})
_PLAIN: Final = re.compile(r"DATE|DATE32|BOOL|UUID|IPV[46]|POINT|RING|POLYGON|INTERVAL[A-Z]+")
"""Types without parameters."""
_COUNTS_OF_PARTS: Final = {
    **dict.fromkeys(("ARRAY", "NULLABLE", "LOWCARDINALITY", "FIXEDSTRING"), 1),
    **dict.fromkeys(("DECIMAL32", "DECIMAL64", "DECIMAL128", "DECIMAL256"), 1),
    "MAP": 2,
}
_SCALES: Final = {
    "DECIMAL32": 9,
    "DECIMAL64": 18,
    "DECIMAL128": 38,
    "DECIMAL256": 76,
    "DATETIME64": 9,
    "TIME64": 9,
}
_PRECISION: Final = 76
_LONGEST_FIXED: Final = 256
_HOLDING: Final = frozenset("ARRAY MAP NULLABLE LOWCARDINALITY TUPLE NESTED VARIANT".split())
_NAMED: Final = frozenset({"TUPLE", "NESTED"})
_FIELD: Final = re.compile(r"\s*(?:[`\"][^`\"]*[`\"]|[\w.]+)\s+(?=[A-Za-z])")
"""The name before a type in `Tuple(a Int32)`."""
_NEVER_LOW: Final = frozenset(
    "DATETIME64 DECIMAL ENUM ENUM8 ENUM16 ARRAY TUPLE MAP JSON VARIANT".split()
)
_SUSPICIOUS: Final = frozenset("DATE DATE32 DATETIME BOOL IPV4 IPV6 TIME".split())


@lru_cache(maxsize=1024)
def fault_of_type(text: str) -> _Fault | None:
    """Return what is wrong with the parameters of a type, or of one inside it."""
    name, given, inside = text.strip().partition("(")
    kind = name.strip().upper()
    parts = _parts(inside)
    if given and _PLAIN.fullmatch(kind):
        return f"{name} has no parameters.", ""
    expected = _COUNTS_OF_PARTS.get(kind)
    if (given or kind != "MAP") and expected is not None and len(parts) != expected:
        return f"{name} requires {expected} parameters, not {len(parts)}.", ""
    fault = _fault_of_numbers(kind, parts) or _fault_of_parts(kind, parts)
    if fault is not None or kind not in _HOLDING:
        return fault
    inner = (fault_of_type(_FIELD.sub("", part) if kind in _NAMED else part) for part in parts)
    return next(filter(None, inner), None)


def _fault_of_numbers(kind: str, parts: Sequence[str]) -> _Fault | None:
    """Return why a size, a precision or a scale is rejected."""
    numbers = [int(part) if re.fullmatch(r"-?\d+", part) else -1 for part in parts]
    if kind == "FIXEDSTRING" and numbers and numbers[0] < 1:
        return "The size of FixedString must be a positive number.", ""
    if kind == "FIXEDSTRING" and numbers and numbers[0] > _LONGEST_FIXED:
        return f"FixedString({numbers[0]}) is too long.", "allow_suspicious_fixed_string_types"
    if kind == "DECIMAL" and numbers and not 1 <= numbers[0] <= _PRECISION:
        return f"The precision of Decimal must be between 1 and {_PRECISION}.", ""
    if kind == "DECIMAL" and len(numbers) > 1 and not 0 <= numbers[1] <= numbers[0]:
        return "The scale of Decimal must be between 0 and its precision.", ""
    if kind in _SCALES and numbers and not 0 <= numbers[0] <= _SCALES[kind]:
        return f"The scale of {kind} must be between 0 and {_SCALES[kind]}.", ""
    return None


def _fault_of_parts(kind: str, parts: Sequence[str]) -> _Fault | None:
    """Return why a type cannot have those inside: `Nullable(Array(Int8))`."""
    if kind == "NULLABLE" and parts and _kind(parts[0]) in _UNNESTED:
        return f"{parts[0]} cannot be inside Nullable.", ""
    if kind == "MAP" and parts and _is_nullable(parts[0]):
        return f"{parts[0]} cannot be the key of a Map.", ""
    if kind == "LOWCARDINALITY" and parts:
        return _fault_of_low_cardinality(parts[0])
    return _fault_of_variants(parts) if kind == "VARIANT" else None


def _fault_of_low_cardinality(part: str) -> _Fault | None:
    inner = _kind(_without_null(part))
    if inner in _NEVER_LOW:
        return f"{part} cannot be inside LowCardinality.", ""
    if _NUMBERS.fullmatch(inner) or inner in _SUSPICIOUS:
        setting = "allow_suspicious_low_cardinality_types"
        return f"LowCardinality({part}) is not allowed by default.", setting
    return None


def _fault_of_variants(parts: Sequence[str]) -> _Fault | None:
    if any(_is_nullable(part) or _kind(part) in {"VARIANT", "DYNAMIC"} for part in parts):
        return "A Variant cannot have a Nullable, a Variant or a Dynamic inside.", ""
    for left, right in combinations(parts, 2):
        if left != right and _are_similar(left, right):
            setting = "allow_suspicious_variant_types"
            return f"Variants of {left} and {right} are too similar.", setting
    return None


def _kind(text: str) -> str:
    """Return the upper-case name of a type."""
    return text.partition("(")[0].strip().upper()


def _parts(inside: str) -> list[str]:
    """Return what the commas separate that no parenthesis encloses, up to the closing one."""
    parts, depth, begin = [], 0, 0
    text = inside.rstrip().removesuffix(")")
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append(text[begin:place].strip())
            begin = place + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _is_nullable(part: str) -> bool:
    return part != _without_null(part) or part.upper().startswith("LOWCARDINALITY(NULLABLE(")


def _without_null(part: str) -> str:
    return _unwrapped(part, "NULLABLE")


def _unwrapped(part: str, wrapper: str) -> str:
    """Return what is inside `Nullable(Int8)`; other types as they are."""
    is_wrapped = part.upper().startswith(f"{wrapper}(")
    return part[len(wrapper) + 1 : -1].strip() if is_wrapped else part


def _are_similar(left: str, right: str) -> bool:
    """Return whether values of two variants are hard to tell apart: of numbers, or of texts."""
    sides = [_unwrapped(one, "LOWCARDINALITY") for one in (left, right)]
    kinds = [_kind(one) for one in sides]
    if kinds[0] == kinds[1] and kinds[0] in {"ARRAY", "MAP", "TUPLE"}:
        inner = [_parts(one.partition("(")[2]) for one in sides]
        return len(inner[0]) == len(inner[1]) and all(
            one == other or _are_similar(one, other)
            for one, other in zip(inner[0], inner[1], strict=True)
        )
    return not _families(kinds[0]).isdisjoint(_families(kinds[1]))


def _families(kind: str) -> set[str]:
    """Return the families of types whose values are alike; intervals are numbers only."""
    is_whole = kind.startswith(("INT", "UINT")) and not kind.startswith("INTERVAL")
    found = {
        "numbers": _NUMBERS.fullmatch(kind) is not None,
        "texts": kind in _TEXTS,
        "dates": kind in _DATES,
        "addresses": kind in {"IPV4", "UINT32"},
        "exact": is_whole or kind.startswith("DECIMAL"),
        "labels": is_whole or kind.startswith("ENUM"),
    }
    return {name for name, holds in found.items() if holds}
