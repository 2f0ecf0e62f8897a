"""Settings: which units are evaluated, on which databases, against which references."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - pydantic reads it
from typing import Annotated, ClassVar, Final, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    ByteSize,
    Field,
    JsonValue,
    field_serializer,
    model_validator,
)

from sqlobs.check.policy import Policy
from sqlobs.errors import SqlobsError
from sqlobs.execution.access import Access, CostLimits, with_texts
from sqlobs.execution.local import has_local_engine
from sqlobs.execution.target import MAX_CONNECTIONS, Target
from sqlobs.scores.registry import ONLINE_SCORES
from sqlobs.semconv.evaluations import EXECUTION, LOCAL_ENGINE, ONLINE
from sqlobs_collector.sampling import AlwaysRule  # noqa: TC001 - pydantic reads it
from sqlobs_collector.secrets import Secret
from sqlobs_collector.settings import values
from sqlobs_collector.settings.judging import JudgeName

TENANT: Final = "$tenant"
"""Stands for the unit's tenant in the session settings of a target."""
OTHERS: Final = "*"
"""Stands for the workflows that no other key names."""

EVALUATIONS: Final = (EXECUTION, *ONLINE_SCORES, *ONLINE, LOCAL_ENGINE, *get_args(JudgeName))
"""The evaluations that the collector makes: by running a unit, by checking it where its
application did not, by asking a local engine or a judge."""


def _has_engine(dialect: str) -> str:
    if not has_local_engine(dialect):
        raise ValueError(f"{dialect!r} has no local engine: use bigquery, spark or clickhouse")
    return dialect


def _known(name: str) -> str:
    if name not in EVALUATIONS:
        raise ValueError(f"unknown evaluation {name!r}: use one of {', '.join(EVALUATIONS)}")
    return name


MetricName: TypeAlias = Annotated[str, AfterValidator(_known)]


class WorkspaceSampling(values.Section):
    """Which units of a workspace are evaluated."""

    entry: ClassVar[str] = "workspace"

    rate: float | None = Field(
        default=None, gt=0, le=1, description="Share of its traces; default: `sampling.rate`."
    )
    always: list[AlwaysRule] | None = Field(
        default=None,
        description="Its units to evaluate regardless of the rate; default: `sampling.always`.",
    )


class Sampling(values.Section):
    """Which units are evaluated; every unit is stored, and counts with its probability."""

    rate: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="Share of all traces to evaluate, sampled by the trace's own randomness.",
    )
    always: list[AlwaysRule] = Field(
        default=["failed", "error", "feedback"],
        description="Units to evaluate regardless of the rate: `failed`, `suspect` (the verdict),"
        " `error` (the outcome), `feedback` (a user complaint).",
    )
    workspaces: dict[str, WorkspaceSampling] = Field(
        default_factory=dict, description="Sampling of single workspaces."
    )


class ExecutionLimits(values.Section):
    """Limits of one statement on a target."""

    timeout_s: float = Field(default=10.0, gt=0, description="Timeout of one statement.")
    max_rows: int = Field(default=100_000, gt=0, description="Maximum number of rows to fetch.")
    max_bytes: ByteSize = Field(
        default=ByteSize(64 * values.MIB), gt=0, description="Maximum size of the fetched rows."
    )


class PolicyConfig(values.Section):
    """What statements on a target may access; becomes the library's `Policy`."""

    denied_tables: list[str] = Field(
        default_factory=list, description="Tables that no statement may read."
    )
    denied_columns: list[str] = Field(
        default_factory=list,
        description="Columns that no statement may read: `salaries.amount`, or `amount` in any "
        "table.",
    )
    required_filters: list[str] = Field(
        default_factory=list,
        description="Columns that every use of their table must filter: `orders.tenant_id`.",
    )
    allowed_tables: list[str] | None = Field(
        default=None, description="The only tables that may be read; unset: all."
    )
    allowed_functions: list[str] = Field(
        default_factory=list,
        description="Additional allowed functions, besides the dialect's list.",
    )

    def policy(self) -> Policy:
        """Return the policy as the executor knows it.

        Raises:
            ConfigError: A name is empty.
        """
        return Policy(**self.model_dump())


class CostConfig(values.Section):
    """What statements on a warehouse may cost; becomes the library's `CostLimits`."""

    max_bytes: ByteSize | None = Field(
        default=None,
        gt=0,
        description="Bytes that one statement may read (BigQuery, ClickHouse, Snowflake).",
    )
    daily_bytes: ByteSize | None = Field(
        default=None, gt=0, description="Bytes that all statements of one day (UTC) may read."
    )
    daily_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Seconds that all statements of one day (UTC) may run, added up.",
    )

    def limits(self) -> CostLimits:
        """Return the limits as the executor knows them."""
        return CostLimits(**self.model_dump())


