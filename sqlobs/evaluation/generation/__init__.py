"""Sends all questions of a set to a system under test and writes the answers as a run.

Tests: `tests/evaluation/test_generation.py`.
Tests of directory, model, placeholders, plan, prompts: `tests/evaluation/test_models.py`.
"""
