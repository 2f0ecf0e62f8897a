"""Every rule: its cases by dialect, judged by the rule and by the engine itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqlobs import check_sql
from sqlobs.check.rules import RULES, STRICT_RULES
from sqlobs.testing import load_rule_cases
from tests.agreement.engines import engine_of
from tests.check.schemas import SHOP_DDL, shop
from tests.servers import MariaDbServer, PostgresServer

CASES = Path(__file__).parent / "cases"
ALL_RULES = RULES + STRICT_RULES
STATEMENTS = [statement for statement in SHOP_DDL.split(";") if statement.strip()]


def read_cases(verdict):
    """Return rule, dialect, statement and settings of every case with a verdict."""
    return [
        pytest.param(
            case.rule,
            case.dialect,
            case.sql,
            {"strict": case.strict, "policy": case.policy},
            id=case.id,
        )
        for case in load_rule_cases(CASES)
        if case.expected == verdict
    ]


class Engines:
    """An empty shop in each engine, made at the first question."""

    def __init__(self):
        self._engines = {}
        self._servers = []

    def refusal(self, dialect, sql):
        """Return what the engine says against a statement; skip where it is not installed."""
        if dialect not in self._engines:
            engine = engine_of(dialect, self._address(dialect))
            engine.prepare("shop", STATEMENTS)
            self._engines[dialect] = engine
        return self._engines[dialect].refusal("shop", sql)

    def _address(self, dialect):
        if dialect not in {"postgres", "mysql"}:
            return None
        server = PostgresServer() if dialect == "postgres" else MariaDbServer()
        self._servers.append(server.start())
        if dialect == "mysql":
            return server.url("")
        return f"host=127.0.0.1 port={server.port} user=postgres"

    def close(self):
        """Close what was opened, then stop the servers."""
        for engine in self._engines.values():
            engine.close()
        for server in self._servers:
            server.stop()


@pytest.fixture(scope="module")
def engines():
    """The engines that are installed here."""
    engines = Engines()
    yield engines
    engines.close()


def by_name(name):
    """Return the rule of a name."""
    return next(rule for rule in ALL_RULES if rule.name == name)


@pytest.mark.parametrize(("name", "dialect", "sql", "settings"), read_cases("fail"))
def test_a_flaw_is_found_and_the_engine_agrees(name, dialect, sql, settings, engines):
    """The rule's code is among the errors; the engine refuses the statement too."""
    report = check_sql(sql, schema=shop(dialect), native=False, **settings)
    assert by_name(name).code in report.failure_codes
    assert engines.refusal(dialect, sql) is not None


@pytest.mark.parametrize(("name", "dialect", "sql", "settings"), read_cases("flag"))
def test_a_risk_is_found_in_a_statement_that_the_engine_accepts(
    name, dialect, sql, settings, engines
):
    """The rule's code is among the findings, and the engine accepts.

    Both labels are true, unless the definition of judge-based products is stricter.
    """
    report = check_sql(sql, schema=shop(dialect), native=False, **settings)
    code = by_name(name).code
    assert code in {finding.code for finding in report.findings}
    assert report.syntactic is True
    assert report.schematic is not (settings["strict"] is not None and code.startswith("schema."))
    assert engines.refusal(dialect, sql) is None


@pytest.mark.parametrize(("name", "dialect", "sql", "settings"), read_cases("pass"))
def test_what_looks_like_a_flaw_passes_where_the_engine_takes_it(
    name, dialect, sql, settings, engines
):
    """There is no error and nothing of the rule; the engine accepts the statement too."""
    report = check_sql(sql, schema=shop(dialect), native=False, **settings)
    assert report.errors == ()
    assert by_name(name).code not in {finding.code for finding in report.findings}
    assert engines.refusal(dialect, sql) is None


@pytest.mark.parametrize("name", sorted(rule.name for rule in STRICT_RULES))
def test_hints_are_given_in_strict_mode_only(name):
    """The flagged cases of such a rule say nothing without `strict`; a hint fails no label."""
    for parameters in read_cases("flag"):
        rule, dialect, sql, settings = parameters.values
        if rule == name:
            code = by_name(name).code
            strict = check_sql(sql, schema=shop(dialect), native=False, **settings)
            severity = "error" if code.startswith("schema.") else "info"
            assert {f.severity for f in strict.findings if f.code == code} == {severity}
            assert check_sql(sql, schema=shop(dialect), native=False).findings == ()


def test_every_rule_has_cases_and_a_page():
    """A rule comes with cases and with a docstring that says what, why, an example and a way out."""
    assert {path.stem for path in CASES.glob("*.yaml")} == {rule.name for rule in ALL_RULES}
    for rule in ALL_RULES:
        page = type(rule).__doc__
        assert page is not None
        for heading in ("What it finds:", "Why it matters:", "Example:", "Instead:"):
            assert heading in page, f"{rule.name} has no {heading}"


EXAMPLE = re.compile(r"^\s*(Example|Instead): `([^`]+)`(?: in (\w+))?$", re.MULTILINE)


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.name)
def test_the_example_of_a_page_has_the_flaw_and_its_remedy_has_not(rule):
    """What a page shows is what the rule says; a policy's examples are among its cases."""
    shown = {kind: (sql, dialect) for kind, sql, dialect in EXAMPLE.findall(rule.__doc__)}
    if "Example" not in shown:
        assert "Policy." in rule.__doc__
        return
    dialect = (shown["Example"][1] or "postgres").lower().replace("mariadb", "mysql")
    for kind, (sql, _) in shown.items():
        report = check_sql(sql, schema=shop(dialect), native=False, strict="sql_correctness")
        codes = {finding.code for finding in report.findings if finding.code == rule.code}
        assert bool(codes) is (kind == "Example"), (kind, report.findings)
