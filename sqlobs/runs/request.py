"""What is known of a request of production beside what was evaluated about it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlobs.types import Outcome, Verdict  # noqa: TC001 - pydantic reads them at run time


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """One request as the application sent it."""

    outcome: Outcome = "answered"
    first_verdict: Verdict | None = None
    """The verdict of the first attempt."""
    first_hallucinated: bool | None = None
    """The first attempt invented a name; None = not evaluated."""
