"""Results are stored with their run: scored again, and not run again, without a difference."""

from __future__ import annotations

import datetime as dt
import json
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlobs.errors import InputError
from sqlobs.evaluation.case import Case
from sqlobs.evaluation.evaluator_settings import LIMITS, EvaluatorSettings
from sqlobs.evaluation.frames import FRAMES, Frames
from sqlobs.evaluation.gold_results import GoldResult
from sqlobs.evaluation.pairing import compared
from sqlobs.evaluation.session import evaluate_run, rescore_run
from sqlobs.evaluation.session_record import session_digest
from sqlobs.evaluation.session_settings import SessionSettings
from sqlobs.evaluation.stored_results import MISSING, Origin
from sqlobs.execution.access import Access
from sqlobs.execution.executor import Executor
from sqlobs.execution.messages import ProtocolError
from sqlobs.execution.outcome import Execution
from sqlobs.execution.pool import Pool
from sqlobs.execution.stored import execution_bytes, execution_of
from sqlobs.execution.target import Target
from sqlobs.metrics.credit_score import Technique
from sqlobs.metrics.ordering import Ordering
from sqlobs.runs.run import Run
from sqlobs.scores.comparison import ScoreSettings
from sqlobs.types import ExecutionOutcome, ResultTable
from tests.evaluation.evaluation_kills import killed

if TYPE_CHECKING:
    from pathlib import Path

    from sqlobs.execution.process import WorkerProcess

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**40, max_value=10**60),
    st.floats(allow_nan=False),
    st.builds(float, st.just("nan")),  # a new one each time, as from a driver
    st.decimals(allow_nan=False),
    st.builds(Decimal, st.just("NaN")),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(timezones=st.sampled_from([None, dt.UTC])),
    st.times(),
    st.timedeltas(),
    st.just(UUID(int=7)),
    st.lists(st.integers(), max_size=2),
)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.builds(
        ResultTable,
        st.tuples(*[st.sampled_from(["a", "b", ""])] * width),
        st.lists(st.tuples(*[CELLS] * width), max_size=4).map(tuple),
        st.booleans(),
    )
)
FREE = ScoreSettings(technique=Technique.FREE_COLUMN_AND_PARTIAL_CELL)
STATEMENTS = (
    ("SELECT id, v FROM t", "SELECT id, v FROM t ORDER BY v"),
    ("SELECT v FROM t", "SELECT DISTINCT v FROM t"),
    ("SELECT id, v FROM t", "SELECT v, id + 1 FROM t"),
    ("SELECT id FROM t", "SELECT none FROM t"),
    ("SELECT id FROM t", "DELETE FROM t"),
    ("SELECT no FROM t", "SELECT id FROM t"),
)
BIG = 9_223_372_036_854_775_807


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A database with a column of mixed types."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, v)")
        rows = [(1, 1), (2, 1.0), (3, "1"), (4, b"\xff\x00"), (5, None), (6, BIG), (7, "1")]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.close()
    return path


def cases(*pairs: tuple[str, str]) -> list[Case]:
    return [
        Case(index=index, references=(gold,), predicted_sql=predicted, id=f"c{index}")
        for index, (gold, predicted) in enumerate(pairs or STATEMENTS)
    ]


def asked(place: Path, **changes: object) -> SessionSettings:
    evaluator = EvaluatorSettings(**changes)  # type: ignore[arg-type]  # a test's own
    return SessionSettings(place=f"sqlite:///{place}", evaluator=evaluator, workers=1)


def without_times(run: Run) -> list[object]:
    """Return the cases of a run, without how long statements took."""
    return [
        replace(
            case,
            reference=case.reference and replace(case.reference, elapsed_ms=0),
            predicted=case.predicted and replace(case.predicted, elapsed_ms=0),
        )
        for case in run.cases
    ]


