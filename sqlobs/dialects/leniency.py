"""What is allowed where no dialect was given, or one whose name resolution is unknown."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from sqlobs.dialects.registry import all_dialects, dialect_of
from sqlobs.dialects.resolution_rules import ResolutionRules
from sqlobs.dialects.unsafe_functions import UnsafeFunctions

_COLUMNS = frozenset({"input__file__name", "block__offset__inside__file", "grouping__id", "__time"})
"""Columns that Hive and Druid have without any declaration."""


@cache
def lenient() -> ResolutionRules:
    """Return the rules of a dialect without any: everything that some engine allows."""
    return ResolutionRules(
        nests_aggregates=True,
        alias_clauses=frozenset({"on", "where", "group", "having", "qualify", "order", "limit"}),
        on_sees_all=True,
        derived_sees_siblings=True,
        lateral_aliases=True,
        whole_row=True,
        duplicate_outputs="first",
        fields_by_dot=True,
        chains_calls=True,
        semi_join_gives_columns=True,
        hidden_columns=_of_all("hidden_columns") | _COLUMNS,
        naming_calls=_of_all("naming_calls") | {"tumble", "hop"},
        file_schemas=_of_all("file_schemas") | {"dfs", "cp"},
    )


@cache
def unknown() -> ResolutionRules:
    """Return the rules where no dialect was given: it may be any of them."""
    return replace(
        lenient(),
        quoted_fallback=True,
        nameless_columns=_of_all("nameless_columns") | _of_all("columns_of_calls"),
        system_schemas=_of_all("system_schemas"),
        system_tables=_of_all("system_tables"),
    )


@cache
def any_unsafe() -> UnsafeFunctions:
    """Return the unsafe functions of every engine: any of them may be meant."""
    return UnsafeFunctions(
        functions=frozenset[str]().union(*(one.unsafe.functions for one in all_dialects())),
        opens_files=True,
    )


def unsafe_functions_of(dialect: str) -> UnsafeFunctions:
    """Return what the engine of a dialect offers beyond its tables; empty: of any dialect."""
    return dialect_of(dialect).unsafe if dialect else any_unsafe()


_UNMISTAKABLE = frozenset({"information_schema", "pg_catalog"})
"""Namespaces that no user has, whatever the engine is."""


def is_system_relation(dialect: str, name: str, namespace: str) -> bool:
    """Return whether a name means a relation of the engine's own.

    Without a dialect, or a namespace, only what no user would name so.
    """
    known = dialect_of(dialect)
    if namespace:
        return namespace.lower() in (known.system_schemas if dialect else _UNMISTAKABLE)
    return name.lower().startswith(known.unsafe.prefixes)


def _of_all(field: str) -> frozenset[str]:
    """Return the words of every dialect, in lower case."""
    rules = (one.resolution for one in all_dialects() if one.resolution is not None)
    return frozenset(word.lower() for own in rules for word in getattr(own, field))
