"""Hostile text below the limit: what it costs grows with its length, and what it leaves is bounded."""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter
from difflib import SequenceMatcher
from time import thread_time
from typing import TYPE_CHECKING

import pytest

from sqlobs import Schema, check_sql
from sqlobs.check import assessment
from sqlobs.check.assessment import Request, assess
from sqlobs.check.engine.profile import Profile
from sqlobs.check.llm_output import extraction as boundaries
from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.check.report import complain
from sqlobs.check.report import derived_text as texts
from sqlobs.check.report_cache import LruCache
from sqlobs.check.rules import MOST_OF_A_RULE, quoted_word
from sqlobs.check.rules.rule import LONGEST, MOST_COMPARED, MOST_KEPT, nearest
from sqlobs.check.rules.unknown_column import UnknownColumn
from tests.check.hostile import hostile_texts
from tests.check.schemas import shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "snowflake", "bigquery", "tsql", "oracle")
SCHEMAS = {dialect: shop(dialect) for dialect in DIALECTS}


def request(text: str, dialect: str) -> Request:
    """Return the check of a text by the static part alone."""
    return Request(text, SCHEMAS[dialect], Profile.named(dialect), False, None, None)


@pytest.mark.parametrize("place", range(len(DIALECTS)), ids=DIALECTS)
def test_no_text_breaks_the_checker(place):
    """Neither the check nor what is made later raises, whatever fills the text."""
    for text in list(hostile_texts(2_000).values())[place :: len(DIALECTS)]:
        report = assess(request(text, DIALECTS[place]))
        assert isinstance(report.masked_sql, str | None)
        assert isinstance(report.fingerprint, str | None)
        assert isinstance(report.fixed_sql, str | None)
        assert (report.explain() == "") == (not {f.severity for f in report.findings} - {"info"})


@pytest.mark.parametrize("name", ["unknown columns", "unknown functions", "unknown tables"])
def test_a_rule_stops_at_the_maximum_of_findings(name):
    """Thousands of faults of a kind: the labels fail as for one, and few findings are kept."""
    report = assess(request(hostile_texts(16_000)[name], "sqlite"))
    kept = Counter(finding.code for finding in report.findings)
    assert False in {report.syntactic, report.schematic}
    assert max(kept.values()) == MOST_OF_A_RULE
    assert report.fixed_sql is None


def test_warnings_without_number_hide_no_error():
    """The bound is one of each rule: what comes behind many warnings is found."""
    warned = " AND ".join(["name = NULL"] * 300)
    report = check_sql(f"SELECT ghost FROM customers WHERE {warned}", schema=SCHEMAS["sqlite"])
    assert report.unknown_columns == ("ghost",)
    assert len(report.findings) == MOST_OF_A_RULE + 1


@pytest.mark.slow  # our own arithmetic: no dependency's version changes it
@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("bare columns of many tables", "sqlite"),
        ("ambiguous of many tables", "postgres"),
        ("unknown qualifiers", "duckdb"),
        ("USING unknown", "sqlite"),
        ("grouped by aliases", "mysql"),
        ("one item", "mysql"),
        ("words behind AS", "sqlite"),
        ("stars of tables", "mysql"),
        ("outputs of one name", "mysql"),
        ("ASOF joins", "duckdb"),
        ("grouped by computed", "postgres"),
        ("grouped by one aggregate", "postgres"),
        ("distinct on many", "postgres"),
        ("CTEs read", "duckdb"),
        ("one unknown column", "postgres"),
        ("windows named", "mysql"),
        ("wide CTE joined", "sqlite"),
        ("wide CTE joined naturally", "sqlite"),
        ("ambiguous of many tables", "duckdb"),
    ],
)
def test_work_grows_with_the_length(monkeypatch, name, dialect):
    """Four times the text: about four times the steps, not sixteen times."""
    monkeypatch.setattr(assessment, "on_big_stack", lambda work: work())
    steps_of(request(hostile_texts(1_000)[name], dialect))  # what is made once, is made here
    few, many = (steps_of(request(hostile_texts(n)[name], dialect)) for n in (2_500, 10_000))
    assert many < 6 * few


