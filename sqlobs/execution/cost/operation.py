"""What a rule is applied to: a function or an operator with the bounds of its operands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.execution.cost.bound import UNLIMITED, Bound, joined, product

if TYPE_CHECKING:
    from collections.abc import Callable

PER_BYTE: Final = 8
"""Steps for a byte that is written once, or read once."""
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
"""Numbers within a text: 10 and 2e3 in `%10s or 2e3`."""
_RUNS: Final = re.compile(r"\d+")
_OTHER_BASES: Final = re.compile(r"0[xX][0-9a-fA-F]{1,60}|0[oO][0-7]{1,60}|0[bB][01]{1,60}")
"""Numbers that are written otherwise: `0xFF`."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A function or an operator with the bounds of what it is applied to."""

    node: exp.Expr
    operands: tuple[Bound, ...]
    rows: Callable[[], float]
    """How many rows an aggregate here sees."""
    dialect: str

    def operand(self, position: int) -> Bound:
        """Return an operand's bound; an empty one where there is none."""
        return self.operands[position] if position < len(self.operands) else Bound()

    @property
    def all(self) -> Bound:
        """The bound of all operands together."""
        return joined(self.operands)

    @property
    def pairs(self) -> float:
        """How many pairs the bytes of the two longest operands make."""
        first, second, *_ = *sorted((each.size for each in self.operands), reverse=True), 0, 0
        return product(first, second)

    def result(
        self, size: float, work: float = 0.0, *, high: float = UNLIMITED, low: float = 0.0
    ) -> Bound:
        """Return the bound of the result; its own work comes to that of the operands."""
        least = PER_BYTE * max(self.all.size, size)
        return Bound(size, high, low, self.all.work + max(least, work))


def word_of(node: exp.Expr) -> str:
    """Return the word that the rules know a function or an operator by."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return node.name.lower()
    return node.key


def numbers_in(text: str) -> list[float]:
    """Return the numbers that stand in a text, and those that its parts may be read as."""
    plain = text.replace("_", "")
    found = [*_DIGITS.findall(plain), *_RUNS.findall(plain)]
    return [*map(float, found), *(float(int(one, 0)) for one in _OTHER_BASES.findall(plain))]
