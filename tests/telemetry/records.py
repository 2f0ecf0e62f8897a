"""Records as the tracing core makes them, for tests of what reads them."""

from __future__ import annotations

from dataclasses import replace

from sqlobs.check.report.model import CheckReport, Finding
from sqlobs.tracing.records.record import AttemptRecord, CallContext, GenerationRecord, Texts
from sqlobs.unit import SpanIdentity

SPAN = SpanIdentity(0x4BF92F3577B34DA6A3CE929D0E0E4736, 0x00F067AA0BA902B7, sampled=True)
START = 1_700_000_000_000_000_000

GROUNDED = CheckReport(
    sql="SELECT total FROM orders WHERE region = 'North'",
    dialect="postgres",
    schema_version="5e884898da280471",
    syntactic=True,
    schematic=True,
    tables=("orders",),
    columns=("orders.total", "orders.region"),
    statement="select",
    summary="SELECT orders",
    fingerprint="1:00ff",
    masked_sql="SELECT total FROM orders WHERE region = ?",
)

INVENTED = replace(
    GROUNDED,
    sql='SELECT customer_revenue FROM orders o JOIN client_orders c ON o.id = "North West"',
    schematic=False,
    tables=("orders", "client_orders"),
    summary="SELECT orders client_orders",
    findings=(
        Finding(
            "schema.unknown_column",
            "error",
            "orders has no column customer_revenue",
            identifier="customer_revenue",
            suggestion="total_revenue",
        ),
        Finding(
            "schema.unknown_table",
            "error",
            "there is no table client_orders",
            identifier="client_orders",
        ),
        Finding(
            "schema.unknown_column",
            "error",
            "there is no column North West",
            identifier="North West",
        ),
        Finding("semantics.join", "warning", "a join without a link"),
    ),
    masked_sql="SELECT customer_revenue FROM orders AS a JOIN client_orders AS b ON a.id = ?",
)

BROKEN = CheckReport(
    sql="SELECT (1",
    dialect="postgres",
    schema_version="5e884898da280471",
    syntactic=False,
    schematic=None,
    reasons={"schematic": "undecided"},
    findings=(
        Finding("syntax.parse_error", "error", "expecting )", line=1, column=10, start=9, end=9),
    ),
    masked_sql="SELECT (?",
)


def record(report: CheckReport | None = GROUNDED, **changes: object) -> GenerationRecord:
    """Return a record of a request that took two seconds and was answered."""
    made = GenerationRecord(
        workflow="generate_sql",
        span=SPAN,
        start_ns=START,
        end_ns=START + 2_000_000_000,
        outcome="answered",
        report=report,
        check_duration_s=0.0006,
        overhead_s=0.00004,
        texts=Texts(
            sql=None if report is None else report.sql,
            masked_sql=None if report is None else report.masked_sql,
            question="Which region?",
        ),
        context=CallContext(dialect="postgres", model="gpt-4o-2024-08-06"),
        schema_version="5e884898da280471",
        attempts=() if report is None else (AttemptRecord(1, report),),
    )
    return replace(made, **changes)
