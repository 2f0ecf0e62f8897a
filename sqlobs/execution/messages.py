"""What parent and worker say to each other, and how it is written on their socket.

The worker handles untrusted SQL, so the parent reads its messages with an unpickler that knows the
classes below and those of cells, and calls nothing else. The reports that every statement causes
are written as a number and their fields: a pickle of plain values takes a third of the time.
"""

from __future__ import annotations

import datetime as dt
import decimal
import io
import pickle
import struct
import uuid
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sqlobs.execution.budget import Usage
from sqlobs.metrics.digest import TableDigest
from sqlobs.metrics.ordering import Ordering
from sqlobs.metrics.statement_parts import SqlShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.execution.admission import Refusal
    from sqlobs.execution.target import Limits, Target
    from sqlobs.execution.volatility import Volatility
    from sqlobs.types import Row

HEADER: Final = struct.Struct("!Q")
"""The length of the frame that follows."""

BRIEF_BYTES: Final = 16 * 1024
"""The frames of an answer that is remembered, by both sides, where its statement comes again."""


Backend: TypeAlias = int | str
"""Who runs a statement on a server: the number of its process, or the id of its query."""


@dataclass(frozen=True, slots=True)
class Open:
    """Connect to a target and keep it."""

    target: Target
    environment: Mapping[str, str]
    """The variables that the target's driver may read."""


@dataclass(frozen=True, slots=True)
class Close:
    """Give up the connection to a target."""

    alias: str


