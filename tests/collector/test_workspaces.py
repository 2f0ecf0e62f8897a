"""What the token of one workspace can find out about the databases of another: nothing."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlobs.errors import ConfigError
from sqlobs.judge.replay import ChatReply, ChatRequest, serving
from sqlobs.scores.registry import ONLINE_SCORES
from sqlobs.unit import question_digest
from sqlobs_collector.cli import main
from sqlobs_collector.disclosure import rounded
from sqlobs_collector.evaluation.golden import GoldenFile
from sqlobs_collector.store.embedded import FILE_NAME
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import feedback, send, unit, why

SECRET = "s3cr3t"  # noqa: S105 - what the tests try to read
TOKENS = {
    "alpha": {"ingest": ["alpha-in"], "read": ["alpha-out"]},
    "beta": {"ingest": ["beta-in"], "read": ["beta-out"]},
}
ENDED = {"done", "error", "refused", "truncated", "nondeterministic", "expired", "sampled_out"}


@pytest.fixture
def databases(tmp_path):
    """A target of each workspace; that of beta holds a secret."""
    for name, script in (
        ("alpha", "CREATE TABLE boats (id int); INSERT INTO boats VALUES (1), (2);"),
        ("beta", f"CREATE TABLE keys (v text); INSERT INTO keys VALUES ('{SECRET}');"),
    ):
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            connection.executescript(script)
    return {
        f"{name}_db": {
            "url": f"sqlite:///{tmp_path / name}.db",
            "workspaces": [name],
            "default": True,
        }
        for name in ("alpha", "beta")
    }


def asked(number: int, sql: str, *, target: str | None = None, **named):
    """A unit with raw SQL, and a reference and a question where they are given."""
    texts = {"reference": "sqlobs.reference.query.text", "question": "sqlobs.question.text"}
    body = {"sqlobs.query.text": sql}
    body |= {texts[name]: named.pop(name) for name in list(named) if name in texts}
    named |= {} if target is None else {"sqlobs__target__name": target}
    return unit(number, body=body, sqlobs__query__capture="raw", **named)


def units(collector, token: str) -> dict[int, dict]:
    """The units of a workspace that were evaluated, by the last byte of the trace id."""
    answer = httpx.get(
        f"{collector.admin}/v1/units", headers={"Authorization": f"Bearer {token}"}
    ).json()
    return {int(one["trace_id"][-2:], 16): one for one in answer["units"] if one["state"] in ENDED}


def evaluated(collector, token: str, count: int) -> dict[int, dict]:
    wait_until(lambda: len(units(collector, token)) == count)
    return units(collector, token)


def labels(one: dict) -> dict[str, str]:
    return {each["metric"]: each["reason"] or each["label"] for each in one["evaluations"]}


def execution(one: dict) -> dict:
    [found] = [each for each in one["evaluations"] if each["metric"] == "execution"]
    return found


def counting(place: int) -> str:
    """SQL whose number of rows is two characters of the secret."""
    return (
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT "
        f"unicode(substr(v, {place}, 1)) * 256 + unicode(substr(v, {place + 1}, 1)) FROM keys)) "
        "SELECT i FROM n"
    )


def test_a_unit_runs_only_on_a_target_of_its_workspace(launch, databases):
    """Named or not, with its own reference or not, checked or not: nothing of beta is seen."""
    collector = launch(auth__tokens=TOKENS, targets=databases)
    left_open = {"sqlobs__syntactic_reason": "check_off", "sqlobs__verdict": "not_evaluated"}
    named = [
        asked(1, counting(1), target="beta_db"),
        asked(2, "SELECT v FROM keys", reference=f"SELECT '{SECRET}' AS v", target="beta_db"),
        asked(3, "SELECT v FROM keys"),
        asked(4, "SELECT w FROM keys", target="beta_db", **left_open),
        asked(5, "SELECT id FROM boats"),
        asked(6, "SELECT v FROM no_such", target="no_such_db"),
    ]
    send(collector, records.logs(*named), Authorization="Bearer alpha-in")
    found = evaluated(collector, "alpha-out", len(named))
    not_run = dict.fromkeys(("execution", *ONLINE_SCORES), "no_target")
    assert labels(found[1]) == not_run
    assert labels(found[2]) == not_run
    assert labels(found[3])["execution"] == "fail"  # alpha's database has no such table
    assert labels(found[4])["schematic"] == "no_schema"
    assert labels(found[5])["execution"] == "pass"
    assert labels(found[6]) == not_run  # an alias of another workspace's looks like no alias at all
    assert SECRET not in json.dumps([one["evaluations"] for one in found.values()])


def test_the_number_of_rows_is_shown_by_magnitude(launch, databases):
    """The workspace's own units tell no more than that: two secrets of one magnitude look alike."""
    collector = launch(auth__tokens=TOKENS, targets=databases)
    sent = [asked(number, counting(number)) for number in (1, 3, 5)]
    sent += [asked(2, "SELECT 1 WHERE 0"), asked(4, "SELECT v FROM keys")]
    send(collector, records.logs(*sent), Authorization="Bearer beta-in")
    found = evaluated(collector, "beta-out", len(sent))
    details = {number: execution(one)["detail"] for number, one in found.items()}
    told = {number: (detail["rows"], detail["empty"]) for number, detail in details.items()}
    assert told == {
        1: ("10000-99999", False),
        3: ("10000-99999", False),
        5: ("10000-99999", False),
        2: ("0", True),
        4: ("1", False),
    }
    assert all("columns" not in detail for detail in details.values())


