"""How the intake refuses: for good, or for now.

Stages raise these; only the receivers translate them to HTTP and gRPC.

IntakeError
├── PermanentError
│   ├── UnauthenticatedError
│   ├── ForbiddenError
│   ├── TooLargeError
│   └── UnsupportedError
└── RetryableError
    └── LateBodyError
"""

from __future__ import annotations

MAX_RETRY_AFTER_S = 5
"""A longer wait makes the Python SDK drop its batch at once: it exceeds the exporter's deadline."""


class IntakeError(Exception):
    """A request was not accepted."""

    reason = "error"
    """The label of the rejection counter."""


class PermanentError(IntakeError):
    """The request is wrong; sending it again cannot help."""

    reason = "malformed"


class UnauthenticatedError(PermanentError):
    """No credential, or one that belongs to no workspace."""

    reason = "unauthenticated"


class ForbiddenError(PermanentError):
    """The credential is known and lacks the right."""

    reason = "forbidden"


class TooLargeError(PermanentError):
    """The body is larger than allowed, counted after decompression."""

    reason = "too_large"


class UnsupportedError(PermanentError):
    """The content type or encoding is not one that the receiver reads."""

    reason = "unsupported"


class RetryableError(IntakeError):
    """The collector cannot store the request now; nothing of it was kept."""

    def __init__(self, message: str, *, reason: str, retry_after_s: int = 1) -> None:
        if not 1 <= retry_after_s <= MAX_RETRY_AFTER_S:
            raise ValueError(retry_after_s)
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(message)


class LateBodyError(RetryableError):
    """The body did not arrive in time: anyone who dribbles must not hold a connection for ever."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"the body did not arrive within {timeout_s:g} s", reason="slow")
