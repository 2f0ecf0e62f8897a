"""Profiles of the search for counterexamples, and the order of the suite.

No example has a deadline: the first one may load a parser, and a busy machine is slow. Hypothesis
would call such a test flaky, for the same example is faster when it is tried once more.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    import pytest

_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("brief", settings.get_profile("ci"), max_examples=10, **_UNTIMED)
settings.register_profile("suite", **_UNTIMED)
settings.load_profile("suite")  # `--hypothesis-profile` comes later and wins

_STATE = tempfile.mkdtemp(prefix="sqlobs-state-")
os.environ["XDG_STATE_HOME"] = _STATE
"""Collectors of the tests link their tokens here, not below the home of anyone who runs the tests."""

os.environ.setdefault("SQLOBS_CHECK", "application")
"""A checking process takes half a second to start: tests that are about it ask for it."""


_LONGEST = ("benchmarks", "demo", "monitoring", "tracing", "evaluation", "collector")
"""Directories whose files take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start what takes longest, so that no worker is left alone with it at the end."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    directory = item.nodeid.split("/")[1]
    return _LONGEST.index(directory) if directory in _LONGEST else len(_LONGEST)


def pytest_unconfigure() -> None:
    """Forget the links."""
    shutil.rmtree(_STATE, ignore_errors=True)