def test_a_score_is_rounded_to_hundredths(launch, databases):
    """Precision over rows that the sender chose would be their number; the operator sees it."""
    collector = launch(auth__tokens=TOKENS, targets=databases)
    many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i"
    sent = [asked(1, f"{many.format(1234)} FROM n", reference=f"{many.format(1000)} FROM n")]
    send(collector, records.logs(*sent), Authorization="Bearer beta-in")
    [found] = evaluated(collector, "beta-out", 1).values()
    scores = {each["metric"]: each["value"] for each in found["evaluations"]}
    trace = {"Authorization": "Bearer beta-out"}
    [path] = why(collector, found["trace_id"], **trace)
    steps = {each["metric"]: each["value"] for each in path["steps"] if "metric" in each}
    assert scores == steps
    assert (scores["exp"], scores["f1"]) == (0.81, 0.9)
    with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
        exact = dict(connection.execute("SELECT metric, value FROM evaluation"))
    assert exact["exp"] == pytest.approx(1000 / 1234)
    score = r'^sqlobs_quality_score{{.*evaluation="exp",.*stat="raw".*}} {}$'
    blurred = {"Authorization": "Bearer beta-out"}
    wait_until(  # the gauges are computed every ten seconds, less often on a busy machine
        lambda: re.search(score.format("0.81"), collector.metrics(**blurred), re.MULTILINE),
        within_s=100,
    )
    assert re.search(score.format(r"0\.8103\d+"), collector.metrics(), re.MULTILINE)


@given(st.floats(0, 1))
def test_a_rounded_score_is_perfect_or_nothing_only_where_it_is(score):
    """A label that is a failure never has a score of 1."""
    shown = rounded(score)
    assert round(shown * 100) == pytest.approx(shown * 100)
    assert (shown == 1, shown == 0) == (score == 1, score == 0)
    assert shown == pytest.approx(score, abs=0.01)


def test_a_golden_case_is_for_the_workspaces_of_its_target(launch, databases, tmp_path):
    """The question alone opens no other workspace's SQL, in evaluations and in `/v1/cases`."""
    golden = tmp_path / "golden.jsonl"
    case = {"question": "Which key?", "sql": "SELECT v FROM keys", "target": "beta_db"}
    golden.write_text(json.dumps(case) + "\n")
    collector = launch(auth__tokens=TOKENS, targets=databases, golden__file=str(golden))
    for name in ("alpha", "beta"):
        sent = asked(1, "SELECT 1", question="Which key?", target="beta_db")
        send(collector, records.logs(sent), Authorization=f"Bearer {name}-in")
    reasons = {
        name: labels(evaluated(collector, f"{name}-out", 1)[1])["ex"] for name in ("alpha", "beta")
    }
    assert reasons == {"alpha": "no_target", "beta": "fail"}
    cases = {
        name: httpx.get(
            f"{collector.admin}/v1/cases", headers={"Authorization": f"Bearer {name}-out"}
        ).json()["cases"]
        for name in ("alpha", "beta")
    }
    assert cases["alpha"] == []
    assert [one["reference"] for one in cases["beta"]] == ["SELECT v FROM keys"]


def test_a_golden_case_for_any_target_is_refused_among_several_workspaces(
    databases, tmp_path, capsys
):
    """It would be known to all of them."""
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"question": "Which key?", "sql": "SELECT v FROM keys"}\n')
    config = tmp_path / "collector.yaml"
    settings = {
        "auth": {"tokens": TOKENS},
        "targets": databases,
        "golden": {"file": str(golden)},
        "data_dir": str(tmp_path / "data"),
    }
    config.write_text(json.dumps(settings))
    sentence = f"{golden}:1 needs `target`: auth.tokens has several workspaces"
    for command in ("validate", "serve"):
        assert main([command, "--config", str(config)]) == 2
        assert sentence in capsys.readouterr().err
    with pytest.raises(ConfigError, match="needs `target`"):
        GoldenFile.read(golden, key=b"", needs_target=True)
    case = GoldenFile.read(golden, key=b"k").find(
        question=None, digest=question_digest("Which key?", key=b"k"), target=None
    )
    assert case is not None


