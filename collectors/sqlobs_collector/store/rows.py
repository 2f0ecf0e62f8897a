"""The row types of the store's interface."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from sqlobs_collector.origin import Origin

if TYPE_CHECKING:
    from sqlobs.judge.verdicts.categories import Side
    from sqlobs.types import Label

UnitState = Literal[
    "received",
    "sampled_out",
    "queued",
    "running",
    "done",
    "error",
    "held",
    "truncated",
    "nondeterministic",
    "refused",
    "expired",
    "canceled",
]
"""Where a unit is on its way; the states of `telemetry.md`."""

UnitSource = Literal["unit", "span"]
Provenance = Literal["live", "replay"]
"""How a unit came: as its application sent it, or read again from a journal."""
ReportKind = Literal["execution", "feedback", "evaluation"]


class UnitKey(NamedTuple):
    """What makes a unit one: its workspace and its span."""

    workspace: str
    trace_id: str
    span_id: str


class UnitRow(NamedTuple):
    """One unit, as a row of the table of that name: its columns, but for the id, in order."""

    workspace: str
    trace_id: str
    span_id: str
    source: UnitSource
    occurred_ns: int
    received_ns: int
    service_name: str
    environment: str
    service_version: str | None
    workflow: str
    tenant: str | None
    target: str | None
    dialect: str | None
    model: str | None
    prompt_version: str | None
    schema_version: str | None
    capture: str | None
    question_digest: str | None
    fingerprint: str | None
    outcome: str | None
    verdict: str | None
    first_verdict: str | None
    failure_code: str | None
    syntactic: bool | None
    schematic: bool | None
    hallucinated: bool | None
    first_hallucinated: bool | None
    trace_sampled: bool | None
    head_probability: float | None
    randomness: int | None
    probability: float | None
    rule: str | None
    state: UnitState
    reason: str | None
    state_ns: int
    payload: bytes | None
    provenance: Provenance = "live"
    conversation: str | None = None
    question_key: int | None = None
    duration_s: float | None = None
    cost_usd: float | None = None
    user_digest: str | None = None
    conversation_digest: str | None = None
    priority: int = 2

    @property
    def key(self) -> UnitKey:
        """What no second unit has."""
        return UnitKey(self.workspace, self.trace_id, self.span_id)

    @property
    def origin(self) -> Origin:
        """The service that made it."""
        return Origin(self.workspace, self.service_name, self.environment)


class Dropped(NamedTuple):
    """A request that was deleted, because the quota of its workspace may have kept out its unit."""

    unit_id: int
    workspace: str
    received_ns: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of units that were put into the store."""

    new: list[UnitRow]
    replacing: list[UnitRow]
    """Those that took the place of what a span had told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """What came later about a unit: an execution, a complaint, a result."""

    record_id: str
    workspace: str
    trace_id: str
    span_id: str
    kind: ReportKind
    occurred_ns: int
    received_ns: int
    is_negative: bool
    is_joined: bool
    payload: bytes | None

    @property
    def key(self) -> UnitKey:
        """Of the unit that it is about."""
        return UnitKey(self.workspace, self.trace_id, self.span_id)

    @property
    def values(self) -> dict[str, object]:
        """The row by column."""
        return {name: getattr(self, name) for name in _REPORT_COLUMNS}


_REPORT_COLUMNS = tuple(field.name for field in fields(ReportRow))


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """A schema document under its version."""

    workspace: str
    version: str
    document: bytes
    received_ns: int


def feedback_version(record_id: str) -> str:
    """Return the version of an evaluation that one piece of feedback gave: each is kept."""
    return f"1+{record_id[:16]}"


class Row:
    """A slotted dataclass whose fields are the columns of a table."""

    __slots__: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, object]:
        """The row by column."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Evaluated(Row):
    """One evaluation of a stored unit, as a row of the table of that name."""

    unit_id: int
    metric: str
    version: str
    label: Label
    kind: str
    created_ns: int
    value: float | None = None
    reason: str | None = None
    explanation: str | None = None
    detail: str | None = None
    probability: float = 1.0
    """Of being made at all, where the unit was kept."""
    duration_s: float | None = None
    """The run time of the SQL, or the time of the judge's answer."""
    cost_usd: float | None = None
    golden_set: str | None = None
    """The golden file that the reference is from."""
    side: Side | None = None
    """Where a judge with a reference and execution accuracy meet."""
    categories: str | None = None
    """Keys between spaces, empty where none applies; `None`: nobody sorted it."""
    stands_in: bool = False
    """It is the label that the application left open: it counts in the checker's rates."""
    emitted_ns: int | None = None
    """`None`: to be sent to the backend; set if no backend needs it."""


WAIT: Final = "wait_s"
"""In the detail of an execution: seconds until a worker with an open connection took it."""


@dataclass(frozen=True, slots=True)
class Unemitted:
    """An evaluation that the backend has not got, with the span it is about."""

    unit_id: int
    workspace: str
    trace_id: str
    span_id: str
    trace_sampled: bool | None
    occurred_ns: int
    service_name: str
    environment: str
    workflow: str
    metric: str
    version: str
    kind: str
    label: str
    value: float | None
    reason: str | None
    explanation: str | None
    probability: float | None
    """Of the unit's inclusion and of the evaluation's own stage."""
    duration_s: float | None
    """Of an execution: the run time of the SQL."""
    detail: str | None
    created_ns: int


@dataclass(frozen=True, slots=True)
class Queued:
    """A stored unit that waits for its evaluation."""

    unit_id: int
    workspace: str
    trace_id: str
    span_id: str
    workflow: str
    tenant: str | None
    target: str | None
    outcome: str | None
    capture: str | None
    dialect: str | None
    schema_version: str | None
    question_digest: str | None
    syntactic: bool | None
    schematic: bool | None
    service_name: str
    environment: str
    attempts: int
    """How often its evaluation began, before this time."""
    received_ns: int
    payload: bytes | None

    @property
    def generation_id(self) -> str:
        """The id of its generation without the flags: trace and span."""
        return f"00-{self.trace_id}-{self.span_id}"

    @property
    def origin(self) -> Origin:
        """The service that made it."""
        return Origin(self.workspace, self.service_name, self.environment)


@dataclass(frozen=True, slots=True)
class Reported:
    """What was said later about a queued unit."""

    kind: ReportKind
    record_id: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Joinable:
    """A report whose unit is known, and the unit as it stands."""

    unit: Undecided
    record_id: str
    kind: ReportKind
    is_negative: bool
    payload: bytes | None
    occurred_ns: int
    state: UnitState
    reason: str | None
    has_payload: bool
    """The unit's texts have not expired."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A stored unit about which sampling has to decide, again or for the first time."""

    unit_id: int
    workspace: str
    trace_id: str
    verdict: str | None
    outcome: str | None
    head_probability: float | None
    randomness: int | None
    service_name: str
    environment: str

    @property
    def origin(self) -> Origin:
        """The service that made it."""
        return Origin(self.workspace, self.service_name, self.environment)


@dataclass(frozen=True, slots=True)
class Transition:
    """The new state of a stored unit."""

    unit_id: int
    state: UnitState
    reason: str | None
    state_ns: int


@dataclass(frozen=True, slots=True)
class Sampled:
    """What sampling decided about a stored unit, and the state that this leads to."""

    unit_id: int
    rule: str
    probability: float | None
    transition: Transition | None
    """None: it keeps its state."""
