"""The rows of what a judge is asked, and of how it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlobs_collector.store.rows import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs_collector.origin import Origin


@dataclass(frozen=True, slots=True)
class Inquiry(Row):
    """What the judge is to be asked about a unit."""

    unit_id: int
    metric: str
    version: str
    question: bytes
    probability: float
    queued_ns: int


@dataclass(frozen=True, slots=True)
class Pending:
    """An inquiry as it waits."""

    origin: Origin
    unit_id: int
    metric: str
    version: str
    question: bytes
    probability: float
    queued_ns: int
    attempts: int
    """How often it was asked in vain."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """What became of asking why a verdict is what it is."""

    categories: str | None
    """Keys between spaces; `None`: there is no answer."""
    detail: Mapping[str, object]
    """What the verdict's detail says besides."""
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class CanaryResult(Row):
    """How a judge did on its canaries when it last said enough to tell."""

    judge: str
    sung_ns: int
    is_sound: bool
