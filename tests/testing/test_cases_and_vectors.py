"""Cases and vectors as a team keeps them in files."""

from __future__ import annotations

import pytest

from sqlobs import Schema, check_sql
from sqlobs.check.policy import Policy
from sqlobs.errors import InputError
from sqlobs.testing import RuleCase, Vector, load_rule_cases, load_vectors
from sqlobs.types import ResultTable

CASES = """
- dialects: [sqlite, duckdb]
  policy: {denied_tables: [salaries]}
  fail: ["SELECT * FROM salaries"]
- dialects: [sqlite]
  strict: true
  pass: ["SELECT id FROM orders"]
"""


def test_cases_are_read_with_what_they_are_judged_with(tmp_path):
    """Each statement in each dialect, under the policy and strictness of its group."""
    (tmp_path / "salaries.yaml").write_text(CASES)
    denied = Policy(denied_tables=frozenset({"salaries"}))
    select = "SELECT * FROM salaries"
    cases = load_rule_cases(tmp_path)
    assert cases == [
        RuleCase("salaries", "sqlite", select, "fail", "0-0", policy=denied),
        RuleCase("salaries", "duckdb", select, "fail", "0-0", policy=denied),
        RuleCase(
            "salaries", "sqlite", "SELECT id FROM orders", "pass", "1-0", strict="sql_correctness"
        ),
    ]
    assert load_rule_cases(tmp_path / "salaries.yaml") == cases
    assert cases[0].id == "salaries-sqlite-0-0"
    for case in cases:
        schema = Schema.from_mapping({"salaries": ["id"], "orders": ["id"]}, dialect=case.dialect)
        report = check_sql(case.sql, schema=schema, strict=case.strict, policy=case.policy)
        assert report.ok == (case.expected == "pass")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1", "not a list of groups"),
        ("- fail: [x]", "group 1 needs dialects, and fail, flag or pass"),
        ("- {dialects: [sqlite], fails: [x]}", "group 1 needs dialects"),
        ("- {dialects: [sqlite], policy: {tables: [x]}}", "group 1: the policy is invalid"),
        ("- [", "cannot be read"),
    ],
)
def test_an_invalid_file_of_cases_gives_one_error_sentence(tmp_path, text, sentence):
    """A misspelled word must not leave cases out in silence."""
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(InputError, match=sentence):
        load_rule_cases(tmp_path)


def test_vectors_are_read_in_both_forms(tmp_path):
    """One object a line, or the published array with its own names."""
    lines, array = tmp_path / "v.jsonl", tmp_path / "v.json"
    lines.write_text('{"id": "a", "metric": "ex", "expected": {"ex": 1}}\n')
    array.write_text(
        '[{"id": "a", "metric": "ex", "expected": {"ex": 1}, "gold_sql": "SELECT 1",'
        ' "gold_rows": [[1, {"$dec": "2.50"}]]}]'
    )
    assert load_vectors(lines) == [Vector("a", "ex", {"ex": 1})]
    (vector,) = load_vectors(array)
    assert vector.reference_sql == "SELECT 1"
    assert isinstance(vector.reference, ResultTable)
    assert vector.reference.columns == ("c0", "c1")


def test_a_file_without_vectors_gives_one_error_sentence(tmp_path):
    """Neither a traceback nor an empty list."""
    (tmp_path / "v.json").write_text('[{"id": 1}]')
    with pytest.raises(InputError, match="contains no vectors"):
        load_vectors(tmp_path / "v.json")
