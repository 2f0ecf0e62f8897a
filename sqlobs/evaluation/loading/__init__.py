"""Cases from files of every usual form; what is broken is named with its place.

Tests: `tests/evaluation/test_loading.py`.
Tests of predictions: `tests/cli/test_check_command.py`.
Tests of run_files: `tests/evaluation/test_generation.py`.
"""
