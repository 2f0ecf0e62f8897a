"""Settings: where the collector listens, what it keeps, and what it relays."""

from __future__ import annotations

import re
from pathlib import Path  # noqa: TC003 - pydantic reads it
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from pydantic import ByteSize, Field, field_validator, model_validator

from sqlobs_collector.addresses import Address
from sqlobs_collector.certificates import Certificate, CertificateFiles
from sqlobs_collector.origin import DEFAULT_WORKSPACE
from sqlobs_collector.secrets import Secret, token_digest
from sqlobs_collector.settings import values

Right: TypeAlias = Literal["ingest", "read", "feedback", "label", "admin"]
"""Rights of a token in its workspace; `WorkspaceTokens` says what each allows."""
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.\-\[\]:]+")  # https://app.example:8443
RIGHTS: Final[frozenset[Right]] = frozenset(get_args(Right))
_FORM: Final = "{ingest: [env:NAME], read: [env:OTHER_NAME]}"
_BY_RIGHT: Final = f"list the tokens by right, for example {_FORM}"


class Listen(values.Section):
    """Where the collector listens."""

    http: values.ListenAddress = Field(
        default=Address("127.0.0.1", 4318),
        description="Address of OTLP/HTTP and `PUT /v1/schemas/{version}`.",
    )
    grpc: values.ListenAddress = Field(
        default=Address("127.0.0.1", 4317), description="Address of OTLP/gRPC."
    )
    admin: values.ListenAddress = Field(
        default=Address("127.0.0.1", 4319),
        description="Address of metrics, health, readiness and the admin API.",
    )


Listener: TypeAlias = Literal["http", "grpc", "admin"]


class Tls(values.Section):
    """Certificates: with one, all listeners speak TLS only."""

    certificate: Path | None = Field(
        default=None,
        description="File with the certificate and those of its issuers, in PEM; unset: no TLS. A"
        " file that is replaced is read again at the next connection.",
    )
    key: Path | None = Field(
        default=None, description="File with the certificate's private key, in PEM, no password."
    )
    client_ca: dict[Listener, Path] = Field(
        default_factory=dict,
        description="Files with CA certificates, in PEM, by listener (`http`, `grpc`, `admin`):"
        " its clients must present a certificate that one of them signed.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Tls:
        """Reject half of a pair, and files that cannot be used."""
        if (self.certificate is None) != (self.key is None):
            raise ValueError("set certificate and key, or neither")
        if self.client_ca and self.certificate is None:
            raise ValueError("client_ca needs certificate and key")
        for listener in get_args(Listener):
            self.of(listener)
        return self

    def of(self, listener: Listener) -> Certificate | None:
        """Return what a listener presents and asks; None without TLS.

        Raises:
            ConfigError: A file cannot be used.
        """
        if self.certificate is None or self.key is None:
            return None
        files = CertificateFiles(self.certificate, self.key, self.client_ca.get(listener))
        return Certificate(files)


class WorkspaceTokens(values.Section):
    """The tokens of one workspace by right."""

    entry: ClassVar[str] = "workspace"

    ingest: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may send units to the workspace: `env:NAME`, `file:PATH`, "
        "`sha256:HEX` (see `sqlobs-collector token`) or the token itself.",
    )
    read: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may read the workspace through the admin port: questions,"
        " SQL, verdicts, metrics. A token listed under several rights has all of them.",
    )
    feedback: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may only send users' feedback on answers; one of them may"
        " stand in a page of yours.",
    )
    label: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens of annotators: they see the requests of the review queue and"
        " label them.",
    )
    admin: list[values.Token] = Field(
        default_factory=list,
        description="Bearer tokens that may change the workspace: golden set, review queue, states"
        " of failures, saved views; and see the settings. To see what they change they need `read`,"
        " too.",
    )

    @model_validator(mode="before")
    @classmethod
    def _is_by_right(cls, value: object) -> object:
        """Reject tokens without a right, with an example in the message."""
        given = value.values() if isinstance(value, dict) else ()
        if not isinstance(value, dict) or not all(isinstance(one, list) for one in given):
            raise ValueError(_BY_RIGHT)
        if not any(given):
            raise ValueError(f"the workspace has no token: {_BY_RIGHT}")
        return value

    @property
    def by_right(self) -> dict[Right, list[Secret]]:
        """The tokens of each right."""
        return {right: getattr(self, right) for right in get_args(Right)}


