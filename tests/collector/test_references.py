from __future__ import annotations

import io
import json

import pytest

from sqlobs.errors import ConfigError
from sqlobs.execution.target import Target
from sqlobs.scores.registry import ONLINE_SCORES
from sqlobs.unit import question_digest
from sqlobs_collector.evaluation.golden import GoldenCase, GoldenFile
from sqlobs_collector.evaluation.golden_set import GoldenSet
from sqlobs_collector.evaluation.outcomes import ATTEMPTS
from sqlobs_collector.sharing.heartbeat import Heartbeat
from sqlobs_collector.store.dispatcher import RETRY_S
from sqlobs_collector.store.export import Selection, write_lines
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.reading import PageSelection, StoreReader
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.test_evaluation import Evaluation
from tests.collector.test_units import unit

KEY = b"a key"
QUESTION = "How many orders?"
COUNT = "SELECT count(*) FROM orders"
WRONG = "SELECT count(region) FROM orders"


@pytest.fixture
def station(tmp_path, shop, executor):
    """Units run on the shop, with a golden file of one question."""
    path = tmp_path / "golden.jsonl"
    path.write_text(json.dumps({"question": QUESTION, "sql": COUNT}))
    built = Evaluation(
        tmp_path,
        targets=[Target.from_url("shop", f"sqlite:///{shop}")],
        golden=lambda stored: GoldenSet(stored, key=KEY, file=GoldenFile.read(path, key=KEY)),
        executor=executor,
    )
    yield built
    built.close()


def receive(station, sql: str, *, reference: str | None = None, question=None, **named) -> None:
    texts = {
        "sqlobs.query.text": sql,
        "sqlobs.reference.query.text": reference,
        "sqlobs.question.text": question,
    }
    body = {name: text for name, text in texts.items() if text is not None}
    station.receive(records.logs(unit(1, body=body, sqlobs__query__capture="raw", **named)))


def edit(sql: str, *, value="corrected", at_ns=1) -> dict[str, object]:
    return records.log(
        1,
        event="gen_ai.evaluation.result",
        at_ns=at_ns,
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        gen_ai__evaluation__score__value=0.0,
        sqlobs__evaluator__kind="human",
        sqlobs__feedback__kind="edit",
        sqlobs__feedback__value=value,
        sqlobs__feedback__query__text=sql,
    )


def execution(status: str, *, at_ns=1) -> dict[str, object]:
    return records.log(1, event="sqlobs.execution", at_ns=at_ns, sqlobs__execution__status=status)


def sources(station) -> set[str | None]:
    """Where the reference of the comparisons came from."""
    rows = station.query("SELECT detail FROM evaluation WHERE metric IN ('ex', 'f1')")
    return {json.loads(detail or "{}").get("reference") for (detail,) in rows}


FROM_GOLDEN = "SELECT metric FROM evaluation WHERE golden_set = 'golden'"
"""The evaluations with the name of the file that their reference is from."""


@pytest.mark.parametrize(
    ("named", "label"),
    [
        ({"question": " how many  ORDERS "}, "pass"),
        ({"sqlobs__question__digest": question_digest(QUESTION, key=KEY)}, "pass"),
        ({"question": "How many customers?"}, "not_evaluated"),
        ({"sqlobs__question__digest": question_digest(QUESTION, key=b"other")}, "not_evaluated"),
        ({}, "not_evaluated"),
    ],
)
def test_the_golden_file_is_found_by_the_question(station, named, label):
    """By its text under the collector's key, or by the digest that the application sent."""
    receive(station, COUNT, **named)
    station.evaluator.evaluate()
    assert station.scores()["ex"][0] == label
    assert sources(station) == ({"golden"} if label == "pass" else {None})
    sets = {metric for (metric,) in station.query(FROM_GOLDEN)}
    assert sets == ({*ONLINE_SCORES} if label == "pass" else set())


def test_a_unit_s_own_reference_goes_first_then_the_golden_file(station):
    """Anyone who is nearest to the request knows best."""
    receive(station, COUNT, question=QUESTION, reference=WRONG)
    station.evaluator.evaluate()
    assert (station.scores()["ex"][0], sources(station)) == ("fail", {"unit"})


