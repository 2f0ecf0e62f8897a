"""The settings of each stage: one model per section of the configuration.

Tests: `tests/collector/test_config.py`.
Tests of evaluating: `tests/collector/test_evaluation.py`.
Tests of origins: `tests/console/test_settings.py`.
"""

from __future__ import annotations
