"""Which texts ClickHouse uses as a pattern, a template or a path, and as values of some types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

_MOST_REPEATED: Final = 1000
_REPEATED: Final = re.compile(r"\{(\d+)(?:,(\d*))?\}")
"""`{2}`, `{2,}` and `{2,5}`; other braces stand for themselves."""
_GROUP: Final = re.compile(r"\(\?(?:P?<\w+>|[imsU]*(?:-[imsU]+)?[:)])")
"""`(?<year>`, `(?:`, `(?i)`."""
_ESCAPED: Final = re.compile(
    r"\\(?:[^A-Za-z0-9]|[aftnrvdDsSwWbBAzC]|0[0-7]{0,2}|[1-7][0-7]{1,2}|x[0-9A-Fa-f]{2}"
    r"|x\{[0-9A-Fa-f]+\}|[pP](?:[A-Z]|\{\^?\w+\})|Q(?:(?!\\E).)*(?:\\E)?)",
    re.DOTALL,
)
_CLASS: Final = re.compile(
    r"\[\^?\]?+(?:\[:\^?\w+:\]|\\(?:[^A-Za-z0-9]|[aftnrvdDsSwW]|0[0-7]{0,2}|[1-7][0-7]{1,2}"
    r"|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}|[pP](?:[A-Z]|\{\^?\w+\}))|[^\]\\])*+\]",
    re.DOTALL,
)
_RANGE: Final = re.compile(r"(?<![\\-])([A-Za-z0-9])-([A-Za-z0-9])")
_CLASSES: Final = frozenset(
    "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split()
)


@lru_cache(maxsize=1024)
def fault_of_pattern(text: str) -> str | None:
    """Return what is wrong with a regular expression of RE2; None: nothing.

    >>> fault_of_pattern("(a"), fault_of_pattern("a++")
    ('a parenthesis is not closed', 'a repetition operator repeats another')
    """
    depth, place, repeats = 0, 0, "none"
    while place < len(text):
        sign, rest = text[place], _REPEATED.match(text, place)
        if sign in "*+?" or rest:
            end = rest.end() if rest else place + 1
            if repeats == "none":
                return "a repetition operator has no argument"
            if repeats == "done":
                return "a repetition operator repeats another"
            if rest and (fault := _fault_of_count(rest)):
                return fault
            place, repeats = end + (text[end : end + 1] == "?"), "done"
            continue
        found = _part_at(text, place)
        if found is None:
            return _PROBLEMS.get(sign, "an escape sequence is not supported")
        depth += (sign == "(" and found[-1] != ")") - (sign == ")" and bool(depth))
        if sign == "[" and (fault := _fault_of_class(found)):
            return fault
        is_start = sign in "(|" if found != ")" else False
        place, repeats = place + len(found), "none" if is_start else "may"
    return "a parenthesis is not closed" if depth else None


_PROBLEMS: Final = {
    "(": "a group has an operator that is not supported",
    "[": "a bracket is not closed, or has an escape sequence that is not supported",
}


def _part_at(text: str, place: int) -> str | None:
    """Return the next part of a pattern that is no repetition; None: it is not supported."""
    sign = text[place]
    if sign == "(" and text[place + 1 : place + 2] == "?":
        found = _GROUP.match(text, place)
    elif sign == "\\":
        found = _ESCAPED.match(text, place)
    elif sign == "[":
        found = _CLASS.match(text, place)
    else:
        return sign
    return found and found[0]


def _fault_of_count(found: re.Match[str]) -> str | None:
    least, most = int(found[1][:9]), int((found[2] or found[1])[:9])
    return None if least <= most <= _MOST_REPEATED else "a repetition has a wrong size"


def _fault_of_class(text: str) -> str | None:
    named = re.findall(r"\[:\^?(\w+):\]", text)
    ranges = _RANGE.findall(re.sub(r"\[:.*?:\]|\\.", "  ", text[1:-1]))
    if any(one not in _CLASSES for one in named) or any(left > right for left, right in ranges):
        return "a range of characters is empty or unknown"
    return None


def groups_of(pattern: str) -> int:
    """Return how many groups a valid pattern captures."""
    plain = re.sub(r"\\Q.*?(?:\\E|\Z)", "", pattern, flags=re.DOTALL)
    plain = _CLASS.sub("", _ESCAPED.sub("", plain))
    return len(re.findall(r"\((?!\?)|\(\?P?<", plain))


_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\d*)\}|[{}]")


def fault_of_template(text: str, count: int) -> str | None:
    """Return why `format` cannot fill a template with so many values; None: it can.

    >>> fault_of_template("{} {0}", 2), fault_of_template("{}{}", 1)
    ('fields with and without numbers', 'more fields than values')
    """
    found = list(_fields(text))
    if None in found:
        return "a brace without its counterpart, or with a name"
    numbers = [int(str(one)) for one in found if one]
    if numbers and len(numbers) < len(found):
        return "fields with and without numbers"
    most = max(numbers) + 1 if numbers else len(found)
    return "more fields than values" if most > count else None


def _fields(text: str) -> Iterator[str | None]:
    """Yield the numbers of fields; empty for one without, None for a lone brace."""
    for one in _FIELD.finditer(text):
        if one[0] not in {"{{", "}}"}:
            yield None if len(one[0]) == 1 else one[1][:9]


_PATH: Final = re.compile(
    r"\s*\$(?:\s*\.\s*(?:[A-Za-z0-9_$]+|\"[^\"]*\")|\s*\[\s*(?:\*|'[^']*'|\"[^\"]*\"|[\w\s,]+)\])*\s*"
)


def is_path(text: str) -> bool:
    """Return whether a text is a path into a JSON document: `$.items[0].name`."""
    return _PATH.fullmatch(text) is not None


_ENUM: Final = re.compile(r"(?:Nullable\()?\s*Enum(?:8|16)?\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_LABEL: Final = re.compile(r"\s*'((?:[^'\\]|\\.|'')*)'\s*(?:=\s*(-?\d+)\s*)?(?:,|\Z)")
_FIXED: Final = re.compile(r"FixedString\s*\(\s*(\d+)\s*\)", re.IGNORECASE)


def fault_of_value(kind: str, text: str, *, is_text: bool) -> str | None:
    """Return why a type cannot have the value of a literal; None: it can, or is not known.

    >>> fault_of_value("Enum8('a' = 1)", "b", is_text=True)
    "Enum8('a' = 1) has no value b."
    """
    if (fixed := _FIXED.fullmatch(kind.strip())) is not None:
        is_long = is_text and len(text.encode()) > int(fixed[1][:9])
        return f"The text is too long for {kind}." if is_long else None
    if (listed := _ENUM.fullmatch(kind.strip())) is None:
        return None
    labels = _labels(listed[1])
    values = labels if is_text else {str(number) for number in labels.values()}
    is_known = not labels or text in values or (is_text and text in map(str, labels.values()))
    return None if is_known else f"{kind} has no value {text}."


def _labels(text: str) -> Mapping[str, int]:
    """Return the labels of an enum with their numbers; empty: some could not be read."""
    found, end, number = {}, 0, 0
    for one in _LABEL.finditer(text):
        if one.start() != end or "\\" in one[1]:
            return {}
        number = int(one[2]) if one[2] else number + 1
        found[one[1]] = number
        end = one.end()
    return found if end == len(text) else {}


FAULTS: Final[Mapping[str, Callable[[str, int], str | None]]] = {
    "pattern": lambda text, _: fault_of_pattern(text),
    "template": fault_of_template,
    "path": lambda text, _: None if is_path(text) else "not a path of JSON",
}
"""What is wrong with a text in a language, beside so many other arguments."""
