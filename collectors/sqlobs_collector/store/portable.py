"""What the statements of both stores are made of: SQLite and PostgreSQL compile each their way.

SQLAlchemy hides most differences. The rest is here and in `systems`: types, upserts, full text.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Float, Integer, Text, cast, func, literal, literal_column, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.sql.compiler import SQLCompiler

__all__ = [
    "ROW_ID",
    "TEXT",
    "each_value",
    "has_words",
    "indexable",
    "inverse",
    "is_among",
    "now_ms",
    "quotient",
    "upsert",
    "whole_sum",
    "word_vector",
]

TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared by its bytes, as SQLite does: the same order everywhere, and indexes that survive an
update of the operating system's collations."""
ROW_ID: Final = BigInteger().with_variant(Integer, "sqlite")
"""Only INTEGER becomes SQLite's row id."""

_WORD: Final = re.compile(r"[^\W_]+")  # `total` and `2` in `total_2`, as FTS5's unicode61 has it
_MOST_WORDS: Final = 16_000
"""PostgreSQL knows positions up to 16,383."""
_MOST_CHARACTERS: Final = 200_000
"""Of a text: a tsvector holds 1 MiB."""
_LONGEST_WORD: Final = 500
"""In characters: a lexeme holds 2,046 bytes."""
_INDEXED_BYTES: Final = 200
"""Of a text in an index: PostgreSQL limits a row of all indexed columns to 2,704 bytes."""


def indexable(text: str) -> str:
    """Return a text as it fits into an index with all others: long ones end with their hash.

    PostgreSQL stores no NUL: it becomes U+FFFD.
    """
    text = text.replace("\0", "\ufffd")
    encoded = text.encode(errors="replace")
    if len(encoded) <= _INDEXED_BYTES:
        return text
    ending = f"…{hashlib.blake2b(encoded, digest_size=8).hexdigest()}"
    kept = encoded[: _INDEXED_BYTES - len(ending.encode())]
    return kept.decode(errors="ignore") + ending


def word_vector(*texts: str) -> str:
    """Return the words of texts as PostgreSQL reads a tsvector: `'sum':1 'of':2 'totals':5`.

    A phrase spans no two texts: there is a gap between their positions.
    """
    found: list[str] = []
    position = 0
    for text in texts:
        for word in _words(text[:_MOST_CHARACTERS]):
            position += 1
            if position > _MOST_WORDS:
                return " ".join(found)
            if len(word) <= _LONGEST_WORD:
                found.append(f"'{word}':{position}")
        position += 1
    return " ".join(found)


def each_value(column: ColumnElement[Any], *conditions: ColumnElement[bool]) -> Select[Any]:
    """Select the values of a column once each, by one look into its index for each of them.

    DISTINCT would read all rows. Null is not among them.
    """
    least = select(func.min(column).label("value")).where(*conditions)
    found = least.cte("found", recursive=True)
    following = least.where(column > found.c.value).scalar_subquery()
    found = found.union_all(select(following).where(found.c.value.is_not(None)))
    return select(found.c.value).where(found.c.value.is_not(None))


def quotient(dividend: ColumnElement[float], divisor: ColumnElement[float]) -> ColumnElement[float]:
    """Divide floats; null where the divisor is 0.

    Without the type, SQLAlchemy has PostgreSQL divide decimals, which takes ten times as long.
    """
    return dividend / func.nullif(divisor, literal_column("0"), type_=Float)


def inverse(divisor: ColumnElement[float]) -> ColumnElement[float]:
    """Divide 1 by a float; null where that is 0."""
    return quotient(literal_column("1.0", Float), divisor)


def whole_sum(column: ColumnElement[int]) -> ColumnElement[int]:
    """Add up integers to an integer; PostgreSQL's own sum of big ones is a decimal."""
    return cast(func.sum(column), BigInteger)


class now_ms(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """The time by the clock of the database, in milliseconds; in a transaction, it goes on."""

    inherit_cache = True
    type = BigInteger()


@compiles(now_ms, "sqlite")
def _sqlite_clock(_: now_ms, __: SQLCompiler, **___: object) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"  # of 1970


@compiles(now_ms, "postgresql")
def _postgresql_clock(_: now_ms, __: SQLCompiler, **___: object) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"


class is_among(FunctionElement[bool]):  # noqa: N801 - as SQLAlchemy names functions
    """Whether a column of ids is one of many: a single parameter, where IN has one for each.

    Parameters that are one by one rendered, parsed and bound are half of the time of a statement
    with 128 of them.
    """

    inherit_cache = True

    def __init__(self, column: ColumnElement[int], ids: Iterable[int]) -> None:
        listed = list(ids)
        super().__init__(column, json.dumps(listed), literal(listed, ARRAY(BigInteger)))


@compiles(is_among, "sqlite")
def _among_json(element: is_among, compiler: SQLCompiler, **options: object) -> str:
    column, listed, _ = (compiler.process(one, **options) for one in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({listed}))"  # noqa: S608 - no input


@compiles(is_among, "postgresql")
def _among_array(element: is_among, compiler: SQLCompiler, **options: object) -> str:
    column, _, listed = (compiler.process(one, **options) for one in element.clauses)
    return f"{column} = ANY ({listed})"


class has_words(FunctionElement[bool]):  # noqa: N801 - as SQLAlchemy names functions
    """Whether a row of the full-text table has all words of a search; as `_match` puts it."""

    inherit_cache = True

    def __init__(self, searched: str) -> None:
        super().__init__(_match(searched), _tsquery(searched))


@compiles(has_words, "sqlite")
def _in_sqlite(element: has_words, compiler: SQLCompiler, **options: object) -> str:
    phrases, _ = element.clauses
    return f"request_text MATCH {compiler.process(phrases, **options)}"


@compiles(has_words, "postgresql")
def _in_postgresql(element: has_words, compiler: SQLCompiler, **options: object) -> str:
    _, wanted = element.clauses
    return f"request_text.words @@ CAST({compiler.process(wanted, **options)} AS tsquery)"


def _match(searched: str) -> str:
    """Return a query of FTS5 in which nothing is an operator: `"total" "of orders"`."""
    words = searched.split() or [""]
    return " ".join(f'"{word.replace(chr(34), chr(34) * 2)}"' for word in words)


def _tsquery(searched: str) -> str:
    """Return the same for PostgreSQL: `'total' & ('orders' <-> 'id')`, the latter for orders.id."""
    phrases = (list(_words(one)) for one in searched.split())
    quoted = ([f"'{word}'" for word in words] for words in phrases)
    return " & ".join(f"({' <-> '.join(words)})" for words in quoted if words)


def _words(text: str) -> list[str]:
    """Return the words of a text, without case and accents, as FTS5 finds them."""
    plain = unicodedata.normalize("NFD", text)
    return _WORD.findall("".join(one for one in plain if not unicodedata.combining(one)).lower())
