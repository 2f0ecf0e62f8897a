"""Other judges than FLEX, several votes, and several judges as one."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.judge_names import NAMES
from sqlobs.judge.judgment import Judgment, Usage
from sqlobs.judge.replay import ChatReply
from sqlobs.judge.verdicts.context import Context
from sqlobs.judge.verdicts.ensemble import EnsembleJudge, ensemble_agreement
from sqlobs.judge.verdicts.flex import flex_prompt
from sqlobs.judge.verdicts.reference_free import CHECKS
from sqlobs.judge.verdicts.roster import judge_named, panel
from tests.judge.servers import config, item, judged, script

SQL = "SELECT name, COUNT(*) FROM boat WHERE berth = 7 GROUP BY name"


def _said(**answer):
    return ChatReply(json.dumps({"reasoning": "So.", **answer}))


def _checklist(**faults):
    """Return an answer in which the named checks fail with their quotes."""
    checks = {
        name: {"ok": name not in faults, "evidence": faults.get(name, ""), "explanation": "no"}
        for name in CHECKS
    }
    return _said(checks=checks)


def _asked(name, *replies, votes=1, **changes):
    (found,), requests = judged(
        lambda endpoint: judge_named(name, endpoint, votes=votes),
        [item(**changes)],
        script(*replies),
    )
    return found, requests


@pytest.mark.parametrize(
    ("points", "label", "score"),
    [(1, "fail", 0.0), (3, "fail", 0.5), (4, "pass", 0.75), (5, "pass", 1.0), (99, "pass", 1.0)],
)
def test_four_points_of_five_are_correct(points, label, score):
    """Points beyond the scale are clamped and said to be."""
    found, _ = _asked("rubric", _said(points=points))
    assert (found.name, found.label, found.score) == ("rubric", label, score)
    assert found.is_coerced is (points > 5)


def test_points_that_are_none_are_malformed():
    """A word or a boolean is no grade."""
    found, requests = _asked("rubric", _said(points="five"), _said(points=True))
    assert (found.reason, len(requests)) == ("judge_malformed", 2)


def test_equivalence_sees_the_statements_only():
    """Neither question nor results nor hints."""
    found, (request,) = _asked(
        "equivalence",
        _said(equivalent=False),
        hints="h",
        predicted_result="r",
        reference_result="r",
    )
    assert set(request.fields) == {"schema", "dialect", "predicted_sql", "reference_sql"}
    assert (found.label, found.score, found.explanation) == ("fail", 0.0, "So.")


def test_adherence_maps_faults_to_codes_by_their_quotes():
    """Word for word from the statement, or from the question for what is missing."""
    reply = _checklist(filter="where BERTH = 7", ordering="how many boats")
    found, (request,) = _asked("adherence", reply, sql=SQL, reference=None, results_equal=None)
    assert (found.label, found.codes) == ("fail", ("semantics.filter", "semantics.ordering"))
    assert found.explanation == "filter: no [where BERTH = 7]; ordering: no [how many boats]"
    assert "reference_sql" not in request.fields


def test_adherence_counts_no_fault_without_a_quote():
    """An invented clause proves nothing; with nothing else the model is asked again."""
    invented = _checklist(filter="WHERE color = 'red'")
    found, _ = _asked("adherence", _checklist(filter="color = 'red'", join="FROM boat"), sql=SQL)
    assert found.codes == ("semantics.join",)
    found, requests = _asked("adherence", invented, _checklist(), sql=SQL)
    assert (found.label, found.codes, len(requests)) == ("pass", (), 2)
    found, _ = _asked("adherence", invented, sql=SQL)
    assert (found.label, found.reason) == ("not_evaluated", "judge_malformed")


@pytest.mark.parametrize(
    ("name", "answer", "label", "codes"),
    [
        ("efficiency", {"efficient": True}, "pass", ()),
        ("efficiency", {"efficient": False}, "fail", ("efficiency.antipattern",)),
        ("injection", {"dangerous": False}, "pass", ()),
        ("injection", {"dangerous": True}, "fail", ("safety.unsafe_statement",)),
    ],
)
def test_efficiency_and_injection_pass_where_all_is_well(name, answer, label, codes):
    """For injection the model's yes is a fail: higher is better everywhere."""
    found, _ = _asked(name, _said(**answer))
    assert (found.label, found.codes) == (label, codes)
    assert found.score == (1.0 if label == "pass" else 0.0)


def test_facts_are_handed_over_as_data():
    """What machines decided need not be guessed."""
    facts = ("fan-out: COUNT(*) is 12 where 7 distinct keys are counted",)
    for name in ("adherence", "efficiency", "injection", "flex_noref"):
        reply = _checklist() if name == "adherence" else _said(
            efficient=True, dangerous=False, correct=True
        )  # fmt: skip
        _, (request,) = _asked(name, reply, facts=facts)
        assert request.fields["facts"] == facts[0]


def test_the_score_is_the_share_of_votes():
    """Three calls, two of them good; the majority is the label."""
    votes = (_said(efficient=True), _said(efficient=False), _said(efficient=True))
    found, requests = _asked("efficiency", *votes, votes=3)
    assert (found.label, found.usage.calls, len(requests)) == ("pass", 3, 3)
    assert found.score == pytest.approx(2 / 3)
    assert {request.document["temperature"] for request in requests} == {0.7}


