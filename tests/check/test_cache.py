"""The cache of reports: what goes first, and what is held."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sqlobs import Schema, check_sql
from sqlobs.check import checker
from sqlobs.check.report_cache import MOST_USES, LruCache

REPORT = check_sql("SELECT 1", dialect="sqlite", native=False)


def kept(cache: LruCache, count: int) -> list[int]:
    """Return the numbers whose report is still there; to ask does not change their order."""
    return [number for number in range(count) if (str(number),) in cache._kept]


def test_the_report_that_was_not_used_longest_goes_first():
    """A look counts as a use, wherever the report stood."""
    cache = LruCache(capacity=3)
    for number in range(3):
        cache.put((str(number),), REPORT)
    assert [cache.get(("0",)), cache.get(("9",))] == [REPORT, None]
    cache.put(("3",), REPORT)
    assert kept(cache, 4) == [0, 2, 3]


def test_the_latest_uses_count():
    """More uses than are remembered between two reports: the last ones decide."""
    cache = LruCache(capacity=3)
    for number in range(3):
        cache.put((str(number),), REPORT)
    for number in [0] * MOST_USES + [1] * MOST_USES:
        cache.get((str(number),))
    cache.put(("3",), REPORT)
    assert kept(cache, 4) == [1, 2, 3]


def test_a_use_has_no_second_copy_of_the_text():
    """Texts that were looked for are the caller's: a hundred long ones would fill the memory."""
    cache = LruCache()
    first, again = ("a" * 100,), ("".join(["a"] * 100),)
    cache.put(first, REPORT)
    cache.get(again)
    assert [key is first for key in cache._used] == [True]


def test_threads_share_the_store():
    """Reports come, are used and go at once; the bound holds, nothing is raised."""
    cache = LruCache(capacity=20, characters=30)

    def use(number: int) -> bool:
        key = (str(number % 50),)
        cache.put(key, REPORT)
        return cache.get(key) in (REPORT, None)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(4_000)))
    assert len(kept(cache, 50)) <= 20
    assert cache._held == sum(len(text) for (text,) in cache._kept)


def test_both_definitions_at_once_give_what_each_gives_alone():
    """The statement is resolved once; the reports are those of two checks."""
    schema = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
    for sql in (
        "SELECT id FROM orders",
        "SELECT * FROM orders WHERE total LIKE '%x'",
        "SELECT totals FROM orders",
        "WITH unused AS (SELECT a FROM b) SELECT id FROM orders",
        "SELECT FROM WHERE",
    ):
        checker._reports.clear()
        both = checker.check_by(sql, (None, "sql_correctness"), schema=schema, dialect=None)
        checker._reports.clear()
        apart = [
            checker.check_sql(sql, schema=schema, strict=strict)
            for strict in (None, "sql_correctness")
        ]
        for one, other in zip(both, apart, strict=True):
            assert (one.verdict, one.syntactic, one.schematic) == (
                *(other.verdict, other.syntactic, other.schematic),
            )
            assert one.findings == other.findings
            assert one.fixed_sql == other.fixed_sql
