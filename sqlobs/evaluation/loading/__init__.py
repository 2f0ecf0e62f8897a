"""Loads cases from all common file formats; errors name the location.

Tests: `tests/evaluation/test_loading.py`.
Tests of predictions: `tests/cli/test_check_command.py`.
Tests of run_files: `tests/evaluation/test_generation.py`.
"""
