"""Logs internal failures, each kind once."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Final

_logger = logging.getLogger("sqlobs")
_KINDS: Final = 256
"""Number of kinds remembered."""


@lru_cache(maxsize=_KINDS)
def complain(what: str, error: str, consequence: str) -> None:
    """Log a failure once, with the class of the exception only: its text may contain values.

    The message reads "`what` failed (`error`; logged once; `consequence`)".
    """
    _logger.warning("sqlobs: %s failed (%s; logged once; %s)", what, error, consequence)