def candidates(station) -> list[tuple[str, dict[str, object]]]:
    """Label and detail of each correction that was examined, without the records' ids."""
    rows = station.query(
        "SELECT label, detail FROM evaluation WHERE metric = 'correction' ORDER BY created_ns, version"
    )
    found = [(label, json.loads(detail)) for label, detail in rows]
    assert len({detail.pop("record") for _, detail in found}) == len(found)
    return found


def test_a_correction_is_a_candidate_and_never_a_reference(station):
    """Anyone who may send feedback could make any answer right: `SELECT 1` stays a proposal."""
    receive(station, COUNT, question="What else?")
    station.evaluator.evaluate()
    assert station.scores()["ex"] == ("not_evaluated", None, "no_reference")
    station.receive(records.logs(edit("SELECT 17", at_ns=1)))
    station.later(1)
    assert station.state() == ("queued", None)
    station.evaluator.evaluate()
    assert station.scores()["ex"] == ("not_evaluated", None, "no_reference")
    assert candidates(station) == [
        (
            "pass",
            {
                "verdict": "not_evaluated",
                "failure_code": None,
                "equals_answer": False,
                "execution": "pass",
            },
        )
    ]
    unsent = "SELECT metric FROM evaluation WHERE emitted_ns IS NULL ORDER BY metric"
    assert station.query(unsent) == [("execution",), ("feedback",)]
    station.receive(records.logs(edit(WRONG, value="rejected", at_ns=3)))
    station.later(1)
    assert station.state() == ("done", None)


def test_every_candidate_is_checked_run_and_compared(station):
    """With the answer, and with the reference where there is one; a broken one fails."""
    receive(station, WRONG, question=QUESTION)
    station.receive(records.logs(edit(COUNT, at_ns=1), edit("SELECT FROM", at_ns=2)))
    station.evaluator.evaluate()
    assert (station.scores()["ex"][0], sources(station)) == ("fail", {"golden"})
    shown = {detail["execution"]: (label, detail) for label, detail in candidates(station)}
    assert shown["pass"][0] == "pass"
    assert (shown["pass"][1]["equals_answer"], shown["pass"][1]["equals_reference"]) == (
        False,
        True,
    )
    assert shown["fail"][0] == "fail"
    assert shown["fail"][1]["failure_code"] == "syntax.parse_error"


def test_feedback_is_a_history_and_the_last_word_counts(station):
    """A rating with its reason, then an edit: both stay, whole; the rate has one request."""
    receive(station, COUNT)
    rating = records.log(
        1,
        event="gen_ai.evaluation.result",
        at_ns=1,
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="pass",
        gen_ai__evaluation__score__value=0.75,
        gen_ai__evaluation__explanation="nearly",
        sqlobs__evaluator__kind="human",
        sqlobs__feedback__kind="rating",
        sqlobs__feedback__value="4",
    )
    station.receive(records.logs(rating))
    station.later(1)
    station.receive(records.logs(edit(WRONG, at_ns=2)))
    station.later(1)
    (unit_,), _ = StoreReader(station.engine).documents(
        "default", PageSelection(), limit=9, max_bytes=10**6
    )
    history = unit_["feedback"]
    assert [one.pop("record_id") != "" for one in history] == [True, True]
    assert history == [
        {
            "occurred_ns": 1,
            "kind": "rating",
            "value": "4",
            "score": 0.75,
            "label": "pass",
            "explanation": "nearly",
            "corrected_sql": None,
        },
        {
            "occurred_ns": 2,
            "kind": "edit",
            "value": "corrected",
            "score": 0.0,
            "label": "fail",
            "explanation": None,
            "corrected_sql": WRONG,
        },
    ]
    kept = "SELECT label, explanation, detail FROM evaluation WHERE metric = 'feedback'"
    assert station.query(f"{kept} ORDER BY created_ns") == [
        ("pass", "nearly", json.dumps({"kind": "rating", "value": "4"})),
        ("fail", None, json.dumps({"kind": "edit", "value": "corrected"})),
    ]
    (sums,) = [
        one
        for one in QualityReader(station.engine).evaluations(since_ns=0)
        if one.evaluation == "feedback"
    ]
    assert (sums.count, sums.passed) == (1, 0)
    lines = io.BytesIO()
    write_lines(station.engine, Selection(), file=lines, has_texts=False)
    (line,) = map(json.loads, lines.getvalue().splitlines())
    assert [(one["kind"], one["value"]) for one in line["feedback"]] == [
        ("rating", "4"),
        ("edit", "corrected"),
    ]
    assert WRONG not in lines.getvalue().decode()