def test_a_stream_gives_its_workers_back(place: Path):
    """Statements that are run and stored cost no process: a start takes longer than a hundred."""
    started: list[int] = []
    spawn = Pool._spawn

    def counted(pool: Pool) -> WorkerProcess:
        worker = spawn(pool)
        started.append(worker.pid)
        return worker

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "_spawn", counted)
        evaluate_run(cases(*STATEMENTS * 40), place.parent / "run", asked(place))
    assert len(started) == 2, "one worker and its spare"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that executors were given."""
    found: list[str] = []
    for name in ("stream", "run_all", "digest_all"):
        method = getattr(Executor, name)

        def noted(self, statements, _method=method, **options):
            found.extend(sql for sql, _ in statements if sql != "SELECT 1")
            return _method(self, statements, **options)

        monkeypatch.setattr(Executor, name, noted)
    return found


def executed(table: ResultTable, *, is_ordered: bool = False) -> Execution:
    outcome = ExecutionOutcome(status="ok", table=table, elapsed_s=0.25)
    return Execution(outcome=outcome, ordering=Ordering(is_ordered=is_ordered))


@settings(max_examples=60, deadline=None)
@given(TABLES, TABLES, st.booleans())
def test_stored_results_are_scored_as_those_that_were_just_fetched(left, right, is_ordered):
    """Every cell comes back with its type and its value, so that all scores are the same."""
    pair = executed(left, is_ordered=is_ordered), executed(right)
    again = [execution_of(execution_bytes(each)) for each in pair]
    for one, other in zip(pair, again, strict=True):
        assert repr(other) == repr(one)
    for scoring in (ScoreSettings(), FREE):
        first, second = compared(*pair, 0, scoring), compared(*again, 0, scoring)
        assert repr(second.scored.values) == repr(first.scored.values)
        assert (second.match.bucket, second.match.reason) == (
            *(first.match.bucket, first.match.reason),
        )


def test_large_results_and_special_numbers_come_back():
    """Tables that are held as columns, too; NaN, infinity, and numbers of many digits."""
    rows = tuple((index, f"name {index}", index / 7) for index in range(3_000))
    stored = execution_of(execution_bytes(executed(ResultTable.of(("a", "b", "c"), rows))))
    assert stored.outcome.table is not None
    assert tuple(stored.outcome.table.rows) == rows
    odd = (math.inf, Decimal("1.10"), Decimal("NaN"), 2**200, -0.0)
    again = execution_of(execution_bytes(executed(ResultTable(tuple("abcde"), (odd,)))))
    assert again.outcome.table is not None
    assert repr(again.outcome.table.rows[0]) == repr(odd)


def test_a_file_from_somebody_else_runs_no_code(tmp_path: Path):
    """What names another class is no result, and the file is begun again where it is broken."""
    import pickle
    import zlib

    for value in (print, Exception("x"), "text"):
        with pytest.raises(ProtocolError):
            execution_of(zlib.compress(pickle.dumps(value)))
        with pytest.raises(ProtocolError):
            execution_of(pickle.dumps(value))
    rows = tuple((index, f"name {index}") for index in range(3_000))
    body = execution_bytes(executed(ResultTable.of(("a", "b"), rows)))
    place = body.index(b"ARROW") if b"ARROW" in body else len(body) // 2
    with pytest.raises(ProtocolError):
        execution_of(body[:place] + b"\0" * 8 + body[place + 8 :])
    path = tmp_path / FRAMES
    path.write_text("no database" * 1000)
    with Frames(path) as frames:
        assert len(frames) == 0
    assert path.stat().st_mode & 0o077 == 0


def test_a_locked_file_is_not_begun_again(tmp_path: Path):
    """Whoever looks at the results keeps them."""
    path = tmp_path / FRAMES
    with Frames(path) as frames:
        frames.put(b"key", executed(ResultTable(("a",), ((1,),))))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="cannot be opened: database is locked"):
            Frames(path)
    with Frames(path) as frames:
        assert len(frames) == 1


def test_another_technique_needs_no_execution(place: Path, tmp_path: Path, ran: list[str]):
    """The rows are those of an evaluation by that technique; times stay those of the execution."""
    run = tmp_path / "run"
    first = evaluate_run(cases(), run, asked(place))
    direct = evaluate_run(cases(), tmp_path / "direct", asked(place, scores=FREE))
    ran.clear()
    again = rescore_run(run, asked(place, scores=FREE))
    assert ran == []
    assert without_times(again) == without_times(direct)
    times = [case.predicted and case.predicted.elapsed_ms for case in first.cases]
    assert [case.predicted and case.predicted.elapsed_ms for case in again.cases] == times
    assert Run.read(run).settings["technique"] == "FREE_COLUMN_AND_PARTIAL_CELL"
    assert Run.read(run).settings["dsn_redacted"] == first.settings["dsn_redacted"]


def test_what_results_in_files_decided_stays(place: Path, tmp_path: Path):
    """Their place is not part of a run; category and question of a sample are."""
    (tmp_path / "gold.csv").write_text("id\n1\n2\n3\n4\n5\n6\n7\n")
    found = (GoldResult(path=tmp_path / "gold.csv"),)
    [plain] = cases(STATEMENTS[0])
    both = [
        replace(plain, category="lookup", sample_of="q0"),
        Case(index=1, predicted_sql="SELECT id FROM t", id="c1", results=found),
    ]
    run = evaluate_run(both, tmp_path / "run", asked(place))
    assert run.cases[1].scores["spider2_match"] == 1
    assert without_times(rescore_run(tmp_path / "run", asked(place))) == without_times(run)


def test_results_of_cut_tables_are_stored_with_their_digests(place: Path, tmp_path: Path):
    """Counting and digesting whole results is execution, too."""
    limits = replace(LIMITS, max_rows=3)
    first = evaluate_run(cases(), tmp_path / "run", asked(place, limits=limits))
    again = rescore_run(tmp_path / "run", asked(place, limits=limits))
    assert without_times(again) == without_times(first)
    assert first.cases[0].bucket == "ok"


def test_repeating_an_evaluation_runs_what_changed(place: Path, tmp_path: Path, ran: list[str]):
    """A changed prediction is one statement; changed data are all of them."""
    first = evaluate_run(cases(), tmp_path / "run", asked(place))
    ran.clear()
    again = evaluate_run(cases(), tmp_path / "run", asked(place))
    assert (ran, again.cases) == ([], first.cases)
    changed = list(STATEMENTS)
    changed[1] = ("SELECT v FROM t", "SELECT v FROM t WHERE id < 3")
    evaluate_run(cases(*changed), tmp_path / "run", asked(place))
    assert ran == ["SELECT v FROM t WHERE id < 3"]
    ran.clear()
    with sqlite3.connect(place) as connection:
        connection.execute("DELETE FROM t WHERE id > 2")
    connection.close()
    fewer = evaluate_run(cases(), tmp_path / "run", asked(place))
    assert len(set(ran)) == len({sql for pair in STATEMENTS for sql in pair})
    assert fewer.cases[0].reference is not None
    assert fewer.cases[0].reference.rows == 2


def test_a_server_is_asked_again_unless_its_data_have_a_name(
    place: Path, tmp_path: Path, ran: list[str]
):
    """Nobody knows whether rows behind a general driver changed; a declared version tells."""
    url = f"sqlalchemy+sqlite:///{place}"
    plain = replace(asked(place), place=url)
    named = replace(plain, data_version="2026-11-01")
    for given_settings, expected in ((plain, 2), (named, 0)):
        run = tmp_path / f"run{expected}"
        evaluate_run(cases(("SELECT id FROM t", "SELECT v FROM t")), run, given_settings)
        ran.clear()
        evaluate_run(cases(("SELECT id FROM t", "SELECT v FROM t")), run, given_settings)
        assert len(ran) == expected


def test_without_execution_earlier_results_stay(place: Path, tmp_path: Path):
    """`--no-esm` adds exact match; a statement that changed since has no result."""
    first = evaluate_run(cases(), tmp_path / "run", asked(place, with_em=False))
    changed = list(STATEMENTS)
    changed[2] = ("SELECT id, v FROM t", "SELECT 7")
    again = evaluate_run(cases(*changed), tmp_path / "run", asked(place, with_esm=False))
    kept = [(case.bucket, case.scores) for case in again.cases]
    expected = [(case.bucket, case.scores) for case in first.cases]
    expected[2] = ("skipped", {})
    assert kept == expected
    assert all(case.em is not None for case in again.cases)


def test_results_that_do_not_fit_are_named(place: Path, tmp_path: Path):
    """The file is bounded; a rescored case without its result says so."""
    small = replace(asked(place), frames_bytes=400)
    evaluate_run(cases(), tmp_path / "run", small)
    held = sum(path.stat().st_size for path in (tmp_path / "run" / "eval").glob("frames.db*"))
    assert held < 100_000
    again = rescore_run(tmp_path / "run", small)
    reasons = [case.reason or "" for case in again.cases]
    assert any(MISSING in reason for reason in reasons)


def test_nothing_is_stored_if_switched_off(place: Path, tmp_path: Path):
    """Results of an earlier evaluation are deleted, and rescoring is one sentence."""
    evaluate_run(cases(), tmp_path / "run", asked(place))
    evaluate_run(cases(), tmp_path / "run", replace(asked(place), frames_bytes=0))
    assert not (tmp_path / "run" / "eval" / FRAMES).exists()
    with pytest.raises(InputError, match="does not exist; evaluate the run with --dsn first"):
        rescore_run(tmp_path / "run", asked(place))


def test_the_command_scores_again(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """`sqlobs evaluate --rescore RUN --technique …` writes the run again."""
    from sqlobs.cli import main

    evaluate_run(cases(), tmp_path / "run", asked(place))
    arguments = ["--rescore", str(tmp_path / "run"), "--technique", "EXECUTION_ACCURACY"]
    assert main(["evaluate", *arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["technique"] == "EXECUTION_ACCURACY"
    assert main(["evaluate", *arguments, "--ves", "3"]) == 2
    assert "evaluate the run again with --dsn" in capsys.readouterr().err


@pytest.mark.slow
def test_kills_leave_the_same_files(tmp_path: Path):
    """`python -m tests.evaluation.evaluation_kills` does it at ten moments, over more cases."""
    assert killed(tmp_path, kills=1, cases=20, seed=7) == []


def test_session_settings_decide_what_is_stored():
    """Another search path reads other tables: neither progress nor results are taken over."""
    places = [Access(settings={"search_path": name}) for name in ("sales", "archive")]
    url = "postgresql://shop.example/shop"
    origins = [
        Origin.of(Target.from_url("shop", url, access=access), version="v1") for access in places
    ]
    assert origins[0] != origins[1]
    digests = [session_digest((), SessionSettings(place=url, access=access)) for access in places]
    assert digests[0] != digests[1]
