"""Blind labels by several people, and what is made of them."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from types import SimpleNamespace

import httpx
import pytest

from sqlobs.cli import main
from sqlobs.judge.replay import serving
from sqlobs.judge.trust.labels import Label, settled
from sqlobs.judge.verdicts.records import source_of
from sqlobs.metrics.agreement import fleiss_kappa
from sqlobs.schema.model import Schema
from sqlobs_collector.admin.access import Reader
from sqlobs_collector.admin.review import may_read_rows
from sqlobs_collector.curation.review_queue import LEASE_S, ReviewQueue
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.review import ReviewReader
from sqlobs_collector.store.writing import Store
from sqlobs_collector.views.review import next_task
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_golden import Client, identity
from tests.collector.test_judging import verdict
from tests.collector.test_units import send, unit

MODEL = "gpt-4o"
COUNT = "SELECT count(*) FROM orders"
SCHEMA = Schema.from_ddl(
    "CREATE TABLE orders (id INTEGER, region TEXT, total REAL);", dialect="sqlite"
)
TOKENS = {
    name: {right: [f"{name}-{right}"] for right in ("ingest", "read", "label", "admin")}
    for name in ("alpha", "beta")
}


def judged(number: int, **named):
    """A unit whose result equals the reference's for even numbers."""
    sql = COUNT if number % 2 == 0 else f"SELECT count(*) + {number} FROM orders"
    body = {
        "sqlobs.query.text": sql,
        "sqlobs.question.text": f"How many orders, {number}?",
        "sqlobs.reference.query.text": COUNT,
    }
    return unit(
        number,
        body=body,
        sqlobs__query__capture="raw",
        sqlobs__schema__version=SCHEMA.version,
        **named,
    )


def is_accepted(question: str) -> bool:
    """What the judge says: it accepts one in three wrong ones."""
    number = int(question.split(", ")[1].rstrip("?"))
    return number % 2 == 0 or number % 3 == 0


@pytest.fixture
def judge():
    """A model that answers every question."""
    with serving(lambda request: verdict(is_accepted(request.fields["question"]))) as server:
        yield server


@pytest.fixture
def collecting(launch, shop, judge):
    """Start a collector with a judge, and send it a number of requests."""

    def start(count: int, **settings):
        given = {
            "targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}},
            "judge__base_url": judge.base_url,
            "judge__model": MODEL,
            "judge__categories": False,
            **settings,
        }
        collector = launch(**given)
        httpx.put(
            f"{collector.http}/v1/schemas/{SCHEMA.version}",
            content=SCHEMA.to_json().encode(),
            headers={"Content-Type": "application/json"},
        )
        send(collector, records.logs(*(judged(number) for number in range(count))))
        client = Client(collector)
        wait_until(lambda: verdicts(client) >= count, within_s=60)
        return client

    return start


def verdicts(client: Client) -> int:
    """The number of the judge's verdicts."""
    judges = {one["name"]: one for one in client.get("/v1/judges")["judges"]}
    return judges["flex"]["passed"] + judges["flex"]["failed"]


def sample(client: Client, **form) -> int:
    return client.ask("POST", "/v1/review/sample", json=form).json()["added"]


def following(client: Client, rater: str) -> dict:
    return client.ask("POST", "/v1/review/next", json={"rater": rater}).json()


def label(client: Client, item_id: int, rater: str, is_correct: bool, critique="") -> None:  # noqa: FBT001 - the label itself
    form = {"rater": rater, "is_correct": is_correct, "critique": critique}
    answer = client.ask("POST", f"/v1/review/{item_id}/label", json=form)
    assert answer.status_code == 200, answer.text


def work(client: Client, rater: str, decide) -> list[int]:
    """Label until nothing is left; returns the items in order."""
    done = []
    while (task := following(client, rater)["task"]) is not None:
        label(client, task["item_id"], rater, decide(task))
        done.append(task["item_id"])
    return done


def number_of(task: dict) -> int:
    return int(task["question"].split(", ")[1].rstrip("?"))


