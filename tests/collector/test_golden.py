"""The golden set of a workspace: from a request to an active case, without a restart."""

from __future__ import annotations

import json

import httpx
import pytest

from sqlobs.cli import main
from sqlobs_collector.evaluation.golden import GoldenFile
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit

QUESTION = "How many orders?"
COUNT = "SELECT count(*) FROM orders"
WRONG = "SELECT count(region) FROM orders"
TOKENS = {
    name: {"ingest": [f"{name}-in"], "read": [f"{name}-out"], "admin": [f"{name}-admin"]}
    for name in ("alpha", "beta")
}


def asked(number: int, sql: str = WRONG, *, question: str | None = QUESTION, **named):
    """A unit with raw SQL and a question."""
    body = {"sqlobs.query.text": sql, "sqlobs.question.text": question}
    body |= {"sqlobs.reference.query.text": named.pop("reference", None)}
    kept = {name: text for name, text in body.items() if text is not None}
    return unit(number, body=kept, sqlobs__query__capture="raw", **named)


def identity(number: int) -> str:
    return f"00-{records.trace_id(number).hex()}-{records.span_id(number).hex()}"


class Client:
    """A person with the rights of a token."""

    def __init__(self, collector, *tokens: str) -> None:
        self.admin = collector.admin
        self._client = httpx.Client(timeout=30, limits=httpx.Limits(max_keepalive_connections=0))
        self.headers = {"Authorization": f"Bearer {tokens[0] if tokens else collector.token}"}

    def ask(self, method: str, path: str, **sent) -> httpx.Response:
        return self._client.request(method, self.admin + path, headers=self.headers, **sent)

    def get(self, path: str):
        answer = self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, **fields):
        answer = self.ask("POST", path, json={"author": "ada", **fields})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def promote(self, number: int, source: str, **more):
        return self.post(
            "/v1/golden/promote", generation_id=identity(number), source=source, **more
        )

    def refusal(self, method: str, path: str, **sent) -> tuple[int, str]:
        answer = self.ask(method, path, **sent)
        return answer.status_code, answer.json().get("error", "")


@pytest.fixture
def serving(launch, shop):
    """A collector with one target."""
    return launch(targets={"shop": {"url": f"sqlite:///{shop}", "default": True}})


def compared(collector, number: int, token: str | None = None) -> dict[str, object]:
    """The comparison of a unit with its reference, once the unit is evaluated."""
    client = Client(collector, *([token] if token else []))

    def found():
        units = [
            one
            for one in client.get("/v1/units")["units"]
            if one["trace_id"] == records.trace_id(number).hex() and one["state"] == "done"
        ]
        return units and [one for one in units[0]["evaluations"] if one["metric"] == "ex"]

    return wait_until(found)[0]


def test_a_promoted_request_is_a_reference_for_the_next_one_at_once(serving):
    """The question is the same; nobody restarts anything."""
    send(serving, records.logs(asked(1)))
    assert compared(serving, 1)["reason"] == "no_reference"
    saved = Client(serving).promote(1, "corrected", sql=COUNT)
    assert (saved["outcome"], saved["case"]["owner"]) == ("added", "ada")
    send(serving, records.logs(asked(2, question="how many ORDERS "), asked(3, COUNT)))
    judged = [compared(serving, number) for number in (2, 3)]
    assert [one["label"] for one in judged] == ["fail", "pass"]
    assert {one["golden_set"] for one in judged} == {"stored"}
    assert {one["detail"]["reference_sql"] for one in judged} == {COUNT}


@pytest.mark.parametrize(
    ("source", "sql"), [("reference", COUNT), ("accepted", WRONG), ("corrected", "SELECT 4")]
)
def test_a_request_is_promoted_with_the_chosen_sql(serving, source, sql):
    send(serving, records.logs(asked(1, reference=COUNT, sqlobs__target__name="shop")))
    compared(serving, 1)
    case = Client(serving).promote(1, source, sql="SELECT 4")["case"]
    shown = {name: case[name] for name in ("question", "sql", "target", "source", "generation_id")}
    assert shown == {
        "question": QUESTION,
        "sql": sql,
        "target": "shop",
        "source": source,
        "generation_id": identity(1),
    }


