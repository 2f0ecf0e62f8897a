"""The origin of a record, which is part of every series' labels."""

from __future__ import annotations

from typing import Final, NamedTuple

DEFAULT_WORKSPACE: Final = "default"
"""The workspace of everything while no tokens are configured."""


class Origin(NamedTuple):
    """A service, as seen by one workspace; the order is that of the labels."""

    workspace: str
    service_name: str
    environment: str
    """The deployment environment; empty if not told, as is the name."""
