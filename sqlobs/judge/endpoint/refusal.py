"""Failed calls: the meaning of a server's status or of a broken connection."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlobs.failure_codes import Reason
    from sqlobs.judge.endpoint.config import EndpointConfig

_TOO_LARGE: Final = ("context_length", "context length", "maximum context", "too many tokens")
_MAX_QUOTED: Final = 200
_MAX_READ: Final = 4_000
_RETRYABLE: Final = frozenset({408, 409, 425, 429})
_SERVER_ERROR: Final = 500
_SENTENCES: Final[Mapping[int, str]] = {
    401: "the endpoint rejects the API key (401); set a valid one",
    402: "the endpoint requires payment (402); check the account",
    403: "the API key is not allowed to use the model or the endpoint (403)",
    404: "the endpoint has no model {model}, or base_url lacks its /v1 (404)",
    413: "the request is too large for the endpoint (413)",
    429: "the endpoint's rate limit is exceeded (429)",
}


class TooLargeAnswer(Exception):  # noqa: N818 - it says what came, and is raised into the client
    """A response exceeds the maximum size and was not read completely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A failed call."""

    reason: Reason
    message: str
    status: int | None = None
    """HTTP status; None without a response."""
    is_passing: bool = True
    """Whether the same call may succeed later."""
    is_lasting: bool = False
    """Whether every call will fail until the configuration or the account changes."""
    is_too_large: bool = False
    was_sent: bool = True
    """Whether the server may have processed and billed it."""
    retry_after_s: float | None = None


def refusal_of(error: BaseException, config: EndpointConfig) -> Refusal:
    """Return the failure that an exception of the client stands for."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return _of_status(error, config)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Refusal(reason="timeout", message=f"no answer within {config.timeout_s:g} s")
    if isinstance(error, openai.APIConnectionError | TooLargeAnswer):
        return _of_connection(error)
    return Refusal(
        reason="judge_malformed",
        message=f"the endpoint's response cannot be read ({type(error).__name__})",
    )


def _of_status(error: object, config: EndpointConfig) -> Refusal:
    status = int(getattr(error, "status_code", 0))
    body = _text(error, config.key)
    retry_after_s = _retry_after(getattr(getattr(error, "response", None), "headers", {}))
    is_too_large = status == 413 or any(word in body for word in _TOO_LARGE)  # noqa: PLR2004 - Content Too Large
    has_no_credit = "insufficient_quota" in body
    message = _SENTENCES.get(status, f"the endpoint returned status {status}").format(
        model=config.model
    )
    if has_no_credit:
        message = "the account has no credit left (insufficient_quota); add credit"
    elif status not in _SENTENCES and body:
        message = f"{message}: {body[:_MAX_QUOTED]}"
    return Refusal(
        reason="too_large" if is_too_large else "judge_unavailable",
        message=message,
        status=status,
        is_passing=(status in _RETRYABLE or status >= _SERVER_ERROR) and not has_no_credit,
        is_lasting=status in {401, 402, 403, 404} or has_no_credit,
        is_too_large=is_too_large,
        was_sent=False,
        retry_after_s=retry_after_s,
    )


def _text(error: object, key: str | None) -> str:
    """Return the code and message of an error body, on one line, with API keys masked."""
    body = getattr(error, "body", None)
    parts = [body.get("code"), body.get("message")] if isinstance(body, dict) else [body]
    text = " ".join(str(part)[:_MAX_READ] for part in parts if part)
    return printable(text.replace(key, "[key]") if key else text)


def _of_connection(error: BaseException) -> Refusal:
    for cause in _causes(error):
        if isinstance(cause, TooLargeAnswer):
            return Refusal(reason="judge_malformed", message=str(cause), is_passing=False)
        if isinstance(cause, ssl.SSLError) or "CERTIFICATE_VERIFY" in str(cause):
            return Refusal(
                reason="judge_unavailable",
                message="the endpoint's certificate is not trusted; set ca_file to its issuer's"
                " certificate",
                is_passing=False,
                is_lasting=True,
                was_sent=False,
            )
    return Refusal(
        reason="judge_unavailable",
        message="the endpoint cannot be reached; check that it is up and that base_url is correct",
        was_sent=False,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from milliseconds, seconds or a date."""
    millis, retry_after = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    try:
        if millis:
            return max(0.0, float(millis) / 1000)
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:
        return _until(retry_after, headers.get("date") or formatdate(usegmt=True))


def _until(date: str, now: str) -> float | None:
    """Return the seconds until a date, by the server's clock if the response states it."""
    try:
        return max(0.0, (parsedate_to_datetime(date) - parsedate_to_datetime(now)).total_seconds())
    except (ValueError, TypeError):
        return None
