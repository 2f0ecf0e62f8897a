"""The durable log of received records: files of frames with checksums.

Tests: `tests/collector/test_journal.py`.
Tests of frame, held, log, mark, segment: `tests/collector/test_journal_damage.py`.
Tests of scrub: `tests/collector/test_service.py`.
Tests of reader: `tests/collector/test_units.py`.
Tests of rewriting: `tests/collector/test_erasure.py`.
"""

from __future__ import annotations
