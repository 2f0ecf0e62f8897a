"""The verdict on one statement, as data: findings, labels, and what the statement refers to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Literal, Self, TypeVar, overload

from sqlobs.errors import FindingsError
from sqlobs.failure_codes import SCHEMA_HALLUCINATION_CODES, Reason, group_of, primary

if TYPE_CHECKING:
    from sqlobs.check.fallback import FallbackAnswer
    from sqlobs.types import Verdict

T = TypeVar("T")


class LazyValue(Generic[T]):
    """A value computed on first access; it is pickled and copied as the value itself."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], T]) -> None:
        self.make = make

    def __reduce__(self) -> tuple[Callable[[T], T], tuple[T]]:
        return _itself, (self.make(),)


class LazyField(Generic[T]):
    """A field that accepts a value or a `LazyValue` and returns a value; the default is None.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Answer:
    ...     text: LazyField[str | None] = LazyField()
    >>> Answer(LazyValue(lambda: "42")).text, Answer("a").text, Answer().text
    ('42', 'a', None)
    """

    _name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> None: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | None:
        if instance is None:
            return None  # dataclass uses it as the default
        value: T | LazyValue[T] = instance.__dict__[self._name]
        if isinstance(value, LazyValue):
            made: T = value.make()
            instance.__dict__[self._name] = made
            return made
        return value

    def __set__(self, instance: object, value: T | LazyValue[T]) -> None:
        instance.__dict__[self._name] = value


def _itself(value: T) -> T:
    return value


Severity = Literal["error", "warning", "info"]
DecidedBy = Literal["static", "native", "llm", "none"]


@dataclass(frozen=True)
class Finding:
    """One fault or warning in a statement, with its position.

    `start` and `end` count characters in `CheckReport.sql`; `line` and `column` start at 1.
    """

    code: str
    severity: Severity
    message: str
    """One sentence for a person. It quotes identifiers, never literals."""
    identifier: str | None = None
    """The wrong name exactly as written, without quotes and qualifier."""
    suggestion: LazyField[str | None] = LazyField()
    """The nearest name that exists in scope, spelled as the schema spells it."""
    start: int | None = None
    end: int | None = None
    line: int | None = None
    column: int | None = None
    detail: str | None = None
    """A keyword from a closed list that refines the code (`multi`, …)."""

    def at(self, **places: int) -> Finding:
        """Return the finding at another position (`start`, `end`, `line`, `column`).

        Unlike `dataclasses.replace`, it does not compute the suggestion.
        """
        moved = object.__new__(Finding)
        moved.__dict__.update(self.__dict__, **places)
        return moved


@dataclass(frozen=True, slots=True)
class NativeVerdict:
    """An engine's own verdict, without its message, which may quote literals."""

    engine: str
    """Name and version, `sqlite 3.40.1`."""
    code: str | None = None
    """The failure code of its error; None: accepted."""
    identifier: str | None = None
    """The name in the error."""
    message: str = ""
    """One sentence without literals."""
    detail: str | None = None
    is_grammar_only: bool = False
    """The verdict of a parser, which decides nothing about names, types and functions."""
    qualifier: str | None = None
    """The qualifier of that name (`t1` of `t1.name`), which may be the wrong part."""


