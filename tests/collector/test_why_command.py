from __future__ import annotations

import json

import httpx
import pytest

from sqlobs.cli import main
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import feedback, send, unit, why

TRACE = records.trace_id(1).hex()


def test_why_prints_the_path_and_the_reasons(launch, capsys, monkeypatch):
    """One line a step, in order, with what decided."""
    collector = launch(sampling__rate=0.1)
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN", collector.admin)
    send(collector, records.logs(unit(1, sqlobs__workflow="answer"), feedback(1, "up")))
    wait_until(lambda: why(collector, TRACE))
    assert main(["why", TRACE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        f"00-{TRACE}-{records.span_id(1).hex()}  answer: sampled_out (sampled_out)",
        "  service sales, service_version 2.4.1, environment prod, verdict ok",
    ]
    assert lines.pop(2) == "  SQL: SELECT 1"
    why_left_out = "sampling.rate excludes this trace's randomness; sampled with probability 0.1"
    assert [line.split("Z  ", 1)[1] for line in lines[2:]] == [
        "received    as: unit",
        f"sampling    rule: rate; label: sampled_out; why: {why_left_out}",
        "feedback",
    ]


SAID = {
    "sqlobs.query.text": "SELECT totl FROM orders",
    "sqlobs.question.text": "What did\x1b[2J we\nearn?",
}


def test_requests_are_listed_and_found_by_how_their_id_begins(launch, capsys):
    """The latest that failed, or others; what was asked and found stands in the path."""
    collector = launch()
    failed = {"sqlobs__verdict": "failed", "sqlobs__failure__code": "schema.unknown_column"}
    found = {
        "sqlobs__hallucinated__columns": ["totl"],
        "sqlobs__suggestions": ["totl -> total"],
        "sqlobs__tenant": "acme",
    }
    sent = [
        unit(1, body=SAID, sqlobs__workflow="answer", **failed, **found),
        unit(2, sqlobs__verdict="ok"),
        unit(3, sqlobs__tenant="globex", **failed),
    ]
    send(collector, records.logs(*sent))
    wait_until(lambda: why(collector, records.trace_id(3).hex()))

    def listed(*arguments):
        code = main(["why", "--admin", collector.admin, *arguments])
        return code, [line.split() for line in capsys.readouterr().out.splitlines()[1:]]

    code, rows = listed("--tenant", "acme")
    assert (code, [row[1:6] for row in rows]) == (
        0,
        [[TRACE[:12], "answer", "failed", "schema.unknown_column", "What"]],
    )
    assert [len(listed(*more)[1]) for more in ([], ["--verdict", "any"], ["--last", "1"])] == [
        2,
        3,
        1,
    ]
    assert listed("--verdict", "suspect") == (1, [])
    assert main(["why", TRACE[:30], "--admin", collector.admin]) == 0
    shown = capsys.readouterr().out
    assert "  question: What did␛[2J we\nearn?" in shown
    for line in ("SQL: SELECT totl FROM orders", "invented columns: totl", "totl -> total"):
        assert line in shown
    # All traces of these tests begin alike.
    assert main(["why", TRACE[:6], "--admin", collector.admin, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


def test_a_list_that_is_too_long_is_rejected(collector, capsys):
    """The limit is the collector's."""
    assert main(["why", "--last", "101", "--admin", collector.admin]) == 2
    assert "limit must be a whole number from 1 to 100" in capsys.readouterr().err


def test_why_as_json_is_the_collector_s_answer(launch, capsys):
    """What a machine reads is complete."""
    collector = launch()
    send(collector, records.logs(unit(1)))
    wait_until(lambda: why(collector, TRACE))
    assert main(["why", TRACE, "--admin", collector.admin, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == why(collector, TRACE)


def test_why_of_an_unknown_request_says_what_may_have_happened(collector, capsys):
    """Exit code 1, and where to look."""
    assert main(["why", "f" * 32, "--admin", collector.admin]) == 1
    assert "SQLOBS_COLLECTOR_ENDPOINT" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("identity", "settings", "sentence"),
    [
        ("nonsense", {}, "give a trace id (32 hex digits)"),
        (
            "f" * 32,
            {"auth__tokens": {"a": {"read": ["t"]}}},
            "requires a token: set SQLOBS_COLLECTOR_ADMIN_TOKEN",
        ),
    ],
)
def test_a_rejected_question_gives_one_error_sentence(
    launch, capsys, monkeypatch, identity, settings, sentence
):
    """Exit code 2; the message says what to do."""
    collector = launch(**settings)
    if settings:
        monkeypatch.setenv("XDG_STATE_HOME", "/nonexistent")  # as on another machine
    assert main(["why", identity, "--admin", collector.admin]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_a_token_is_sent_along(launch, monkeypatch, capsys):
    """The variable opens a port whose token file is not readable."""
    collector = launch(auth__tokens={"a": {"ingest": ["t"], "read": ["t"]}})
    send(collector, records.logs(unit(1)), Authorization="Bearer t")
    wait_until(lambda: why(collector, TRACE, Authorization="Bearer t"))
    monkeypatch.setenv("SQLOBS_COLLECTOR_ADMIN_TOKEN", "t")
    assert main(["why", TRACE, "--admin", collector.admin]) == 0
    assert "received" in capsys.readouterr().out


def test_a_missing_collector_gives_one_error_sentence(capsys):
    """The message names the address and the option."""
    assert main(["why", TRACE, "--admin", "http://127.0.0.1:9"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sqlobs why: no collector responds at http://127.0.0.1:9 (")
    assert "--admin" in error


def test_schema_diff_asks_the_collector_which_statements_break(launch, capsys, tmp_path):
    """Each distinct statement once, those that break with the id of the latest request."""
    collector = launch()
    raw = {"sqlobs__query__capture": "raw", "body": {"sqlobs.query.text": "SELECT id FROM boats"}}
    masked = {"sqlobs__query__capture": "masked"}
    send(collector, records.logs(unit(1, **raw), unit(2, **raw), unit(3, **masked)))
    wait_until(lambda: len(statements(collector)) == 1)
    (tmp_path / "old.sql").write_text("CREATE TABLE boats (id integer);")
    (tmp_path / "new.sql").write_text("CREATE TABLE ships (id integer);")
    arguments = ["schema", "diff", str(tmp_path / "old.sql"), str(tmp_path / "new.sql")]
    assert main([*arguments, "--dialect", "postgres", "--admin", collector.admin]) == 1
    shown = capsys.readouterr().out
    assert "1 query breaks" in shown
    assert f"00-{records.trace_id(2).hex()}-{records.span_id(2).hex()}-01: failed" in shown


def statements(collector):
    """Return what the admin port tells."""
    return httpx.get(f"{collector.admin}/v1/statements", headers=collector.bearer).json()[
        "statements"
    ]