def test_what_cannot_be_promoted_is_one_sentence(serving):
    send(serving, records.logs(asked(1), asked(2, question=None)))
    compared(serving, 1)
    compared(serving, 2)
    client = Client(serving)

    def refused(number: int, source: str, author: str = "ada") -> tuple[int, str]:
        form = {"generation_id": identity(number), "source": source, "author": author}
        return client.refusal("POST", "/v1/golden/promote", json=form)

    assert refused(1, "reference") == (
        400,
        "the request has no reference: correct its SQL, or accept its answer",
    )
    assert refused(1, "corrected") == (400, "give the corrected SQL")
    assert refused(2, "accepted")[1].startswith("the request has no question")
    assert refused(9, "accepted") == (404, "no such request in this workspace")
    assert refused(1, "accepted", author=" ") == (400, "give a name of 1 to 80 characters")


def test_every_change_is_in_the_history_and_the_latest_is_active(serving):
    """A case is edited, retired, restored, run; deleting it deletes its history."""
    client = Client(serving)
    case_id = client.post("/v1/golden", question=QUESTION, sql="SELECT 1")["case"]["id"]
    path = f"/v1/golden/{case_id}"
    again = client.post("/v1/golden", question=QUESTION, sql=WRONG)
    assert (again["outcome"], again["case"]["id"]) == ("edited", case_id)
    assert client.post("/v1/golden", question=QUESTION, sql=WRONG)["outcome"] == "unchanged"
    edit = {"sql": COUNT, "owner": "grace", "author": "grace"}
    assert client.ask("PUT", path, json=edit).json()["owner"] == "grace"
    assert client.post(f"{path}/retire")["is_in_force"] is False
    send(serving, records.logs(asked(1)))
    assert compared(serving, 1)["reason"] == "no_reference"
    assert client.post(f"{path}/restore")["is_in_force"] is True
    assert client.post(f"{path}/restore")["is_in_force"] is True
    run = client.post(f"{path}/run")
    assert (run["status"], run["rows"], run["target"]) == ("ok", "1", "shop")
    history = [(one["action"], one["author"], one["sql"]) for one in client.get(path)["history"]]
    assert history == [
        ("run", "ada", COUNT),
        ("restored", "ada", COUNT),
        ("retired", "ada", COUNT),
        ("edited", "grace", COUNT),
        ("edited", "ada", WRONG),
        ("added", "ada", "SELECT 1"),
    ]
    assert client.ask("DELETE", path).status_code == 200
    assert client.refusal("GET", path)[0] == 404


@pytest.mark.parametrize(
    ("sql", "status", "reason"),
    [
        ("SELECT totals FROM orders", "error", "schema.unknown_column"),
        ("DELETE FROM orders", "refused", "not_read_only"),
    ],
)
def test_a_run_tells_what_is_wrong_with_a_case(serving, sql, status, reason):
    client = Client(serving)
    case_id = client.post("/v1/golden", question=QUESTION, sql=sql)["case"]["id"]
    run = client.post(f"/v1/golden/{case_id}/run")
    assert (run["status"], run["reason"]) == (status, reason)
    assert client.get(f"/v1/golden/{case_id}")["history"][0]["detail"]["status"] == status