def test_two_people_label_at_the_same_time_and_nothing_is_lost_or_doubled(collecting):
    """Each labels all 60; kappa is that of their labels; a calibration corrects the rates."""
    client = collecting(80)
    assert sample(client, count=60, labels=2) == 60
    careless = random.Random(7)
    slips = {number: careless.random() < 0.15 for number in range(80)}
    decisions = {
        "ada": lambda task: number_of(task) % 2 == 0,
        "grace": lambda task: (number_of(task) % 2 == 0) != slips[number_of(task)],
    }
    done: dict[str, list[int]] = {}
    threads = [
        threading.Thread(target=lambda n=name, d=decide: done.update({n: work(client, n, d)}))
        for name, decide in decisions.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: len(set(items)) for name, items in done.items()} == {"ada": 60, "grace": 60}
    found = client.get("/v1/review")
    assert (found["items"], found["complete"], found["labels"]) == (60, 60, 120)
    export = client.get("/v1/review/export")
    labels = [Label.from_record(one, place="export") for one in export["labels"]]
    votes: dict[str, list[int]] = {}
    for one in labels:
        votes.setdefault(one.case_id, [0, 0])[one.correct] += 1
    expected = fleiss_kappa(list(votes.values()))
    assert found["agreement"]["kappa"] == pytest.approx(expected.value)
    assert found["pairs"][0]["kappa"] == pytest.approx(expected.value)
    assert len(found["disputes"]) == 60 - found["agreement"]["agreed"] > 0
    for dispute in found["disputes"]:
        truth = number_of(dispute) % 2 == 0
        place = f"/v1/review/{dispute['item_id']}/settle"
        assert client.ask("POST", place, json={"is_correct": truth}).status_code == 200
    assert client.get("/v1/review")["disputes"] == []


def test_the_labels_calibrate_the_judge_and_its_rates_are_corrected(collecting):
    """From the verdicts in the store: nobody is asked again."""
    client = collecting(40)
    sample(client, count=40, labels=1)
    work(client, "ada", lambda task: number_of(task) % 2 == 0)
    made = client.post("/v1/review/calibrate")
    expected = Counter((n % 2 == 0, is_accepted(f"?, {n}?")) for n in range(40))
    table = (
        (expected[True, True], expected[True, False]),
        (expected[False, True], expected[False, False]),
    )
    assert (made["source"], made["is_current"], made["labeled"]) == ("review", True, 40)
    assert made["specificity"] == pytest.approx(table[1][1] / sum(table[1]))
    judges = client.get("/v1/judges")["judges"]
    flex = next(one for one in judges if one["name"] == "flex")
    assert flex["agreement"]["labeled"] == 40
    assert flex["agreement"]["accuracy"] == pytest.approx((table[0][0] + table[1][1]) / 40)

    def corrected():
        text = httpx.get(f"{client.admin}/metrics", headers=client.headers).text
        return [
            line
            for line in text.splitlines()
            if 'evaluation="flex"' in line and 'stat="corrected"' in line
        ]

    shown = wait_until(corrected, within_s=40)
    assert float(shown[0].rsplit(" ", 1)[1]) == pytest.approx(0.5, abs=0.01)


def test_a_calibration_needs_labels_of_both_kinds(collecting):
    client = collecting(4)
    sample(client, count=4, labels=1)
    work(client, "ada", lambda _: True)
    status, sentence = client.refusal("POST", "/v1/review/calibrate", json={"author": "ada"})
    assert (status, sentence) == (
        400,
        "a calibration needs items labeled correct and items labeled incorrect by humans",
    )


def test_labels_are_blind(collecting):
    """A task tells neither the judge's verdict nor labels of others; results to admins alone."""
    client = collecting(2)
    sample(client, count=2, labels=2)
    first = following(client, "ada")["task"]
    label(client, first["item_id"], "ada", is_correct=False, critique="ada's secret")
    seen = [following(client, "grace")["task"] for _ in range(1)]
    assert set(seen[0]) == {
        *("item_id", "question", "hints", "dialect", "sql", "reference", "schema_text"),
        *("predicted_result", "reference_result"),
    }
    assert "secret" not in json.dumps(seen)
    assert all(one["predicted_result"] and one["reference_result"] for one in (first, *seen))
    rights = [frozenset({"label"}), frozenset({"label", "read"}), frozenset({"label", "admin"})]
    assert [may_read_rows(Reader("default", one)) for one in rights] == [False, False, True]


def test_a_task_without_the_right_to_rows_has_no_result(tmp_path, collecting):
    client = collecting(2)
    sample(client, count=2, labels=1)
    engine = open_store(tmp_path / "data")
    reviews = ReviewReader(engine)
    desk = SimpleNamespace(queue=ReviewQueue(Store(engine), reviews), reviews=reviews)
    task = next_task(desk, "default", "flex", "ada", has_results=False).task
    assert (task.predicted_result, task.reference_result) == (None, None)