def test_feedback_is_a_result_of_its_own(station):
    """Label and score of the last word, by a human, weighted by the unit's arrival."""
    receive(station, COUNT)
    station.receive(records.logs(edit("SELECT 1", value="rejected")))
    station.later(1)
    assert station.scores() == {"feedback": ("fail", 0.0, None)}
    assert station.query("SELECT kind, created_ns FROM evaluation") == [("human", 1)]


@pytest.mark.parametrize("score", [float("inf"), float("-inf"), float("nan"), True, "1"])
def test_a_score_that_is_no_finite_number_is_none(station, score):
    """The label counts; `sqlobs why` still answers."""
    said = records.log(
        1,
        event="gen_ai.evaluation.result",
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        gen_ai__evaluation__score__value=score,
    )
    station.receive(records.logs(unit(1), said))
    station.later(0)
    kept = station.query("SELECT label, value FROM evaluation WHERE metric = 'feedback'")
    assert kept == [("fail", None)]


@pytest.mark.parametrize("name", ["schematic", "nonsense"])
def test_a_late_result_of_the_sdk_is_kept_if_its_name_is_known(station, name):
    """An LLM's second opinion, say; it is recorded, and changes no rate that was counted online."""
    receive(station, COUNT)
    late = records.log(
        1,
        event="gen_ai.evaluation.result",
        gen_ai__evaluation__name=name,
        gen_ai__evaluation__score__label="pass",
        sqlobs__evaluator__kind="llm",
        sqlobs__evaluator__version="0.3",
    )
    station.receive(records.logs(late))
    station.later(1)
    found = station.query("SELECT metric, version, kind, label FROM evaluation")
    assert found == ([("schematic", "0.3", "llm", "pass")] if name == "schematic" else [])


def test_the_application_s_execution_counts_where_none_is_made_here(station):
    """Its engine's verdict is free; the last execution is the one that answered."""
    receive(station, COUNT, sqlobs__target__name="elsewhere")
    station.evaluator.evaluate()
    assert station.scores()["execution"] == ("not_evaluated", None, "no_target")
    station.receive(records.logs(execution("error", at_ns=1), execution("ok", at_ns=2)))
    station.later(1)
    assert station.state() == ("queued", None)
    station.evaluator.evaluate()
    assert station.scores()["execution"] == ("pass", 1.0, None)
    assert station.detail() == {"by": "application"}
    assert station.scores()["ex"] == ("not_evaluated", None, "no_target")


def test_an_execution_inside_the_generation_counts_too(station):
    """It comes with the unit's attributes."""
    receive(station, COUNT, sqlobs__target__name="elsewhere", sqlobs__execution__status="timeout")
    station.evaluator.evaluate()
    assert station.scores()["execution"] == ("fail", 0.0, None)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [("abstained", "abstained"), ("cancelled", "cancelled"), ("error", "call_failed")],
)
def test_an_attempt_that_was_executed_does_not_stand_for_a_request_without_answer(
    station, outcome, reason
):
    """Else the counters of evaluations and the rates, which leave such requests out, differ."""
    named = {"sqlobs__outcome": outcome, "sqlobs__execution__status": "error"}
    receive(station, COUNT, **named)
    station.evaluator.evaluate()
    assert station.scores()["execution"] == ("not_evaluated", None, reason)


