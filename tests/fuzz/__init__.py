"""Texts that nobody would write, against the checker: `python -m tests.fuzz --minutes 60`."""
