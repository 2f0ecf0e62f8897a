"""The settings in effect, and whether targets and judge respond."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from sqlobs_collector.admin.access import CanAdmin, Known, Reader
from sqlobs_collector.admin.sources import Sources
from sqlobs_collector.views.settings import SettingsView, own_targets, settings_view

router = APIRouter(tags=["settings"])

Probe = Annotated[bool, Query(description="Connect to targets and judge now.")]


@router.get("/v1/settings")
def settings(reader: CanAdmin, sources: Known, probe: Probe = False) -> SettingsView:  # noqa: FBT002 - a query parameter
    """Return the settings in effect with their origins, and the tokens without their values."""
    return settings_of(reader, sources, is_probed=probe)


def settings_of(reader: Reader, sources: Sources, *, is_probed: bool) -> SettingsView:
    """Return the settings that a client may see.

    Raises:
        BusyError: Another client is probing.
    """
    config, workspaces = sources.config, [reader.workspace]
    shown = config if reader.is_operator else own_targets(config, workspaces)
    return settings_view(
        config,
        sources.origins,
        workspaces,
        is_operator=reader.is_operator,
        probes=sources.prober.findings(shown) if is_probed else None,
    )
