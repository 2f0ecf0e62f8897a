"""Where the collector listens, what it keeps, and what it hands on."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

from pydantic import ByteSize, Field, field_validator, model_validator

from sqlobs_collector.addresses import Address
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.secrets import Secret, token_digest
from sqlobs_collector.settings import values

Right: TypeAlias = Literal["ingest", "read"]
"""What a token may do in its workspace: send records; ask the admin API."""
_FORM: Final = "{ingest: [env:NAME], read: [env:OTHER_NAME]}"
_BY_RIGHT: Final = f"list its tokens by right: write {_FORM}"


class Listen(values.Section):
    """Where the collector listens."""

    http: values.ListenAddress = Field(
        default=Address("127.0.0.1", 4318), description="OTLP/HTTP and `PUT /v1/schemas/{version}`."
    )
    grpc: values.ListenAddress = Field(default=Address("127.0.0.1", 4317), description="OTLP/gRPC.")
    admin: values.ListenAddress = Field(
        default=Address("127.0.0.1", 4319),
        description="Metrics, health, readiness and the admin API.",
    )


class WorkspaceTokens(values.Section):
    """The tokens of one workspace by what they may do."""

    entry: ClassVar[str] = "workspace"

    ingest: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may send into the workspace: `env:NAME`, `file:PATH`, "
        "`sha256:HEX` (see `sqlobs-collector token`) or the token itself.",
    )
    read: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may read the workspace through the admin port: questions, "
        "SQL, verdicts, metrics. A token that is listed under both rights has both.",
    )

    @model_validator(mode="before")
    @classmethod
    def _is_by_right(cls, value: object) -> object:
        """Refuse tokens without a right, in one sentence that shows the form."""
        given = value.values() if isinstance(value, dict) else ()
        if not isinstance(value, dict) or not all(isinstance(one, list) for one in given):
            raise ValueError(_BY_RIGHT)
        if not any(given):
            raise ValueError(f"the workspace has no token: {_BY_RIGHT}")
        return value

    @property
    def by_right(self) -> dict[Right, list[Secret]]:
        """The tokens of each right."""
        return {"ingest": self.ingest, "read": self.read}


class Auth(values.Section):
    """Who may send and read, and in which workspace."""

    tokens: dict[str, WorkspaceTokens] = Field(
        default_factory=dict,
        description="By workspace. None: everything belongs to the workspace `default`, and what "
        "is on this machine may send.",
    )
    hosts: list[str] = Field(
        default_factory=list,
        description="Domain names by which requests may call the collector while no token is "
        "configured, beside those under `listen`; addresses and names without a dot always may.",
    )
    insecure: bool = Field(
        default=False,
        description="Listen beyond this machine although no token is configured.",
    )

    @field_validator("tokens", mode="before")
    @classmethod
    def _is_by_workspace(cls, value: object) -> object:
        """Refuse tokens without a workspace, in one sentence that shows the form."""
        if not isinstance(value, dict):
            raise ValueError(f"list tokens by workspace and right: write {{alpha: {_FORM}}}")  # noqa: TRY004 - pydantic's way
        return value

    @model_validator(mode="after")
    def _has_tokens_of_one_workspace(self) -> Auth:
        """Refuse a token that opens two workspaces."""
        owners: dict[bytes, str] = {}
        for workspace, tokens in self.tokens.items():
            for digest in (token_digest(one) for some in tokens.by_right.values() for one in some):
                if owners.setdefault(digest, workspace) != workspace:
                    raise ValueError(
                        f"tokens.{owners[digest]} and tokens.{workspace} share a token: a token "
                        "belongs to one workspace"
                    )
        return self

    @property
    def workspaces(self) -> tuple[str, ...]:
        """The workspaces that records may be sent into."""
        return tuple(self.tokens) or (DEFAULT_WORKSPACE,)


class Receive(values.Section):
    """The bounds of what one request, and all requests together, may occupy."""

    max_body_bytes: ByteSize = Field(
        default=ByteSize(16 * values.MIB),
        gt=0,
        lt=2 * values.GIB,  # what gRPC can count
        description="Largest request, counted after decompression.",
    )
    max_elements: int = Field(
        default=500_000,
        ge=1000,
        description="How many messages, or objects and arrays of JSON, a request may be made of: "
        "small ones cost more than their bytes. Less where the body is small (one for 4 bytes).",
    )
    body_timeout_s: float = Field(
        default=30.0,
        gt=0,
        description="How long a request may take to arrive; then it is to be retried.",
    )
    max_record_bytes: ByteSize = Field(
        default=ByteSize(values.MIB),
        gt=0,
        description="Largest record; a larger one is rejected by itself.",
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(64 * values.MIB),
        gt=0,
        description="Bytes received and not yet acknowledged; beyond it clients are told to retry.",
    )


class Journal(values.Section):
    """The durable log of what was acknowledged."""

    max_bytes: ByteSize = Field(
        default=ByteSize(8 * values.GIB),
        gt=0,
        description="Size of all journal files. Full: the oldest projected files go first, then "
        "clients are told to retry.",
    )
    min_free_bytes: ByteSize = Field(
        default=ByteSize(256 * values.MIB),
        ge=0,
        description="Free space of the disk below which clients are told to retry.",
    )
    grace_s: int = Field(
        default=86_400, ge=0, description="How long a file stays after all of it was projected."
    )


class Forward(values.Section):
    """The backend that gets everything that is not ours to keep."""

    url: values.Url | None = Field(
        default=None,
        repr=False,
        description="OTLP/HTTP endpoint (without `/v1/...`); unset: foreign records end here.",
    )
    headers: dict[str, values.KnownSecret] = Field(
        default_factory=dict, description="Headers sent with each request; values may be `env:`."
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(32 * values.MIB),
        gt=0,
        description="Bytes waiting for the backend; beyond it: dropped.",
    )
    timeout_s: float = Field(default=10.0, gt=0, description="Longest wait for one answer.")


class Emit(values.Section):
    """Where evaluations go, as events and spans."""

    url: values.Url | None = Field(
        default=None, repr=False, description="OTLP/HTTP endpoint; unset: that of `forward`."
    )
    headers: dict[str, values.KnownSecret] = Field(
        default_factory=dict, description="Headers for that endpoint; unset: those of `forward`."
    )
    explanations: bool = Field(
        default=False,
        description="Send the judge's reasoning too: it may quote questions, SQL and rows.",
    )


class Retention(values.Section):
    """How long things are kept, counted from when they were received."""

    payload_s: values.Age = Field(
        default=2_592_000, gt=0, description="Questions, SQL and attributes of units."
    )
    sampled_out_payload_s: values.Age = Field(
        default=86_400,
        gt=0,
        description="The same of units that sampling left out: a complaint may still come.",
    )
    unit_s: values.Age = Field(
        default=31_536_000, gt=0, description="Units with their evaluations, without payload."
    )
