"""wrapt's proxy as a generic class, which it is for type checkers only before wrapt 2.

Tests: `tests/telemetry/test_providers.py` and `tests/integrations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wrapt import ObjectProxy

if TYPE_CHECKING:
    Proxy = ObjectProxy[Any]
else:
    Proxy = ObjectProxy

__all__ = ["Proxy"]
