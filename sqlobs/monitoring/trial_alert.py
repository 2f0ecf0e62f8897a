"""A real alert, sent to an Alertmanager: does it reach the one who is to be woken?

Tests: `tests/monitoring/test_trial_alert.py`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError, ResponseError
from sqlobs.responses import ACCEPTED, body_of
from sqlobs.urls import shown_url

if TYPE_CHECKING:
    from sqlobs.monitoring.notices import Notice

_PATIENCE_S: Final = 10.0
_MOST_BYTES: Final = 64 * 1024
_OK: Final = 200


def fire(alertmanager: str, notice: Notice, *, lasts_s: int) -> None:
    """Send an alert to Alertmanager, which resolves it after a while.

    Raises:
        InputError: Nothing answers, or the alert is rejected.
    """
    import httpx

    where = shown_url(alertmanager)
    url = f"{alertmanager.rstrip('/')}/api/v2/alerts"
    headers = {"Content-Type": "application/json", **ACCEPTED}
    try:
        with (
            httpx.Client(timeout=_PATIENCE_S) as client,
            client.stream("POST", url, content=_body(notice, lasts_s), headers=headers) as response,
        ):
            said = body_of(response, most_bytes=_MOST_BYTES, within_s=_PATIENCE_S)
            status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL, ResponseError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"cannot reach Alertmanager at {where}: {reason}") from None
    if status != _OK:
        reason = said.decode(errors="replace")[:200].strip()
        raise InputError(f"Alertmanager at {where} rejects the alert ({status}): {reason}")


def _body(notice: Notice, lasts_s: int) -> str:
    now = datetime.now(UTC)
    alert = {
        "labels": dict(notice.labels),
        "annotations": dict(notice.annotations),
        "startsAt": now.isoformat(),
        "endsAt": (now + timedelta(seconds=lasts_s)).isoformat(),
    }
    return json.dumps([alert])
