"""Attributes in order of setting, without unknown values, long ones cut.

Tests: `tests/telemetry/test_attributes.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.tracing.description.caps import ENTRY_CAP, cut_list, cut_name, cut_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.unit import AttributeValue

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
        kept, was_cut = cut_list(values)
        self[name] = Texts(kept)
        if was_cut:
            self.cut.append(name)

    def add(self, others: AttributeSet) -> None:
        """Set all of another set."""
        self.update(others)
        self.cut += others.cut

    def put_cuts(self) -> None:
        """Say which attributes were cut."""
        self.put_list(semconv.SQLOBS_TRUNCATED_ATTRIBUTES, self.cut)
