"""Ask a system under test all questions of a set, and write what it answers as a run.

Tests: `tests/evaluation/test_generation.py`.
"""