def test_an_item_is_reserved_until_it_is_labeled_given_back_or_forgotten(tmp_path, collecting):
    """With one label per request, two people never work on the same one."""
    client = collecting(4)
    sample(client, count=4, labels=1)
    ada, grace = (following(client, name)["task"]["item_id"] for name in ("ada", "grace"))
    assert ada != grace
    assert following(client, "ada")["task"]["item_id"] == ada
    rest = {following(client, name)["task"]["item_id"] for name in ("hopper", "liskov")}
    assert len({ada, grace, *rest}) == 4
    assert following(client, "turing")["task"] is None
    client.ask("POST", f"/v1/review/{ada}/skip", json={"rater": "ada"})
    assert following(client, "turing")["task"]["item_id"] == ada
    engine = open_store(tmp_path / "data")
    later = ReviewQueue(
        Store(engine),
        ReviewReader(engine),
        clock_ns=lambda: time.time_ns() + (LEASE_S + 1) * 10**9,
    )
    assert later.next("default", "flex", "late") is not None
    label(client, grace, "grace", is_correct=True)
    label(client, grace, "grace", is_correct=False)
    assert client.get("/v1/review")["labels"] == 1


def test_names_are_given_and_consensus_is_nobody_s(collecting):
    client = collecting(2)
    sample(client, count=2, labels=1)
    for rater, sentence in (("", "give a name"), ("consensus", "`consensus` is reserved")):
        status, told = client.refusal("POST", "/v1/review/next", json={"rater": rater})
        assert status == 400
        assert told.startswith(sentence)


def test_the_export_is_what_calibrate_and_tune_take(collecting):
    """Items with rows, where results differ; labels as in the file of `sqlobs judge label`."""
    client = collecting(6)
    sample(client, count=6, labels=1)
    work(client, "ada", lambda task: number_of(task) % 2 == 0)
    export = client.get("/v1/review/export")
    sources = [source_of(record, place="export") for record in export["items"]]
    assert len(sources) == 6
    for source in sources:
        is_equal = number_of({"question": source.item.question}) % 2 == 0
        assert source.item.results_equal is is_equal
        assert (source.item.predicted_result is None) is is_equal
        assert source.item.schema == SCHEMA.render()
    labels = settled([Label.from_record(one, place="export") for one in export["labels"]])
    assert labels.keys() == {source.item.case_id for source in sources}


def test_a_verdict_called_wrong_is_an_example_but_not_part_of_a_calibration(collecting):
    """It was chosen because it is wrong; the accuracy figures count it."""
    client = collecting(4)
    form = {"generation_id": identity(3), "evaluation": "flex", "critique": "It adds three."}
    client.post("/v1/review/wrong", **form)
    client.post("/v1/review/wrong", **{**form, "evaluation": "verdict", "critique": "It is fine."})
    assert client.get("/v1/review")["items"] == 0
    assert client.get("/v1/review/export") == {"items": [], "labels": []}
    export = client.get("/v1/review/export?findings=true")
    assert [one["id"] for one in export["items"]] == [identity(3)]
    assert export["labels"] == [
        {"id": identity(3), "rater": "ada", "correct": False, "critique": "It adds three."}
    ]
    told = client.get("/v1/judges")
    counts = {
        (one["evaluation"], one["verdict"]): (one["requests"], one["out_of"])
        for one in told["called_wrong"]
    }
    assert counts == {("flex", "pass"): (1, 3), ("verdict", "ok"): (1, 4)}
    assert {one["critique"] for one in told["critiques"]} == {"It adds three.", "It is fine."}
    status, sentence = client.refusal(
        "POST", "/v1/review/wrong", json={**form, "evaluation": "adherence", "author": "ada"}
    )
    assert (status, sentence) == (404, "the verdict 'adherence' on this request is missing")


def test_a_changed_model_is_another_judge(launch, collecting, shop, judge, tmp_path):
    """Its calibration corrects nothing any more, and old verdicts count for nobody."""
    client = collecting(4)
    sample(client, count=4, labels=1)
    work(client, "ada", lambda task: number_of(task) % 2 == 0)
    client.post("/v1/review/calibrate")
    other = launch(
        data_dir=_copied(tmp_path),
        judge__base_url=judge.base_url,
        judge__model="gpt-4o-mini",
    )
    flex = next(one for one in Client(other).get("/v1/judges")["judges"] if one["name"] == "flex")
    assert flex["calibration"]["is_current"] is False
    assert flex["agreement"] is None


