"""The fallback of the checker: called where text and schema leave a label undecided.

The protocol and its values only; `sqlobs.judge.fallback` asks a model. An answer fills labels that
are open for the reason `undecided`. It never changes one that is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, Protocol

from sqlobs.check.report import complain
from sqlobs.check.report.conclusion import placed
from sqlobs.check.report.model import CheckReport, Finding
from sqlobs.failure_codes import Reason, group_of

if TYPE_CHECKING:
    from sqlobs.schema.content import Table
    from sqlobs.schema.model import Schema
    from sqlobs.types import FallbackMode


LabelName = Literal["syntactic", "schematic"]
CheckName = Literal["grammar", "functions", "grounding", "aliases"]
NameKind = Literal["function", "table", "column", "type", "alias"]

LABELS: Final[tuple[LabelName, ...]] = ("syntactic", "schematic")
CHECKS: Final[dict[CheckName, LabelName]] = {
    "grammar": "syntactic",
    "functions": "syntactic",
    "grounding": "schematic",
    "aliases": "schematic",
}
"""The checks of a fallback, and the label that each decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackRequest:
    """The input of a fallback for one statement. Every text in it may be hostile."""

    sql: str
    """Unmasked: configuring a fallback is consent to send it statements and schema."""
    engine: str | None
    """Dialect and version (`postgres 15`)."""
    dialect: str | None
    """sqlglot's name."""
    schema: str | None
    """DDL with descriptions of the tables that may matter."""
    other_tables: tuple[str, ...] = ()
    """Names of the tables that `schema` omits."""
    hints: str | None = None
    facts: tuple[str, ...] = ()
    """What the checker found, and what the schema does not define."""


@dataclass(frozen=True, slots=True)
class WrongName:
    """A wrong name in the statement."""

    name: str
    kind: NameKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackAnswer:
    """The answer of a fallback about one statement, or the reason why there is none."""

    syntactic: bool | None = None
    schematic: bool | None = None
    failed_checks: tuple[CheckName, ...] = ()
    wrong_names: tuple[WrongName, ...] = ()
    syntactic_share: float | None = None
    """Share of the votes for `syntactic`, in [0, 1]; None if there was no vote."""
    schematic_share: float | None = None
    votes: int = 1
    """Number of answers; with several, a label is that of the majority, None in a tie."""
    reason: Reason | None = None
    """Set exactly where both labels are None."""
    explanation: str = ""
    """The model's reasoning, or why there is no answer. It may quote literals."""
    suspicious: tuple[str, ...] = ()
    """Kinds of suspected prompt injection in statement, schema or hints."""
    evaluator: str = ""
    evaluator_version: str = ""
    model: str | None = None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def label(self, name: LabelName) -> bool | None:
        """Return one of the two labels."""
        return self.syntactic if name == "syntactic" else self.schematic

    def score(self, name: LabelName) -> float | None:
        """Return the share of votes for a label; 1 or 0 if there was one vote."""
        share = self.syntactic_share if name == "syntactic" else self.schematic_share
        label = self.label(name)
        return share if share is not None or label is None else float(label)


class Fallback(Protocol):
    """Protocol: decides labels that the checker leaves undecided."""

    async def ask(self, request: FallbackRequest) -> FallbackAnswer:
        """Evaluate a statement; a failure is an answer with a reason."""
        ...


def open_labels(report: CheckReport) -> tuple[LabelName, ...]:
    """Return the labels that a fallback may fill: the undecided ones."""
    return tuple(name for name in LABELS if report.reasons.get(name) == "undecided")


def is_asked(report: CheckReport, mode: FallbackMode) -> bool:
    """Return whether a fallback is called: for undecided statements, with `always` for all."""
    if report.statement is None and report.masked_sql is None:
        return False
    is_decided = (report.syntactic, report.schematic) != (None, None)
    return bool(open_labels(report)) or (mode == "always" and is_decided)


async def consult(
    fallback: Fallback,
    report: CheckReport,
    *,
    schema: Schema | None = None,
    hints: str | None = None,
) -> FallbackAnswer:
    """Call a fallback; an exception in it becomes an answer with a reason."""
    try:
        return await fallback.ask(request_of(report, schema, hints))
    except Exception as error:  # noqa: BLE001 - a fault of the fallback must not reach the host
        complain("the fallback", type(error).__name__, "its statements stay undecided")
        return FallbackAnswer(reason="error", explanation="the fallback itself failed")


def request_of(report: CheckReport, schema: Schema | None, hints: str | None) -> FallbackRequest:
    """Return the input of a fallback for a checked statement."""
    shown, others = (None, ()) if schema is None else pruned(schema, report)
    return FallbackRequest(
        sql=report.sql,
        engine=report.engine,
        dialect=report.dialect,
        schema=shown,
        other_tables=others,
        hints=hints,
        facts=tuple(_facts(report, schema)),
    )


