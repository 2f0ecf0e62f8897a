"""Questions to an engine: measured, documented and unknown engines answer yes, no or unknown."""

from __future__ import annotations

import pytest

from sqlobs.check.engine.knowledge import Answer, documented_engine, knowledge_of
from sqlobs.check.engine.profile import Profile
from sqlobs.check.forms import FORMS, Calls, Limits

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN
MEASURED = ("sqlite", "postgres", "duckdb", "mariadb:10.11", "clickhouse")
DOCUMENTED = ("snowflake", "tsql", "oracle", "trino")


def of(name):
    return knowledge_of(Profile.named(name) if name else None)


@pytest.mark.parametrize(
    ("engine", "function", "answer"),
    [
        ("postgres", "to_char", YES),
        ("postgres", "strftime", NO),
        ("sqlite", "strftime", YES),
        ("snowflake", "zeroifnull", YES),
        ("snowflake", "strftime", NO),
        ("clickhouse", "sumIf", YES),  # `sum` with the suffix `If`
        ("clickhouse", "SUMIf", YES),  # `sum` is compared without case, the suffix is not
        ("clickhouse", "sumif", NO),
        ("clickhouse", "toUInt32", YES),
        ("clickhouse", "touint32", NO),
        ("clickhouse", "sumsumthing", NO),
        ("hive", "sum", YES),
        ("hive", "explode", UNKNOWN),
        (None, "sum", YES),
        (None, "to_char", UNKNOWN),
    ],
)
def test_a_function(engine, function, answer):
    assert of(engine).has_function(function) is answer


@pytest.mark.parametrize("engine", MEASURED)
def test_a_measured_engine_accepts_or_rejects_each_form(engine):
    answers = {form.name: of(engine).accepts(form) for form in FORMS.values()}
    assert set(answers.values()) == {YES, NO}
    assert {name for name, one in answers.items() if one is NO} >= of(engine).rejected & set(
        answers
    )


@pytest.mark.parametrize("engine", [*DOCUMENTED, "hive", None])
def test_without_a_measurement_no_form_is_known_to_be_accepted(engine):
    answers = {form.name: of(engine).accepts(form) for form in FORMS.values()}
    assert {name for name, one in answers.items() if one is NO} == of(engine).rejected & set(
        answers
    )
    assert set(answers.values()) <= {NO, UNKNOWN}


def test_a_documented_engine_rejects_what_its_manual_excludes():
    assert of("oracle").accepts(Limits.limit_clause) is NO
    assert of("oracle").source == documented_engine("oracle").source != ()


def test_the_kinds_of_a_call_are_measured_or_those_of_every_engine():
    assert of("postgres").kinds("string_agg", 2) == {"aggregate"}
    assert of("snowflake").kinds("listagg", 2) == {"aggregate"}
    assert of("snowflake").kinds("listagg", 3) == frozenset()
    assert of("hive").kinds("collect_list", 1) == frozenset()
    assert of("hive").kinds("SUM", 1) == {"aggregate"}
    assert of(None).kinds("sum", 1) == {"aggregate"}


def test_words_that_no_list_has_are_unknown_where_the_list_is():
    assert of("mariadb:10.11").has("cast_types", "real") is NO
    assert of("mariadb:10.11").has("cast_types", "double") is YES
    assert of("postgres").has("cast_types", "real") is UNKNOWN
    assert of("snowflake").has("cast_types", "real") is UNKNOWN


def test_a_unit_of_time():
    assert of("mariadb:10.11").has_unit("month", "counted") is YES
    assert of("mariadb:10.11").has_unit("months", "counted") is NO
    assert of("snowflake").has_unit("fortnight", "counted") is UNKNOWN


def test_a_reserved_word():
    assert of("postgres").reserves("ORDER", "column") is YES
    assert of("postgres").reserves("CITY", "column") is NO
    assert of("snowflake").reserves("ORDER", "column") is UNKNOWN


def test_columns_of_a_function_in_from():
    assert of("snowflake").columns_of("flatten")[0] == ("SEQ", 0)
    assert of("hive").columns_of("flatten") is None


def test_a_mode_can_turn_a_rejected_form_into_an_accepted_one():
    ansi = Profile(dialect="mysql", version="mariadb-10.11", sql_mode=("ANSI_QUOTES",))
    form = FORMS["double_quoted_table"]
    assert (of("mariadb:10.11").accepts(form), knowledge_of(ansi).accepts(form)) == (NO, YES)


def test_a_function_of_the_grammar_exists_where_its_form_is_accepted():
    for name, form in Calls.of_grammar.items():
        if not of("postgres").signatures(name):
            assert of("postgres").has_function(name) is of("postgres").accepts(form)