def _copied(tmp_path):
    """The store of a running collector, in another directory."""
    import sqlite3
    from contextlib import closing

    directory = tmp_path / "other"
    directory.mkdir()
    with (
        closing(sqlite3.connect(tmp_path / "data" / "store.sqlite")) as source,
        closing(sqlite3.connect(directory / "store.sqlite")) as target,
    ):
        source.backup(target)
    return directory


def test_a_queue_is_for_its_workspace_alone(launch, collecting, shop, judge):
    """Items of others are unknown, whatever id is guessed."""
    target = {"url": f"sqlite:///{shop}", "workspaces": ["alpha", "beta"], "default": True}
    collector = launch(
        targets={"shop": target},
        auth__tokens=TOKENS,
        judge__base_url=judge.base_url,
        judge__model=MODEL,
        judge__categories=False,
    )
    bearer = {"Authorization": "Bearer alpha-ingest"}
    httpx.put(
        f"{collector.http}/v1/schemas/{SCHEMA.version}",
        content=SCHEMA.to_json().encode(),
        headers={"Content-Type": "application/json", **bearer},
    )
    send(collector, records.logs(judged(0), judged(1)), **bearer)
    alpha, beta = Client(collector, "alpha-read"), Client(collector, "beta-label")
    wait_until(lambda: verdicts(alpha) == 2)
    assert sample(Client(collector, "beta-admin"), count=2) == 0
    assert sample(Client(collector, "alpha-admin"), count=2) == 2
    assert following(beta, "eve")["task"] is None
    item_id = following(Client(collector, "alpha-label"), "ada")["task"]["item_id"]
    form = {"rater": "eve", "is_correct": True}
    assert beta.refusal("POST", f"/v1/review/{item_id}/label", json=form)[0] == 404
    assert beta.refusal("POST", f"/v1/review/{item_id}/settle", json={"is_correct": True})[0] == 404
    wrong = {"generation_id": identity(0), "evaluation": "flex", "critique": "x", "author": "eve"}
    assert beta.refusal("POST", "/v1/review/wrong", json=wrong)[0] == 404
    assert Client(collector, "beta-read").get("/v1/judges")["critiques"] == []
    assert alpha.get("/v1/review")["labels"] == 0


def test_items_expire_with_their_requests(collecting, tmp_path):
    """What they show is forgotten; labels stay for the calibration."""
    client = collecting(2)
    sample(client, count=2, labels=1)
    work(client, "ada", lambda task: number_of(task) % 2 == 0)
    with Store(open_store(tmp_path / "data")).writing() as writer:
        writer.expiry.payloads(sampled_out_ns=2**62, any_ns=2**62, limit=10)
    assert client.get("/v1/review/export")["items"] == []
    assert client.get("/v1/review")["labels"] == 2
    assert client.post("/v1/review/calibrate")["labeled"] == 2


def test_the_command_does_what_the_page_does(collecting, tmp_path, capsys, monkeypatch):
    """Sample, label on the terminal, status, settle, calibrate, export, wrong."""
    client = collecting(4)
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", client.headers["Authorization"][7:])

    def review(*options: str) -> str:
        assert main(["review", "--admin", client.admin, *options]) == 0
        return capsys.readouterr().out

    assert review("sample", "--count", "4") == "4 requests added\n"
    answers = iter(["p", "y", "", "y", "", "n", "no", "n", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert review("label", "--rater", "ada").endswith("nothing left to label\n")
    work(client, "grace", lambda task: number_of(task) % 2 == 0)
    disputes = client.get("/v1/review")["disputes"]
    assert f"in dispute: {len(disputes)}" in review("status")
    for one in disputes:
        truth = "correct" if number_of(one) % 2 == 0 else "incorrect"
        review("settle", str(one["item_id"]), truth)
    path = tmp_path / "items.jsonl"
    assert (
        review("export", str(path))
        == f"{path}: 4 lines\n{path}.labels: {8 + len(disputes)} lines\n"
    )
    assert review("wrong", identity(3), "--evaluation", "flex", "--critique", "x") == "stored\n"
