"""A progress bar with rate and remaining time, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Never

if TYPE_CHECKING:
    from tqdm import tqdm


class Bar:
    """Draws a progress bar on stderr; does nothing without a terminal or without tqdm."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._bar: tqdm[Never] | None = None
        self._good = 0

    def begin(self, *, total: int, finished: int) -> None:
        """Draw the bar."""
        if not sys.stderr.isatty():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, initial=finished, unit=self._unit, dynamic_ncols=True)

    def advance(self, *, is_good: bool) -> None:
        """Advance by one and show the number of passes."""
        self._good += is_good
        if self._bar is not None:
            self._bar.set_postfix(ok=self._good, refresh=False)
            self._bar.update()

    def end(self) -> None:
        """Leave the bar in place and start a new line."""
        if self._bar is not None:
            self._bar.close()
