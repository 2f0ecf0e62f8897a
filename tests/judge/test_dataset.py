"""A judged dataset: rates against execution accuracy, categories, and the second call."""

from __future__ import annotations

import asyncio
import json

import pytest

from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.judgement import Judgement
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.trust.dataset import FlexCase, category_spread, flex_rows, flex_summary
from sqlobs.judge.verdicts.categories import DIFFERENCES, FAULTS, Categoriser, failure_codes
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
            else _ticks(FAULTS, "incorrect_filtering_condition", "abused_clauses")
        )
    if "unsayable" in fields["question"]:
        return ChatReply("Hm.")
    return verdict("right" in fields["question"])


def _case(question, *, equal, difficulty=None, **changes):
    return FlexCase(item(question=question, results_equal=equal, **changes), difficulty)


CASES = [
    _case("right 1", equal=True, difficulty="simple"),
    _case("right 2", equal=True, difficulty="simple"),
    _case("wrong 1", equal=True, difficulty="simple"),
    _case("right 3", equal=False, difficulty="hard"),
    _case("wrong 2", equal=False, difficulty="hard"),
    _case("unsayable", equal=True, difficulty="hard"),
    _case("broken", equal=None, predicted_error="no such column: x"),
]


def _rows(cases=CASES, respond=_respond, **options):
    async def run(server):
        async with Endpoint(config(server), clock=StillClock()) as endpoint:
            return await flex_rows(endpoint, cases, **options)

    with serving(respond) as server:
        return asyncio.run(run(server))


def test_a_dataset_is_summed_up_over_what_was_decided():
    """EX, FLEX, their difference, both kinds of error; what has no verdict is in the bounds only."""
    found = flex_summary(_rows()).overall
    assert (found.cases, found.undecided) == (7, 1)
    assert [(rate.count, rate.total) for rate in (found.ex, found.flex)] == [(3, 6), (3, 6)]
    assert (found.false_positives.count, found.false_negatives.count) == (1, 1)
    assert found.delta == 0
    assert found.delta_interval.low < 0 < found.delta_interval.high
    assert found.flex.interval.low < 0.5 < found.flex.interval.high
    assert found.flex_bounds == (3 / 7, 4 / 7)


def test_rates_are_given_by_difficulty():
    """Each with its own denominators, in the order of the cases."""
    found = flex_summary(_rows()).by_difficulty
    assert list(found) == ["simple", "hard"]
    assert (found["simple"].ex.rate, found["simple"].flex.rate) == (1.0, 2 / 3)
    assert (found["hard"].undecided, found["hard"].delta) == (1, 0.5)


def test_categories_are_shares_of_their_side():
    """A row may be in several; what did not run has one of its own."""
    shares = flex_summary(_rows()).categories
    assert [(share.side, share.key, share.count, share.total) for share in shares] == [
        ("false_positive", "incorrect_filtering_condition", 1, 1),
        ("false_positive", "abused_clauses", 1, 1),
        ("true_negative", "incorrect_filtering_condition", 1, 2),
        ("true_negative", "abused_clauses", 1, 2),
        ("true_negative", "error", 1, 2),
        ("false_negative", "different_output_structure", 1, 1),
    ]


def test_shares_are_averaged_over_runs():
    """A category that a run does not have is there with zero."""
    runs = [flex_summary(_rows()), flex_summary(_rows(CASES[:2]))]
    spread = {(entry.side, entry.key): entry for entry in category_spread(runs)}
    entry = spread["true_negative", "error"]
    assert (entry.mean, entry.deviation) == (0.25, 0.25)


def test_a_row_is_what_a_run_keeps():
    """Judge with prompt and model, verdict, categories."""
    rows = _rows(CASES[2:3])
    assert rows[0].verdict == JudgeVerdict(
        judge="flex/flex_equal.v1/recorded",
        correct=False,
        score=0.0,
        explanation="Because.",
        categories=("incorrect_filtering_condition", "abused_clauses"),
    )


def test_true_positives_cost_one_call_and_may_go_uncategorised():
    """Nothing is to be sorted where both agree that it is right."""
    asked = []

    def respond(request):
        asked.append("judgement" in request.fields)
        return _respond(request)

    _rows(CASES[:3], respond)
    assert sorted(asked) == [False, False, False, True]
    asked.clear()
    rows = _rows(CASES[:3], respond, categorise=False)
    assert (asked, rows[2].categorisation.side) == ([False] * 3, "false_positive")


def test_an_empty_dataset_has_no_rates():
    """None, not zero."""
    found = flex_summary([]).overall
    assert (found.ex.rate, found.flex.interval, found.delta, found.flex_bounds) == (None,) * 4


def _categorised(label, respond, **changes):
    async def run(server):
        async with Endpoint(config(server), clock=StillClock()) as endpoint:
            given = Judgement(name="flex", label=label, text="It filters too much.")
            return await Categoriser(endpoint).categorise(item(**changes), given)

    with serving(respond) as server:
        return asyncio.run(run(server)), list(server.requests)


def test_the_second_call_shows_the_judgement_and_no_results():
    """As data, like everything else."""
    results = {"predicted_result": "| 1 |", "reference_result": "| 2 |"}
    found, (request,) = _categorised("fail", _respond, results_equal=False, **results)
    assert request.fields["judgement"] == "It filters too much."
    assert not {"predicted_result", "reference_result"} & set(request.fields)
    assert found.keys == ("incorrect_filtering_condition", "abused_clauses")
    assert found.codes == ("semantics.filter",)


def test_an_unreadable_menu_is_an_llm_error():
    """After one repair; the reason is kept."""
    found, requests = _categorised("fail", lambda request: ChatReply('{"abused_clauses": true}'))
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
