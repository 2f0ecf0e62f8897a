"""Integrations with other libraries: one public module for each.

`dbapi`, `langchain`, `openai` and `sqlalchemy` import their library on first use.

Tests: `tests/integrations/test_databases.py`.
"""
