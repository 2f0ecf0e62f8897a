from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal

import pytest

from sqlobs.types import ARROW_FROM_CELLS, ArrowRows, ResultTable

DAY = dt.date(2024, 5, 1)
MOMENT = dt.datetime(2024, 5, 1, 10, 30, 0, 123456)  # noqa: DTZ001 - naive on purpose
UTC_MOMENT = MOMENT.replace(tzinfo=dt.UTC)


def many(cell):
    """Return a one-column table that holds the cell often enough to be packed."""
    return ResultTable.of(["a"], [(cell,), (None,)] * ARROW_FROM_CELLS)


@pytest.mark.parametrize("cell", [1, -(2**63), "é", b"\x00", True, 0.1, DAY, MOMENT, None])
def test_a_large_table_of_one_type_is_held_as_arrow_and_reads_back_exactly(cell):
    """Packing changes neither values nor their types."""
    table = many(cell)
    assert table.arrow is not None
    assert [(type(value), value) for (value,) in table.rows[:2]] == [
        (type(cell), cell),
        (type(None), None),
    ]


@pytest.mark.parametrize(
    "cell", [2**63, "\ud800", UTC_MOMENT, Decimal("1.10"), [1], {"a": 1}, dt.time(1)]
)
def test_a_value_that_arrow_would_change_keeps_the_table_as_tuples(cell):
    """Nothing is packed that would not read back as it was."""
    table = many(cell)
    assert table.arrow is None
    assert table.rows[0] == (cell,)


def test_a_column_of_mixed_types_keeps_the_table_as_tuples():
    """SQLite gives numbers and text in one column; both must survive."""
    table = ResultTable.of(["a"], [(1,), ("1",)] * ARROW_FROM_CELLS)
    assert table.arrow is None


def test_a_small_table_stays_tuples():
    """Below the limit plain tuples are faster."""
    assert ResultTable.of(["a"], [[1]] * (ARROW_FROM_CELLS - 1)).arrow is None


def test_arrow_rows_behave_as_the_tuples_they_stand_for():
    """Index, slice, iteration, length, equality, names that repeat, and pickling agree."""
    rows = tuple((number, f"t{number}") for number in range(ARROW_FROM_CELLS))
    table = ResultTable.of(["a", "a"], rows, truncated=True)
    assert isinstance(table.rows, ArrowRows)
    assert table == ResultTable(("a", "a"), rows, truncated=True)
    assert table != ResultTable(("a", "a"), rows[:-1], truncated=True)
    assert table.rows != "text"
    assert (table.rows[3], table.rows[-1], table.rows[4:9:2]) == (rows[3], rows[-1], rows[4:9:2])
    assert table.column(1) == [row[1] for row in rows]
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301 - our own bytes
    with pytest.raises(IndexError):
        table.rows[len(rows)]


def test_an_arrow_table_without_columns_still_has_its_rows():
    """PostgreSQL returns rows without columns for `SELECT FROM t`."""
    import pyarrow as pa

    table = ResultTable.from_arrow(pa.table({"a": [1, 2]}).select([]))
    assert list(table.rows) == [(), ()]