class Auth(values.Section):
    """Tokens and allowed host names."""

    tokens: dict[str, WorkspaceTokens] = Field(
        default_factory=dict,
        description="Tokens by workspace. Empty: everything belongs to the workspace `default`,"
        " and programs on this machine may send.",
    )
    workspaces: list[str] = Field(
        default_factory=list,
        description="Workspaces whose tokens are in the store, by `sqlobs-collector token create`;"
        " tokens of the configuration may belong to them, too.",
    )
    hosts: list[str] = Field(
        default_factory=list,
        description="Host names that requests may use for the collector while no token is"
        " configured, besides those under `listen`; IP addresses and names without a"
        " dot are always allowed.",
    )
    insecure: bool = Field(
        default=False,
        description="Accept connections from other machines although no token is configured.",
    )

    @field_validator("tokens", mode="before")
    @classmethod
    def _is_by_workspace(cls, value: object) -> object:
        """Reject tokens without a workspace, with an example in the message."""
        if not isinstance(value, dict):
            raise ValueError(f"list tokens by workspace and right, for example {{alpha: {_FORM}}}")  # noqa: TRY004 - pydantic's way
        return value

    @model_validator(mode="after")
    def _has_tokens_of_one_workspace(self) -> Auth:
        """Reject a token that belongs to two workspaces."""
        owners: dict[bytes, str] = {}
        for workspace, tokens in self.tokens.items():
            for digest in (token_digest(one) for some in tokens.by_right.values() for one in some):
                if owners.setdefault(digest, workspace) != workspace:
                    raise ValueError(
                        f"tokens.{owners[digest]} and tokens.{workspace} share a token: use a"
                        " different token for each workspace"
                    )
        return self

    @property
    def is_open(self) -> bool:
        """Whether nobody needs a token."""
        return not self.tokens and not self.workspaces

    @property
    def all_workspaces(self) -> tuple[str, ...]:
        """The workspaces that records may be sent into."""
        return tuple(dict.fromkeys((*self.tokens, *self.workspaces))) or (DEFAULT_WORKSPACE,)


class Receive(values.Section):
    """Size limits of one request, and of all requests together."""

    max_body_bytes: ByteSize = Field(
        default=ByteSize(16 * values.MIB),
        gt=0,
        lt=2 * values.GIB,  # what gRPC can count
        description="Maximum size of a request after decompression.",
    )
    max_elements: int = Field(
        default=500_000,
        ge=1000,
        description="Maximum number of protobuf messages, or JSON objects and arrays, in a"
        " request, because small ones cost more than their bytes. Small bodies allow"
        " fewer (one per 4 bytes).",
    )
    body_timeout_s: float = Field(
        default=30.0,
        gt=0,
        description="Timeout for receiving a request; the client then retries.",
    )
    max_record_bytes: ByteSize = Field(
        default=ByteSize(values.MIB),
        gt=0,
        description="Maximum size of a record; only the larger records of a request are rejected.",
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(64 * values.MIB),
        gt=0,
        description="Maximum unacknowledged bytes; above it, clients must retry.",
    )


class Feedback(values.Section):
    """Feedback that users' browsers send to `POST /v1/feedback` on the admin port."""

    origins: list[str] = Field(
        default_factory=list,
        description="Origins whose pages may send feedback, such as `https://app.example`; `*`:"
        " any. Programs need none.",
    )
    address_per_minute: int = Field(
        default=30, gt=0, description="Maximum number of requests per minute, by token and address."
    )
    token_per_minute: int = Field(
        default=600, gt=0, description="Maximum number of requests per minute, by token."
    )

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, origins: list[str]) -> list[str]:
        """Reject addresses of pages, and origins as no browser sends them."""
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin} is not an origin: write scheme, host and port only, such as"
                    " https://app.example"
                )
        return origins


