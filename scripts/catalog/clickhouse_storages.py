"""Which storage engines ClickHouse has, and what can be read from a table of each.

A modifier (`FINAL`) or a hidden column (`_part`) is supported if a query with it is planned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clickhouse_engine import Engine

ENGINES = "SELECT name FROM system.table_engines WHERE name NOT IN ('SQLite') ORDER BY name"
GIVEN = ("", "(sign)", "(sign, ver)")
KEYS = (" ORDER BY x PARTITION BY x SAMPLE BY x", "")
MODIFIERS = ("FINAL", "PREWHERE x = 1", "SAMPLE 1 / 2")
COLUMNS = (
    "_part _part_index _part_uuid _part_offset _part_starting_offset _part_data_version"
    " _part_granule_offset _partition_id _partition_value _sample_factor _block_number"
    " _block_offset _row_exists _path _file _size _time _etag _table _database _shard_num"
    " _disk_name"
).split()
"""Columns that the manual names for some storage engine, and no DDL declares."""


def storages(engine: Engine) -> dict[str, list[str]]:
    """Return the storage engines that chDB can make, with the modifiers and columns of each."""
    found = {}
    for (name,) in engine.rows(ENGINES):
        shapes = [(given, keys) for given in GIVEN for keys in KEYS]
        if any(engine.makes(f"ENGINE = {name}{given}{keys}") for given, keys in shapes):
            modifiers = [
                modifier.split()[0]
                for modifier in MODIFIERS
                if not engine.code(f"SELECT x FROM stored {modifier}")
            ]
            columns = [one for one in COLUMNS if not engine.code(f"SELECT {one} FROM stored")]
            found[name] = modifiers + columns
    return found
