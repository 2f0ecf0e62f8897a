"""A session of `requests` with limits on responses, for OpenTelemetry's HTTP exporters.

The exporters read a response of any size. Tests: `tests/telemetry/test_responses.py`.
"""

from __future__ import annotations

from typing import Any, Final

import requests

from sqlobs.errors import ResponseError
from sqlobs.responses import gathered

_MOST_BYTES: Final = 256 * 1024
_CHUNK_BYTES: Final = 16 * 1024
_READ_S: Final = 10.0


class BoundedSession(requests.Session):
    """Limits the size of a response, and the time for reading it."""

    def send(
        self,
        request: requests.PreparedRequest,
        **kwargs: Any,  # noqa: ANN401 - the interface's
    ) -> requests.Response:
        """Send a request, and read its response within the limits.

        Raises:
            requests.exceptions.ContentDecodingError: The response is larger, or takes longer.
        """
        response = super().send(request, **{**kwargs, "stream": True})
        try:
            chunks = response.raw.stream(_CHUNK_BYTES, decode_content=False)
            content = gathered(chunks, most_bytes=_MOST_BYTES, within_s=_READ_S)
        except ResponseError as error:
            raise requests.exceptions.ContentDecodingError(str(error)) from error
        finally:
            response.close()
        response._content = content  # noqa: SLF001 - where `requests` keeps what has been read
        return response
