"""One check from text to report: parse, resolve, apply rules, reconcile with the engine, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal

from sqlglot import exp

from sqlobs.check.engine.engine_context import engine_context_of
from sqlobs.check.engine.profile import Profile
from sqlobs.check.free_values import free_values
from sqlobs.check.llm_output.extraction import Extraction, extract_sql
from sqlobs.check.parsing.input_limits import MAX_DEPTH, has_small_stack, nesting
from sqlobs.check.parsing.reparse import further_statements, parse_in_other_dialects
from sqlobs.check.parsing.stack import INLINE_DEPTH, INLINE_TOKENS, on_big_stack
from sqlobs.check.parsing.statement import Statement, parse
from sqlobs.check.parsing.tokens import tokenize
from sqlobs.check.policy import Policy
from sqlobs.check.report import complain
from sqlobs.check.report.conclusion import Labels, Opinion, agreed, conclude, has_spoken, placed
from sqlobs.check.report.derived_text import DerivedText, apply_suggestions, operation, summary
from sqlobs.check.report.model import CheckReport, Finding, LazyValue, NativeVerdict
from sqlobs.check.resolver.model.resolution import Resolution
from sqlobs.check.resolver.model.state import State
from sqlobs.check.resolver.statements.statement import RESOLVERS, resolve_statement
from sqlobs.check.rules import MOST_OF_A_RULE, findings_of
from sqlobs.check.rules.rule import Case
from sqlobs.failure_codes import Reason
from sqlobs.schema.model import Schema

if TYPE_CHECKING:
    from sqlobs.check.native import Native
    from sqlobs.check.report_cache import Span

Strict = Literal["sql_correctness"]

MAX_BYTES: Final = 64 * 1024
"""Longest text that is checked, in bytes of UTF-8. Real generations stay below 1 KB (p99)."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a report depends on."""

    text: str
    schema: Schema | None
    profile: Profile | None
    native: Native
    strict: Strict | None
    policy: Policy | None
    as_given: bool = False
    """The text is a statement, not an answer that contains one: nothing is stripped."""


def assess(request: Request, free: list[Span] | None = None) -> CheckReport:
    """Check one text. Faulty SQL is a finding; a bug of sqlobs leaves both labels undecided."""
    return assess_by(request, (request.strict,), free)[0]


def assess_by(
    request: Request, definitions: Sequence[Strict | None], free: list[Span] | None = None
) -> tuple[CheckReport, ...]:
    """Check one text by several definitions: it is parsed and resolved once for all of them.

    Args:
        request: the text, and what it is checked against.
        definitions: definitions of an error.
        free: takes the places in the statement of values on which no label depends.
    """
    try:
        found = _assessed(request, definitions, free)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not reach the host
        complain("a check", type(error).__name__, "its report is not_evaluated")
        found = _unevaluated(request, request.text, "error")
    return (found,) * len(definitions) if isinstance(found, CheckReport) else found


def _assessed(
    request: Request, definitions: Sequence[Strict | None], free: list[Span] | None
) -> CheckReport | tuple[CheckReport, ...]:
    """Return a report for each definition, or one that holds by all of them."""
    begun, profile = perf_counter(), request.profile
    if is_too_large(request.text, MAX_BYTES):
        return _unevaluated(request, request.text, "too_large")
    dialect = profile.dialect if profile is not None else ""
    ansi_quotes = profile is not None and "ANSI_QUOTES" in profile.sql_mode
    as_given = Extraction(request.text, 0) if request.as_given else None
    found = as_given or extract_sql(request.text, dialect=dialect)
    if found is None or not found.sql.strip():
        return _no_sql(request)
    check = _Check(request, definitions, found, begun, dialect, ansi_quotes, free)
    text = tokenize(found.sql, dialect, ansi_quotes=ansi_quotes)
    try:
        is_roomy = not has_small_stack()
        depth = nesting(text.tokens, text.sql, text.shape)
        if depth > MAX_DEPTH:
            return _unevaluated(request, found.sql, "too_deep")
        is_short = depth <= INLINE_DEPTH and len(text.tokens) <= INLINE_TOKENS
        if is_short and is_roomy:
            return check.reports(parse(text))
        return on_big_stack(lambda: check.reports(parse(text)))
    except RecursionError:  # a chain that the interpreter's own limit stops
        return _unevaluated(request, found.sql, "too_deep")


def is_too_large(sql: str, max_bytes: int) -> bool:
    """Return whether a text has more bytes in UTF-8; most are counted by their characters."""
    if len(sql) > max_bytes:
        return True
    return len(sql) * 4 > max_bytes and len(sql.encode(errors="replace")) > max_bytes


