"""What Spider's evaluator knows of a database: tables, columns, classes of foreign keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class SpiderDatabase:
    """Tables and columns in lower case, and which columns are equivalent by foreign keys."""

    columns: Mapping[str, Sequence[str]]
    """The columns of each table."""
    representatives: Mapping[str, str] = field(default_factory=dict)
    """For a column of a foreign key, as `table.column`, the first column of its class."""

    @classmethod
    def of(
        cls, tables: Mapping[str, Sequence[str]], foreign_keys: Sequence[tuple[str, str]] = ()
    ) -> SpiderDatabase:
        """Describe a database by its tables.

        Args:
            tables: The columns of each table, in order.
            foreign_keys: Pairs of `table.column`.
        """
        columns = {
            table.lower(): [column.lower() for column in names] for table, names in tables.items()
        }
        order = [f"{table}.{column}" for table, names in columns.items() for column in names]
        places = {column: place for place, column in enumerate(order)}
        keys = [(places[one.lower()], places[other.lower()]) for one, other in foreign_keys]
        return cls(columns, _representatives(order, keys))

    @classmethod
    def from_entry(cls, entry: Mapping[str, object]) -> SpiderDatabase:
        """Read one entry of Spider's `tables.json`.

        Raises:
            InputError: the entry lacks a field or refers to a table that it does not have.
        """
        try:
            tables: list[str] = [name.lower() for name in entry["table_names_original"]]  # type: ignore[attr-defined]  # the except below covers other shapes
            order = []
            columns: dict[str, list[str]] = {table: [] for table in tables}
            for place, name in entry["column_names_original"]:  # type: ignore[attr-defined]  # as above
                order.append("*" if place < 0 else f"{tables[place]}.{name.lower()}")
                if place >= 0:
                    columns[tables[place]].append(name.lower())
            keys = [(one, other) for one, other in entry["foreign_keys"]]  # type: ignore[attr-defined]  # as above
            return cls(columns, _representatives(order, keys))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            name = entry.get("db_id", "?")
            raise InputError(f"The entry of database {name!r} in tables.json is broken.") from error


def _representatives(order: Sequence[str], keys: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the first column of each class of columns that foreign keys tie together.

    As the original does, a key joins the first class that has one of its columns and never merges
    two classes.
    """
    classes: list[set[int]] = []
    for one, other in keys:
        tied = next((held for held in classes if one in held or other in held), None)
        if tied is None:
            classes.append(tied := set())
        tied |= {one, other}
    return {order[place]: order[min(held)] for held in classes for place in held}
