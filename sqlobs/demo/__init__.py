"""A small but real text-to-SQL service, decorated as a user would, started by `sqlobs demo`.

Tests: `tests/demo/test_demo_command.py`.
Tests of otlp: `tests/demo/test_receiver.py`.
Tests of collected, collector, judge, session: `tests/demo/test_report.py`.
Tests of catalog, shop_rows: `tests/demo/test_shop.py`.
Tests of rendering: `tests/demo/test_summary.py`.
Tests of loopback: `tests/integrations/test_openai.py`.
"""

from __future__ import annotations
