"""Checks in a process of their own: the same reports, and an application that nothing holds up."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager
from dataclasses import fields

import pytest

from sqlobs import Policy, Schema, check_sql
from sqlobs.check import checker as checkers
from sqlobs.check.engine.profile import Profile
from sqlobs.check.report.model import CheckReport
from sqlobs.errors import ConfigError
from sqlobs.tracing.checking_process.messages import Terms, decode, encode
from sqlobs.tracing.checking_process.process import (
    CheckingProcess,
)
from sqlobs.tracing.checking_process.program import MOST_SCHEMAS, Answers
from tests.agreement.own import DIALECTS, WAREHOUSES, clinic, statements
from tests.tracing.rig import BAD, GOOD, SCHEMA, VERDICTS, Rig

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")

TERMS = Terms(native=True, strict=None, policy=None, max_bytes=65_536)
COMPARED = [field.name for field in fields(CheckReport) if field.name != "duration_s"]
ODD = ["", "no SQL here", "SELECT '\ud83d'", "SELECT '\ud83d\ude00'", "SELECT 1; SELECT 'ä\0'"]


@contextmanager
def process(terms=TERMS):
    """A checking process that ends with the block."""
    made = CheckingProcess(terms)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def shared():
    """One process for the tests that only ask."""
    with process() as made:
        yield made


def values(report):
    """What a report says, but for the time that it took."""
    return {name: getattr(report, name) for name in COMPARED}


# -- the same reports -------------------------------------------------------------------------------


def assert_same_reports(shared, dialect, texts):
    """The checking process reports what a check in this process does."""
    schema = clinic(dialect)
    for sql in texts:
        found = shared.report(sql, schema, None)
        assert values(found) == values(check_sql(sql, schema=schema)), sql


def sample(dialect):
    """Some statements of a dialect, the same ones in each run."""
    return random.Random(25).sample(statements(dialect), 8)


@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_reports_are_those_of_a_check_in_this_process(shared, dialect):
    """Labels, findings, places, suggestions, derived texts: all but the duration."""
    assert_same_reports(shared, dialect, sample(dialect))


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [*DIALECTS, *WAREHOUSES])
def test_every_statement_of_our_own_has_the_same_report(shared, dialect):
    assert_same_reports(shared, dialect, statements(dialect))


@pytest.mark.parametrize("sql", [*ODD, *VERDICTS])
@pytest.mark.parametrize("dialect", [None, "SQLite", Profile.named("sqlite")])
def test_any_text_is_sent_as_it_is(shared, sql, dialect):
    """Halves of surrogate pairs, too, which JSON would join."""
    found = shared.report(sql, SCHEMA, dialect)
    assert values(found) == values(check_sql(sql, schema=SCHEMA, dialect=dialect))


def test_without_schema_and_dialect_nothing_is_sent_for_them(shared):
    found = shared.report(GOOD, None, None)
    assert values(found) == values(check_sql(GOOD))
    assert found.reasons["syntactic"] == "no_dialect"


def test_profiles_keep_their_settings(shared):
    """MySQL reads `"a"` as a name by this mode."""
    profile = Profile(dialect="mysql", sql_mode=("ANSI_QUOTES",), search_path=("a", "b"))
    sql = 'SELECT "nme" FROM patients'
    schema = Schema.from_mapping({"patients": ["name"]}, dialect="mysql")
    found = shared.report(sql, schema, profile)
    assert found.unknown_columns == ("nme",)
    assert values(found) == values(check_sql(sql, schema=schema, dialect=profile))


def test_the_terms_hold_in_the_process():
    """Policy, strict mode and size are those of `configure`; None and an empty set differ."""
    policy = Policy(denied_tables={"orders"}, allowed_functions=set(), required_filters=["id"])
    terms = Terms(native=False, strict="sql_correctness", policy=policy, max_bytes=30)
    assert Terms.read(decode(encode(terms.document()))) == terms
    with process(terms) as made:
        denied = made.report(GOOD, SCHEMA, None)
        strict = {"native": False, "strict": "sql_correctness", "policy": policy}
        assert values(denied) == values(check_sql(GOOD, schema=SCHEMA, **strict))
        assert denied.failure_codes == ("safety.unsafe_statement",)
        assert made.report(f"{GOOD} WHERE 1 = 1", SCHEMA, None).reasons["syntactic"] == "too_large"


def test_a_schema_is_sent_once_and_again_after_it_was_given_up():
    """The process says what it lacks, so that the application needs no list."""
    answers = Answers(TERMS)
    question = {"text": BAD, "schema": SCHEMA.version, "dialect": None}
    assert answers.to(question) == {"lacks": "schema"}
    assert answers.to({**question, "document": SCHEMA.to_json()})["schematic"] is False
    for number in range(MOST_SCHEMAS):
        other = Schema.from_mapping({f"t{number}": ["id"]}, dialect="sqlite")
        answers.to({**question, "schema": other.version, "document": other.to_json()})
        assert answers.to(question)["schematic"] is False or number == MOST_SCHEMAS - 1
    for number in range(MOST_SCHEMAS):
        other = Schema.from_mapping({f"u{number}": ["id"]}, dialect="sqlite")
        answers.to({**question, "schema": other.version, "document": other.to_json()})
    assert answers.to(question) == {"lacks": "schema"}


# -- the application --------------------------------------------------------------------------------


def test_the_application_checks_nothing(monkeypatch):
    """No statement is parsed in it, on whatever thread."""
    with Rig(check="process") as rig:
        rig.sqlobs.flush(30)
        monkeypatch.setattr(checkers, "check_sql", None)
        generate = rig.sqlobs.trace_generation(lambda question: question)
        for sql in VERDICTS:
            generate(sql)
        found = [span.attributes["sqlobs.verdict"] for span in rig.generations]
        assert found == [*VERDICTS.values()]
        assert rig.counts("sqlobs.generations", "sqlobs.verdict") == {"ok": 1, "failed": 2}


def test_an_engine_of_the_application_cannot_be_asked_from_another_process():
    class Engine:
        is_quick = True

        def verdict(self, sql):
            return None

    with pytest.raises(ConfigError, match="an Engine gives its verdicts in this process"):
        Rig(check="process", native=Engine())
