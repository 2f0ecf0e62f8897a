from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).parents[2]
