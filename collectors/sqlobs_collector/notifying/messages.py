"""What a webhook is sent: Alertmanager's own form, or Slack's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.monitoring.notices import Notice

Form = Literal["alertmanager", "slack"]
Status = Literal["firing", "resolved"]
_LINKS: Final = (
    ("console_url", "Explanation"),
    ("dashboard_url", "Dashboard"),
    ("runbook_url", "Runbook"),
)
_NAMED: Final = ("model", "prompt_version", "failure_code")
_NEVER: Final = "0001-01-01T00:00:00Z"
"""As Alertmanager writes the end of what has not ended."""


@dataclass(frozen=True, slots=True)
class Message:
    """An alert that begins or ends."""

    notice: Notice
    status: Status
    starts_ns: int
    ends_ns: int | None = None


def body_of(messages: Sequence[Message], form: Form) -> dict[str, object]:
    """Return the JSON document of some messages."""
    if form == "slack":
        return {"text": "\n\n".join(map(_text, messages))}
    is_firing = any(each.status == "firing" for each in messages)
    return {
        "version": "4",
        "receiver": "sqlobs",
        "status": "firing" if is_firing else "resolved",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "alerts": [_alert(each) for each in messages],
    }


def _alert(message: Message) -> dict[str, object]:
    return {
        "status": message.status,
        "labels": dict(message.notice.labels),
        "annotations": dict(message.notice.annotations),
        "startsAt": _time(message.starts_ns),
        "endsAt": _NEVER if message.ends_ns is None else _time(message.ends_ns),
    }


def _text(message: Message) -> str:
    labels, said = message.notice.labels, message.notice.annotations
    named = [f"{name.replace('_', ' ')} `{said[name]}`" for name in _NAMED if said.get(name)]
    links = [f"<{said[name]}|{title}>" for name, title in _LINKS if said.get(name)]
    lines = [
        f"*[{message.status.upper()}] {labels['alertname']}* ({labels['severity']})",
        _escaped(said["summary"]),
        _escaped(", ".join(named)),
        " · ".join(links),
    ]
    return "\n".join(line for line in lines if line)


def _escaped(text: str) -> str:
    """Return a text without Slack's control characters."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _time(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 10**9, UTC).isoformat().replace("+00:00", "Z")
