"""From a queued unit to its scores, or to the reasons for missing ones.

Tests: `tests/collector/test_evaluation.py`.
Tests of judge_queue: `tests/collector/test_judging.py`.
Tests of reachability: `tests/collector/test_probing.py`.
Tests of golden: `tests/collector/test_references.py`.
Tests of cases: `tests/collector/test_service.py`.
"""

from __future__ import annotations