@dataclass(frozen=True)
class CheckReport:
    """The result of a check. It contains no tree and can be cached, pickled and sent."""

    sql: str
    """The statement that was checked, as extracted from the given text."""
    dialect: str | None
    schema_version: str | None
    syntactic: bool | None
    """Valid for its dialect; None = not evaluated, `reasons["syntactic"]` says why."""
    schematic: bool | None
    """Grounded in the schema, decided independently of `syntactic`; None = not evaluated."""
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Why a label is None, by label (`syntactic`, `schematic`)."""
    findings: tuple[Finding, ...] = ()
    """All findings, in order of position; at most a hundred per rule."""
    decided_by: DecidedBy = "static"
    engine: str | None = None
    """Engine or catalog that the verdict is based on, with version (`sqlite 3.40.1`)."""
    tables: tuple[str, ...] = ()
    """Tables the statement refers to, as written, in order of appearance, each once."""
    columns: tuple[str, ...] = ()
    """Columns that the statement refers to, as `table.column` if the owner is known."""
    statement: str | None = None
    """`select`, `insert`, …; None when nothing parses."""
    summary: str | None = None
    """`SELECT orders customers`, as OpenTelemetry's `db.query.summary`; None if unparsed."""
    fingerprint: LazyField[str | None] = LazyField()
    """Version-prefixed hash of the statement without literals, layout and optional keywords."""
    masked_sql: LazyField[str | None] = LazyField()
    """The statement with every literal as `?`; None if it cannot be tokenized."""
    fixed_sql: LazyField[str | None] = LazyField()
    """The statement with the suggestions applied; only if the result passes the same check."""
    extracted: tuple[str, ...] = ()
    """What was stripped from around the statement (`fence`, `prose`, …)."""
    fallback: FallbackAnswer | None = None
    """The answer of the LLM fallback, if one was called; decided labels do not depend on it."""
    duration_s: float = 0.0
    """Duration of this check, in seconds; that of the first one if the report is cached."""

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Self:
        """Return the report of these fields, faster than the frozen `__init__`."""
        made = object.__new__(cls)
        made.__dict__.update(fields)
        return made

    @property
    def ok(self) -> bool:
        """True unless the verdict is `failed`."""
        return self.verdict != "failed"

    @cached_property
    def verdict(self) -> Verdict:
        """The first that applies: failed, suspect, not_evaluated, ok.

        failed: a label is False, or there is a safety error; suspect: there is a warning;
        not_evaluated: a label is None.
        """
        labels = (self.syntactic, self.schematic)
        if False in labels or any(
            finding.severity == "error" and group_of(finding.code) == "safety"
            for finding in self.findings
        ):
            return "failed"
        if any(finding.severity == "warning" for finding in self.findings):
            return "suspect"
        return "not_evaluated" if None in labels else "ok"

    @cached_property
    def hallucinated(self) -> bool | None:
        """True if a table or column is invented or misplaced; None = not evaluated."""
        if any(finding.code in SCHEMA_HALLUCINATION_CODES for finding in self.errors):
            return True
        return None if self.schematic is None else False

    @cached_property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that fail a label."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def failure_codes(self) -> tuple[str, ...]:
        """The codes of the errors, each once, in order of position."""
        return tuple(dict.fromkeys(finding.code for finding in self.errors))

    @property
    def warning_codes(self) -> tuple[str, ...]:
        """The codes of the warnings, each once, in order of position."""
        return tuple(
            dict.fromkeys(
                finding.code for finding in self.findings if finding.severity == "warning"
            )
        )

    @property
    def failure_code(self) -> str | None:
        """The primary code, by the precedence of `failure_codes`."""
        return primary(self.failure_codes)

    @property
    def unknown_tables(self) -> tuple[str, ...]:
        """Tables that the schema does not have, as written, each once."""
        return self._identifiers("schema.unknown_table")

    @property
    def unknown_columns(self) -> tuple[str, ...]:
        """Columns that their relation does not have, as written, each once."""
        return self._identifiers("schema.unknown_column", "schema.wrong_owner")

    def _identifiers(self, *codes: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                finding.identifier
                for finding in self.errors
                if finding.code in codes and finding.identifier is not None
            )
        )

    def explain(self) -> str:
        """Return the findings as a text to pass back to the model; "" if there are none.

        One line per error or warning, with its place and the nearest name. It quotes names of the
        SQL and of the schema, nothing of the question.
        """
        lines = [_line(finding) for finding in self.findings if finding.severity != "info"]
        if not lines:
            return ""
        dialect = f" for {self.dialect}" if self.dialect else ""
        return "\n".join([f"The SQL was rejected{dialect}:", *lines])

    def raise_for_findings(self) -> None:
        """Raise `FindingsError` when the verdict is `failed`; it carries the errors."""
        if self.verdict == "failed":
            raise FindingsError(self.errors)


def _line(finding: Finding) -> str:
    place = f" (line {finding.line}, column {finding.column})" if finding.line else ""
    remedy = f" Did you mean {finding.suggestion}?" if finding.suggestion else ""
    return f"- {finding.code}{place}: {finding.message}{remedy}"
