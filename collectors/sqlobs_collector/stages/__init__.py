"""The stages of a process, each started if the process has its role.

Tests: `tests/collector/test_roles.py`.
"""

from __future__ import annotations
