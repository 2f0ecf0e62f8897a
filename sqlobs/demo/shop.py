"""The demo's database: a web shop with two years of orders, the same on every run."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib import resources
from random import Random
from typing import TYPE_CHECKING, Final

from sqlobs.demo.shop_rows import ShopRows
from sqlobs.demo.translation import SHOP_DIALECT, translated_script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED: Final = 20240101


def shop_ddl(dialect: str = SHOP_DIALECT) -> str:
    """Return the script that creates the shop's tables."""
    script = (resources.files("sqlobs.demo") / "shop.sql").read_text(encoding="utf-8")
    return script if dialect == SHOP_DIALECT else translated_script(script, dialect=dialect)


def build_shop(path: Path) -> None:
    """Write the shop's database to `path`, replacing an existing file.

    The content depends on `SEED` alone: two runs give the same rows.
    """
    path.unlink(missing_ok=True)
    shop = ShopRows(Random(SEED))  # noqa: S311 - a made-up shop, no secret
    shop.fill()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(shop_ddl())
        for table, rows in shop.rows.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - own table names


def table_counts(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each table of the shop with its number of rows."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        for (name,) in names.fetchall():
            (count,) = connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()  # noqa: S608 - own table names
            yield name, count
