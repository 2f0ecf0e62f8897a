"""Which storage engines ClickHouse has, and what can be read from a table of each.

A modifier (`FINAL`) or a hidden column (`_part`) is supported if a query with it is planned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clickhouse_engine import Engine

ENGINES = "SELECT name FROM system.table_engines WHERE name NOT IN ('SQLite') ORDER BY name"
GIVEN = ("", "(sign)", "(sign, ver)")
OTHERS = {
    "Buffer": "TABLE stored (x UInt32) ENGINE = Buffer('', sampled, 1, 1, 1, 1, 1, 1, 1)",
    "Join": "TABLE stored (x UInt32) ENGINE = Join(ANY, LEFT, x)",
    "MaterializedView": "MATERIALIZED VIEW stored ENGINE = ReplacingMergeTree ORDER BY x"
    " SAMPLE BY x AS SELECT toUInt32(x) AS x FROM keyed",
    "Merge": "TABLE stored (x UInt32) ENGINE = Merge(currentDatabase(), '^sampled$')",
    "View": "VIEW stored AS SELECT x FROM keyed",
    "Dictionary": "DICTIONARY stored (x UInt64, y UInt64) PRIMARY KEY x"
    " SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)",
}
"""Storage that is made in a way of its own; the last one is what `dictionary('stored')` reads."""
FUNCTIONS = {
    "dictionary": "'stored'",
    "format": "CSV, 'x UInt32', '1'",
    "generateRandom": "'x UInt32'",
    "loop": "keyed",
    "merge": "currentDatabase(), '^sampled$'",
    "null": "'x UInt32'",
    "values": "'x UInt32', 1",
}
"""Table functions that read no other server, with arguments of each."""
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
    """Return the storage that chDB can make, with the modifiers and columns of each.

    Table functions have parentheses behind their names.
    """
    found = {}
    for (name,) in engine.rows(ENGINES):
        shapes = [(given, keys) for given in GIVEN for keys in KEYS]
        if any(engine.makes(f"ENGINE = {name}{given}{keys}") for given, keys in shapes):
            found[name] = _supported(engine, "stored")
    for name, made in OTHERS.items():
        engine.replace_stored(made)
        found[name] = _supported(engine, "stored")
    for name, arguments in FUNCTIONS.items():
        found[f"{name.lower()}()"] = _supported(engine, f"{name}({arguments})")
    return found


def _supported(engine: Engine, source: str) -> list[str]:
    """Return the modifiers and columns that can be read of a source."""
    modifiers = [
        modifier.split()[0]
        for modifier in MODIFIERS
        if not engine.code(f"SELECT x FROM {source} {modifier}")
    ]
    return modifiers + [one for one in COLUMNS if not engine.code(f"SELECT {one} FROM {source}")]
