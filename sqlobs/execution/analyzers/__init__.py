"""Engines of warehouses that give verdicts in a process of their own, by extra.

`process` holds such a process; `program` is what runs in it: GoogleSQL (`googlesql`), Spark
(`spark`) or ClickHouse (`clickhouse`), each over empty tables that are made when a statement first
names them. `kinds` says which dialect has which, and what it needs; `questions` what is asked.

Tests: `tests/engines/test_conformance.py`.
Tests of kinds, process, program: `tests/engines/test_process.py`.
"""
