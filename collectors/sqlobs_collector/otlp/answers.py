"""The bodies of OTLP answers: a response, or a `google.rpc.Status`, as protobuf or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import orjson
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, status_pb2
from google.rpc.error_details_pb2 import RetryInfo

from sqlobs_collector.errors import (
    ForbiddenError,
    IntakeError,
    RetryableError,
    TooLargeError,
    UnauthenticatedError,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from sqlobs_collector.otlp.signals import Signal

_CODES: Final[tuple[tuple[type[IntakeError], int], ...]] = (
    (RetryableError, code_pb2.UNAVAILABLE),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (ForbiddenError, code_pb2.PERMISSION_DENIED),
    (TooLargeError, code_pb2.RESOURCE_EXHAUSTED),
    (IntakeError, code_pb2.INVALID_ARGUMENT),
)

Form = Literal["protobuf", "json"]
"""Body encodings; a response uses its request's encoding."""


def accepted(signal: Signal, *, rejected: int, message: str, form: Form) -> bytes:
    """Return the answer to an accepted request; empty when every record was accepted."""
    if not rejected:
        return b"{}" if form == "json" else b""
    if form == "json":
        head, *rest = signal.rejected.split("_")
        name = head + "".join(part.title() for part in rest)
        return orjson.dumps({"partialSuccess": {name: str(rejected), "errorMessage": message}})
    response: Message = signal.response(
        partial_success={signal.rejected: rejected, "error_message": message}
    )
    return response.SerializeToString()


def refused(error: IntakeError, *, form: Form) -> bytes:
    """Return the `google.rpc.Status` of a request that was not accepted."""
    status = status_of(error)
    if form == "json":
        return orjson.dumps({"code": status.code, "message": status.message})
    return bytes(status.SerializeToString())


def status_of(error: IntakeError) -> status_pb2.Status:
    """Return the status of an error, with the time to retry after where there is one."""
    status = status_pb2.Status(code=_code(error), message=str(error))
    if isinstance(error, RetryableError):
        status.details.add().Pack(retry_info(error))
    return status


def retry_info(error: RetryableError) -> RetryInfo:
    """Return how long to wait before the request is sent again."""
    return RetryInfo(retry_delay=Duration(seconds=error.retry_after_s))


def _code(error: IntakeError) -> int:
    return next(code for kind, code in _CODES if isinstance(error, kind))