@dataclass(frozen=True, slots=True)
class Settle:
    """End backends of a target that another worker left behind, and say which of them continue."""

    target: Target
    environment: Mapping[str, str]
    backends: tuple[Backend, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """Run statements one after the other in one snapshot of an open target."""

    alias: str
    statements: tuple[tuple[str, Limits], ...]
    session: Mapping[str, str]
    is_patient: bool = False
    """How a statement ended may be said when the next one starts; one that comes again need not be
    run again."""
    digest: Digesting | None = None
    """Rows are not sent but digested, as many as there are."""


@dataclass(frozen=True, slots=True)
class Digesting:
    """What a digest of rows has to know."""

    keys: tuple[int, ...] | None = None
    """Positions of the sort keys; None = every row has its place."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has started, or a target is open."""

    backend: Backend | None = None
    """Who runs the statements on the server, by the server's number, where that may outlive us."""
    warnings: tuple[str, ...] = ()
    """What the role's set-up lacks."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Backends that were to end have ended."""

    survivors: tuple[Backend, ...]
    """Those that have not."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The target is unavailable; this is no verdict on a statement."""

    message: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The open connection is of no use any more; opening it again may help."""

    message: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """The statement passed the gate and starts now."""

    ordering: Ordering
    volatile: frozenset[Volatility]
    backend: Backend | None = None
    """Who runs it on the server, as in `Ready`."""
    shape: SqlShape | None = None
    """Counts of its parts, where its tree is known."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The gate did not let the statement pass."""

    refusal: Refusal
    detail: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of the result, in order."""

    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Finished:
    """The statement ran; its rows went before."""

    columns: tuple[str, ...]
    is_truncated: bool
    elapsed_s: float
    usage: Usage | None = None
    """What it cost; None: only its time is known."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same statement ran before in this snapshot; its answer, which was brief, holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The engine did not run the statement to its end."""

    status: Literal["error", "timeout"]
    message: str
    engine_class: str
    failure_code: str
    sqlstate: str | None = None
    is_fault: bool = False
    is_exhausted: bool = False
    """Memory ran out: the worker is not to be used again."""
    elapsed_s: float = 0.0
    usage: Usage | None = None


Order: TypeAlias = Open | Close | Settle | Run
Ending: TypeAlias = Finished | Failed | Stopped | Unavailable
Report: TypeAlias = Ready | Settled | Lost | Admitted | Chunk | TableDigest | Repeated | Ending

_REPORTS: Final = (
    *(Ready, Settled, Unavailable, Lost, Admitted, Stopped, Chunk, TableDigest, Finished, Failed),
    Repeated,
)
_CELLS: Final = (
    dt.date,
    dt.datetime,
    dt.time,
    dt.timedelta,
    dt.timezone,
    decimal.Decimal,
    frozenset,
    uuid.UUID,
    uuid.SafeUUID,
)


def known_classes(*kinds: type) -> Mapping[tuple[str, str], type]:
    """Return classes by the names that a pickle has for them: these, and those of cells."""
    every = (*kinds, *_CELLS, Ordering, SqlShape, Usage)
    return {(kind.__module__, kind.__qualname__): kind for kind in every}


_KNOWN: Final = known_classes(*_REPORTS)


class ProtocolError(Exception):
    """The worker sent a message that is not in the protocol."""


class Reader(pickle.Unpickler):
    """Reads a pickle of known classes only."""

    def __init__(
        self, body: bytes | bytearray, known: Mapping[tuple[str, str], type] = _KNOWN
    ) -> None:
        super().__init__(io.BytesIO(body))
        self._known = known

    def find_class(self, module: str, name: str) -> object:
        """Return a known class.

        Raises:
            ProtocolError: it is unknown.
        """
        try:
            return self._known[module, name]
        except KeyError:
            raise ProtocolError(f"a worker named {module}.{name}") from None


def flat_ordering(ordering: Ordering) -> tuple[object, ...]:
    """Return the fields of an ordering, which `Ordering(*fields)` takes."""
    return ordering.is_ordered, ordering.keys


def flat_shape(shape: SqlShape | None) -> tuple[Any, ...] | None:
    """Return the fields of a shape, which `shape_of` takes."""
    return None if shape is None else _of_shape(shape)


def shape_of(counts: tuple[Any, ...] | None) -> SqlShape | None:
    """Return the shape that `flat_shape` wrote."""
    return None if counts is None else SqlShape(*counts)


_of_shape: Final = attrgetter(*(field.name for field in fields(SqlShape)))


def encode(message: Order | Report) -> bytes:
    """Write a message as one frame: its length, then itself."""
    flat: object = message
    if isinstance(message, Admitted):
        ordering, shape = flat_ordering(message.ordering), flat_shape(message.shape)
        flat = 0, ordering, message.volatile, message.backend, shape
    elif isinstance(message, Chunk):
        flat = 1, message.rows
    elif isinstance(message, Finished):
        flat = 2, message.columns, message.is_truncated, message.elapsed_s, message.usage
    elif isinstance(message, Repeated):
        flat = (3,)
    body = pickle.dumps(flat, protocol=5)
    return HEADER.pack(len(body)) + body


_FLAT: Final = (Admitted, Chunk, Finished, Repeated)
"""The kinds of reports by their numbers."""


def _of_flat(flat: tuple[Any, ...]) -> Report:
    """Return the report that is written as a number and its fields."""
    number, *parts = flat
    if number == 0:
        ordering, volatile, backend, shape = parts
        return Admitted(Ordering(*ordering), volatile, backend, shape_of(shape))
    kind: Any = _FLAT[number]
    report: Report = kind(*parts)
    return report


def decode_report(body: bytes | bytearray) -> Report:
    """Read what a worker said.

    Raises:
        ProtocolError: It is no message of a worker.
    """
    try:
        found = Reader(body).load()
        report: Report = _of_flat(found) if type(found) is tuple else found
    except ProtocolError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise ProtocolError("a worker sent a message that cannot be read") from error
    if not isinstance(report, _REPORTS):
        raise ProtocolError("a worker sent a message without a type")
    return report


def decode_order(body: bytes | bytearray) -> Order:
    """Read what the parent said; the worker trusts it."""
    order: Order = pickle.loads(body)  # noqa: S301 - from our own parent, over a private socket
    return order


def joined(chunks: Iterable[Chunk]) -> list[Row]:
    """Return the rows of all chunks."""
    return [row for chunk in chunks for row in chunk.rows]
