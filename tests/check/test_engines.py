"""Engines that users bring: their own object, a plug-in, a parser that knows grammar only."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from sqlobs import check_sql
from sqlobs.check import native as engines
from sqlobs.check.engine.profile import Profile
from sqlobs.check.native import is_quick
from sqlobs.check.report.model import NativeVerdict
from tests.check.schemas import shop

POSTGRES = shop("postgres")
ODD = "SELECT name FROM customers WHERE SOUNDS OF name"


class Answering:
    """An engine that says the same of everything."""

    is_quick = False

    def __init__(self, verdict):
        self.said = verdict
        self.asked = []

    def verdict(self, sql):
        """Note the statement."""
        self.asked.append(sql)
        return self.said


def test_an_engine_of_the_user_decides():
    """It is asked about the statement as extracted, and wins both ways."""
    accepts = Answering(NativeVerdict("mine 1"))
    report = check_sql(f"```sql\n{ODD}\n```", schema=POSTGRES, native=accepts)
    assert accepts.asked == [ODD]
    assert (report.syntactic, report.schematic, report.decided_by) == (True, True, "native")
    assert report.engine == "mine 1"
    refuses = Answering(NativeVerdict("mine 1", "schema.unknown_column", "name", "There is none."))
    report = check_sql("SELECT name FROM customers", schema=POSTGRES, native=refuses)
    assert (report.syntactic, report.schematic) == (True, False)
    assert report.unknown_columns == ("name",)


def test_an_engine_without_an_answer_leaves_the_static_verdict():
    """None is no verdict, and neither is an exception."""

    class Broken(Answering):
        def verdict(self, sql):
            raise RuntimeError(sql)

    for engine in (Answering(None), Broken(None)):
        report = check_sql("SELECT nme FROM customers", schema=POSTGRES, native=engine)
        assert (report.syntactic, report.schematic, report.decided_by) == (True, False, "static")


def test_a_grammar_only_plug_in_overrides_only_parse_errors():
    """What is accepted by grammar alone may still name what does not exist."""
    accepts = Answering(NativeVerdict("parser 1", is_grammar_only=True))
    before = check_sql("SELECT nme FROM customers WHERE FOO BAR", schema=POSTGRES)
    assert before.syntactic is False
    report = check_sql("SELECT nme FROM customers WHERE FOO BAR", schema=POSTGRES, native=accepts)
    assert "syntax.parse_error" not in report.failure_codes
    report = check_sql("SELECT nme FROM customers", schema=POSTGRES, native=accepts)
    assert (report.syntactic, report.schematic, report.decided_by) == (True, False, "static")
    report = check_sql("SELECT 1; SELECT 2", schema=POSTGRES, native=accepts)
    assert report.syntactic is False


@pytest.fixture
def plugged(monkeypatch):
    """Pretend that a package with an entry point is installed."""
    engine = Answering(NativeVerdict("plugged 1"))
    module = type(sys)("sqlobs_plugged")
    module.make = lambda schema, profile: engine
    monkeypatch.setitem(sys.modules, "sqlobs_plugged", module)

    def found(*, group, name):
        known = EntryPoint(name="trino", group=engines.GROUP, value="sqlobs_plugged:make")
        broken = EntryPoint(name="oracle", group=engines.GROUP, value="sqlobs_nowhere:make")
        return [one for one in (known, broken) if (one.group, one.name) == (group, name)]

    monkeypatch.setattr(engines, "entry_points", found)
    engines._plugged.cache_clear()
    yield engine
    engines._plugged.cache_clear()


def test_a_plug_in_is_found_by_its_dialect(plugged):
    """And is not asked on the request thread."""
    report = check_sql("SELECT ghost FROM customers", schema=shop("trino"))
    assert (report.schematic, report.engine, len(plugged.asked)) == (True, "plugged 1", 1)
    assert not is_quick(shop("trino"), Profile.named("trino"), True)
    assert is_quick(shop("spark"), Profile.named("spark"), True)


def test_a_plug_in_that_cannot_be_loaded_is_skipped(plugged):
    """It is logged once, and the static check decides."""
    report = check_sql("SELECT ghost FROM customers", schema=shop("oracle"))
    assert (report.schematic, report.decided_by) == (False, "static")
