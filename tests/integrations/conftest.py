"""The rig and the checks of the tests of tracing."""

from __future__ import annotations

from tests.tracing.conftest import faults, no_faults, rig, warm_checker

__all__ = ["faults", "no_faults", "rig", "warm_checker"]
