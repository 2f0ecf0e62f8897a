"""MariaDB: parsed with the grammar of MySQL, with a catalog and versions of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlobs.dialects.base import Connections, Versions
from sqlobs.dialects.mysql import DIALECT as MYSQL
from sqlobs.dialects.mysql import RESOLUTION

DIALECT: Final = replace(
    MYSQL,
    name="mariadb",
    spellings=frozenset(),
    system="mariadb",
    versions=Versions(parts=2, known=("10", "11", "12"), measured=("10.11",), default="10.11"),
    sql_mode=(),
    resolution=replace(RESOLUTION, values_name=None),
    connections=Connections(
        engine="mysql",
        schemes=("mariadb",),
        sqlalchemy=("mariadb",),
        driver="mysql+pymysql",
        extra="mysql",
        one_host=True,
    ),
)


def server_name(version: str) -> str:
    """Return `mariadb` or `mysql`, from the version that a server reports (`5.5.5-10.11-MariaDB`).

    >>> server_name("8.4.2"), server_name("5.5.5-10.11.6-MariaDB")
    ('mysql', 'mariadb')
    """
    return DIALECT.name if DIALECT.name in version.lower() else MYSQL.name
