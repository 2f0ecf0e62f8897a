"""What a MySQL session keeps: modes in which it reads texts otherwise, and users' variables."""

from __future__ import annotations

from typing import Final

READ_MODES: Final = "SELECT @@SESSION.sql_mode"

USER_VARIABLE: Final = "@"
"""The sign before the name of a variable, which lives as long as its session."""

_READING_OTHERWISE: Final = frozenset(
    {
        *("ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"),
        # These stand for several modes, among them the first.
        *("ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"),
    }
)
"""Modes in which other characters end a string or a name than where the gate sees the end."""


def set_modes(modes: str) -> str:
    """Return the statement that ends a session's modes in which texts are read otherwise.

    Args:
        modes: What `READ_MODES` gave.
    """
    kept = ",".join(mode for mode in modes.split(",") if mode not in _READING_OTHERWISE)
    return f"SET SESSION sql_mode = '{kept}'"