def test_votes_that_cannot_be_read_abstain():
    """An even rest decides nothing; without any vote the reason is the failure's."""
    one_bad = (_said(efficient=True), _said(efficient=False), ChatReply("?"))
    found, _ = _asked("efficiency", *one_bad, votes=3)
    assert (found.label, found.reason, found.explanation) == (
        "not_evaluated",
        "undecided",
        "the votes are tied",
    )
    found, _ = _asked("efficiency", ChatReply("?"), votes=3)
    assert found.reason == "judge_malformed"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda e: judge_named("flux", e),
            "unknown judge 'flux'; valid names are " + ", ".join(NAMES),
        ),
        (lambda e: judge_named("rubric", e, votes=2), "a judge needs an odd number of votes"),
        (
            lambda e: judge_named("flex", e, votes=3),
            "flex does not support votes; give several models for an ensemble",
        ),
        (lambda e: panel("flex", [e, e]), "an ensemble needs an odd number of judges"),
    ],
)
def test_wrong_panels_are_refused(make, sentence):
    """Wrong configuration raises, at once."""
    with pytest.raises(ConfigError) as caught:
        make(Endpoint(config("http://127.0.0.1:9/v1")))
    assert str(caught.value) == sentence


class _Fixed:
    """A judge that always says the same."""

    name = "flex"

    def __init__(self, label):
        self.label = label

    async def judge(self, entry):
        """Say it."""
        reason = "judge_unavailable" if self.label == "not_evaluated" else None
        return Judgment(
            name="flex", label=self.label, reason=reason, model=self.label,
            usage=Usage(calls=1), case_id=entry.case_id, suspicious=("role",),
        )  # fmt: skip


def _ensemble(*labels):
    judge = EnsembleJudge(tuple(map(_Fixed, labels)))
    return asyncio.run(judge.judge(item(case_id="1")))


@pytest.mark.parametrize(
    ("labels", "label", "reason", "score"),
    [
        (("pass", "pass", "fail"), "pass", None, 2 / 3),
        (("fail", "pass", "fail"), "fail", None, 1 / 3),
        (("pass", "not_evaluated", "not_evaluated"), "pass", None, 1.0),
        (("pass", "fail", "not_evaluated"), "not_evaluated", "undecided", None),
        (("not_evaluated",) * 3, "not_evaluated", "judge_unavailable", None),
    ],
)
def test_a_majority_of_those_that_answer_decides(labels, label, reason, score):
    """Errors abstain; no majority is for people."""
    found = _ensemble(*labels)
    assert (found.label, found.reason, found.score) == (label, reason, score)
    assert (found.usage.calls, found.suspicious, len(found.members)) == (3, ("role",), 3)


def test_an_ensemble_tells_how_its_members_agree():
    """Each against the whole, all among each other, and what is left for people."""
    found = [
        _ensemble("pass", "pass", "fail"),
        _ensemble("fail", "fail", "fail"),
        _ensemble("pass", "pass", "pass"),
        _ensemble("fail", "fail", "pass"),
        _ensemble("pass", "fail", "not_evaluated"),
    ]
    told = ensemble_agreement(found)
    assert told.undecided == ("1",)
    assert told.fleiss.value == pytest.approx(1 / 3)
    first, second, third = (kappa.value for kappa in told.members)
    assert first == second > third


@pytest.mark.parametrize("equal", [True, False])
def test_without_the_reference_no_judge_is_told_that_there_is_one(equal):
    """The prompt does not mention one at all."""
    shown = flex_prompt(item(results_equal=equal), Context(reference=False)).system
    assert "There is no reference statement" in shown
    assert not re.search("reference_sql|at hand; it is|[Cc]ompare the statements", shown)
    assert "reference_sql" in flex_prompt(item(results_equal=equal)).system


def test_adherence_needs_a_question_and_efficiency_a_statement():
    """Without schema and dialect they are asked anyway."""
    bare = {"schema": None, "dialect": None, "reference": None, "results_equal": None}
    found, (request,) = _asked("adherence", _checklist(), **bare)
    assert (found.label, sorted(request.fields)) == ("pass", ["predicted_sql", "question"])
    found, (request,) = _asked("efficiency", _said(efficient=True), question=None, **bare)
    assert (found.label, sorted(request.fields)) == ("pass", ["predicted_sql"])
    found, requests = _asked("adherence", _checklist(), question=None)
    assert (found.reason, requests) == ("content_not_captured", [])


@pytest.mark.parametrize(
    ("evidence", "proves"),
    [("se", False), ("of", False), ("elect count", False), ("WHERE color", True), ("= 'red'", True),
     ("count(*)", True), ("\u8239\u6570", True), ("(\u8239", True)],
)  # fmt: skip
def test_evidence_is_whole_words(evidence, proves):
    """Two letters stand in every statement."""
    asked = {
        "sql": "SELECT COUNT(*) FROM boat WHERE color = 'red'",
        "question": "(\u8239\u6570\u662f?",
    }
    found, _ = _asked("adherence", _checklist(filter=evidence), **asked)
    assert found.label == ("fail" if proves else "not_evaluated")
