"""The rules for equal results once more, written from their text alone: sqlobs is not used.

`ex`: both results as bags of rows with canonical cells; where the statement that is right ends in an
ORDER BY of its own, in order, rows that are equal on the sort keys in any. `ex_set`: BIRD's equal
sets of raw rows. One reading of a statement's end stands below: it knows brackets, quotes and
comments, and no grammar.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

TOLERANCE = 1e-9

_LEXEME = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | \s+ | '(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\]
      | \w+ | .""",
    re.VERBOSE | re.DOTALL,
)
_ENDS = {"limit", "offset", "fetch", "for"}
_SET_OPERATORS = {"union", "intersect", "except"}


@dataclass(frozen=True)
class Answer:
    """What a statement returned."""

    names: list[str]
    rows: list[tuple[object, ...]]


def equal_sets(expected: Answer, found: Answer) -> bool:
    """BIRD: order and duplicates do not count, cells are as Python compares them."""
    return {tuple(map(_hashable, row)) for row in expected.rows} == {
        tuple(map(_hashable, row)) for row in found.rows
    }


def equal(statement: str, expected: Answer, found: Answer) -> bool:
    """Compare as `ex` does: bags, and in order where the statement promises one."""
    rows, others = _canonical(expected), _canonical(found)
    if len(rows) != len(others) or (rows and len(expected.names) != len(found.names)):
        return False
    keys = _sort_keys(statement, expected.names)
    if keys is None:
        return _same_bag(rows, others)
    if not keys:
        return all(map(_same_row, rows, others))
    if not all(
        _same_row(*pair) for pair in zip(_only(rows, keys), _only(others, keys), strict=True)
    ):
        return False
    return all(_same_bag(rows[a:b], others[a:b]) for a, b in _ties(_only(rows, keys)))


def _sort_keys(statement: str, names: list[str]) -> list[int] | None:
    """Return where the keys of the outermost ORDER BY stand; [] = not in the output, None = none."""
    words = _outer_words(statement)
    starts = [at for at, pair in enumerate(pairwise(words)) if _is_order(pair)]
    if not starts:
        return None
    order = words[starts[-1] + 2 :]
    end = next((at for at, word in enumerate(order) if word.lower() in _ENDS), len(order))
    if [word.lower() for word in order[end : end + 2]] == ["limit", "1"]:
        return None
    items = [] if _SET_OPERATORS & {word.lower() for word in words} else _selected(words)
    places = [_place(key, names, items) for key in _parts(order[:end])]
    return [] if None in places else [place for place in places if place is not None]


def _outer_words(statement: str) -> list[str]:
    """Return the words outside all brackets; a bracket with all that is in it is one word."""
    words: list[str] = []
    depth = 0
    for lexeme in _LEXEME.findall(statement.strip().rstrip(";")):
        if lexeme.isspace() or lexeme.startswith(("--", "/*")):
            continue
        if depth or lexeme == "(":
            depth += {"(": 1, ")": -1}.get(lexeme, 0)
            if lexeme == "(" and depth == 1:
                words.append("")
            words[-1] += lexeme.lower()
        else:
            words.append(lexeme)
    return words


def _is_order(pair: tuple[str, str]) -> bool:
    return pair[0].lower() == "order" and pair[1].lower() == "by"


def _parts(words: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == ",":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _selected(words: list[str]) -> list[list[str]]:
    """Return the items of the last SELECT outside brackets."""
    lower = [word.lower() for word in words]
    start = len(lower) - lower[::-1].index("select") if "select" in lower else len(lower)
    start += lower[start : start + 1] == ["distinct"]
    end = lower.index("from", start) if "from" in lower[start:] else start
    return _parts(words[start:end])


def _place(key: list[str], names: list[str], items: list[list[str]]) -> int | None:
    lower = [word.lower() for word in key]
    for trailing in (["nulls", "first"], ["nulls", "last"], ["asc"], ["desc"]):
        if lower[-len(trailing) :] == trailing:
            lower = lower[: -len(trailing)]
    text = " ".join(lower)
    if text.isdecimal():
        return int(text) - 1 if int(text) <= len(names) else None
    plain = [_unquoted(name.lower()) for name in names]
    if len(lower) == 1 and plain.count(_unquoted(text)) == 1:
        return plain.index(_unquoted(text))
    written = [" ".join(word.lower() for word in item) for item in items]
    for at, item in enumerate(written if len(written) == len(names) else ()):
        if item == text or item.startswith(f"{text} as "):
            return at
    return None


def _unquoted(name: str) -> str:
    return name[1:-1] if name[:1] in '"`[' and len(name) > 1 else name


def _canonical(answer: Answer) -> list[tuple[object, ...]]:
    return [tuple(map(_cell, row)) for row in answer.rows]


def _cell(cell: object) -> object:
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, Decimal | float):
        is_whole = math.isfinite(cell) and cell == int(cell)
        return int(cell) if is_whole else float(cell)
    if isinstance(cell, dt.datetime):
        return _moment(cell)
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        return cell.total_seconds()
    if isinstance(cell, bytes | bytearray | memoryview):
        return ("bytes", bytes(cell))
    return json.dumps(cell, sort_keys=True, default=str) if isinstance(cell, list | dict) else cell


def _moment(moment: dt.datetime) -> str:
    if moment.tzinfo is not None:
        return moment.astimezone(dt.UTC).isoformat()
    is_day = moment.time() == dt.time()
    return moment.date().isoformat() if is_day else moment.isoformat()


def _hashable(cell: object) -> object:
    return json.dumps(cell, sort_keys=True) if isinstance(cell, list | dict) else cell


def _same_bag(rows: list[tuple[object, ...]], others: list[tuple[object, ...]]) -> bool:
    """Pair rows by their rounded cells; what stays alone is paired one by one, within tolerance."""
    left, right = (Counter(tuple(map(_rounded, row)) for row in side) for side in (rows, others))
    alone, free = list((left - right).elements()), list((right - left).elements())
    for row in alone:
        twin = next((other for other in free if _same_row(row, other)), None)
        if twin is None:
            return False
        free.remove(twin)
    return not free


def _rounded(cell: object) -> object:
    if not isinstance(cell, float):
        return cell
    return float(f"{cell:.12g}") if math.isfinite(cell) else str(cell)


def _same_row(row: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(row) == len(other) and all(map(_same_cell, row, other))


def _same_cell(cell: object, other: object) -> bool:
    if isinstance(cell, float | int) and isinstance(other, float | int):
        if math.isnan(cell) and math.isnan(other):
            return True
        return math.isclose(cell, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return cell == other


def _only(rows: list[tuple[object, ...]], places: list[int]) -> list[tuple[object, ...]]:
    return [tuple(row[place] for place in places) for row in rows]


def _ties(keys: list[tuple[object, ...]]) -> list[tuple[int, int]]:
    """Return the ranges of rows that are equal on their keys."""
    starts = [at for at in range(len(keys)) if at == 0 or not _same_row(keys[at], keys[at - 1])]
    return list(pairwise([*starts, len(keys)]))
