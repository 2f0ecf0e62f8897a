"""The data files of the engines: which file stands for a version, and what it inherits."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlobs import check_sql
from sqlobs.dialects.catalog import catalog_of_version
from sqlobs.dialects.documents import (
    base_of,
    changed,
    document,
    nearest,
    root_of,
    versions_of,
    written,
)

ADDED = {
    "16": ("array_shuffle", "SELECT array_shuffle(ARRAY[1, 2])"),
    "17": ("to_bin", "SELECT to_bin(5)"),
    "18": ("casefold", "SELECT casefold('Straße')"),
}
"""A function of each version of PostgreSQL, as servers of 15.18, 16.14, 17.10 and 18.4 said."""


@pytest.mark.parametrize("version", ADDED)
def test_a_function_of_a_new_version_is_written_in_one_file_only(version: str):
    """Older versions lack it, newer ones inherit it."""
    name, sql = ADDED[version]
    holding = [
        one
        for one in versions_of("postgres")
        if name in written("postgres", one).get("functions", {}).get("set", {})
    ]
    assert holding == [version]
    for one in versions_of("postgres"):
        is_known = int(one) >= int(version)
        assert (name in catalog_of_version("postgres", one).functions) is is_known
        syntactic = check_sql(sql, dialect=f"postgres:{one}", native=False).syntactic
        assert syntactic is (is_known if int(one) >= 15 else None)
    assert check_sql(sql, dialect="postgres", native=False).syntactic is None


@pytest.mark.parametrize(
    ("engine", "version", "expected"),
    [
        ("postgres", "17.3", "17"),
        ("postgres", "19", "18"),
        ("postgres", "9.6", "11"),
        ("mysql", "5.7.44-log", "5"),
        ("mysql", "8.4", "8"),
        ("mariadb", "11.4", "10.11"),
        ("sqlite", "3.34", "3.40"),
        ("sqlite", "3.52.0", "3.40"),
        ("sqlite", "3.54.1", "3.53"),
    ],
)
def test_the_nearest_older_version_stands_for_one_without_a_file(engine, version, expected):
    """The oldest file stands for everything before it."""
    assert nearest(engine, version) == expected


@pytest.mark.parametrize(
    "engine", ["postgres", "mysql", "mariadb", "sqlite", "duckdb", "spark", "sparklegacy"]
)
def test_every_version_inherits_from_one_whole_file(engine: str):
    """Differences name only sections and entries that the older version has."""
    root = root_of(engine)
    assert root is not None
    assert base_of(*root) is None
    for version in versions_of(engine):
        assert document(engine, version).keys() >= document(*root).keys() - {"base"}
        base = base_of(engine, version)
        if base is None:
            continue
        older = document(*base)
        for section, part in written(engine, version).items():
            if section in {"base", "engine", "new_forms", "source"}:
                continue
            assert set(part) <= {"set", "added", "removed"}
            assert all(one in older[section] for one in part.get("removed", ()))
            is_named = isinstance(older[section], dict)
            assert all((one in older[section]) is is_named for one in part.get("added", ()))


def test_differences_set_add_and_remove():
    """What the file says about itself is not inherited."""
    older = {"base": None, "engine": "a 1", "names": {"f": 1, "g": 2}, "words": {"x": ["A"]}}
    older["refused"] = ["one", "two"]
    differences = {
        "engine": "a 2",
        "names": {"set": {"h": 3}, "removed": ["f"]},
        "words": {"added": {"x": ["B"]}},
        "refused": {"added": ["three"], "removed": ["one"]},
    }
    assert changed(older, differences) == {
        "engine": "a 2",
        "names": {"g": 2, "h": 3},
        "words": {"x": ["A", "B"]},
        "refused": ["two", "three"],
    }


MEASURED = ("postgres", "sqlite", "spark", "bigquery", "clickhouse", "duckdb", "mariadb")
SCRIPTS = Path(__file__).parents[2] / "scripts" / "catalog"


@pytest.mark.parametrize("engine", MEASURED)
def test_every_section_of_a_measured_file_is_made_by_a_script(engine: str):
    """A section that was added by hand would be lost when the catalog is measured again."""
    made = "".join(path.read_text("utf-8") for path in SCRIPTS.glob("*.py"))
    [version, *_] = [one for one in versions_of(engine) if "generated_by" in written(engine, one)]
    assert [name for name in written(engine, version) if f'"{name}"' not in made] == []
