"""The base of our proxies: wrapt's, which only one major version makes generic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wrapt import ObjectProxy

if TYPE_CHECKING:
    Proxy = ObjectProxy[Any]
else:
    Proxy = ObjectProxy

__all__ = ["Proxy"]
