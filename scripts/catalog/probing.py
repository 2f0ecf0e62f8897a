"""Which words an engine refuses in which position, found by asking it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sqlglot.dialects.dialect import Dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

POSITIONS = {
    "column": "SELECT 1, {} FROM probe",
    "qualified": "SELECT probe.{} FROM probe",
    "alias": "SELECT 1 AS {}",
    "bare_alias": "SELECT 1 {}",
    "qualifier": "SELECT 1, {}.x FROM probe",
    "table": "SELECT 1 FROM {}",
    "table_alias": "SELECT 1 FROM probe AS {}",
    "bare_table_alias": "SELECT 1 FROM probe {}",
    "cte": "WITH {} AS (SELECT 1) SELECT 1",
    "function": "SELECT {}(1)",
}
"""Where a word may stand, as a statement over an existing table `probe (x)`."""

_CLAUSES = {
    "column": frozenset({"TOP"}),
    "qualifier": frozenset({"TOP"}),
    "bare_table_alias": frozenset(
        "CROSS FULL INNER JOIN LEFT NATURAL RIGHT ANTI SEMI ASOF POSITIONAL STRAIGHT_JOIN".split()
    ),
}
"""Words that do not fail in a position but begin something else there."""


def reserved_words(
    words: Iterable[str],
    *,
    is_syntax_error: Callable[[str], bool],
    positions: Mapping[str, str] = POSITIONS,
) -> dict[str, list[str]]:
    """Return, by position, the words that the engine's grammar refuses there.

    Args:
        words: candidates, in any case.
        is_syntax_error: runs the engine's parser on a statement; an unknown name is no error.
        positions: statements by position, with a place for the word.
    """
    candidates = sorted({word.upper() for word in words if word.isidentifier()})
    return {
        position: [
            word
            for word in candidates
            if is_syntax_error(template.format(word)) and word not in _CLAUSES.get(position, ())
        ]
        for position, template in positions.items()
    }


def runs(counts: Iterable[int], *, unlimited_from: int) -> Iterator[tuple[int, int]]:
    """Yield the least and the most of each run of argument counts, in order; -1: no limit.

    >>> list(runs([1, 2, 8], unlimited_from=8))
    [(1, 2), (8, -1)]
    """
    for _, run in groupby(enumerate(counts), lambda pair: pair[1] - pair[0]):
        taken = [count for _, count in run]
        yield taken[0], -1 if taken[-1] >= unlimited_from else taken[-1]


def sqlglot_keywords() -> set[str]:
    """Return every single word that some dialect of sqlglot gives a meaning of its own."""
    return {
        word
        for dialect in ("", "sqlite", "postgres", "mysql", "duckdb", "tsql", "snowflake", "oracle")
        for keyword in Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
        for word in keyword.split()
        if word.isidentifier()
    }
