"""How arithmetic turns bounds of numbers into one of their result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.execution.cost.bound import Bound, power, product, quotient

if TYPE_CHECKING:
    from sqlobs.execution.cost.operation import Operation

_MOST_DIGITS: Final = 150_000
"""A PostgreSQL number has at most 131,072 digits before its point and 16,383 behind."""
_SHORT_NUMBER: Final = 32


def added(op: Operation) -> Bound:
    """Return the bound of `x + y`."""
    high = op.operand(0).high + op.operand(1).high
    return _figured(op, high, op.all.low)


def subtracted(op: Operation) -> Bound:
    """Return the bound of `x - y`; near 0 where both are known."""
    is_known = not any(op.node.find_all(exp.Column))
    low = 0.0 if is_known else op.all.low
    high = op.operand(0).high + op.operand(1).high
    return _figured(op, high, low)


def multiplied(op: Operation) -> Bound:
    """Return the bound of `x * y`."""
    first, second = op.operand(0), op.operand(1)
    high, low = product(first.high, second.high), product(first.low, second.low)
    return _figured(op, high, low)


def divided(op: Operation) -> Bound:
    """Return the bound of `x / y`."""
    first, second = op.operand(0), op.operand(1)
    high = quotient(first.high, second.low)
    return _figured(op, high, quotient(first.low, second.high))


def remaining(op: Operation) -> Bound:
    """Return the bound of `x % y`."""
    return _figured(op, op.operand(1).high, 0.0)


def shifted(op: Operation) -> Bound:
    """Return the bound of `x << y`."""
    high = product(op.operand(0).high, power(2.0, op.operand(1).high))
    return _figured(op, high, 0.0)


def raised(op: Operation) -> Bound:
    """Return the bound of `x ^ y`."""
    base, exponent = op.operand(0), op.operand(1)
    widest = max(base.high, quotient(1, base.low))
    digits = product(math.log10(max(widest, 1)), exponent.high)
    size = base.size + min(digits, _MOST_DIGITS)
    return op.result(size, size**2 / 16, high=power(widest, exponent.high))


def _figured(op: Operation, high: float, low: float) -> Bound:
    """Arithmetic: engines with long numbers multiply digit by digit."""
    digits = math.log10(high + 1) if math.isfinite(high) else op.all.size
    size = max(_SHORT_NUMBER, min(digits, _MOST_DIGITS))
    return op.result(size, op.pairs / 16, high=high, low=low)
