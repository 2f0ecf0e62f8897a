"""Evaluates many stored units again, beside the collector: `backfill --engine plain|ray`.

A runner takes chunks of units and returns one row a unit. The work on a chunk reads its units,
scores them as the evaluator does, and stores the results before the chunk counts as done: a
finished unit is not evaluated again after an interruption.
Tests: `tests/collector/test_backfilling.py`.
"""
