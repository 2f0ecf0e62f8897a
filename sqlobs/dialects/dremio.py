"""Dremio."""

from __future__ import annotations

from typing import Final

from sqlobs.dialects.base import Connections, Dialect

DIALECT: Final = Dialect(name="dremio", connections=Connections(sqlalchemy=("dremio",)))
