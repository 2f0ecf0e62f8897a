"""The store: units, their evaluations and reports, and the journal's projection state.

`portable` and `systems` have what differs between SQLite and PostgreSQL, `embedded` and `server`
how each is opened; everything else is written once.

Tests: `tests/collector/test_store.py`.
Tests of moving, server: `tests/collector/test_two_stores.py`.
Tests of judge_rows, question: `tests/collector/test_judging.py`.
Tests of judge_queue, reports, rows, writing: `tests/collector/test_quality.py`.
Tests of export, feedback, reading: `tests/collector/test_references.py`.
Tests of journals, payload: `tests/collector/test_units.py`.
Tests of archiving: `tests/collector/test_archive.py`.
Tests of intake: `tests/collector/test_quotas.py`.
Tests of sdk_series: `tests/collector/test_shared_series.py`.
Tests of erasing, erasures: `tests/collector/test_erasure.py`.
Tests of comparison, failures, requests, saved_views: `tests/collector/test_requests.py`.
Tests of searchable, selection: `tests/collector/test_requests.py`.
"""

from __future__ import annotations
