"""Erasure: nothing of a user is left in any file, and nothing of anybody else is missing."""

from __future__ import annotations

import gzip
import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from sqlalchemy import update

from sqlobs.judge.replay import ChatReply, serving
from sqlobs_collector.cli import main
from sqlobs_collector.journal.entry import Entry
from sqlobs_collector.journal.held import HeldSegments
from sqlobs_collector.journal.log import JournalLog
from sqlobs_collector.store import payload
from sqlobs_collector.store.tables import UNIT
from tests.collector import records
from tests.collector.running import journaled, wait_until
from tests.collector.stores import on_both
from tests.collector.test_audit import lines
from tests.collector.test_golden import Client, identity
from tests.collector.test_units import DIGESTS, KEY, Station, send, unit

if TYPE_CHECKING:
    from pathlib import Path

store_kind = on_both(pytest.mark.slow)
CANARY = "zaunkoenig"
"""Part of every text of the user who is erased."""
USER, OTHER = f"{CANARY}-user", "somebody-else"
REST = "schwarzspecht"
"""Part of every text of the other user."""
COUNTED = {
    "requests": 2,
    "reports": 1,
    "critiques": 1,
    "golden_cases": 1,
    "failure_decisions": 1,
    "saved_views": 1,
    "journal_records": 3,
}
FLAW = {"code": "schema.unknown_column", "line": 1, "column": 12}


def failed(number: int, word: str, user: str, **named):
    """A failed request whose texts and names all have a word."""
    name, sql = f"{word}_total", f"SELECT {word}_total FROM orders WHERE region = '{word}'"
    flaw = {**FLAW, "message": f'Unknown column "{name}".', "name": name, "suggestion": "total"}
    attempts = [{"number": 1, "verdict": "failed", "sql": sql, "findings": [flaw]}]
    return asked(
        number,
        {
            "sqlobs.question.text": f"How much did {word} buy?",
            "sqlobs.query.text": sql,
            "sqlobs.attempt.texts": json.dumps(attempts),
            "sqlobs.hint.text": f"{word} is a customer.",
        },
        user,
        sqlobs__verdict="failed",
        sqlobs__schematic=False,
        sqlobs__failure__code="schema.unknown_column",
        sqlobs__failure__codes=["schema.unknown_column"],
        sqlobs__hallucinated__columns=[name],
        sqlobs__suggestions=[f"{name} -> total"],
        error__type=f"{word}Error",
        sqlobs__tenant=f"{word} corp",
        **{"gen_ai__conversation__id": f"{word} talks", **named},
    )


def judged(number: int, word: str, user: str):
    """A request that runs on the target, and that a judge is asked about."""
    sql = f"SELECT '{word}' AS region, count(*) FROM orders"
    body = {"sqlobs.question.text": f"How many orders has {word}?", "sqlobs.query.text": sql}
    body["sqlobs.reference.query.text"] = f"{sql} WHERE 1 = 1"
    return asked(number, body, user, sqlobs__verdict="ok", sqlobs__schematic=True)


def asked(number: int, body: dict[str, str], user: str, **named):
    return unit(
        number,
        body=body,
        user__id=user,
        at_ns=time.time_ns() - 10**9,
        sqlobs__outcome="answered",
        sqlobs__query__capture="raw",
        gen_ai__request__model="gpt-4o",
        gen_ai__prompt__version="v1",
        **named,
    )


def feedback(number: int, word: str):
    return records.log(
        number,
        event="gen_ai.evaluation.result",
        at_ns=time.time_ns(),
        gen_ai__evaluation__name="feedback",
        gen_ai__evaluation__score__label="fail",
        gen_ai__evaluation__explanation=f"That is not what {word} bought.",
        sqlobs__feedback__kind="edit",
        sqlobs__feedback__value="corrected",
        sqlobs__feedback__query__text=f"SELECT total FROM orders -- {word}",
    )


