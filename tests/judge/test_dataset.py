"""A judged dataset: its rows, categories, and the second call."""

from __future__ import annotations

import asyncio
import json

import pytest

from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.judgment import Judgment
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.trust.dataset import flex_rows
from sqlobs.judge.verdicts.categories import (
    DIFFERENCES,
    INTERNAL_ERRORS,
    Categorizer,
    failure_codes,
)
from sqlobs.judge.verdicts.categories import Category as Chosen
from sqlobs.runs.case import JudgeVerdict
from tests.judge.servers import StillClock, config, item, verdict


def _ticks(menu, *ticked):
    entries = {
        key: {"issued": key in ticked, "explanation": f"{key}!" if key in ticked else ""}
        for key in menu
    }
    return ChatReply(json.dumps(entries))


def _respond(request):
    """Judge as the question says, and sort: faults are filters, differences are structure."""
    fields = request.fields
    if "judgement" in fields:
        return (
            _ticks(DIFFERENCES, "different_output_structure")
            if "right" in fields["question"]
            else _ticks(INTERNAL_ERRORS, "incorrect_filtering_condition", "abused_clauses")
        )
    if "unsayable" in fields["question"]:
        return ChatReply("Hm.")
    return verdict("right" in fields["question"])


def _case(question, *, equal, **changes):
    return item(question=question, results_equal=equal, **changes)


CASES = [
    _case("right 1", equal=True),
    _case("right 2", equal=True),
    _case("wrong 1", equal=True),
    _case("right 3", equal=False),
    _case("wrong 2", equal=False),
    _case("unsayable", equal=True),
    _case("broken", equal=None, predicted_error="no such column: x"),
]


def _rows(cases=CASES, respond=_respond, **options):
    async def run(server):
        async with Endpoint(config(server), clock=StillClock()) as endpoint:
            return await flex_rows(endpoint, cases, **options)

    with serving(respond) as server:
        return asyncio.run(run(server))


def test_rows_come_in_order_each_on_its_side():
    """Judge and execution agree or not; what did not run has a category of its own."""
    assert [(row.categorization.side, row.categorization.keys) for row in _rows()] == [
        ("true_positive", ()),
        ("true_positive", ()),
        ("false_positive", ("incorrect_filtering_condition", "abused_clauses")),
        ("false_negative", ("different_output_structure",)),
        ("true_negative", ("incorrect_filtering_condition", "abused_clauses")),
        (None, ()),
        ("true_negative", ("error",)),
    ]


def test_a_row_is_what_a_run_keeps():
    """Judge with prompt and model, verdict, categories."""
    rows = _rows(CASES[2:3])
    assert rows[0].verdict == JudgeVerdict(
        judge="flex/flex_equal.v1/recorded",
        correct=False,
        score=0.0,
        explanation="Because.",
        categories=("incorrect_filtering_condition", "abused_clauses"),
        category_reasons={
            "incorrect_filtering_condition": "incorrect_filtering_condition!",
            "abused_clauses": "abused_clauses!",
        },
        results_equal=True,
    )


def test_true_positives_cost_one_call_and_may_go_uncategorized():
    """Nothing is to be sorted where both agree that it is right."""
    asked = []

    def respond(request):
        asked.append("judgement" in request.fields)
        return _respond(request)

    _rows(CASES[:3], respond)
    assert sorted(asked) == [False, False, False, True]
    asked.clear()
    rows = _rows(CASES[:3], respond, categorize=False)
    assert (asked, rows[2].categorization.side) == ([False] * 3, "false_positive")


def _categorized(label, respond, **changes):
    async def run(server):
        async with Endpoint(config(server), clock=StillClock()) as endpoint:
            given = Judgment(name="flex", label=label, text="It filters too much.")
            return await Categorizer(endpoint).categorize(item(**changes), given)

    with serving(respond) as server:
        return asyncio.run(run(server)), list(server.requests)


def test_the_second_call_shows_the_judgment_and_no_results():
    """As data, like everything else."""
    results = {"predicted_result": "| 1 |", "reference_result": "| 2 |"}
    found, (request,) = _categorized("fail", _respond, results_equal=False, **results)
    assert request.fields["judgement"] == "It filters too much."
    assert not {"predicted_result", "reference_result"} & set(request.fields)
    assert found.keys == ("incorrect_filtering_condition", "abused_clauses")
    assert found.codes == ("semantics.filter",)


def test_an_unreadable_menu_is_an_llm_error():
    """After one repair; the reason is kept."""
    found, requests = _categorized("fail", lambda request: ChatReply('{"abused_clauses": true}'))
    assert (found.keys, found.reason, len(requests)) == (("llm_error",), "judge_malformed", 2)


@pytest.mark.parametrize(
    ("categories", "changes", "codes"),
    [
        ([("incorrect_schema_linking", "")], {}, ("semantics.projection",)),
        (
            [("incorrect_schema_linking", "")],
            {"sql": "SELECT 1 FROM ship"},
            ("semantics.table_choice",),
        ),
        ([("incorrect_schema_linking", "")], {"sql": "SELECT ((("}, ("semantics.table_choice",)),
        ([("abused_clauses", "A needless DISTINCT.")], {}, ("semantics.aggregation",)),
        (
            [("abused_clauses", "GROUP BY and LIMIT are not asked for.")],
            {},
            ("semantics.aggregation", "semantics.ordering"),
        ),
        (
            [
                ("missing_handling_of_nullable_column", ""),
                ("missing_handling_of_multiple_rows", ""),
            ],
            {},
            ("semantics.null", "semantics.ordering"),
        ),
        ([("other_fatal_issues", ""), ("different_output_structure", "")], {}, ()),
    ],
)
def test_faults_map_to_failure_codes(categories, changes, codes):
    """By the contract's table; tables or columns by what both statements read."""
    chosen = [Chosen(key, explanation) for key, explanation in categories]
    assert failure_codes(chosen, item(**changes)) == codes
