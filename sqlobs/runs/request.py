"""What is known of a request of production beside what was evaluated about it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlobs.types import Outcome, Verdict  # noqa: TC001 - pydantic reads them at run time


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One feedback of a user on a request."""

    at: str
    """ISO 8601, UTC."""
    kind: str
    value: str
    """The rating, the thumb, or the user's action on the SQL."""
    explanation: str | None = None
    corrected_sql: str | None = None
    """A candidate: it becomes a reference only when someone adds it to the golden file."""
    standing: str | None = None
    """What was found about the corrected SQL, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """One request as the application sent it."""

    outcome: Outcome = "answered"
    first_verdict: Verdict | None = None
    """The verdict of the first attempt."""
    first_hallucinated: bool | None = None
    """The first attempt invented a name; None = not evaluated."""
    is_compared: bool = False
    """Whether its rows were compared with a reference's."""
    occurred_at: str | None = None
    """ISO 8601, UTC."""
    trace_id: str | None = None
    tenant: str | None = None
    prompt_version: str | None = None
    feedback: tuple[Feedback, ...] = ()
    """All feedback of users, oldest first."""
