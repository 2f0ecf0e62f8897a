"""Filters that people of a workspace saved under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from sqlobs_collector.store.saved_views import SavedViewReader


class SavedViewRequest(BaseModel):
    """Filters to save."""

    name: str = Field(min_length=1, max_length=100)
    query: str = Field(max_length=2000)
    """As an address has them: `verdict=failed&since=7d`; empty: the saved ones are deleted."""


class SavedView(BaseModel):
    """Saved filters."""

    name: str
    query: str


class SavedViews(BaseModel):
    """The saved filters of a workspace, by name."""

    views: list[SavedView]


def saved_views(reader: SavedViewReader, workspace: str) -> SavedViews:
    """Return the saved filters of a workspace."""
    found = reader.all(workspace)
    return SavedViews(views=[SavedView(name=name, query=query) for name, query in found])
