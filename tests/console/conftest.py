from __future__ import annotations

import pytest

from tests.collector.conftest import collector, launch, launching, shop, store_kind
from tests.console.scene import playing

__all__ = ["collector", "launch", "scene", "shop", "store_kind"]


@pytest.fixture(scope="module")
def scene(tmp_path_factory, shop):
    """A collector with something on every page, for all tests of a module that change nothing."""
    with launching(tmp_path_factory.mktemp("scene")) as start, playing(start, shop) as played:
        yield played