def test_the_store_goes_before_the_golden_file(launch, shop, tmp_path):
    """The file holds for questions that the workspace's own set does not answer."""
    path = tmp_path / "team.jsonl"
    lines = [{"question": QUESTION, "sql": WRONG}, {"question": "Which regions?", "sql": WRONG}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    collector = launch(
        targets={"shop": {"url": f"sqlite:///{shop}", "default": True}}, golden__file=str(path)
    )
    Client(collector).post("/v1/golden", question=QUESTION, sql=COUNT)
    send(collector, records.logs(asked(1), asked(2, question="Which regions?")))
    found = [compared(collector, number) for number in (1, 2)]
    assert [(one["label"], one["golden_set"]) for one in found] == [
        ("fail", "stored"),
        ("pass", "team"),
    ]


def test_cases_go_out_and_in_as_the_lines_of_a_golden_file(serving, tmp_path):
    client = Client(serving)
    lines = [
        {"question": QUESTION, "sql": COUNT, "target": "shop"},
        {"question": "Größte Region?", "sql": "SELECT max(region) FROM orders"},
        {"digest": "ab" * 32, "sql": "SELECT 1"},
        {"question": QUESTION, "sql": "SELECT 4", "target": "shop"},
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def send_lines(text: str) -> httpx.Response:
        return client.ask("POST", "/v1/golden/import", json={"lines": text, "author": "ada"})

    counts = {"added": 3, "edited": 0, "unchanged": 0, "skipped": 1}
    assert send_lines(text).json() == counts
    assert send_lines(text).json() == {**counts, "added": 0, "unchanged": 3}
    exported = client.ask("GET", "/v1/golden/export").text
    assert [json.loads(line) for line in exported.splitlines()] == lines[:3]
    path = tmp_path / "golden.jsonl"
    path.write_text(exported)
    assert len(GoldenFile.read(path, key=b"k").cases) == 3
    refused = send_lines(text + '{"question": "x", "sql": " "}\n')
    assert (refused.status_code, refused.json()["error"]) == (400, "line 5: give the SQL")
    assert len(client.get("/v1/golden")["cases"]) == 3
    unknown = send_lines('{"question": "x", "sql": "SELECT 1", "target": "nowhere"}')
    assert unknown.json()["error"].startswith("line 1: unknown target 'nowhere'")


def test_a_case_is_for_its_workspace_alone(launch, shop):
    """Neither its SQL nor its effect crosses over; ids of others are unknown."""
    target = {"url": f"sqlite:///{shop}", "workspaces": ["alpha", "beta"], "default": True}
    collector = launch(targets={"shop": target}, auth__tokens=TOKENS)
    alpha, beta = Client(collector, "alpha-admin"), Client(collector, "beta-admin")
    case_id = alpha.post("/v1/golden", question=QUESTION, sql=COUNT)["case"]["id"]
    for name in TOKENS:
        send(collector, records.logs(asked(1)), Authorization=f"Bearer {name}-in")
    assert compared(collector, 1, "alpha-out")["label"] == "fail"
    assert compared(collector, 1, "beta-out")["reason"] == "no_reference"
    assert Client(collector, "beta-out").get("/v1/golden")["cases"] == []
    path = f"/v1/golden/{case_id}"
    author = {"author": "eve"}
    edit = {"sql": "SELECT 1", "owner": "eve", **author}
    tried = [
        ("PUT", path, edit),
        ("POST", f"{path}/retire", author),
        ("POST", f"{path}/restore", author),
        ("POST", f"{path}/run", author),
        ("DELETE", path, None),
    ]
    for method, place, form in tried:
        assert beta.refusal(method, place, json=form)[0] == 404
    assert Client(collector, "beta-out").refusal("GET", path)[0] == 404
    assert len(Client(collector, "alpha-out").get(path)["history"]) == 1


def test_cases_are_found_under_a_new_key(launch, shop, tmp_path):
    """Digests depend on `golden.digest_key`; the questions are known, so that they follow."""
    settings = {"targets": {"shop": {"url": f"sqlite:///{shop}", "default": True}}}
    first = launch(**settings, golden__digest_key="one")
    Client(first).post("/v1/golden", question=QUESTION, sql=COUNT)
    first.stop()
    before = GoldenReader(open_store(tmp_path / "data")).cases("default")[0].row.digest
    second = launch(**settings, golden__digest_key="two")
    send(second, records.logs(asked(1)))
    assert compared(second, 1)["label"] == "fail"
    assert Client(second).get("/v1/golden")["cases"][0]["digest"] != before


def test_cases_are_kept_when_their_request_is_gone(serving, tmp_path):
    """Retention deletes requests; a case is deleted by a person."""
    send(serving, records.logs(asked(1)))
    compared(serving, 1)
    client = Client(serving)
    client.promote(1, "accepted")
    with Store(open_store(tmp_path / "data")).writing() as writer:
        writer.expiry.units(before_ns=2**62, limit=10)
    assert client.get("/v1/units")["units"] == []
    assert client.get("/v1/golden")["in_force"] == 1


def test_the_command_does_what_the_page_does(serving, tmp_path, capsys, monkeypatch):
    """Promote, list, edit, run, retire, restore, import, export, history, delete."""
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", serving.token)
    send(serving, records.logs(asked(1)))
    compared(serving, 1)

    def golden(*options: str) -> str:
        status = main(["golden", "--admin", serving.admin, "--author", "ada", *options])
        assert status == 0
        return capsys.readouterr().out

    assert golden("--promote", identity(1), "--sql", COUNT).startswith("added: 1  in effect, ada")
    assert COUNT in golden("--list")
    assert "grace" in golden("--edit", "1", "--owner", "grace")
    assert golden("--run", "1") == "ok, 1 rows\n"
    assert "retired" in golden("--retire", "1")
    assert "in effect" in golden("--restore", "1")
    golden("--write", "Which regions?", "--sql", "SELECT region FROM orders")
    path = tmp_path / "golden.jsonl"
    assert golden("--export", str(path)) == f"{path}: 2 cases\n"
    assert golden("--import", str(path)) == "0 added, 0 edited, 2 unchanged, 0 skipped\n"
    assert "restored by ada" in golden("--history", "1")
    assert golden("--delete", "1") == "case 1 deleted\n"
    assert main(["golden", "--admin", serving.admin, "--history", "1"]) == 2
    assert "no such golden case" in capsys.readouterr().err