def decide(client: Client, number: int, judged_number: int, word: str) -> None:
    """Decide about a user's requests in every way."""
    client.promote(number, "corrected", sql=f"SELECT total FROM orders WHERE region = '{word}'")
    client.ask(
        "POST", "/v1/views", json={"name": f"view {word}", "query": f"conversation={word}+talks"}
    )
    [group] = [one for one in client.get("/v1/failures")["groups"] if word in one["name"]]
    kept = {name: group[name] for name in ("failure_code", "name", "model", "prompt_version")}
    decision = {**kept, "status": "acknowledged", "note": f"{word} called us."}
    client.ask("POST", "/v1/failures", json=decision)
    client.ask("POST", "/v1/review/sample", json={"count": 5, "labels": 1})
    task = client.ask("POST", "/v1/review/next", json={"rater": "grace"}).json()["task"]
    wrong = {"generation_id": identity(judged_number), "evaluation": "flex", "author": "ada"}
    client.ask("POST", "/v1/review/wrong", json={**wrong, "critique": f"{word} is right."})
    label = {"rater": "grace", "is_correct": True, "critique": f"{word} counts."}
    client.ask("POST", f"/v1/review/{task['item_id']}/label", json=label)


@contextmanager
def playing(launch, shop):
    """A collector with two users' requests, evaluated, judged and decided about."""

    def reply(request):
        word = CANARY if CANARY in request.fields["predicted_sql"] else REST
        return ChatReply(json.dumps({"reasoning": f"{word} is counted.", "correct": True}))

    with serving(reply) as judge:
        collector = launch(
            targets={"shop": {"url": f"sqlite:///{shop}", "default": True}},
            judge__base_url=judge.base_url,
            judge__model="gpt-4o",
            judge__categories=False,
            evaluate__metrics={"*": ["execution", "ex", "flex"]},
        )
        client = Client(collector)
        for number, word, user in ((1, CANARY, USER), (11, REST, OTHER)):
            send(collector, records.logs(failed(number, word, user)))
            send(collector, records.logs(judged(number + 1, word, user), feedback(number, word)))
            wait_until(lambda number=number: settled(client, number + 1), within_s=60)
            decide(client, number, number + 1, word)
        yield collector, client


def settled(client: Client, number: int) -> bool:
    answer = client.ask("GET", f"/v1/requests/{identity(number)[3:]}")
    said = answer.json()["evaluations"] if answer.status_code == 200 else []
    return any(one["metric"] == "flex" and one["label"] == "pass" for one in said)


def files_with(word: str, directory: Path) -> list[str]:
    """The files below a directory that have a word in any case."""
    return sorted(
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes().lower()
    )