def _facts(report: CheckReport, schema: Schema | None) -> Iterator[str]:
    for finding in report.findings:
        yield f"{finding.code} ({finding.severity}): {finding.message}"
    for name in LABELS:
        label = report.syntactic if name == "syntactic" else report.schematic
        if label is not None:
            yield f"{name} is decided: {str(label).lower()}"
    if schema is None:
        return
    from sqlobs.schema.gaps import gaps

    for gap in gaps(schema):
        yield f"the schema does not define {gap.missing}"
    for what, names in (("functions", schema.functions), ("extensions", schema.extensions)):
        if names:
            yield f"{what} of the database: {', '.join(names)}"


def with_answer(report: CheckReport, answer: FallbackAnswer) -> CheckReport:
    """Return the report with its undecided labels filled; decided ones never change."""
    filled = [name for name in open_labels(report) if answer.label(name) is not None]
    report = replace(report, fallback=answer)
    if not filled:
        return report
    found = [finding for name in filled for finding in _findings(report, answer, name)]
    return replace(
        report,
        syntactic=answer.syntactic if "syntactic" in filled else report.syntactic,
        schematic=answer.schematic if "schematic" in filled else report.schematic,
        reasons={name: why for name, why in report.reasons.items() if name not in filled},
        findings=placed([*report.findings, *found], report.sql),
        decided_by="llm",
    )


_CODES: Final[dict[CheckName, str]] = {
    "grammar": "syntax.parse_error",
    "functions": "syntax.dialect_mismatch",
    "grounding": "schema.unknown_column",
    "aliases": "schema.wrong_owner",
}
_CODES_OF_NAMES: Final[dict[NameKind, str]] = {
    "function": "syntax.dialect_mismatch",
    "table": "schema.unknown_table",
    "column": "schema.unknown_column",
    "type": "schema.unknown_type",
    "alias": "schema.wrong_owner",
}


def _findings(report: CheckReport, answer: FallbackAnswer, label: LabelName) -> Iterator[Finding]:
    """Yield an error for each wrong name, else for each failed check, of a label that fails."""
    if answer.label(label) is not False:
        return
    group = "syntax" if label == "syntactic" else "schema"
    named = [name for name in answer.wrong_names if group_of(_CODES_OF_NAMES[name.kind]) == group]
    for name in named:
        yield _of_name(report.sql, name)
    has_names = {group_of(_CODES_OF_NAMES[name.kind]) for name in named}
    for check in answer.failed_checks:
        if CHECKS[check] == label and (group not in has_names or check == "grammar"):
            message = f"The model says that the check of {check} fails."
            yield Finding(_CODES[check], "error", message, detail="llm")


def _of_name(sql: str, name: WrongName) -> Finding:
    found = place_of(sql, name.name)
    return Finding(
        _CODES_OF_NAMES[name.kind],
        "error",
        f"The model says that the {name.kind} {name.name} is wrong.",
        identifier=name.name,
        start=found,
        end=None if found is None else found + len(name.name),
        detail="llm",
    )


def place_of(sql: str, name: str) -> int | None:
    """Return the position of a name in a statement, as a whole word; None if absent."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE)
    return None if found is None else found.start()


WHOLE: Final = 12
"""A schema with at most this many tables is kept whole."""
_NAMED: Final = 400
"""Maximum number of names of omitted tables."""
_NEAR: Final = 3
"""Number of tables with a similar name that are kept for an unknown one."""


def pruned(schema: Schema, report: CheckReport) -> tuple[str, tuple[str, ...]]:
    """Return the DDL of the tables that may matter, and the names of the others.

    Kept are the tables that the statement names, those they refer to, tables of similar names
    where a name is unknown, and the owners of columns that it names.

    Args:
        schema: the whole schema.
        report: of the statement.
    """
    if len(schema.tables) <= WHOLE:
        return schema.render(), ()
    chosen = _chosen(schema, report)
    shown = [table.full_name for table in schema.tables if table.full_name in chosen]
    others = [table.full_name for table in schema.tables if table.full_name not in chosen]
    return schema.render(shown), tuple(others[:_NAMED])


def _chosen(schema: Schema, report: CheckReport) -> set[str]:
    from difflib import get_close_matches

    by_name: dict[str, list[Table]] = {}
    for table in schema.tables:
        by_name.setdefault(table.name.lower(), []).append(table)
    chosen: list[Table] = []
    for name in report.tables:
        near = get_close_matches(name.lower(), by_name, n=_NEAR)
        for known in [name.lower()] if name.lower() in by_name else near:
            chosen += by_name[known]
    for table in tuple(chosen):
        for key in table.foreign_keys:
            chosen += by_name.get(key.table.rpartition(".")[2].lower(), [])
    return {table.full_name for table in (*chosen, *_owners(schema, report))}


def _owners(schema: Schema, report: CheckReport) -> list[Table]:
    """Return the tables that own a column which the statement attributes to another table."""
    wanted = {name.lower() for name in report.unknown_columns}
    owners = [
        table
        for table in schema.tables
        if wanted and not wanted.isdisjoint(column.name.lower() for column in table.columns)
    ]
    return owners[:WHOLE]
