"""The section of the console."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from sqlobs_collector.settings import values

_WEB: Final = frozenset({"http", "https"})


def _address(template: str) -> str:
    """Reject what a browser would run, such as `javascript:`."""
    parts = urlsplit(template)
    if parts.scheme not in _WEB or not parts.netloc or "{" in parts.netloc:
        raise ValueError("must be an address such as http://jaeger:16686/trace/{trace_id}")
    return template


LinkTemplate: TypeAlias = Annotated[str, AfterValidator(_address)]


class Console(values.Section):
    """What the console's pages show."""

    links: dict[str, LinkTemplate] = Field(
        default_factory=dict,
        description="Addresses of a request in other tools, by name, as in `Jaeger:"
        " http://jaeger:16686/trace/{trace_id}`; `{trace_id}`, `{span_id}` and `{occurred_ms}` are"
        " replaced.",
    )
