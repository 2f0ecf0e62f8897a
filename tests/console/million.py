"""A store of a million requests for measurements, outside the repository.

    python -m tests.console.million /tmp/million
    python -m tests.console.million /tmp/small --requests 20000

30 days of five workflows, three models, eight prompt versions and ten releases that follow one
another, and 40 tenants; 3 % of the requests failed, most of them with an invented name. A third ran
on a target, a tenth was judged, 1 % has feedback. Everything has the texts that it was sent with.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from sqlobs_collector.quality.hourly import add_up_changes
from sqlobs_collector.store.database import open_store
from sqlobs_collector.store.payload import pack, unpack
from sqlobs_collector.store.rows import Evaluated, ReportRow, UnitRow, feedback_version
from sqlobs_collector.store.searchable import question_key, searchable_of
from sqlobs_collector.store.writing import Store
from tests.collector.records import attributes, value

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUESTS = 1_000_000
FAILED_SHARE = 0.03
DAYS = 30
DAY_NS = 86_400 * 10**9
WORKSPACE = "default"
WORKFLOWS = ("answer", "report", "chart", "export", "search")
MODELS = ("gpt-4o", "claude-sonnet-4", "llama-3.3-70b")
PROMPTS = tuple(f"v{number}" for number in range(1, 9))
RELEASES = tuple(f"2026.11.{number}" for number in range(10))
TENANTS = tuple(f"tenant-{number:02}" for number in range(40))
TABLES = ("orders", "customers", "products", "stores", "invoices", "payments", "regions", "staff")
COLUMNS = ("total", "region", "created_at", "status", "price", "quantity", "name", "city")
INVENTED = tuple(f"{column}_{end}" for column in COLUMNS for end in ("amount", "code", "key"))
FAILURES = (
    ("schema.unknown_column", 0.6),
    ("schema.unknown_table", 0.25),
    ("syntax.parse_error", 0.1),
    ("semantics.aggregation", 0.05),
)
TEXTS = 4000
"""Different questions; each has one right statement and some that invent a name."""
BATCH = 5000
COST_USD = 0.004
"""Of each request."""


class Traffic:
    """Generates the requests, the same for the same seed."""

    def __init__(self, requests: int, *, end_ns: int, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._requests = requests
        self._start_ns = end_ns - DAYS * DAY_NS
        self._step_ns = DAYS * DAY_NS // requests
        self._payloads: dict[tuple[object, ...], bytes] = {}

    def rows(self) -> Iterator[UnitRow]:
        """Yield the requests in the order of time."""
        for number in range(self._requests):
            yield self._row(number)

    def _row(self, number: int) -> UnitRow:
        rng = self._rng
        at_ns = self._start_ns + number * self._step_ns + rng.randrange(self._step_ns)
        progress = number / self._requests
        question = rng.randrange(TEXTS)
        code = None
        if rng.random() < FAILED_SHARE:
            code = rng.choices([one for one, _ in FAILURES], [share for _, share in FAILURES])[0]
        invented = rng.choice(INVENTED[: 4 + question % 20]) if code else ""
        is_invented = bool(code and code.startswith("schema."))
        workflow = WORKFLOWS[question % len(WORKFLOWS)]
        is_error = code is None and rng.random() < 0.01
        verdict = "failed" if code else "not_evaluated" if is_error else "ok"
        return UnitRow(
            workspace=WORKSPACE,
            trace_id=f"{rng.getrandbits(128) | 1:032x}",
            span_id=f"{rng.getrandbits(64) | 1:016x}",
            source="unit",
            occurred_ns=at_ns,
            received_ns=at_ns + 10**9,
            service_name="sales-assistant",
            environment="production" if number % 10 else "staging",
            service_version=RELEASES[int(progress * len(RELEASES))],
            workflow=workflow,
            tenant=rng.choice(TENANTS),
            target="warehouse",
            dialect="postgres",
            model=MODELS[number % 3 if number % 7 else 0],
            prompt_version=PROMPTS[min(7, int(progress * 8 + rng.random() * 0.5))],
            schema_version="5e884898da280471",
            capture="raw",
            question_digest=None,
            fingerprint=f"1:{question:016x}",
            outcome="error" if is_error else "answered",
            verdict=verdict,
            first_verdict=verdict,
            failure_code=code,
            syntactic=None if is_error else not (code or "").startswith("syntax"),
            schematic=None if is_error else not is_invented,
            hallucinated=None if is_error else is_invented,
            first_hallucinated=None if is_error else is_invented,
            trace_sampled=True,
            head_probability=1.0,
            randomness=None,
            probability=1.0,
            rule="always:failed" if code else "rate",
            state="done",
            reason=None,
            state_ns=at_ns + 2 * 10**9,
            payload=self._payload(question, code, invented),
            conversation=f"conv-{number // 5}",
            question_key=question_key(question_of(question), None),
            duration_s=duration_s(question),
            cost_usd=COST_USD,
        )

    def _payload(self, question: int, code: str | None, invented: str) -> bytes:
        key = (question, code, invented)
        if key not in self._payloads:
            self._payloads[key] = payload_of(question, code, invented)
        return self._payloads[key]


def question_of(number: int) -> str:
    """Return one of the questions."""
    column, table = COLUMNS[number % 8], TABLES[number // 8 % 8]
    return f"What is the {column} of {table} for customer {number} since last May, by region?"


def duration_s(question: int) -> float:
    """How long a question takes."""
    return 0.8 + question % 100 / 50


def payload_of(question: int, code: str | None, invented: str) -> bytes:
    """Return what a unit said, as the store keeps it."""
    column, table = COLUMNS[question % 8], TABLES[question // 8 % 8]
    is_table, is_column = code == "schema.unknown_table", code == "schema.unknown_column"
    source = invented if is_table else table
    picked = invented if is_column else column
    sql = (
        f"SELECT region, sum({picked}) AS result\nFROM {source}\n"
        f"WHERE customer_id = {question} AND created_at >= '2026-05-01'\n"
        "GROUP BY region\nORDER BY result DESC"
    )
    if code == "syntax.parse_error":
        sql = sql.replace("GROUP BY", "GROUP")
    known: dict[str, object] = {
        "gen_ai.operation.name": "invoke_workflow",
        "sqlobs.workflow": WORKFLOWS[question % len(WORKFLOWS)],
        "sqlobs.generation.duration": duration_s(question),
        "sqlobs.llm.duration": 0.7 + question % 100 / 60,
        "sqlobs.execution.duration": 0.05,
        "sqlobs.usage.input_tokens": 800 + question,
        "sqlobs.usage.output_tokens": 60 + question % 40,
        "sqlobs.usage.cost": COST_USD,
        "sqlobs.attempts": 1,
        "sqlobs.check.status": "complete",
        "sqlobs.query.summary": f"SELECT {source}",
        "sqlobs.query.tables": [source],
        "sqlobs.result.rows": question % 40,
        "sqlobs.execution.status": "error" if code else "ok",
        "sqlobs.outcome": "answered",
        "sqlobs.verdict": "failed" if code else "ok",
    }
    if code:
        known |= {"sqlobs.failure.code": code, "sqlobs.failure.codes": [code]}
    if is_table:
        known |= {"sqlobs.hallucinated.tables": [invented]}
    if is_column:
        known |= {"sqlobs.hallucinated.columns": [invented]}
    if is_table or is_column:
        known |= {"sqlobs.suggestions": [f"{invented} -> {table if is_table else column}"]}
    body = {"sqlobs.query.text": sql, "sqlobs.question.text": question_of(question)}
    record = LogRecord(event_name="sqlobs.unit", attributes=attributes(known), body=value(body))
    return pack(record.SerializeToString())


def evaluations_of(unit_id: int, row: UnitRow, rng: random.Random) -> Iterator[Evaluated]:
    """Yield what the collector and users found out about a request."""
    is_failed = row.verdict == "failed"
    known = {"unit_id": unit_id, "created_ns": row.state_ns, "emitted_ns": row.state_ns}
    if rng.random() < 1 / 3:
        label = "fail" if is_failed else "pass"
        yield Evaluated(metric="execution", version="1", label=label, kind="engine", **known)
    if rng.random() < 0.1:
        is_right = not is_failed and rng.random() < 0.9
        label, says = ("pass", "The rows agree.") if is_right else ("fail", "The sum differs.")
        judged = {"explanation": says, "duration_s": 1.2, "cost_usd": 0.002, **known}
        yield Evaluated(metric="flex_noref", version="1", label=label, kind="llm", **judged)


def feedback_of(unit_id: int, row: UnitRow) -> tuple[ReportRow, Evaluated]:
    """Return a thumb for a request: the report, and the evaluation that it led to."""
    thumb, label = ("down", "fail") if row.verdict == "failed" else ("up", "pass")
    named = {
        "gen_ai.evaluation.name": "feedback",
        "gen_ai.evaluation.score.label": label,
        "sqlobs.feedback.kind": "thumb",
        "sqlobs.feedback.value": thumb,
    }
    record_id = f"{unit_id:032x}"
    report = ReportRow(
        record_id=record_id,
        workspace=row.workspace,
        trace_id=row.trace_id,
        span_id=row.span_id,
        kind="feedback",
        occurred_ns=row.occurred_ns + 60 * 10**9,
        received_ns=row.received_ns + 60 * 10**9,
        is_negative=thumb == "down",
        is_joined=True,
        payload=pack(LogRecord(attributes=attributes(named)).SerializeToString()),
    )
    evaluated = Evaluated(
        unit_id=unit_id,
        metric="feedback",
        version=feedback_version(record_id),
        label=label,
        kind="human",
        created_ns=report.occurred_ns,
        detail=f'{{"kind":"thumb","value":"{thumb}"}}',
        emitted_ns=report.occurred_ns,
    )
    return report, evaluated


def fill(store: Store, requests: int, *, end_ns: int) -> None:
    """Write the requests through the store's own writers."""
    rng, rows, first_id = random.Random(2), Traffic(requests, end_ns=end_ns).rows(), 1
    said = {}
    while batch := list(islice(rows, BATCH)):
        for row in batch:
            if row.payload not in said:
                said[row.payload] = unpack(row.payload)
        with store.writing() as writer:
            stored = writer.units.put(batch)
            known = [(row, said[row.payload]) for row in batch]
            searchables = [
                searchable_of(row.key, one.attributes, one.body, source=row.source)
                for row, one in known
            ]
            writer.searches.put(searchables, stored)
            with_ids = list(enumerate(batch, start=first_id))
            writer.put_evaluations(
                [one for unit_id, row in with_ids for one in evaluations_of(unit_id, row, rng)]
            )
            spoken = [feedback_of(*one) for one in with_ids if rng.random() < 0.01]
            writer.reports.put([report for report, _ in spoken])
            writer.put_evaluations([evaluated for _, evaluated in spoken])
        first_id += len(batch)
    add_up_changes(store)


def main() -> None:
    """Fill the store of a data directory, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    args = parser.parse_args()
    args.data_dir.mkdir(parents=True, exist_ok=True)
    started_s = time.monotonic()
    engine = open_store(args.data_dir)
    fill(Store(engine), args.requests, end_ns=time.time_ns())
    engine.dispose()
    sys.stdout.write(f"{args.requests:,} requests in {time.monotonic() - started_s:.0f} s\n")


if __name__ == "__main__":
    main()
