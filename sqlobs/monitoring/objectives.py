"""The file of objectives: what a team promises, and when it expects traffic.

Tests: `tests/monitoring/test_objectives.py`.
"""

from __future__ import annotations

import difflib
from datetime import time
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sqlobs.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

HIGHEST_SHARE: Final = 0.5
Share = Annotated[float, Field(gt=0, le=HIGHEST_SHARE)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: Final[tuple[Day, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Schedule(_Section):
    """The hours of the day, in UTC, in which a workflow has traffic."""

    days: tuple[Day, ...] = DAYS
    start: time = time(0)
    end: time = time(0)
    """Up to this time; midnight is the end of the day."""

    @model_validator(mode="after")
    def _is_one_span(self) -> Schedule:
        if not self.days:
            raise ValueError("days must name at least one day")
        if self.end != time(0) and self.end <= self.start:
            raise ValueError(
                "end must be later than start; write a schedule over midnight as two workflows"
                " entries"
            )
        return self


class Targets(_Section):
    """The objectives that a workflow can have of its own; None: that of the whole file."""

    schema_hallucination: Share | None = None
    syntax_failures: Share | None = None
    application_errors: Share | None = None
    execution_errors: Share | None = None
    missing_verdicts: Share | None = None
    first_attempt_failures: Share | None = None
    checker_disagreement: Share | None = None
    latency_p95_s: Positive | None = None
    cost_usd_per_day: Positive | None = None


class WorkflowObjectives(Targets):
    """What holds for some workflows only."""

    workflow: str
    """The workflow's name."""
    service: str | None = None
    """Its service; None: any."""
    environment: str | None = None
    """Its environment; None: any."""
    checked_by: Literal["application", "collector"] = "application"
    """Where verdicts come from: `collector` where the application runs with `check="off"`."""
    schedule: Schedule | None = None
    """When there is traffic: silence inside it is an alert, silence outside it is not."""


class Objectives(_Section):
    """All objectives, as `objectives.yaml` has them."""

    schema_hallucination: Share = 0.02
    """Highest share of evaluated requests that may invent or misplace a name."""
    syntax_failures: Share = 0.02
    """Highest share of evaluated requests whose SQL may be invalid."""
    application_errors: Share = 0.05
    """Highest share of requests that may end in an exception."""
    execution_errors: Share = 0.05
    """Highest share of executions that may fail or time out."""
    missing_verdicts: Share = 0.05
    """Highest share of answers that may have no verdict."""
    first_attempt_failures: Share = 0.2
    """Highest share of first attempts that may fail, whatever is repaired later."""
    negative_feedback: Share = 0.2
    """Highest share of feedback that may be negative."""
    checker_disagreement: Share = 0.05
    """Highest share of executed statements on which checker and engine may disagree."""
    judged_incorrect: Share = 0.3
    """Highest share of judged answers that may be incorrect."""
    latency_p95_s: Positive | None = None
    """Highest p95 of a request in seconds; None: three times that of the previous day."""
    cost_usd_per_day: Positive | None = None
    """Highest cost of a workflow's model calls per day; None: three times the previous day's."""
    schema_max_age_s: Positive | None = None
    """Age at which a schema is stale; None: three times its usual age."""
    min_requests: Count = 20
    """Evaluated requests in a long window below which no burn rate alerts."""
    min_failures: Count = 3
    """Failed requests in a long window below which no burn rate alerts."""
    workflows: tuple[WorkflowObjectives, ...] = ()
    """Exceptions; where several match a workflow, the first decides."""


def read_objectives(path: Path) -> Objectives:
    """Return the objectives of a YAML file.

    Raises:
        InputError: It cannot be read, or a key or value is not possible.
        MissingExtraError: The extra `monitoring`, which brings the parser, is not installed.
    """
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("reading objectives", extra="monitoring") from error
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} is not valid YAML: {reason}") from None
    return objectives_of({} if document is None else document, origin=str(path))


def objectives_of(document: object, *, origin: str) -> Objectives:
    """Return the objectives of a document.

    Args:
        document: What the YAML says.
        origin: Its name, for errors.

    Raises:
        InputError: A key or value is not possible.
    """
    if not isinstance(document, dict):
        raise InputError(f"{origin} must contain a mapping of objectives")
    try:
        return Objectives.model_validate(document)
    except ValidationError as error:
        flaws = "; ".join(_sentence(detail) for detail in error.errors(include_url=False))
        raise InputError(f"{origin}: {flaws}") from None


def _sentence(detail: ErrorDetails) -> str:
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"unknown key {key}{_nearest(str(detail['loc'][-1]))}"
    if detail["type"] == "missing":
        return f"{key} is missing"
    hint = _percent_hint(detail)
    message = detail["msg"].removeprefix("Value error, ")
    return f"{key}: {message[:1].lower()}{message[1:]}{hint}"


def _nearest(key: str) -> str:
    known = (*Objectives.model_fields, *WorkflowObjectives.model_fields, *Schedule.model_fields)
    close = difflib.get_close_matches(key, known, n=1)
    return f". Did you mean {close[0]}?" if close else ""


def _percent_hint(detail: dict[str, Any] | ErrorDetails) -> str:
    is_share = detail["type"] == "less_than_equal" and detail["ctx"] == {"le": HIGHEST_SHARE}
    return "; write 2 % as 0.02" if is_share else ""
