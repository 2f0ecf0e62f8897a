"""Users' feedback from anywhere, also from pages of other origins."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from sqlobs_collector.admin.access import Known, reader
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.errors import (
    ForbiddenError,
    IntakeError,
    PermanentError,
    RetryableError,
    TooLargeError,
    UnauthenticatedError,
)
from sqlobs_collector.receiver.feedback import MOST_BYTES, Feedback

if TYPE_CHECKING:
    from collections.abc import Mapping

router = APIRouter()

_PATH: Final = "/v1/feedback"
_ANY: Final = "*"
_SCHEMA: Final = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": Feedback.model_json_schema()}},
    }
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}
_STATUS: Final[Mapping[type[IntakeError], HTTPStatus]] = {
    UnauthenticatedError: HTTPStatus.UNAUTHORIZED,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    RetryableError: HTTPStatus.SERVICE_UNAVAILABLE,
    PermanentError: HTTPStatus.BAD_REQUEST,
}


@router.options(_PATH, include_in_schema=False)
def preflight(request: Request, sources: Known) -> Response:
    """Tell a browser whether a page may send feedback."""
    allowed = _allowed(request, sources)
    headers = {**allowed, **_PREFLIGHT} if allowed else {}
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)


@router.post(_PATH, openapi_extra=_SCHEMA, status_code=HTTPStatus.ACCEPTED)
async def feedback(request: Request, sources: Known) -> Response:
    """Store feedback on an answer; it is on disk when the response arrives.

    The response does not tell whether the collector knows the answer.
    """
    headers = _allowed(request, sources)
    try:
        await _accept(request, sources)
    except IntakeError as error:
        return _refusal(error, headers)
    return JSONResponse({"stored": True}, HTTPStatus.ACCEPTED, headers)


async def _accept(request: Request, sources: Sources) -> None:
    origin = request.headers.get("origin")
    if origin is not None and origin != _own(request) and not _allowed(request, sources):
        raise ForbiddenError(
            f"pages of {origin[:100]} may not send feedback: add the origin to feedback.origins"
        )
    sender = await reader("feedback")(request)
    token = hashlib.sha256(request.headers.get("authorization", "").encode()).hexdigest()
    sources.feedback.count(token, _address(request))
    said = _parsed(await _body(request))
    await sources.feedback.intake.accept(sender.workspace, said)


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"the body is larger than {MOST_BYTES} bytes")
    return body


def _parsed(body: bytes) -> Feedback:
    try:
        return Feedback.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the body"
        raise PermanentError(f"{place}: {first['msg']}") from None


def _refusal(error: IntakeError, headers: Mapping[str, str]) -> Response:
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    more = {}
    if isinstance(error, RetryableError):
        more["Retry-After"] = str(error.retry_after_s)
        if error.reason == "rate":
            status = HTTPStatus.TOO_MANY_REQUESTS
    if status == HTTPStatus.UNAUTHORIZED:
        more["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": str(error)}, status, {**headers, **more})


def _allowed(request: Request, sources: Sources) -> dict[str, str]:
    """Return the headers that let a page of the request's origin read the response."""
    origin, origins = request.headers.get("origin"), sources.feedback.origins
    if origin is None or not {origin, _ANY} & set(origins):
        return {}
    return {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}


def _own(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def _address(request: Request) -> str:
    """Return whom a rate limit counts: an address, or the network of an IPv6 address."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(int(address) >> 64)
    return host
