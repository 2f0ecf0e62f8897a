"""The collector and `sqlobs evaluate` give the same request the same scores, whole."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from sqlobs.evaluation import evaluator as offline
from sqlobs.evaluation import pairing
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
from sqlobs.evaluation.session import evaluate_run
from sqlobs.evaluation.session_settings import SessionSettings
from sqlobs.execution.target import Limits, Target
from sqlobs.scores.registry import COMPARED_SCORES, ONLINE_SCORES
from sqlobs.scores.score import ScoreResult
from sqlobs.scores.scoring import evaluate
from sqlobs_collector.evaluation import scoring as online
from tests.collector.test_evaluation import Evaluation

if TYPE_CHECKING:
    from pathlib import Path

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
PASS = ("pass", 1.0, None, None)


def fail(explanation: str | None) -> tuple[str, float, None, str | None]:
    return ("fail", 0.0, None, explanation)


def not_evaluated(reason: str) -> tuple[str, None, str, None]:
    return ("not_evaluated", None, reason, None)


@dataclass(frozen=True)
class Request:
    """An answer, its reference, and the result of `ex`."""

    answer: str | None
    """`None`: the system abstains."""
    reference: str | None
    """`None`: the question is unanswerable."""
    ex: tuple[str, float | None, str | None, str | None]
    limits: Limits = field(default_factory=Limits)


CUT = Limits(max_rows=2)
ALL_IDS = "SELECT id FROM item"
REQUESTS = {
    "right": Request("SELECT id FROM item ORDER BY id DESC", ALL_IDS, PASS),
    "wrong": Request("SELECT id FROM item WHERE id < 3", ALL_IDS, fail(None)),
    "rejected because it writes": Request("DELETE FROM item", ALL_IDS, fail("not_read_only")),
    "rejected because of a function": Request(
        "SELECT load_extension('x')", ALL_IDS, fail("function_not_allowed")
    ),
    "rejected because it is several statements": Request(
        "SELECT 1; SELECT 2", ALL_IDS, fail("several_statements")
    ),
    "cut, and equal by digests": Request("SELECT id FROM item WHERE id > 0", ALL_IDS, PASS, CUT),
    "cut, and different by their counts": Request(
        "SELECT id FROM item WHERE id < 4", ALL_IDS, fail(None), CUT
    ),
    "cut, and different by digests": Request(
        "SELECT CASE id WHEN 4 THEN 9 ELSE id END FROM item", ALL_IDS, fail(None), CUT
    ),
    "cut, and undecided": Request(
        "SELECT id + CASE id WHEN 4 THEN 0.75 ELSE 0.5 END FROM item",
        "SELECT id + 0.5 FROM item",
        not_evaluated("truncated"),
        CUT,
    ),
    "abstains, and SQL answers the question": Request(None, ALL_IDS, fail("abstained")),
    "abstains, and nothing answers the question": Request(None, None, PASS),
    "gives SQL, and nothing answers the question": Request(ALL_IDS, None, fail("unanswerable")),
    "an answer without SQL": Request("", ALL_IDS, fail("syntax.no_sql")),
    "an invented column": Request("SELECT nmae FROM item", ALL_IDS, fail("schema.unknown_column")),
    "no SQL at all to the engine": Request("SELEC 1", ALL_IDS, fail("syntax.parse_error")),
    "a prediction that times out": Request(
        SLOW, ALL_IDS, fail("execution.timeout"), Limits(timeout_s=0.3)
    ),
    "a reference that fails": Request(
        ALL_IDS, "SELECT gone FROM item", not_evaluated("reference_failed")
    ),
    "a reference that is rejected": Request(
        ALL_IDS, "DELETE FROM item", not_evaluated("reference_failed")
    ),
    "both fail": Request("SELECT a", "SELECT b", not_evaluated("reference_failed")),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO item VALUES (?)", [(id_,) for id_ in range(1, 5)])
    connection.close()
    return path


@pytest.fixture
def seen(monkeypatch) -> list[dict[str, ScoreResult]]:
    """What the one scoring function returned to whichever runner called it."""
    results: list[dict[str, ScoreResult]] = []

    def recording(context, scores):
        scored = evaluate(context, scores)
        results.append(dict(scored.results))
        return scored

    for runner in (offline, pairing, online):
        monkeypatch.setattr(runner, "evaluate", recording)
    return results


def by_collector(request: Request, shop: Path, folder: Path, executor=None) -> dict[str, tuple]:
    target = Target.from_url("shop", f"sqlite:///{shop}")
    station = Evaluation(folder, targets=[target], limits=request.limits, executor=executor)
    reference = "None" if request.reference is None else request.reference
    if request.answer is None:
        station.evaluate("", reference, sqlobs__outcome="abstained")
    elif not request.answer:
        station.evaluate("", reference, sqlobs__failure__code="syntax.no_sql")
    else:
        station.evaluate(request.answer, reference)
    rows = station.query("SELECT metric, label, value, reason, explanation FROM evaluation")
    station.close()
    return {name: tuple(rest) for name, *rest in rows if name in ONLINE_SCORES}


def by_command(request: Request, shop: Path, folder: Path):
    references = () if request.reference is None else (request.reference,)
    case = Case(index=0, references=references, predicted_sql=request.answer)
    settings = SessionSettings(
        place=f"sqlite:///{shop}",
        evaluator=EvaluatorSettings(limits=request.limits, with_check=False),
    )
    [row] = evaluate_run([case], folder, settings).cases
    return row


@pytest.mark.parametrize("name", REQUESTS)
def test_both_runners_give_the_same_score_objects(shop, executor, tmp_path, seen, name):
    """Label, value, reason and explanation of every score that both compute."""
    request = REQUESTS[name]
    stored = by_collector(request, shop, tmp_path, executor)
    [by_the_collector] = seen
    seen.clear()
    row = by_command(request, shop, tmp_path / "run")
    by_the_command = seen[-1]  # a cut result is scored once by its rows, then with the digests
    assert {name: by_the_command[name] for name in ONLINE_SCORES} == by_the_collector
    assert set(by_the_command) == set(COMPARED_SCORES)
    result = by_the_collector["ex"]
    assert (result.label, result.value, result.reason, result.explanation) == request.ex
    kept = {name: (row.scores[name], row.unscored.get(name)) for name in ONLINE_SCORES}
    assert kept == {name: (value, reason) for name, (_, value, reason, _) in stored.items()}
    assert stored["ex"] == request.ex


def test_without_a_reference_nothing_is_compared(shop, executor, tmp_path, seen):
    """Only production has such requests: a run's case without one is unanswerable."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    station = Evaluation(tmp_path, targets=[target], executor=executor)
    station.evaluate(ALL_IDS)
    station.close()
    [results] = seen
    assert results == {
        name: ScoreResult(name, "not_evaluated", reason="no_reference") for name in ONLINE_SCORES
    }


def test_an_unreachable_database_is_no_failure_of_the_prediction(tmp_path, seen):
    """Both runners leave the case open for the same reason."""
    away = tmp_path / "away.db"
    request = Request(ALL_IDS, ALL_IDS, not_evaluated("target_unavailable"))
    stored = by_collector(request, away, tmp_path)
    [results] = seen
    assert {stored[name] for name in ONLINE_SCORES} == {request.ex}
    assert {result.reason for result in results.values()} == {"target_unavailable"}