class TargetConfig(values.Section):
    """One database that units may be run on; telemetry contains only its alias."""

    url: values.KnownSecret = Field(
        description="`sqlite:////path/to.db`, `postgresql://user@host/name`, `mysql://…`, "
        "`duckdb:////path/to.duckdb`; may be `env:`. Use a role with read privileges only."
    )
    workspaces: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None,
        description="Workspaces whose units run on this target and whose judge sees its schema and"
        " rows. Required if `auth.tokens` has several workspaces; default: the only"
        " workspace.",
    )
    dialect: str | None = Field(
        default=None,
        description="SQL dialect, if the URL does not determine it (a SQLAlchemy URL).",
    )
    default: bool = Field(
        default=False,
        description="Use this target for units of its workspaces that do not name one.",
    )
    multi_tenant: bool = Field(
        default=False,
        description="The database contains data of several tenants: `session` must bind `$tenant`.",
    )
    policy: PolicyConfig = Field(default_factory=PolicyConfig)
    session: dict[str, str] = Field(
        default_factory=dict,
        description="Session settings for each statement (PostgreSQL, Redshift and ClickHouse);"
        " `$tenant` is the unit's tenant, and units without a tenant are rejected.",
    )
    connect_args: dict[str, JsonValue] = Field(
        default_factory=dict,
        repr=False,
        description="Arguments of SQLAlchemy's `create_engine(connect_args=…)`; texts in it may be"
        " `env:` or `file:`, and are shown masked.",
    )
    environment: list[str] = Field(
        default_factory=list,
        description="Environment variables that the driver may read, by name:"
        " `GOOGLE_APPLICATION_CREDENTIALS`. It sees no others but `TZ`.",
    )
    settings: dict[str, str] = Field(
        default_factory=dict,
        description="Session settings of a warehouse other than Databricks (`query_label`), the"
        " same for all statements.",
    )
    connect_timeout_s: float | None = Field(
        default=None,
        gt=0,
        description="Timeout of a connection, the import of its driver included; default: 7, for a"
        " warehouse 30.",
    )
    cost: CostConfig = CostConfig()
    max_connections: int = Field(
        default=MAX_CONNECTIONS, gt=0, description="Maximum number of open connections."
    )
    hints: str | None = Field(
        default=None, description="Domain knowledge about this database, for the judge."
    )
    limits: ExecutionLimits = ExecutionLimits()

    @model_validator(mode="after")
    def _is_executable(self) -> TargetConfig:
        """Reject what the executor would reject, and tenants without a session setting."""
        try:
            target = self.target("it")
            target.require_executable()
        except SqlobsError as error:
            raise ValueError(str(error).removeprefix("target it: ")) from None
        if self.session and not target.binds_settings:
            raise ValueError(
                "session: session settings are supported for PostgreSQL, Redshift and ClickHouse"
                " only"
            )
        if self.multi_tenant and TENANT not in self.session.values():
            raise ValueError("multi_tenant needs a session setting with the value $tenant")
        return self

    def target(self, alias: str) -> Target:
        """Return the target as the executor knows it.

        Raises:
            SqlobsError: The URL has no supported system or no file, or the dialect is unknown or
            another.
        """
        return Target.from_url(
            alias,
            self.url.reveal(),
            dialect=self.dialect,
            policy=self.policy.policy(),
            session=tuple(self.session),
            max_connections=self.max_connections,
            access=self._access(),
        )

    def _access(self) -> Access:
        access = Access(
            connect_args=with_texts(self.connect_args, lambda text: Secret(text).reveal()),
            environment=tuple(self.environment),
            settings=self.settings,
            connect_timeout_s=self.connect_timeout_s,
            cost=self.cost.limits(),
        )
        access.require_environment()
        return access

    @field_serializer("connect_args")
    def _masked(self, value: dict[str, JsonValue]) -> JsonValue:
        masked: JsonValue = with_texts(value, lambda text: str(Secret(text)))
        return masked


class Golden(values.Section):
    """Questions with known correct SQL."""

    file: Path | None = Field(
        default=None,
        description="JSON Lines with `question` (or its `digest`), `sql` and optionally `target`:"
        " references for units without one.",
    )
    digest_key: values.KnownSecret | None = Field(
        default=None,
        description="Key of question digests, as in the applications; default:"
        " `SQLOBS_DIGEST_KEY`, else a key generated by the collector, which covers"
        " only questions sent in clear text.",
    )


class Evaluate(values.Section):
    """How units are evaluated."""

    workers: int = Field(default=2, gt=0, le=64, description="Number of concurrent statements.")
    local_engines: list[Annotated[str, AfterValidator(_has_engine)]] = Field(
        default_factory=list,
        description="Dialects whose engine on this machine gives its verdict on each evaluated"
        " unit, with or without a target: `bigquery`, `spark`, `clickhouse`. Each needs its extra"
        " (`spark-native`).",
    )
    metrics: dict[str, Annotated[list[MetricName], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="By workflow, the evaluations of its units (`execution`, `ex`, `f1`, `flex`,"
        " …); `*`: all other workflows. Default: all, with the judge's evaluations as"
        " configured under `judge`.",
    )
