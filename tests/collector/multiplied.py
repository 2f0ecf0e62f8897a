"""Many units from a few: the rows of an embedded store are copied, at other times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from sqlobs_collector.store.tables import EVALUATION, FAILURE, REPORT, UNIT

if TYPE_CHECKING:
    from sqlalchemy import Engine, Table

_SHIFTED = {
    "id": "id + :first",
    "unit_id": "unit_id + :first",
    "trace_id": "printf('%08x', :copy) || substr(trace_id, 9)",
    "record_id": "printf('%08x', :copy) || substr(record_id, 9)",
    "occurred_ns": "occurred_ns + :copy * 2592000000000",
    "received_ns": "received_ns + :copy * 2592000000000",
}
"""What differs between a row and its copies: 1,000 copies cover 30 days."""
_COPIES_AT_ONCE = 50


def multiply(engine: Engine, *, seed: int, units: int) -> None:
    """Copy the first units, with all that is known of them, until there are enough.

    Args:
        engine: Of the store, whose only units are the first ones, with the ids from 1 on.
        seed: How many there are.
        units: How many there will be, a multiple of it.
    """
    statements = [text(_copying(table, seed)) for table in (UNIT, EVALUATION, FAILURE, REPORT)]
    statements.append(
        text(
            "INSERT INTO request_text (rowid, question, sql)"
            f" SELECT rowid + :first, question, sql FROM request_text WHERE rowid <= {seed}"
        )
    )
    copies = range(1, units // seed)
    for begin in range(0, len(copies), _COPIES_AT_ONCE):
        with engine.begin() as connection:
            for copy in copies[begin : begin + _COPIES_AT_ONCE]:
                for statement in statements:
                    connection.execute(statement, {"first": copy * seed, "copy": copy})


def _copying(table: Table, seed: int) -> str:
    names = [column.name for column in table.c]
    values = ", ".join(_SHIFTED.get(name, name) for name in names)
    key = next((name for name in ("unit_id", "id") if name in names), None)
    # A report has no such id; the hash that its own begins with leaves no eight small digits.
    among = "record_id NOT GLOB '0000*'" if key is None else f"{key} <= {seed}"
    copied = f"SELECT {values} FROM {table.name} WHERE {among}"
    return f"INSERT INTO {table.name} ({', '.join(names)}) {copied}"
