"""A rule's alert with its templates filled, where no Prometheus does it.

Tests: `tests/monitoring/test_trial_alert.py`, `tests/collector/test_notifying.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from sqlobs.monitoring.annotations import AT

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEMPLATE: Final = re.compile(
    # {{ $labels.service_name | urlquery }}
    r"\{\{\s*\$labels\.(?P<label>\w+)\s*(?P<encoded>\|\s*urlquery)?\s*\}\}"
)
_LOOKED_UP: Final = re.compile(
    # {{ range query (printf `topk(1, …)`) }}{{ .Labels.gen_ai_request_model }}{{ end }}
    r"\{\{ range query .*?\{\{ \.Labels\.(?P<label>\w+) \}\}\{\{ end \}\}"
)
_VALUE: Final = re.compile(
    # {{ $value | humanizePercentage }}
    r"\{\{\s*\$value\s*(\|\s*(?P<form>\w+))?\s*\}\}"
)


@dataclass(frozen=True, slots=True)
class Notice:
    """An alert as it is sent to a webhook."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def notice_of(
    rule: Mapping[str, Any],
    labels: Mapping[str, str],
    *,
    value: float | None,
    at_s: float,
    names: Mapping[str, str] | None = None,
) -> Notice:
    """Return a rule's alert at some labels.

    Args:
        rule: An alert of the rule file.
        labels: Those of the place where it fires.
        value: The value of its condition, such as a share.
        at_s: When it fires, in seconds since 1970.
        names: Labels that the rule looks up: model, prompt version, failure code. Those that are
            not known are left empty.
    """
    everywhere = {"alertname": rule["alert"], **rule["labels"], **labels}
    known = {**(names or {}), **everywhere}

    def shown(match: re.Match[str]) -> str:
        text = known.get(match["label"], "")
        return quote(text, safe="") if match.groupdict().get("encoded") else text

    def filled(text: str) -> str:
        for pattern in (_LOOKED_UP, _TEMPLATE):
            text = pattern.sub(shown, text)
        text = text.replace(AT, f"{at_s:.0f}")
        return _VALUE.sub(lambda match: _formatted(value, match["form"]), text)

    return Notice(everywhere, {name: filled(text) for name, text in rule["annotations"].items()})


def _formatted(value: float | None, form: str | None) -> str:
    if value is None:
        return "an unknown number"
    return f"{100 * value:.4g}%" if form == "humanizePercentage" else f"{value:.4g}"
