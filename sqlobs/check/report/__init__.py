"""The result of a check: findings, labels, and the texts derived from them.

Tests: `tests/check/test_checker.py`.
Tests of logged_once: `tests/check/test_hostile.py`.
Tests of derived_text: `tests/check/test_masking.py`.
Tests of message_masking: `tests/check/test_messages.py`.
Tests of conclusion: `tests/check/test_rules.py`.
"""

from __future__ import annotations
