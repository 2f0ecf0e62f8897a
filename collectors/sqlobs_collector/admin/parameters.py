"""Descriptions of parameters that endpoints parse themselves."""

from __future__ import annotations

from typing import Any


def described(*names: str) -> dict[str, Any]:
    """Return what the OpenAPI document says of parameters that are texts."""
    text = {"type": "string"}
    return {"parameters": [{"name": name, "in": "query", "schema": text} for name in names]}
