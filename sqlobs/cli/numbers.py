"""Parsers for numeric arguments."""

from __future__ import annotations

import argparse
import math
from typing import Final

_LONGEST_S: Final = 86_400
"""Engines and drivers count milliseconds in 32 bits: 24 days."""


def positive(text: str) -> int:
    """Parse a whole number above 0.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return number


def counted(text: str) -> int:
    """Parse a whole number, 0 or more.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 0")
    return int(text)


def seconds(text: str) -> float:
    """Parse a number of seconds above 0, at most a day.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    number = _number(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    if number > _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text} seconds are more than a day ({_LONGEST_S})")
    return number


def ratio(text: str) -> float:
    """Parse a number of at least 1.

    Raises:
        ArgumentTypeError: the text is not such a number.
    """
    number = _number(text)
    if not 1 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number of at least 1")
    return number


def dollars(text: str) -> float:
    """Parse an amount of US dollars, 0 or more.

    Raises:
        ArgumentTypeError: the text is not such an amount.
    """
    number = _number(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not an amount in US dollars of at least 0")
    return number


def _number(text: str) -> float:
    """Parse a number; NaN, which is within no bounds, if the text is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