def test_a_late_report_does_not_change_a_forgotten_request(station):
    """Texts that expired cannot be evaluated again: the scores stay as they were."""
    receive(station, COUNT, question=QUESTION)
    station.evaluator.evaluate()
    station.later(1001)
    station.receive(records.logs(edit("SELECT 17")))
    station.later(1)
    assert station.state() == ("done", None)
    assert station.scores()["ex"] == ("pass", 1.0, None)


def test_what_we_fail_at_is_tried_again_and_then_left_alone(station, monkeypatch):
    """A worker that died says nothing about the SQL."""
    broken = True

    def run(request):
        if broken:
            raise OSError("no process")
        return type(station.executor).run(station.executor, request)

    monkeypatch.setattr(station.scorer._executor, "run", run)
    receive(station, COUNT)
    for attempt in range(ATTEMPTS - 1):
        assert station.evaluator.evaluate() == 1
        assert station.state() == ("held", "error")
        assert station.evaluator.evaluate() == 0
        station.later(RETRY_S[attempt] + 1)
    station.evaluator.evaluate()
    assert station.state() == ("error", "error")
    assert station.scores()["execution"] == ("not_evaluated", None, "error")


def test_a_crash_in_the_middle_of_an_evaluation_costs_nothing(station, shop):
    """A unit that was running is queued again at the start."""
    receive(station, COUNT)
    store = Store(station.engine)
    with store.writing() as writer:
        assert len(writer.queue.take("one that crashed", at_ns=1, limit=9)) == 1
    assert station.state() == ("running", None)
    heartbeat = Heartbeat(store, is_alone=True)
    heartbeat.start()
    heartbeat.stop()
    station.evaluator.evaluate()
    assert station.query("SELECT state FROM unit") != [("running",)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "golden.jsonl:2 is not JSON"),
        ("[]", "golden.jsonl:2 must be an object with the string fields"),
        (
            '{"question": "q", "query": "x"}',
            "golden.jsonl:2 must be an object with the string fields",
        ),
        ('{"question": "q", "sql": 1}', "golden.jsonl:2 must be an object with the string fields"),
        ('{"question": "q"}', "golden.jsonl:2 needs `sql` and one of"),
        ('{"question": "q", "digest": "d", "sql": "x"}', "golden.jsonl:2 needs `sql` and one of"),
        ('{"digest": "d", "sql": "x"}', "golden.jsonl:2: `digest` must have 64 hex digits"),
    ],
)
def test_a_golden_file_that_cannot_be_read_names_the_line(tmp_path, line, sentence):
    """One sentence before a port opens."""
    path = tmp_path / "golden.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ConfigError, match=sentence):
        GoldenFile.read(path, key=KEY)


def test_a_case_for_the_unit_s_target_precedes_one_for_any_target(tmp_path):
    """The same question may have another answer in another database."""
    path = tmp_path / "golden.jsonl"
    cases = [
        {"question": QUESTION, "sql": "SELECT 1"},
        {"question": QUESTION, "sql": "SELECT 2", "target": "shop"},
    ]
    path.write_text("\n".join(map(json.dumps, cases)))
    golden = GoldenFile.read(path, key=KEY)
    found = [golden.find(question=QUESTION, digest=None, target=one) for one in ("shop", "else")]
    assert found == [GoldenCase("SELECT 2", "shop"), GoldenCase("SELECT 1")]


def test_a_service_reads_the_golden_file_with_a_key_of_its_own(launch, tmp_path):
    """Without a file it does not start; the key it makes is kept for the next start."""
    with pytest.raises(ConfigError, match=r"golden\.file: cannot read"):
        launch(golden__file=str(tmp_path / "none.jsonl"))
    path = tmp_path / "golden.jsonl"
    path.write_text(json.dumps({"question": QUESTION, "sql": COUNT}))
    collector = launch(golden__file=str(path))
    key = (collector.config.data_dir / "digest.key").read_bytes()
    assert len(key) == 32
    collector.stop()
    launch(golden__file=str(path))
    assert (collector.config.data_dir / "digest.key").read_bytes() == key