@dataclass(slots=True, eq=False)
class _Check:
    """One check of one statement, from its tokens to its reports."""

    request: Request
    definitions: Sequence[Strict | None]
    extraction: Extraction
    begun: float
    dialect: str
    ansi_quotes: bool
    free: list[Span] | None

    def reports(self, statement: Statement) -> tuple[CheckReport, ...]:
        """Return the reports of a parsed statement, one for each definition."""
        if statement.tree is None and (has_small_stack() or len(statement.sql) > INLINE_TOKENS):
            # nobody knows how many tokens other dialects and engines will make of it
            return on_big_stack(lambda: self._concluded(statement))
        return self._concluded(statement)

    def _concluded(self, statement: Statement) -> tuple[CheckReport, ...]:
        if statement.tree is None:
            statement = parse_in_other_dialects(statement)
        request, profile, verdict = self.request, self.request.profile, None
        case = self._resolved(statement, profile)
        if self.free is not None:
            self.free += free_values(case.resolution)
        found = [findings_of(case, strict) for strict in self.definitions]
        if request.native is not False and request.schema is not None and profile is not None:
            from sqlobs.check.native import verdict_of

            verdict = verdict_of(request.schema, profile, request.native, statement)
        reports = []
        for strict, own in zip(self.definitions, found, strict=True):
            findings, labels = conclude(case, own, verdict, strict=strict)
            if profile is not None and not has_spoken(verdict):
                first = Opinion(profile, findings, labels)
                opinion = partial(self._opinion, statement, strict)
                findings, labels = agreed(statement, first, profile.versions, opinion)
            asked = request if strict == request.strict else replace(request, strict=strict)
            reports.append(self._report(asked, case, findings, labels, verdict))
        return tuple(reports)

    def _opinion(self, statement: Statement, strict: Strict | None, profile: Profile) -> Opinion:
        case = self._resolved(statement, profile)
        return Opinion(profile, *conclude(case, findings_of(case, strict), None, strict=strict))

    def _resolved(self, statement: Statement, profile: Profile | None) -> Case:
        """Resolve the names of a statement, for one version of an engine."""
        request, tree = self.request, statement.tree
        grounds = engine_context_of(request.schema, profile)
        unused: Resolution | None = None
        reserved: Sequence[exp.Expr] = ()
        if tree is None:
            resolution = Resolution()
        else:
            state = State(statement.sql, statement.whole_shape, grounds, RESOLVERS)
            resolution, unused = resolve_statement(tree, state)
            reserved = state.reserved_names
            if statement.has_further_text and grounds.traits.takes_several_statements:
                for other, _ in further_statements(statement):
                    further = State(statement.sql, statement.whole_shape, grounds, RESOLVERS)
                    resolution.add(resolve_statement(other, further)[0])
        return Case(statement, resolution, grounds, request.policy, unused, reserved)

    def _report(
        self,
        request: Request,
        case: Case,
        findings: Sequence[Finding],
        labels: Labels,
        verdict: NativeVerdict | None,
    ) -> CheckReport:
        statement, resolution = case.statement, case.resolution
        tree, schema = statement.tree, case.grounds.schema
        found = placed(findings, statement.sql) if findings else ()
        columns = [use.column.qualified or use.column.name for use in resolution.columns]
        known = None if schema is None else schema.knows
        texts = None
        if statement.all_tokens:
            texts = DerivedText(statement, known, ansi_quotes=self.ansi_quotes)
        return CheckReport.of(
            {
                "sql": statement.sql,
                "dialect": self.dialect or None,
                "schema_version": request.schema.version if request.schema is not None else None,
                "syntactic": labels.syntactic,
                "schematic": labels.schematic,
                "reasons": labels.reasons,
                "findings": found,
                "decided_by": "native" if has_spoken(verdict) else "static",
                "engine": case.grounds.engine if verdict is None else verdict.engine,
                "tables": tuple(dict.fromkeys([use.name.name for use in resolution.tables])),
                "columns": tuple(dict.fromkeys(columns)),
                "statement": None if tree is None else operation(tree),
                "summary": None if tree is None else summary(statement, resolution.tables),
                "fingerprint": None if texts is None else LazyValue(texts.fingerprint),
                "masked_sql": None if texts is None else LazyValue(texts.masked),
                "fixed_sql": _fixed_later(request, found, labels, statement.sql) if found else None,
                "extracted": self.extraction.stripped,
                "fallback": None,
                "duration_s": perf_counter() - self.begun,
            }
        )


def _fixed_later(
    request: Request, findings: tuple[Finding, ...], labels: Labels, sql: str
) -> LazyValue[str | None] | None:
    """Apply the suggestions on first access; keep the result if it passes the same check."""
    if request.profile is None or False not in (labels.syntactic, labels.schematic):
        return None
    if len(findings) >= MOST_OF_A_RULE:
        return None  # an incomplete list of findings cannot be fixed
    dialect = request.profile.dialect

    def fixed() -> str | None:
        repaired = apply_suggestions(sql, findings, dialect=dialect)
        if repaired is None:
            return None
        again = assess(replace(request, text=repaired, as_given=True))
        return repaired if again.ok and again.syntactic and again.schematic else None

    return LazyValue(fixed)


def _no_sql(request: Request) -> CheckReport:
    finding = Finding("syntax.no_sql", "error", "The answer contains no SQL.")
    report = _unevaluated(request, request.text, "undecided")
    return replace(report, syntactic=False, reasons={"schematic": "undecided"}, findings=(finding,))


def _unevaluated(request: Request, sql: str, reason: Reason) -> CheckReport:
    return CheckReport(
        sql=sql,
        dialect=request.profile.dialect if request.profile is not None else None,
        schema_version=None,
        syntactic=None,
        schematic=None,
        reasons={"syntactic": reason, "schematic": reason},
        decided_by="none",
    )
