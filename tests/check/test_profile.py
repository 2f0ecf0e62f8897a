"""Dialect names and the profiles they stand for."""

from __future__ import annotations

import pytest

from sqlobs import Profile
from sqlobs.errors import DialectError


@pytest.mark.parametrize(
    ("name", "dialect", "version"),
    [
        ("PostgreSQL", "postgres", "15"),
        ("postgres:16", "postgres", "16"),
        ("T-SQL", "tsql", None),
        ("Spark SQL", "spark", None),
        ("mysql", "mysql", "mariadb-10.11"),
        ("mysql:8.0", "mysql", "8.0"),
        ("MariaDB:11.4", "mysql", "mariadb-11.4"),
        ("SQLite", "sqlite", None),
        ("DuckDB", "duckdb", "2.0"),
    ],
)
def test_usual_spellings_are_understood(name, dialect, version):
    """Any case, spaces and punctuation; a version behind a colon."""
    profile = Profile.named(name)
    assert (profile.dialect, profile.version) == (dialect, version)


def test_function_lists_are_complete_for_full_dialects_only():
    """Elsewhere an unknown function is undecided."""
    assert Profile.named("sqlite").functions == "complete"
    assert Profile.named("snowflake").functions == "partial"


def test_an_unknown_name_offers_the_nearest():
    """The error names what was given and what may have been meant."""
    with pytest.raises(DialectError, match=r"postgrse.*postgres"):
        Profile.named("postgrse")