def everywhere(kind, data_dir, word: str) -> list[str]:
    """The files of store and data directory that have a word."""
    found = files_with(word, data_dir)
    if kind.files is None:
        return found
    with psycopg.connect(kind.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    return found + files_with(word, kind.files / "base")


def reclaim(kind) -> None:
    """Do what the command tells an administrator to do."""
    if kind.files is not None:
        with psycopg.connect(kind.url, autocommit=True) as connection:
            connection.execute("VACUUM (FULL, ANALYZE)")
            connection.execute("VACUUM FULL pg_statistic")


def erase(kind, data_dir, *given: str) -> int:
    return main([*arguments("erase", kind, data_dir), *given])


def arguments(command: str, kind, data_dir) -> list[str]:
    url = [] if kind.url is None else ["--config", str(config_of(kind, data_dir))]
    return [command, "--data-dir", str(data_dir), *url]


def config_of(kind, data_dir):
    path = data_dir.parent / "collector.yaml"
    path.write_text(json.dumps({"store": {"url": kind.url}}))
    return path


@pytest.mark.parametrize("mode", ["running", "stopped"])
def test_nothing_is_left_of_a_user(launch, shop, store_kind, mode, capsys):
    """In no file, whether the collector runs or not; of the other user, everything is."""
    with playing(launch, shop) as (collector, client):
        data_dir = collector.config.data_dir
        before = shown(client)
        assert everywhere(store_kind, data_dir, CANARY) != []
        if mode == "stopped":
            collector.stop()
        assert erase(store_kind, data_dir, "--user", USER, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        reclaim(store_kind)
        left = everywhere(store_kind, data_dir, CANARY)
        assert left == []
        assert COUNTED.items() <= found["removed"].items()
        assert {name for name, count in found["removed"].items() if count} == {
            *COUNTED,
            *("evaluations", "review_items", "labels"),
        }
        if mode == "running":
            after = shown(client)
            assert after == {name: without(rows) for name, rows in before.items()}
    [audited] = [one for one in lines(data_dir) if one["action"].startswith("erase")]
    assert audited["action"] == f"erase --{found['subject']}"
    assert audited["workspace"] == "default"


def shown(client: Client) -> dict[str, list]:
    """What is stored, by what it is, without what changes by itself."""
    units = client.get("/v1/units")["units"]
    return {
        "units": [[one["trace_id"], one["texts"], one["feedback"]] for one in units],
        "failures": [one["name"] for one in client.get("/v1/failures")["groups"]],
        "golden": client.get("/v1/golden")["cases"],
        "views": client.get("/v1/views")["views"],
    }


def without(rows: list) -> list:
    return [row for row in rows if CANARY not in json.dumps(row)]


RECORDS = [unit(number, user__id=USER, body={"sqlobs.question.text": CANARY}) for number in (1, 2)]


@pytest.fixture
def station(tmp_path, store_kind):
    """A journal and a store that are driven by hand."""
    built = Station(tmp_path, store_kind)
    (tmp_path / "digest.key").write_bytes(KEY)
    yield built
    built.close()


def stored(station) -> list[str]:
    return [span for (span,) in station.query("SELECT span_id FROM unit ORDER BY span_id")]


def spans(*numbers: int) -> list[str]:
    return [records.span_id(number).hex() for number in numbers]


def test_what_comes_later_about_an_erased_request_is_dropped(station, store_kind, capsys):
    """Its span, feedback, a repeat, an older request that was delayed, a replay; not a new one."""
    now_ns = time.time_ns()
    station.receive(records.logs(*(record(number, now_ns - 2) for number in (1, 2))))
    station.receive(records.logs(unit(3, user__id=OTHER, at_ns=now_ns - 2)))
    assert erase(store_kind, station.data_dir, "--user", USER) == 0
    assert "erased user " in capsys.readouterr().out
    assert stored(station) == spans(3)
    later = (
        records.logs(record(1, now_ns - 2), feedback(2, CANARY)),
        records.logs(feedback(4, CANARY)),
        records.logs(record(4, now_ns - 1)),
        records.logs(record(5, time.time_ns() + 10**9), feedback(5, REST), feedback(3, REST)),
    )
    for request in later:
        station.receive(request)
    assert stored(station) == spans(3, 5)
    reported = station.query("SELECT span_id FROM report ORDER BY span_id")
    assert [span for (span,) in reported] == spans(3, 5)
    station.journal.close()
    assert main([*arguments("replay", store_kind, station.data_dir)]) == 0
    assert stored(station) == spans(3, 5)


def record(number: int, at_ns: int):
    return unit(number, user__id=USER, at_ns=at_ns, body={"sqlobs.question.text": CANARY})


@pytest.mark.parametrize("kind", ["conversation", "tenant", "trace"])
def test_each_kind_of_subject_is_found(station, store_kind, kind, capsys):
    """Also after its texts have expired, and in its own workspace only."""
    said = {"conversation": "c 1", "tenant": "t" * 300, "trace": records.trace_id(1).hex()}
    named = {"gen_ai__conversation__id": said["conversation"], "sqlobs__tenant": said["tenant"]}
    station.receive(records.logs(unit(1, **named)))
    station.receive(records.logs(unit(1, **named)), workspace="other")
    station.receive(records.logs(unit(2, **(named if kind != "trace" else {}))))
    station.receive(records.logs(unit(3, gen_ai__conversation__id="c 2", sqlobs__tenant="u")))
    station.later(2000)
    [(payloads,)] = station.query("SELECT count(payload) FROM unit")
    assert payloads == 0
    assert erase(store_kind, station.data_dir, f"--{kind}", said[kind], "--dry-run") == 0
    expected = 1 if kind == "trace" else 2
    assert capsys.readouterr().out == f"{expected} requests\n"
    assert erase(store_kind, station.data_dir, f"--{kind}", said[kind]) == 0
    left = station.query("SELECT workspace, span_id FROM unit ORDER BY workspace, span_id")
    numbers = (2, 3) if kind == "trace" else (3,)
    assert left == [*(("default", span) for span in spans(*numbers)), ("other", *spans(1))]


def test_a_request_of_an_earlier_version_is_found_by_its_texts(station, store_kind):
    """Its row has no digest; one whose id only looks like the user's stays."""
    for number, user in enumerate((USER, OTHER, USER + "2")):
        station.receive(records.logs(unit(number, user__id=user)))
        said = records.logs(unit(number, user__id=user)).resource_logs[0].scope_logs[0]
        packed = payload.pack(said.log_records[0].SerializeToString())
        with station.engine.begin() as connection:
            is_it = UNIT.c.span_id == records.span_id(number).hex()
            changed = update(UNIT).where(is_it).values(payload=packed, user_digest=None)
            connection.execute(changed)
    assert erase(store_kind, station.data_dir, "--user", USER) == 0
    assert stored(station) == spans(1, 2)


def test_a_store_has_no_user_id(station):
    """A pseudonym stands for it, the same for each request of the user."""
    station.receive(records.logs(unit(1, user__id=USER), unit(2, user__id=USER)))
    found = station.query("SELECT payload, user_digest FROM unit")
    said = {payload.unpack(bytes(packed)).attributes["user.id"] for packed, _ in found}
    [digest] = {digest for _, digest in found}
    assert said == {f"hmac-{digest}"}
    assert digest == DIGESTS.of("user", "default", USER)


def test_a_journal_keeps_its_places_when_records_are_taken_out(tmp_path, station, store_kind):
    """Nothing counts as lost, and what was not projected yet comes from the rest."""
    now_ns = time.time_ns()
    for numbers in ((1, 2), (3,), (4, 5, 6)):
        made = [unit(one, user__id=USER if one % 2 else OTHER, at_ns=now_ns) for one in numbers]
        append(station, records.logs(*made), workspace="default")
    append(station, b"no request", workspace="default")
    before = identity_and_place(station.directory)
    assert erase(store_kind, station.data_dir, "--user", USER) == 0
    assert identity_and_place(station.directory) == before
    assert files_with(USER, station.directory) == []
    left = [one for entry in journaled(station.data_dir) for one in users(entry)]
    assert left == [OTHER, OTHER, OTHER]
    while station.projector.project():
        pass
    assert stored(station) == spans(2, 4, 6)
    assert station.projector.progress.standing.lost_entries == 0


def append(station, request, **named) -> None:
    body = request if isinstance(request, bytes) else request.SerializeToString()
    entry = Entry(named["workspace"], "logs", "", "identity", 1, body)
    station.journal.append([entry], received_ns=time.time_ns())


def identity_and_place(directory: Path):
    log = JournalLog(directory, file_bytes=2**30)
    return log.identity, log.acknowledged


def users(entry: Entry) -> list[str]:
    body = gzip.decompress(entry.body) if entry.encoding == "gzip" else entry.body
    return [
        attribute.value.string_value
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs
        for scope in resource.scope_logs
        for one in scope.log_records
        for attribute in one.attributes
        if attribute.key == "user.id"
    ]


def test_a_quarantined_file_and_the_copies_of_migrations_are_deleted(station, store_kind, capsys):
    """Nobody can tell whose records are in them."""
    (station.directory / "quarantine").mkdir()
    (station.directory / "quarantine" / "journal-20270115T120000.000001.log").write_text(CANARY)
    append(station, records.logs(*RECORDS), workspace="default")
    backup = station.data_dir / "store.before-0021.sqlite"
    backup.write_text(CANARY)
    assert erase(store_kind, station.data_dir, "--user", USER, "--json") == 0
    removed = json.loads(capsys.readouterr().out)["removed"]
    assert removed["damaged_journal_files"] == 1
    assert files_with(CANARY, station.data_dir) == ([] if store_kind.url is None else [backup.name])


BAD = {
    ("--trace", "xyz"): "'xyz' is not a trace ID, which has 32 hexadecimal digits",
    ("--user", ""): "--user is empty: give the user that the application named",
    ("--user", "a", "--tenant", "b"): "not allowed with argument",
    (): "one of the arguments --user --conversation --trace --tenant is required",
    ("--user", "a", "--workspace", "nobody"): "set --workspace to one of default",
}


@pytest.mark.parametrize(("given", "said"), BAD.items())
def test_a_wrong_subject_gives_one_sentence(tmp_path, capsys, given, said):
    """Exit code 2, and nothing is erased."""
    assert main(["erase", "--data-dir", str(tmp_path), *given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_an_interrupted_erasure_is_completed_by_the_next(station, store_kind, monkeypatch):
    """Whatever the first one did not do, and whatever draft it left."""
    append(station, records.logs(*RECORDS), workspace="default")
    while station.projector.project():
        pass
    with monkeypatch.context() as patched:
        patched.setattr(HeldSegments, "replace", killed)
        assert erase(store_kind, station.data_dir, "--user", USER) != 0
    (station.directory / ".erasing.new").write_text(CANARY)
    assert files_with(CANARY, station.directory) != []
    assert erase(store_kind, station.data_dir, "--user", USER) == 0
    assert files_with(CANARY, station.data_dir) == []


def killed(*_: object) -> None:
    raise KeyboardInterrupt
