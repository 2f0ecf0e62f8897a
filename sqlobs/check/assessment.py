"""One check from text to report: read, resolve, ask the rules and the engine, decide the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Literal

from sqlobs.check import guard
from sqlobs.check.analysis.facts import Facts
from sqlobs.check.analysis.statements import resolve_statement
from sqlobs.check.analysis.walk import Walk
from sqlobs.check.catalogue import catalogue_of
from sqlobs.check.extraction import Extraction, extract_sql
from sqlobs.check.findings import placed
from sqlobs.check.fingerprint import fingerprint
from sqlobs.check.fixing import apply_suggestions
from sqlobs.check.labels import decide
from sqlobs.check.masking import mask_sql
from sqlobs.check.prepared import prepare
from sqlobs.check.report import CheckReport, Finding
from sqlobs.check.rules import RULES
from sqlobs.check.rules.rule import Case
from sqlobs.check.settlement import settle
from sqlobs.check.stack import on_big_stack
from sqlobs.check.statement import Statement, SyntaxFault, parse, tokenize
from sqlobs.check.summary import operation, summary
from sqlobs.check.traits import LENIENT, names_of, traits_of
from sqlobs.schema.identifiers import identifier_rules

if TYPE_CHECKING:
    from sqlobs.check.native.verdict import NativeVerdict
    from sqlobs.check.policy import Policy
    from sqlobs.check.profile import Profile
    from sqlobs.failure_codes import Reason
    from sqlobs.schema.model import Schema

Strict = Literal["sql_correctness"]

_FOREIGN: tuple[str, ...] = (
    "postgres",
    "mysql",
    "sqlite",
    "tsql",
    "snowflake",
    "bigquery",
    "duckdb",
    "oracle",
)
"""Dialects to read a statement in when its own refuses it: its names are still checked."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a verdict depends on."""

    text: str
    schema: Schema | None
    profile: Profile | None
    native: bool
    strict: Strict | None
    policy: Policy | None
    as_given: bool = False
    """The text is a statement, not an answer with one in it: nothing is stripped."""


def assess(request: Request) -> CheckReport:
    """Check one text. Faulty SQL is a finding; what is raised here is a fault of ours."""
    begun = perf_counter()
    report = _assess(request)
    fixed = _fixed(request, report)
    return replace(report, fixed_sql=fixed, duration_s=perf_counter() - begun)


def failed_report(request: Request) -> CheckReport:
    """Return the report of a check that failed through a fault of ours."""
    return _unevaluated(request, request.text, "error")


def _assess(request: Request) -> CheckReport:
    if guard.is_too_large(request.text):
        return _unevaluated(request, request.text, "too_large")
    found: Extraction | None = Extraction(request.text, 0)
    if not request.as_given:
        found = extract_sql(request.text, dialect=_dialect(request))
    if found is None or not found.sql.strip():
        return _no_sql(request)
    sql, extracted = found.sql, found.stripped
    tokens = tokenize(sql, _dialect(request))
    depth = 0 if isinstance(tokens, SyntaxFault) else guard.nesting(tokens)
    if depth > guard.MAX_DEPTH:
        return _unevaluated(request, sql, "too_deep")
    if depth > guard.INLINE_DEPTH:
        return on_big_stack(lambda: _check(request, sql, tokens, extracted))
    return _check(request, sql, tokens, extracted)


def _check(request: Request, sql: str, tokens: object, extracted: tuple[str, ...]) -> CheckReport:
    statement = _read(sql, tokens, _dialect(request))
    case = _case(request, statement)
    findings = [finding for rule in RULES for finding in rule.findings(case)]
    verdict = _native_verdict(request, statement)
    if verdict is not None:
        findings = _located(settle(findings, verdict), statement)
    return _report(request, case, findings, verdict, extracted)


def _dialect(request: Request) -> str:
    return request.profile.dialect if request.profile is not None else ""


def _read(sql: str, tokens: object, dialect: str) -> Statement:
    if not isinstance(tokens, tuple):
        fault = tokens if isinstance(tokens, SyntaxFault) else None
        statement = Statement(sql, dialect, (), None, (), fault=fault)
    else:
        statement = parse(sql, dialect=dialect, tokens=tokens)
    return statement if statement.tree is not None else _read_elsewhere(statement)


def _read_elsewhere(statement: Statement) -> Statement:
    """Take the tree of another dialect that reads the statement; its own fault stays."""
    for dialect in _FOREIGN:
        tokens = tokenize(statement.sql, dialect)
        if dialect == statement.dialect or isinstance(tokens, SyntaxFault):
            continue
        other = parse(statement.sql, dialect=dialect, tokens=tokens)
        if other.tree is not None and not other.is_opaque:
            return replace(statement, tree=other.tree, foreign_dialect=dialect)
    return statement


