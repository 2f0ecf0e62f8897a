"""What holds for every text, however odd: the checker answers, in place, and tells no secret."""

from __future__ import annotations

from sqlobs import check_sql
from sqlobs.check.policy import Policy
from tests.check.schemas import shop
from tests.fuzz.texts import CANARY, DIALECTS

SCHEMAS = {dialect: shop(dialect) for dialect in DIALECTS}
POLICY = Policy(
    denied_tables={"items"}, denied_columns={"customers.born"}, required_filters={"customer_id"}
)


def hold(text, dialect, *, strict, native, is_whole=False):
    """Check a text and assert the laws.

    In a whole statement literals are literals; where quotes were broken, nobody can tell.
    """
    report = check_sql(
        text,
        schema=SCHEMAS[dialect],
        native=native,
        strict="sql_correctness" if strict else None,
        policy=POLICY,
    )
    assert "error" not in report.reasons.values(), "an internal error"
    for label, value in (("syntactic", report.syntactic), ("schematic", report.schematic)):
        assert (value is None) == (label in report.reasons) or strict
    for group, value in (("syntax.", report.syntactic), ("schema.", report.schematic)):
        assert (value is False) == any(f.code.startswith(group) for f in report.errors) or strict
    for finding in report.findings:
        if finding.start is not None:
            assert 0 <= finding.start <= finding.end <= len(report.sql), finding
            assert finding.line >= 1
            assert finding.column >= 1
    assert not is_whole or CANARY not in (report.masked_sql or "")
    report.explain()
    if report.fixed_sql is not None:
        again = check_sql(report.fixed_sql, schema=SCHEMAS[dialect], native=native)
        assert (again.syntactic, again.schematic) == (True, True)
