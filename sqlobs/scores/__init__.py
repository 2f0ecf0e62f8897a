"""The registry of scores, and the code that the collector and `sqlobs evaluate` score with.

Tests: `tests/scores/test_scoring.py`.
Tests of comparison: `tests/evaluation/test_session.py`.
Tests of score: `tests/scores/test_registry.py`.
"""