def steps_of(asked: Request) -> int:
    """Return how many lines of Python a check runs, each turn of a loop counted."""
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assess(asked)
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.slow
def test_no_cte_keeps_a_list_of_those_before_it():
    """Memory grows with the number of CTEs, not with its square."""
    few, many = (peak_of(request(hostile_texts(n)["CTEs"], "duckdb")) for n in (3_000, 12_000))
    assert many < 6 * few


def peak_of(asked: Request) -> int:
    """Return the most bytes that a check holds at a time."""
    assess(asked)
    tracemalloc.start()
    try:
        assess(asked)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_stars_that_double_are_undecided(dialect):
    """Twenty CTEs can stand for millions of columns; their names are then not known."""
    report = assess(request(hostile_texts(2_000)["stars doubling"], dialect))
    assert dict(report.reasons) == {"schematic": "undecided"}
    assert report.unknown_columns == ()


@pytest.mark.parametrize("name", ["structures held twice", "maps held twice", "rows held twice"])
def test_types_that_double_are_not_named(name):
    """Thirty structures, 1 KB of text, would have a type with a name of gigabytes."""
    report = assess(request(hostile_texts(3_000)[name], "duckdb"))
    assert (report.syntactic, report.schematic) == (True, True)


def test_stars_of_wide_tables_are_read():
    """What a schema may well have is expanded: a name that is in none of 5,000 columns is reported."""
    wide = {f"t{n}": [f"c{n}_{k}" for k in range(1_000)] for n in range(5)}
    schema = Schema.from_mapping(wide, dialect="sqlite")
    sql = "SELECT c1_999, c1_9999 FROM (SELECT * FROM t0, t1, t2, t3, t4) AS d"
    report = check_sql(sql, schema=schema, native=False)
    assert report.unknown_columns == ("c1_9999",)


@pytest.mark.parametrize("clause", ["GROUP BY", "ORDER BY"])
@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb"])
def test_a_position_with_thousands_of_digits_is_one_that_does_not_exist(clause, dialect):
    """Python refuses to read such a number; the check tells the position as any other."""
    report = assess(request(f"SELECT name FROM customers {clause} {'1' * 5_000}", dialect))
    assert (report.syntactic, report.schematic) == (True, False)


def test_literals_of_any_length_are_typed():
    """A number longer and JSON deeper than Python can parse give no internal error."""
    number = "1" * 5_000
    for sql in (
        f"SELECT 1 FROM customers WHERE id = {number}",
        f"SELECT CAST('{number}' AS json)",
        f"SELECT CAST('{'[' * 5_000}{']' * 5_000}' AS json)",
    ):
        report = assess(request(sql, "postgres"))
        assert (report.syntactic, report.schematic) == (True, True)
    too_great = assess(request(f"SELECT CAST('{number}' AS integer)", "postgres"))
    assert too_great.schematic is False


def test_long_names_are_compared_with_nothing():
    """Likeness costs the product of two lengths: no engine has names of 128 characters or more."""
    assert nearest("ab" * 10_000, ["ba" * 10_000]) is None
    assert nearest("name", ["ba" * 10_000, "nmae"]) == "nmae"
    assert nearest("x" * LONGEST, ["x" * (LONGEST - 1)]) == "x" * (LONGEST - 1)


def test_a_bounded_number_of_names_is_compared(monkeypatch):
    """Of thousands of names in reach, those that may be most alike are looked at."""
    compared = []
    ratio = SequenceMatcher.quick_ratio

    def counted(matcher: SequenceMatcher[str]) -> float:
        compared.append(matcher.a)
        return ratio(matcher)

    monkeypatch.setattr(SequenceMatcher, "quick_ratio", counted)
    names = [f"column_{number}" for number in range(5_000)]
    assert nearest("column_4321_", [*names, "column_4321"]) == "column_4321"
    assert len(compared) <= MOST_COMPARED


def test_a_finding_keeps_a_bounded_number_of_names():
    """A suggestion that nobody asked for holds the nearest relations' names, not those of all."""
    read = []
    names = (read.append(name) or name for name in map(str, range(10_000)))
    UnknownColumn().at(None, "Unknown column x.", "x", suggestion=names)
    assert len(read) == MOST_KEPT