def test_feedback_of_another_workspace_joins_no_unit(launch, databases):
    """The same ids in another workspace are another request."""
    collector = launch(auth__tokens=TOKENS, targets=databases)
    send(collector, records.logs(asked(1, "SELECT 1")), Authorization="Bearer alpha-in")
    evaluated(collector, "alpha-out", 1)
    send(collector, records.logs(feedback(1, "down")), Authorization="Bearer beta-in")
    collector.stop()
    with closing(sqlite3.connect(collector.config.data_dir / FILE_NAME)) as connection:
        joined = "SELECT workspace, is_joined FROM report"
        assert connection.execute(joined).fetchall() == [("beta", 0)]


def test_the_judge_sees_nothing_of_a_target_of_another_workspace(launch, databases):
    """Neither schema nor hints nor rows, whatever target the unit names."""
    databases["beta_db"]["hints"] = "beta pays in gold"
    asked_of_judge: list[str] = []

    def answer(request: ChatRequest) -> ChatReply:
        asked_of_judge.append(str(request.fields))
        return ChatReply(json.dumps({"reasoning": "It may be.", "correct": True}))

    with serving(answer) as server:
        judge = {"base_url": server.base_url, "model": "m"}
        collector = launch(auth__tokens=TOKENS, targets=databases, judge=judge)
        sent = asked(1, "SELECT v FROM keys", question="Which key?", target="beta_db")
        for name in ("alpha", "beta"):
            send(collector, records.logs(sent), Authorization=f"Bearer {name}-in")
            evaluated(collector, f"{name}-out", 1)
        wait_until(lambda: any("beta pays in gold" in one for one in asked_of_judge))
        collector.stop()
    alone = [one for one in asked_of_judge if "beta pays in gold" not in one]
    assert not [one for one in alone if SECRET in one or "CREATE TABLE" in one]
    seen = [one for one in asked_of_judge if "beta pays in gold" in one]
    assert all(SECRET in one for one in seen)  # beta's own judge is shown the row


def test_backfill_runs_only_where_the_binding_allows_now(launch, databases, capsys):
    """What was stored under another configuration is evaluated by this one."""
    only = {"shop": {"url": databases["beta_db"]["url"], "default": True}}
    before = launch(auth__tokens={"alpha": TOKENS["alpha"]}, targets=only)
    send(before, records.logs(asked(1, "SELECT v FROM keys")), Authorization="Bearer alpha-in")
    assert labels(evaluated(before, "alpha-out", 1)[1])["execution"] == "pass"
    before.stop()
    data_dir = before.config.data_dir
    assert main(["backfill", "--data-dir", str(data_dir)]) == 0
    assert capsys.readouterr().out == "1 units are queued\n"
    only["shop"]["workspaces"] = ["beta"]
    after = launch(auth__tokens=TOKENS, targets=only, data_dir=data_dir)
    found = evaluated(after, "alpha-out", 1)[1]
    assert labels(found)["execution"] == "no_target"


def test_one_workspace_needs_no_binding(launch, databases):
    """The only workspace has all targets that name none."""
    url = databases["alpha_db"]["url"]
    collector = launch(
        auth__tokens={"alpha": TOKENS["alpha"]}, targets={"db": {"url": url, "default": True}}
    )
    send(collector, records.logs(asked(1, "SELECT id FROM boats")), Authorization="Bearer alpha-in")
    assert labels(evaluated(collector, "alpha-out", 1)[1])["execution"] == "pass"


def test_a_token_has_the_rights_that_it_is_listed_under(launch):
    """Ingest does not read, read does not ingest; 403 says which right is missing."""
    collector = launch(auth__tokens={"a": {"ingest": ["in", "both"], "read": ["out", "both"]}})
    body = records.logs(unit(1)).SerializeToString()

    def answers(token: str) -> tuple[int, int]:
        bearer = {"Authorization": f"Bearer {token}"}
        typed = {**bearer, "Content-Type": "application/x-protobuf"}
        sent = httpx.post(f"{collector.http}/v1/logs", content=body, headers=typed)
        read = httpx.get(f"{collector.admin}/v1/units", headers=bearer)
        return sent.status_code, read.status_code

    assert {token: answers(token) for token in ("in", "out", "both", "none")} == {
        "in": (200, 403),
        "out": (403, 200),
        "both": (200, 200),
        "none": (401, 401),
    }
    refused = httpx.get(f"{collector.admin}/v1/units", headers={"Authorization": "Bearer in"})
    assert refused.json() == {
        "error": "the token has the right to ingest, not to read: use a token of auth.tokens.WORKSPACE.read"
    }
