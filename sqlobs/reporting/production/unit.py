"""A unit with its evaluations, as a collector exports it and serves it on the admin port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.errors import InputError
from sqlobs.semconv.evaluations import CORRECTION
from sqlobs.types import Label, Outcome, Verdict, negated

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_REASON_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitEvaluation:
    """One evaluation of a unit."""

    metric: str
    label: Label
    created_ns: int
    version: str = ""
    value: float | None = None
    reason: str | None = None
    kind: str = ""
    """The evaluator: static, native, llm, engine, human."""
    explanation: str | None = None
    detail: Mapping[str, object] | None = None
    probability: float = 1.0
    """Sampling probability of its own stage."""
    stands_in: bool = False
    """Whether it fills in a label that the application did not evaluate."""
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFeedback:
    """One piece of user feedback on a unit."""

    record_id: str
    occurred_ns: int
    kind: str | None = None
    value: str | None = None
    """The rating, the thumb, or the user's action on the SQL."""
    score: float | None = None
    label: Label | None = None
    explanation: str | None = None
    corrected_sql: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One production request with all of the collector's findings."""

    trace_id: str
    span_id: str
    occurred_ns: int
    state: str
    workflow: str
    evaluations: tuple[UnitEvaluation, ...]
    target: str | None = None
    tenant: str | None = None
    prompt_version: str | None = None
    dialect: str | None = None
    model: str | None = None
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    first_verdict: Verdict | None = None
    failure_code: str | None = None
    syntactic: bool | None = None
    schematic: bool | None = None
    hallucinated: bool | None = None
    """Whether a name is invented."""
    first_hallucinated: bool | None = None
    """Whether the first attempt invented a name."""
    head_probability: float | None = None
    probability: float | None = None
    """Probability of having been selected for evaluation."""
    reason: str | None = None
    """The reason for its state."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """The texts of the unit; empty if they expired or were not exported."""
    texts: Mapping[str, object] | None = None
    feedback: tuple[UnitFeedback, ...] = ()
    """All user feedback, oldest first."""

    @classmethod
    def of(cls, document: object) -> Unit:
        """Parse a unit, ignoring unknown fields.

        Raises:
            InputError: it is not a unit; the message names the first invalid field.
        """
        from pydantic import ValidationError

        try:
            return _adapter().validate_python(document)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the object"
            raise InputError(f"{place}: {first['msg']}"[:_REASON_CHARACTERS]) from None

    @property
    def generation_id(self) -> str:
        """The ID to pass to `sqlobs why`."""
        return f"00-{self.trace_id}-{self.span_id}-01"

    def evaluation(self, metric: str) -> UnitEvaluation | None:
        """Return the latest evaluation with this name, from the newest evaluator version."""
        found = [one for one in self.evaluations if one.metric == metric]
        return max(found, key=lambda one: one.created_ns, default=None)

    def correction(self, said: UnitFeedback) -> UnitEvaluation | None:
        """Return the collector's findings on the SQL that a user corrected."""
        return next(
            (
                one
                for one in self.evaluations
                if one.metric == CORRECTION and (one.detail or {}).get("record") == said.record_id
            ),
            None,
        )

    def standing(self, said: UnitFeedback) -> str:
        """Return one line with the findings on the SQL that a user corrected."""
        found = self.correction(said)
        if found is None:
            return "not evaluated yet"
        detail = found.detail or {}
        facts = [
            f"check: {detail.get('verdict', 'not_evaluated')}",
            f"run: {detail.get('execution') or found.reason or 'not_evaluated'}",
        ]
        if detail.get("failure_code"):
            facts.append(str(detail["failure_code"]))
        for name in ("answer", "reference"):
            if f"equals_{name}" in detail:
                equal = detail[f"equals_{name}"]
                word = "yes" if equal is True else "no" if equal is False else "unknown"
                facts.append(f"same rows as the {name}: {word}")
        return ", ".join(facts)

    @property
    def is_compared(self) -> bool:
        """Whether its rows were compared with a reference's."""
        compared = self.evaluation("ex")
        return compared is not None and compared.label != "not_evaluated"

    @property
    def reference_sql(self) -> str | None:
        """The compared reference: its own, else the golden file's at that time."""
        compared = self.evaluation("ex")
        golden = (compared.detail or {}).get("reference_sql") if compared else None
        own = self.text(semconv.SQLOBS_REFERENCE_QUERY_TEXT)
        return own or (golden if isinstance(golden, str) else None)

    def label(self, metric: str) -> bool | None:
        """Return one of the checker's labels: the unit's own, else the collector's."""
        own = {
            "syntactic": self.syntactic,
            "schematic": self.schematic,
            "schema_hallucination": negated(self.hallucinated),
        }
        found = self.evaluation(metric)
        if own[metric] is not None or found is None or not found.stands_in:
            return own[metric]
        return None if found.label == "not_evaluated" else found.label == "pass"

    def text(self, name: str) -> str | None:
        """Return a text of the unit's body."""
        value = (self.texts or {}).get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """Return an attribute that is a number."""
        value = self.attributes.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value

    def count(self, name: str) -> int | None:
        """Return an attribute that is a whole number."""
        value = self.number(name)
        return None if value is None else int(value)

    def words(self, name: str) -> list[str]:
        """Return an attribute that is a list of words."""
        value = self.attributes.get(name)
        return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []

    @property
    def sql(self) -> str | None:
        """The statement as captured; it may be masked or empty."""
        return self.text(semconv.SQLOBS_QUERY_TEXT)


@cache
def _adapter() -> TypeAdapter[Unit]:
    from pydantic import TypeAdapter

    return TypeAdapter(Unit)