def _case(request: Request, statement: Statement) -> Case:
    profile = request.profile
    traits = traits_of(profile) if profile is not None else LENIENT
    names = names_of(profile) if profile is not None else identifier_rules(None)
    schema = None
    if request.schema is not None and profile is not None:
        schema = prepare(request.schema, profile)
    catalogue = catalogue_of(profile.dialect) if profile is not None else None
    facts = Facts()
    if statement.tree is not None:
        types = schema.types if schema is not None and schema.has_types else None
        walk = Walk(statement.sql, traits, names, schema, catalogue, types)
        facts = resolve_statement(statement.tree, walk)
    declared = request.schema.functions if request.schema is not None else ()
    return Case(
        statement,
        facts,
        profile,
        traits,
        schema,
        policy=request.policy,
        catalogue=catalogue,
        declared_functions=frozenset(name.lower() for name in declared),
        has_unlisted_functions=_has_unlisted_functions(request),
    )


def _has_unlisted_functions(request: Request) -> bool:
    if request.profile is None or request.profile.functions == "partial":
        return True
    return request.schema is not None and bool(request.schema.extensions)


def _native_verdict(request: Request, statement: Statement) -> NativeVerdict | None:
    profile = request.profile
    if not request.native or request.schema is None or profile is None:
        return None
    if (
        profile.dialect != "sqlite"
        or profile.version is not None
        or not profile.double_quoted_strings
    ):
        return None
    from sqlobs.check.native.sqlite import native_of

    return native_of(request.schema).verdict(statement.sql)


def _located(findings: list[Finding], statement: Statement) -> list[Finding]:
    """Give the engine's findings the place where the name they are about first stands."""
    return [
        finding if finding.start is not None else _locate(finding, statement)
        for finding in findings
    ]


def _locate(finding: Finding, statement: Statement) -> Finding:
    if finding.identifier is None:
        return finding
    for token in statement.tokens:
        if token.text.lower() == finding.identifier.lower():
            return replace(finding, start=token.start, end=token.end + 1)
    return finding


def _report(
    request: Request,
    case: Case,
    findings: list[Finding],
    verdict: NativeVerdict | None,
    extracted: tuple[str, ...],
) -> CheckReport:
    statement, tree = case.statement, case.statement.tree
    labels = decide(case, findings, engine_spoke=verdict is not None, strict=request.strict)
    nodes = [use.node for use in case.facts.tables]
    return CheckReport(
        sql=statement.sql,
        dialect=_dialect(request) or None,
        schema_version=request.schema.version if request.schema is not None else None,
        syntactic=labels.syntactic,
        schematic=labels.schematic,
        reasons=labels.reasons,
        findings=placed(findings, statement.sql),
        decided_by="native" if verdict is not None else "static",
        engine=_engine(request, verdict),
        tables=tuple(dict.fromkeys(use.name.name for use in case.facts.tables)),
        columns=tuple(dict.fromkeys(_column_name(use.column) for use in case.facts.columns)),
        statement=operation(tree) if tree is not None else None,
        summary=summary(tree, statement.tokens, nodes) if tree is not None else None,
        fingerprint=fingerprint(tree, statement.all_tokens),
        masked_sql=_masked(case),
        extracted=extracted,
    )


def _masked(case: Case) -> str | None:
    statement, schema = case.statement, case.schema
    if not statement.all_tokens:
        return None
    return mask_sql(
        statement.sql,
        dialect=statement.dialect,
        tokens=statement.all_tokens,
        known=schema.knows if schema is not None else None,
    )


def _column_name(column: object) -> str:
    owner, name = getattr(column, "owner", None), getattr(column, "name", "")
    return f"{owner}.{name}" if owner else name


def _engine(request: Request, verdict: NativeVerdict | None) -> str | None:
    if verdict is not None:
        return verdict.engine
    return request.profile.engine if request.profile is not None else None


def _fixed(request: Request, report: CheckReport) -> str | None:
    """Apply the suggestions; keep the result only where it passes the same check."""
    if report.verdict != "failed" or not report.dialect:
        return None
    fixed = apply_suggestions(report.sql, report.findings, dialect=report.dialect)
    if fixed is None:
        return None
    again = _assess(replace(request, text=fixed, as_given=True))
    return fixed if again.ok and again.syntactic and again.schematic else None


def _no_sql(request: Request) -> CheckReport:
    finding = Finding("syntax.no_sql", "error", "There is no SQL in the answer.")
    report = _unevaluated(request, request.text, "undecided")
    return replace(
        report,
        syntactic=False,
        reasons={"schematic": "undecided"},
        findings=(finding,),
    )


def _unevaluated(request: Request, sql: str, reason: Reason) -> CheckReport:
    return CheckReport(
        sql=sql,
        dialect=_dialect(request) or None,
        schema_version=None,
        syntactic=None,
        schematic=None,
        reasons={"syntactic": reason, "schematic": reason},
        decided_by="none",
    )
