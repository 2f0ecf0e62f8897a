"""Settings of alerts that the collector sends itself."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - pydantic reads it
from typing import Literal

from pydantic import Field

from sqlobs_collector.settings import values


class Notify(values.Section):
    """The webhook that receives alerts, where no Prometheus evaluates the rules."""

    url: values.Url | None = Field(
        default=None, repr=False, description="Address of the webhook; unset: no alerts are sent."
    )
    headers: dict[str, values.KnownSecret] = Field(
        default_factory=dict, description="Headers of each request; values may be `env:NAME`."
    )
    form: Literal["alertmanager", "slack"] = Field(
        default="alertmanager",
        description="`alertmanager`: as its webhooks receive alerts; `slack`: a text for Slack and"
        " what understands its messages.",
    )
    objectives: Path | None = Field(
        default=None, description="File of objectives; unset: those of docs/alerts.md."
    )
    labels: dict[str, str] = Field(
        default_factory=dict, description="Further labels of every alert, for routing."
    )
    docs_url: str = Field(
        default="http://localhost:4319/docs",
        description="Address of the directory with alerts.md; the console has it at `/docs`.",
    )
    dashboard_url: str = Field(default="http://localhost:3000", description="Address of Grafana.")
    console_url: str = Field(
        default="http://localhost:4319", description="Address of the admin port, for links."
    )
