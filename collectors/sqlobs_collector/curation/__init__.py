"""What people decide: golden cases, labels of the review queue, findings that they call wrong.

Tests of golden_editor, golden_runs: `tests/collector/test_golden.py`.
Tests of calibrating, review_queue: `tests/collector/test_review.py`.
Tests of review_sampling, wrong_findings: `tests/collector/test_review.py`.
"""

from __future__ import annotations
