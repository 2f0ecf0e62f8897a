"""The result of a check: findings, labels, and the texts derived from them.

`complain` logs what fails inside a check, each kind once.

Tests: `tests/check/test_checker.py`, `tests/check/test_hostile.py`.
Tests of derived_text: `tests/check/test_masking.py`.
Tests of message_masking: `tests/check/test_messages.py`.
Tests of conclusion: `tests/check/test_rules.py`.
"""

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
