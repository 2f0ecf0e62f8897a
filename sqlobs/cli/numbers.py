"""Numbers in arguments."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Read a whole number above 0.

    Raises:
        ArgumentTypeError: it is none.
    """
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number above 0")
    return number
