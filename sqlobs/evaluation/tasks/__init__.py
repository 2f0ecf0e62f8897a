"""LiveSQLBench's tasks: statements that may write, and test cases, in a throw-away database.

Tests: `tests/evaluation/test_tasks.py`.
"""
