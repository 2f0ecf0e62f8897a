"""Settings: how much of the collector a workspace may use."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from sqlobs_collector.settings import values


class Quota(values.Section):
    """The quotas of one workspace."""

    entry: ClassVar[str] = "workspace"

    requests_per_hour: int | None = Field(
        default=None,
        gt=0,
        description="Requests that are accepted within an hour (UTC), by all receivers together;"
        " the rest are rejected and counted. Unset: no quota.",
    )
    burst_per_second: int | None = Field(
        default=None,
        gt=0,
        description="Requests per second that a receiver accepts, five seconds' worth at once;"
        " above it, clients are asked to retry. Unset: no limit.",
    )
    evaluations_per_hour: int | None = Field(
        default=None,
        gt=0,
        description="Requests that are evaluated within an hour: if the last hour had more, the"
        " sampling probabilities of the next one are lower. Unset: no quota.",
    )
    judged_per_hour: int | None = Field(
        default=None,
        gt=0,
        description="Requests that the judge is asked about within an hour: if the last hour had"
        " more, a smaller share of the next one's is judged. Unset: no quota.",
    )
