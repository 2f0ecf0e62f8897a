"""Rejections by the intake: permanent or retryable.

Stages raise these; only the receivers translate them to HTTP and gRPC.

IntakeError
├── PermanentError
│   ├── UnauthenticatedError
│   ├── ForbiddenError
│   ├── TooLargeError
│   └── UnsupportedError
└── RetryableError
    ├── BurstError
    └── LateBodyError
"""

from __future__ import annotations

MAX_RETRY_AFTER_S = 5
"""A longer delay exceeds the Python exporter's deadline, so that it drops its batch at once."""


class IntakeError(Exception):
    """A request was not accepted."""

    reason = "error"
    """The label of the rejection counter."""


class PermanentError(IntakeError):
    """The request is invalid; a retry cannot succeed."""

    reason = "malformed"


class UnauthenticatedError(PermanentError):
    """No credential, or one that belongs to no workspace."""

    reason = "unauthenticated"


class ForbiddenError(PermanentError):
    """The credential is known but lacks the right."""

    reason = "forbidden"


class TooLargeError(PermanentError):
    """The body is larger than allowed, counted after decompression."""

    reason = "too_large"


class UnsupportedError(PermanentError):
    """The content type or encoding is not supported."""

    reason = "unsupported"


class RetryableError(IntakeError):
    """The collector cannot store the request now; nothing was stored."""

    def __init__(self, message: str, *, reason: str, retry_after_s: int = 1) -> None:
        if not 1 <= retry_after_s <= MAX_RETRY_AFTER_S:
            raise ValueError(retry_after_s)
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(message)


class BurstError(RetryableError):
    """Requests of a workspace came faster than it may send them."""

    def __init__(self, workspace: str, per_second: int) -> None:
        super().__init__(
            f"workspace {workspace} sends more than {per_second:,} requests per second"
            " (quotas.burst_per_second): retry",
            reason="burst",
            retry_after_s=2,
        )


class LateBodyError(RetryableError):
    """The body did not arrive in time: a slow client must not hold a connection forever."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"the body did not arrive within {timeout_s:g} s", reason="slow")
