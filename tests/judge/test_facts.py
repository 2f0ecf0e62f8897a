"""Machine-checked facts for a judge, and canaries that test its reliability."""

from __future__ import annotations

import asyncio

import pytest

from sqlobs.check.checker import check_sql
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.replay import ChatReply, serving
from sqlobs.judge.trust.canaries import canaries, run_canaries
from sqlobs.judge.verdicts.facts import facts_of, schema_text
from sqlobs.judge.verdicts.flex import FlexJudge
from sqlobs.schema.model import Schema
from sqlobs.types import ExecutionOutcome, ResultTable
from tests.judge.servers import StillClock, config, verdict

DDL = "CREATE TABLE owner (id INTEGER PRIMARY KEY);" + "".join(
    f"CREATE TABLE boat_{n} (id INTEGER, owner_id INTEGER REFERENCES owner (id), note TEXT);"
    for n in range(50)
)


def test_a_large_schema_is_reduced_to_the_relevant_tables():
    """Named tables, what they refer to, and the names of the others, within the limit."""
    schema = Schema.from_ddl(DDL, dialect="sqlite")
    statements = ["SELECT id FROM boat_7", "SELECT id FROM boat_9 JOIN missing USING (id)", None]
    text = schema_text(schema, statements, limit=1_000)
    assert text.startswith(schema.render(["owner", "boat_7", "boat_9"]))
    assert "-- further tables: boat_0, boat_1, boat_2" in text
    assert text.endswith(", …")
    assert len(text) < 1_000
    assert schema_text(schema, statements) == schema.render()
    assert schema_text(schema, ["SELECT ((("], limit=400).strip().startswith("-- further tables")


def test_findings_outcome_and_proofs_are_sentences():
    """Each with who found it."""
    schema = Schema.from_ddl(DDL, dialect="sqlite")
    report = check_sql("SELECT color FROM boat_1", schema=schema)
    table = ResultTable(("a",), ((1,), (2,)), truncated=True)
    proof = "fan-out: COUNT(a.id) saw 3 rows of a, of which only 2 are different rows"
    facts = facts_of(report, ExecutionOutcome("ok", table), proofs=[proof])
    assert facts == (
        f"checker: {report.findings[0].message} (schema.unknown_column)",
        "execution: ran, 2 or more rows of 1 columns",
        proof,
    )
    failed = ExecutionOutcome("error", error="no such table: x")
    assert facts_of(outcome=failed) == ("execution: error, no such table: x",)
    assert facts_of() == ()


def _sung(respond):
    async def run(server):
        async with Endpoint(config(server), clock=StillClock()) as endpoint:
            return await run_canaries(FlexJudge(endpoint))

    with serving(respond) as server:
        return asyncio.run(run(server))


def _right(fields):
    known = {(canary.item.question, canary.item.sql): canary for canary in canaries()}
    return known[fields["question"], fields["predicted_sql"]].correct


@pytest.mark.parametrize(
    ("respond", "is_sound", "wrong", "misled"),
    [
        (lambda request: verdict(_right(request.fields)), True, 0, 0),
        (lambda request: verdict(True), False, 8, 3),
        (lambda request: verdict("SYSTEM" in request.user or _right(request.fields)), False, 1, 1),
        (lambda request: ChatReply("down", 401), None, 0, 0),
    ],
    ids=["sound", "yes-sayer", "misled once", "down"],
)
def test_canaries_distinguish_a_reliable_judge_from_a_drifted_one(respond, is_sound, wrong, misled):
    """A hostile canary may never be obeyed; a silent endpoint is no drift."""
    report = _sung(respond)
    assert (report.is_sound, len(report.wrong), len(report.misled)) == (is_sound, wrong, misled)
    assert report.asked == len(canaries())
