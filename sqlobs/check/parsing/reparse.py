"""Rewrites the tokens of valid SQL that sqlglot fails to parse.

Rewriting may change results but never names; the tree is not executed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.check.parsing.workarounds import (
    arguments,
    clickhouse,
    duckdb,
    limits,
    mysql,
    oracle,
    postgres,
    redshift,
    sqlite,
    tsql,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot.tokenizer_core import Token

    Reading = Callable[[list[Token]], list[Token]]


def reread(tokens: Sequence[Token], dialect: str) -> list[Token] | None:
    """Return the rewritten tokens; None if no workaround applies."""
    again = [*tokens]
    for reading in (*_READINGS.get(dialect, ()), *_COMMON):
        again = reading(again)
    return again if again != [*tokens] else None


_COMMON: Final[tuple[Reading, ...]] = (
    arguments.with_bracketed_arguments,
    limits.with_product_for_remainder,
)
"""Workarounds for every dialect."""
_READINGS: Final[dict[str, tuple[Reading, ...]]] = {
    "sqlite": sqlite.READINGS,
    "postgres": postgres.READINGS,
    "duckdb": duckdb.READINGS,
    "mysql": mysql.READINGS,
    "clickhouse": clickhouse.READINGS,
    "oracle": oracle.READINGS,
    "redshift": redshift.READINGS,
    "snowflake": (oracle.without_end_of_nth_value,),
    "tsql": tsql.READINGS,
}
"""Workarounds by dialect."""
