"""Logs internal failures: each kind once, not for every statement."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Final

_logger = logging.getLogger("sqlobs")
_KINDS: Final = 256
"""Kinds remembered; classes of exceptions and engines are few."""


@lru_cache(maxsize=_KINDS)
def complain(what: str, error: str, consequence: str) -> None:
    """Log that something failed, with the class of the exception alone: its text may hold values.

    Args:
        what: What failed, e.g. `the engine duckdb`.
        error: The name of the exception's class.
        consequence: What happens instead.
    """
    _logger.warning("sqlobs: %s failed (%s; logged once; %s)", what, error, consequence)
