"""DuckDB's types that hold others: their names, and what is known of their insides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.check.types.container_types import can_hold
from sqlobs.check.types.signatures import (
    canonical,
    element_of,
    enumeration,
    fields_of,
    kind_of,
    labels_of,
    map_of,
    structure,
)

PLAIN = ("INTEGER", "VARCHAR", "DATE")


def plain(text: str) -> str | None:
    """Return the name of a type that DuckDB has."""
    return text.upper() if text.upper() in PLAIN else None


FIELDS = st.dictionaries(
    st.text('abz "(,)', min_size=1).filter(lambda name: name == name.strip() and name != ""),
    st.sampled_from(PLAIN),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("struct(a integer, b varchar[])", "STRUCT(a INTEGER, b VARCHAR[])"),
        ('struct("a b" integer)[]', 'STRUCT("a b" INTEGER)[]'),
        ("map(varchar, struct(x date))", "MAP(VARCHAR, STRUCT(x DATE))"),
        ("integer[ 3 ]", "INTEGER[3]"),
        ("money[]", "?[]"),
        ("struct(a money)", "STRUCT(a ?)"),
        ("money", None),
    ],
)
def test_a_declared_type_gets_the_engines_name(written, name):
    """What is unknown inside is a question mark; what is unknown at all is nothing."""
    assert canonical(written, plain) == name


@given(FIELDS)
def test_a_structure_gives_the_fields_it_is_made_of(fields):
    """Whatever their names are made of; case does not count."""
    lowered = {name.lower(): kind for name, kind in fields.items()}
    assert fields_of(structure(fields)) == lowered
    assert canonical(structure(fields), plain) == structure(fields)


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_an_enum_gives_the_values_it_is_made_of(values):
    """Commas, brackets and quotes in them do not part them."""
    assert labels_of(enumeration(values)) == tuple(values)


@pytest.mark.parametrize(
    ("name", "kind", "element"),
    [
        ("VARCHAR[]", "INTEGER[]", "VARCHAR"),
        ("DATE[][]", "INTEGER[]", "DATE[]"),
        ("DOUBLE[3]", "FLOAT[3]", "DOUBLE"),
        ("?[]", "INTEGER[]", None),
        ("MAP(VARCHAR, DATE)", "MAP", None),
        ("INTEGER", "INTEGER", None),
    ],
)
def test_one_type_stands_for_all_that_hold_others_in_the_same_way(name, kind, element):
    """The catalog was asked about one list, one array, one map."""
    assert (kind_of(name), element_of(name)) == (kind, element)


def test_a_map_tells_its_keys_and_values():
    """None: it is no map, or a part of it is unknown."""
    assert map_of("MAP(VARCHAR, ?)") == ("VARCHAR", None)
    assert map_of("STRUCT(a INTEGER)") is None


@pytest.mark.parametrize(
    ("kind", "text", "holds"),
    [
        ("DATE", "2024-02-29", True),
        ("DATE", "2023-02-29", False),
        ("DATE", "soon", False),
        ("DATE", "epoch", True),
        ("TIMESTAMP", "2024-13-01 10:00", False),
        ("DECIMAL", "1.5", True),
        ("DECIMAL", "much", False),
        ("VARCHAR[]", "['a']", True),
        ("VARCHAR[]", "a", False),
        ("ENUM('a', 'b')", "a", True),
        ("ENUM('a', 'b')", "c", False),
        ("UUID", "x", True),
    ],
)
def test_a_text_is_refused_where_the_engine_cannot_read_it(kind, text, holds):
    """What is unknown is let through."""
    assert can_hold(kind, text) is holds