class Journal(values.Section):
    """The durable log of acknowledged records."""

    max_bytes: ByteSize = Field(
        default=ByteSize(8 * values.GIB),
        gt=0,
        description="Maximum size of all journal files. When full, the oldest projected files are"
        " deleted first, then clients must retry.",
    )
    min_free_bytes: ByteSize = Field(
        default=ByteSize(256 * values.MIB),
        ge=0,
        description="Free disk space below which clients must retry.",
    )
    grace_s: int = Field(
        default=86_400,
        ge=0,
        description="How long a file is kept after it has been projected completely.",
    )


class Forward(values.Section):
    """The backend for records that the collector does not keep."""

    url: values.Url | None = Field(
        default=None,
        repr=False,
        description="OTLP/HTTP endpoint (without `/v1/...`); unset: records of other producers are"
        " dropped.",
    )
    headers: dict[str, values.KnownSecret] = Field(
        default_factory=dict, description="Headers of each request; values may be `env:NAME`."
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(32 * values.MIB),
        gt=0,
        description="Maximum bytes queued for the backend; above it, records are dropped.",
    )
    timeout_s: float = Field(default=10.0, gt=0, description="Timeout of one request.")


class Phoenix(values.Section):
    """The Phoenix server that shows evaluations as annotations of their spans."""

    url: values.Url | None = Field(
        default=None, repr=False, description="Base URL of Phoenix; unset: no annotations."
    )
    api_key: values.KnownSecret | None = Field(
        default=None, description="API key, where Phoenix requires one: `env:NAME`."
    )


class Langfuse(values.Section):
    """The Langfuse project that shows evaluations as scores of their spans."""

    url: values.Url | None = Field(
        default=None, repr=False, description="Base URL of Langfuse; unset: no scores."
    )
    public_key: str = Field(default="", description="Public key of the project.")
    secret_key: values.KnownSecret | None = Field(
        default=None, description="Secret key of the project: `env:NAME`."
    )

    @model_validator(mode="after")
    def _has_keys(self) -> Langfuse:
        if self.url is not None and not (self.public_key and self.secret_key):
            raise ValueError("set public_key and secret_key of the Langfuse project")
        return self


class Emit(values.Section):
    """Where evaluations go, as events and spans."""

    url: values.Url | None = Field(
        default=None, repr=False, description="OTLP/HTTP endpoint; default: `forward.url`."
    )
    headers: dict[str, values.KnownSecret] = Field(
        default_factory=dict, description="Headers for that endpoint; default: `forward.headers`."
    )
    explanations: bool = Field(
        default=False,
        description="Also send the judge's reasoning, which may quote questions, SQL and rows.",
    )
    phoenix: Phoenix = Field(default_factory=Phoenix)
    langfuse: Langfuse = Field(default_factory=Langfuse)


class Audit(values.Section):
    """The log of who read stored requests, and who changed what."""

    days: int = Field(
        default=90,
        ge=0,
        description="Days that `audit.jsonl` in the data directory is kept, a file a day; 0: none"
        " is written.",
    )


class Retention(values.Section):
    """Retention periods, counted from the time of receipt."""

    payload_s: values.Age = Field(
        default=2_592_000, gt=0, description="Retention of questions, SQL and attributes of units."
    )
    sampled_out_payload_s: values.Age = Field(
        default=86_400,
        gt=0,
        description="The same for units that were sampled out: user feedback may still arrive.",
    )
    unit_s: values.Age = Field(
        default=31_536_000,
        gt=0,
        description="Retention of units with their evaluations, without payload.",
    )