def test_the_cache_is_bounded_by_the_length_of_its_texts():
    """A thousand hostile texts do not fill the memory: the oldest go."""
    cache = LruCache(capacity=100, characters=1_000)
    reports = [assess(request(f"SELECT {n}", "sqlite")) for n in range(5)]
    for number, report in enumerate(reports):
        cache.put((str(number) * 300, None), report)
        cache.put((str(number) * 300, None), report)
    kept = [cache.get((str(number) * 300, None)) is not None for number in range(5)]
    assert kept == [False, False, True, True, True]
    cache.put(("x" * 5_000, None), reports[0])
    assert cache.get(("x" * 5_000, None)) is None


def test_the_tokens_of_one_long_text_are_cached():
    """Those of ordinary texts before it go: together they would hold a hundred megabytes."""
    for number in range(4):
        assess(request(f"SELECT {number}, " + "1, " * 5_000 + "1", "sqlite"))
    assert len(texts._latest) == 1
    report = assess(request("SELECT 'a'", "sqlite"))
    assert (report.masked_sql, len(texts._latest)) == ("SELECT ?", 2)


def test_a_bounded_number_of_words_in_double_quotes_is_compared_with_the_columns(monkeypatch):
    """Thousands of them beside thousands of columns took half a minute."""
    compared = []
    monkeypatch.setattr(quoted_word, "nearest", lambda name, *_, **__: compared.append(name))
    items = ", ".join(f'upper("word {number}")' for number in range(60))
    check_sql(f"SELECT {items} FROM customers", schema=shop("sqlite"), native=False)
    assert compared == [f"word {number}" for number in range(50)]


def test_an_unclosed_bracket_is_scanned_once():
    """`With [` may begin a CTE: 360 KB of it took a quarter of a minute, each read to the end."""
    few, many = (least_time_of_extraction("[With " * n) for n in (5_000, 40_000))
    assert many < 24 * few  # 8 times the text: once 8 times the work, read to the end 64 times


def least_time_of_extraction(text: str) -> float:
    """Return the least CPU seconds of three searches, which a regular expression cannot count."""
    spent = []
    for _ in range(3):
        begun = thread_time()
        assert extract_sql(text) is None
        spent.append(thread_time() - begun)
    return min(spent)


def test_a_gap_in_the_journal_is_searched_once(monkeypatch):
    """A thousand empty lines are one place where prose may begin."""
    looked = []
    monkeypatch.setattr(boundaries, "_is_sentence", lambda _text, gap: looked.append(gap.end()))
    found = extract_sql("SELECT 1" + "\n" * 1_000 + "+ 2")
    assert (found is not None, looked) == (True, [1_008])


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql", "snowflake"])
@pytest.mark.parametrize(
    "sql", ["SELECT '\ud800' FROM t", 'SELECT a AS "\udcff" FROM t', "SELECT a FROM t -- \udfff"]
)
def test_half_a_surrogate_pair_is_text(dialect: str, sql: str, caplog):
    """No engine can be sent it: the static verdict applies, and no failure is logged."""
    schema = Schema.from_mapping({"t": {"a": "int"}}, dialect=dialect)
    report = check_sql(sql, schema=schema)
    assert (report.verdict, report.decided_by) == ("ok", "static")
    assert caplog.messages == []


class FailingEngine:
    """An engine that fails at every statement."""

    is_quick = True

    def verdict(self, sql):
        raise KeyError(sql)


def test_an_engine_that_fails_is_logged_once(caplog):
    """Whatever it is asked about; the text of the exception is not logged."""
    complain.cache_clear()
    schema = Schema.from_mapping({"t": {"a": "int"}}, dialect="sqlite")
    for number in range(5):
        report = check_sql(f"SELECT a + {number} FROM t", schema=schema, native=FailingEngine())
        assert (report.verdict, report.decided_by) == ("ok", "static")
    assert caplog.messages == [
        "sqlobs: the engine of sqlite failed (KeyError; logged once; the static verdict applies)"
    ]
