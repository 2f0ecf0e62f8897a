"""Attributes in order of setting, without unknown values, cut to size.

Backends drop a batch with one huge attribute. Tests: `tests/telemetry/test_attributes.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlobs import semconv

if TYPE_CHECKING:
    from sqlobs.unit import AttributeValue

SQL_CAP: Final = 16 * 1024
"""Bytes of UTF-8 of SQL on a span."""
QUESTION_CAP: Final = 8 * 1024
"""Bytes of UTF-8 of a question on a span."""
MESSAGES_CAP: Final = 16 * 1024
"""Bytes of UTF-8 of all texts in the messages of one attribute."""
LIST_CAP: Final = 20
"""Entries of an array."""
ENTRY_CAP: Final = 256
"""Bytes of one entry of an array, and of short texts (messages, names given by the user)."""

_KEPT: Final = 8

_TOKEN: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\w+|\s+|.""", re.DOTALL)
"""A token to cut between: `'it''s'`, `"name"`, a word, white space, or one other character."""


def cut_text(text: str, cap: int) -> tuple[str, bool]:
    """Return the text within `cap` bytes of UTF-8, cut between tokens, and whether it was cut."""
    if len(text) * 4 <= cap or len(text.encode(errors="replace")) <= cap:
        return text, False
    return text[: _end_within(text, cap)].rstrip(), True


@lru_cache(maxsize=_KEPT)
def _end_within(text: str, cap: int) -> int:
    """Return where the last token ends that is wholly within `cap` bytes of UTF-8.

    A long text is cut for its span, its unit and its attempts: the ends of the last ones are kept.
    """
    is_ascii, size, end = text.isascii(), 0, 0
    for token in _TOKEN.finditer(text):
        size = token.end() if is_ascii else size + len(token[0].encode(errors="replace"))
        if size > cap:
            break
        end = token.end()
    return end


def cut_name(text: str, cap: int) -> tuple[str, bool]:
    """Cut as `cut_text` does; a text of one long token is cut inside the token."""
    kept, was_cut = cut_text(text, cap)
    if was_cut and not kept:
        kept = text.encode(errors="replace")[:cap].decode(errors="ignore")
    return kept, was_cut


_SURELY_SHORT: Final = ENTRY_CAP // 4
"""Characters that always fit the cap: UTF-8 needs at most four bytes for each."""


class Texts(tuple[str, ...]):
    """An array of texts.

    The SDK tests every value with `isinstance(value, Sequence)`, which Python caches for this
    subclass of tuple.
    """

    __slots__ = ()


class AttributeSet(dict[str, "AttributeValue"]):
    """The attributes of one span or record, and which of them were cut."""

    def __init__(self) -> None:
        super().__init__()
        self.cut: list[str] = []

    def put(self, name: str, value: AttributeValue | None) -> None:
        """Set a value; None is not set."""
        if value is None:
            return
        if value.__class__ is str and len(value) > _SURELY_SHORT:
            self[name], was_cut = cut_name(value, ENTRY_CAP)
            if was_cut:
                self.cut.append(name)
        else:
            self[name] = value

    def put_text(self, name: str, text: str, *, cap: int) -> bool:
        """Set a text within its cap; returns whether it was cut."""
        self[name], was_cut = cut_text(text, cap)
        if was_cut:
            self.cut.append(name)
        return was_cut

    def put_list(self, name: str, values: Sequence[str]) -> None:
        """Set an array within its cap; an empty one is not set."""
        if not values:
            return
        cut = [cut_text(value, ENTRY_CAP) for value in values[:LIST_CAP]]
        self[name] = Texts(text for text, _ in cut)
        if len(values) > LIST_CAP or any(was_cut for _, was_cut in cut):
            self.cut.append(name)

    def add(self, others: AttributeSet) -> None:
        """Set all of another set."""
        self.update(others)
        self.cut += others.cut

    def put_cuts(self) -> None:
        """Say which attributes were cut."""
        self.put_list(semconv.SQLOBS_TRUNCATED_ATTRIBUTES, self.cut)
