"""How far a command is: a bar with rate and time left, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Never

if TYPE_CHECKING:
    from tqdm import tqdm

    from sqlobs.runs.case import CaseResult


class Bar:
    """A watcher that draws a bar on stderr; nothing where that is no terminal, or without tqdm."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._bar: tqdm[Never] | None = None
        self._passed = 0

    def begin(self, *, total: int, finished: int) -> None:
        """Draw the bar."""
        if not sys.stderr.isatty():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, initial=finished, unit=self._unit, dynamic_ncols=True)

    def advance(self, row: CaseResult) -> None:
        """Move on by one, and show how many passed."""
        self._passed += row.is_match
        if self._bar is not None:
            self._bar.set_postfix(ok=self._passed, refresh=False)
            self._bar.update()

    def end(self) -> None:
        """Leave the bar as it is and begin a new line."""
        if self._bar is not None:
            self._bar.close()
