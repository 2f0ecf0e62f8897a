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

    Args:
        what: the subject of the sentence, e.g. `the engine duckdb`.
        error: The name of the exception's class.
        consequence: What happens instead.
    """
    _logger.warning("sqlobs: %s failed (%s; logged once; %s)", what, error, consequence)
