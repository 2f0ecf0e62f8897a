"""The store: units, what is known of them, and how far the journal has been read.

Tests: `tests/collector/test_store.py`.
Tests of judge_rows, question: `tests/collector/test_judging.py`.
Tests of judge_queue, reports, rows, writing: `tests/collector/test_quality.py`.
Tests of export, feedback, reading: `tests/collector/test_references.py`.
Tests of journals, payload: `tests/collector/test_units.py`.
"""

from __future__ import annotations
