"""The cache of reports: of the same text, and of texts that differ only in values.

Tests: `tests/check/test_cache.py`, `tests/check/test_values.py`.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from sqlobs.check.report.model import CheckReport

if TYPE_CHECKING:
    Key = tuple[str, *tuple[object, ...]]
    """The checked text and the arguments."""
    Span = tuple[int, int]
    """Begin and end of a part of a statement."""

V = TypeVar("V")

CAPACITY: Final = 4096
"""Reports kept."""
MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Total length of their texts: a thousand characters each, which is long for a generation."""
MOST_USES: Final = 256
"""Uses remembered between two inserts; earlier ones are dropped."""
LONGEST_FORM: Final = 8 * 1024
"""Characters of a text whose values are looked at."""


class LruCache(Generic[V]):
    """A bounded LRU map, safe between threads.

    A lookup needs no lock: the use is noted, and applied at the next insert.
    """

    def __init__(self, capacity: int = CAPACITY, *, characters: int = MOST_CHARACTERS) -> None:
        self._capacity = capacity
        self._most = characters
        """The greatest length of the texts together."""
        self._held = 0
        self._lock = threading.Lock()  # guards the order of the map, and the length held
        self._kept: OrderedDict[Key, tuple[Key, V]] = OrderedDict()
        self._used: deque[Key] = deque(maxlen=MOST_USES)
        """Keys of the map, not those of the lookups: their texts would be stored twice."""

    def get(self, key: Key) -> V | None:
        """Return what is kept by a key, or None."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._used.append(kept[0])
        return kept[1]

    def put(self, key: Key, value: V) -> None:
        """Insert a value; evict the least recently used ones above the bounds."""
        with self._lock:
            self._order()
            if key not in self._kept:
                self._held += len(key[0])
            self._kept[key] = (key, value)
            while len(self._kept) > self._capacity or self._held > self._most:
                (text, *_), _ = self._kept.popitem(last=False)
                self._held -= len(text)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._used.clear()
            self._held = 0

    def _order(self) -> None:
        """Move what was used since the last call to the end."""
        for _ in range(len(self._used)):
            key = self._used.popleft()
            if key in self._kept:
                self._kept.move_to_end(key)


class Form:
    """A text without its values: the parts around them, which two texts of one form share.

    >>> form = Form("SELECT 1 FROM t WHERE name = 'x' AND t1.id = 7")
    >>> form.values
    ['1', "'x'", '7']
    """

    __slots__ = ("parts", "values")

    def __init__(self, text: str) -> None:
        split = _VALUE.split(text)
        self.parts = "\0".join(split[::2])
        self.values = split[1::2]

    def spans(self) -> dict[Span, int]:
        """Return where the values are in the text, each with its number."""
        found: dict[Span, int] = {}
        at = 0
        for number, (part, value) in enumerate(
            zip(self.parts.split("\0"), self.values, strict=False)
        ):
            begin = at + len(part)
            at = begin + len(value)
            found[begin, at] = number
        return found


_VALUE: Final = re.compile(
    r"('[\w .,:@+-]+'|(?<![\w.$])(?:0|[1-9][0-9]{0,8})(?![\w.$]))",
)
"""A text without a character that means something to a dialect, or a whole number of at most nine
digits, which has the same type in every engine whatever its value."""


@dataclass(frozen=True, slots=True)
class Known:
    """The report of one text of a form, and which of its values the verdict does not depend on."""

    report: CheckReport
    values: Sequence[str]
    free: frozenset[int]
    """Numbers of those values."""
    begin: int
    """Characters of the text before the statement."""
    behind: int
    """Characters of the text behind it."""

    def report_of(self, text: str, values: Sequence[str], begun: float) -> CheckReport | None:
        """Return the report of another text of the form; None: a value that matters differs.

        Values that were equal must be equal, and those that were not must not: a grouped
        expression is found in the list by what is written in it.
        """
        own = self.values
        for number, (old, new) in enumerate(zip(own, values, strict=True)):
            if number not in self.free:
                if old != new:
                    return None
            elif old[0].isdigit() is not new[0].isdigit():
                return None
        if list(map(own.index, own)) != list(map(values.index, values)):
            return None
        return CheckReport.of(
            {
                **self.report.__dict__,
                "sql": text[self.begin : len(text) - self.behind],
                "duration_s": perf_counter() - begun,
            }
        )


class Lookup:
    """One question to the cache: the report if it is known, or what to keep it by."""

    __slots__ = ("form", "free", "key", "report")

    def __init__(self, key: Key, report: CheckReport | None) -> None:
        self.key = key
        self.report = report
        self.form: Form | None = None
        self.free: list[Span] | None = None
        """Takes the places in the statement of values on which no label depends; None: no other
        text of its form was checked, so they are not worth a look."""


class ReportCache:
    """Reports by text, and by form where the verdict does not depend on the values.

    A service asks the same of one customer after another: `WHERE customer_id = 17` is as valid as
    `WHERE customer_id = 18`. From the third text of a form on, nothing is parsed.
    """

    def __init__(self) -> None:
        self._reports: LruCache[CheckReport] = LruCache()
        self._forms: LruCache[Known | Literal[True]] = LruCache(characters=MOST_CHARACTERS // 4)

    def look_up(self, key: Key) -> Lookup:
        """Ask for the report of a text with its arguments."""
        text = key[0]
        found = Lookup(key, self._reports.get(key))
        if found.report is not None or type(text) is not str or len(text) > LONGEST_FORM:
            return found
        begun, form = perf_counter(), Form(text)
        if not form.values or "\0" in text:
            return found
        found.form = form
        known = self._forms.get((form.parts, *key[1:]))
        found.free = None if known is None else []
        if isinstance(known, Known):
            found.report = known.report_of(text, form.values, begun)
            if found.report is not None:
                self._reports.put(key, found.report)
        return found

    def keep(self, found: Lookup, report: CheckReport) -> None:
        """Keep the report of a text that was looked up, and of its form if its values are known."""
        self._reports.put(found.key, report)
        if found.form is None:
            return
        (text, *arguments), form, free = found.key, found.form, found.free
        known = None if free is None else known_of(text, form, report, free)
        self._forms.put((form.parts, *arguments), known or True)

    def clear(self) -> None:
        """Forget everything."""
        self._reports.clear()
        self._forms.clear()


def known_of(text: str, form: Form, report: CheckReport, free: Iterable[Span]) -> Known | None:
    """Return what is known of a form; None if its reports have places or may be others."""
    is_clean = report.verdict == "ok" and not report.findings and report.fallback is None
    if not is_clean or report.extracted not in {(), ("fence",)} or text.count(report.sql) != 1:
        return None
    begin, numbers = text.find(report.sql), form.spans()
    spans = ((begin + first, begin + last) for first, last in free)
    places = frozenset(numbers[span] for span in spans if span in numbers)
    behind = len(text) - begin - len(report.sql)
    return Known(report, form.values, places, begin, behind) if places else None
