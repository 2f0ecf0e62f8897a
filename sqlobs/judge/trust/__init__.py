"""Reliability of a judge: agreement with humans, calibration, tuning, canaries.

Tests: `tests/judge/test_calibration.py`.
Tests of drawing: `tests/judge/test_sample.py`.
Tests of study: `tests/judge/test_agreement.py`.
Tests of canaries: `tests/judge/test_facts.py`.
"""
