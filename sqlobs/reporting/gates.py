"""Gates for CI: a figure of a run against a bound, such as `schematic_pass_rate<0.98`."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.failure_codes import CODES
from sqlobs.metrics.paired_tests import cases_needed, difference_seen
from sqlobs.reporting.comparison import ONE_SIDED
from sqlobs.reporting.coverage import GAPS, gaps_of
from sqlobs.reporting.expense import expenses_of
from sqlobs.reporting.failures import BUCKET_TITLES, known_counts, was_executed
from sqlobs.reporting.figures import INTERACTIONS, OF_FAILURES, figures_of
from sqlobs.reporting.rates import RATES
from sqlobs.reporting.samples import is_of_samples
from sqlobs.reporting.wording import counted, label
from sqlobs.scores.registry import CASE_SCORES, PARTIAL_SCORES, RUN_SCORES, SHOWN_SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.reporting.comparison import PairedRuns
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run
    from sqlobs.scores.score import Score

_GATE: Final = re.compile(
    r"\s*([A-Za-z_][\w.]*)\s*(<=|>=|<|>)\s*(-?(?:\d+(?:\.\d+)?|\.\d+))\s*(%?)\s*"
)
_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COST: Final = "cost_per_correct"
_RATES: Final = (
    *(rate.name for rate in RATES),
    *(f"{score.name}{OF_FAILURES}" for score in PARTIAL_SCORES),
    *(each.name for each in INTERACTIONS),
    _COST,
)
_SHARES: Final = frozenset((*(rate.name for rate in RATES), *(each.name for each in INTERACTIONS)))
_COMPARED: Final = ("broken", "fixed", "difference", "regression")
_OF_EXECUTION: Final = frozenset(
    (
        *("esm", "esm_attempted", "esm_comparable", "result.mismatch"),
        *(score.figure for score in CASE_SCORES.values() if "execution" in score.needs),
    )
)
_OF_REFERENCES: Final = _OF_EXECUTION | {"em", "flex"}

FIGURES: Final = (*_RATES, *BUCKET_TITLES, *GAPS, *_COMPARED)
"""Names that gates know, without those of scores and failure codes."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on a figure that fails a run."""

    figure: str
    sign: str
    bound: float
    text: str
    """The gate as given by the user."""
    is_percent: bool = False
    """The bound is a percentage; for a count, a percentage of the cases."""

    def is_crossed(self, value: float) -> bool:
        """Return whether a value fails the gate."""
        return _OPERATORS[self.sign](value, self.bound)


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """The result of a gate for a run."""

    gate: Gate
    value: float | None
    """None if the run does not have the figure; the gate then fails."""
    note: str = ""
    """A note on statistical power; without a value, the reason."""

    @property
    def is_failed(self) -> bool:
        """Whether the gate fails the run."""
        return self.value is None or self.gate.is_crossed(self.value)

    @property
    def sentence(self) -> str:
        """Return the result in one sentence."""
        if self.value is None:
            why = self.note and f": {self.note}"
            return (
                f"{self.gate.text}: failed, {self.gate.figure} was not evaluated in this run{why}"
            )
        word = "failed" if self.is_failed else "passed"
        return f"{self.gate.text}: {word}, {self.gate.figure} is {self.shown}{self.note}"

    @property
    def shown(self) -> str:
        """The value in the format of the bound; "n/a" without a value."""
        if self.value is None:
            return "n/a"
        if not self.gate.is_percent:
            return f"{self.value:.4g}"
        return f"{self.value * 100 / _scale(self.gate.figure):.4g}%"


def parse_gate(text: str) -> Gate:
    """Parse a gate: the name of a figure, `<`, `<=`, `>` or `>=`, and a number or percentage.

    Figures are rates in [0, 1] (`esm`, `schematic_pass_rate`, `schema_hallucination_rate`, …), mean
    scores (`f1`, …), `cost_per_correct`, counts of cases by bucket (`timeout`, …) or by failure
    code (`schema.unknown_table`, …), and of a comparison `broken`, `fixed`, `difference` (of the
    rates) and `regression` (the lower bound of the drop, at 95 %). A percentage of a count is a
    share of the cases.

    >>> parse_gate("schematic_pass_rate < 98%").bound
    0.98
    >>> parse_gate("subset < 80%").bound
    80.0

    Raises:
        InputError: the expression is invalid or its metric is unknown; the message suggests the
            nearest name.
    """
    match = _GATE.fullmatch(text)
    if match is None:
        raise InputError(
            f"{text!r} is not a valid gate; write one like 'schematic_pass_rate<98%' or 'timeout>0'"
        )
    name, sign, number, percent = match.groups()
    if name not in {*_names(), *CODES} and not is_of_samples(name):
        raise InputError(f"{text!r}: unknown metric {name}{_meant(name)}")
    bound = float(number) * _scale(name) / 100 if percent else float(number)
    if name in _SHARES and not 0 <= bound <= 1:
        raise InputError(
            f"{text!r}: {name} is between 0 and 1, so that this is always or never true; write the"
            " bound like 0.8 or 80%"
        )
    return Gate(name, sign, bound, text.strip(), is_percent=bool(percent))


def _scores() -> dict[str, Score]:
    """Return the scores by the names of their figures, with those of the user's own."""
    return {score.figure: score for score in (SHOWN_SCORES | RUN_SCORES).values()}


def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*FIGURES, *_scores())))


def _meant(name: str) -> str:
    """Return the nearest name as a suggestion, longer names first; without one, all names."""
    names = _names()
    longer = sorted((each for each in names if each.startswith(f"{name}_")), key=len)
    near = longer or get_close_matches(name, (*names, *CODES), n=1)
    if near:
        return f", did you mean {near[0]}?"
    return f"; valid names are {', '.join(names)} and the failure codes"


def check_gates(run: Run, gates: Iterable[Gate]) -> list[GateVerdict]:
    """Check gates against the figures of a run, in the given order."""
    wanted = list(gates)
    if not wanted:
        return []
    held = _Held.of(run.cases)
    gaps = dict.fromkeys(GAPS, 0) | gaps_of(run)
    held = replace(held, counts={**held.counts, **gaps})
    return [held.verdict(gate) for gate in wanted]


def check_comparison(pair: PairedRuns, gates: Iterable[Gate]) -> list[GateVerdict]:
    """Check gates against a comparison of two runs, in the given order.

    A gate on a single run applies to the second; its sentence also shows the baseline's value.
    """
    wanted = list(gates)
    counts = {"broken": len(pair.broken), "fixed": len(pair.fixed)}
    known = {"difference": pair.difference, "regression": pair.regression}
    figures = {name: value for name, value in known.items() if value is not None}
    changes = _Held(counts, figures, pair.total)
    if all(gate.figure in _COMPARED for gate in wanted):
        return [_of_change(pair, changes.verdict(gate)) for gate in wanted]
    run, baseline = _Held.of(pair.run_cases), _Held.of(pair.baseline_cases)
    return [
        _of_change(pair, changes.verdict(gate))
        if gate.figure in _COMPARED
        else _beside_baseline(pair, run.verdict(gate), baseline.verdict(gate))
        for gate in wanted
    ]


def _of_change(pair: PairedRuns, verdict: GateVerdict) -> GateVerdict:
    if verdict.gate.figure != "regression" or verdict.value is None:
        return verdict
    return replace(verdict, note=_power(pair, verdict.gate.bound))


def _beside_baseline(pair: PairedRuns, verdict: GateVerdict, baseline: GateVerdict) -> GateVerdict:
    """Add the baseline's value of the same figure."""
    if verdict.value is None:
        return verdict
    before = "not evaluated" if baseline.value is None else baseline.shown
    return replace(verdict, note=f" in {label(pair.run)} ({before} in {label(pair.baseline)})")


def _power(pair: PairedRuns, drop: float) -> str:
    """Return the drop detectable with so many cases, and the cases needed for the bound."""
    share, cases = pair.discordant_share, pair.total
    note = " at least (95 %, one-sided)"
    if not share:
        return note
    seen = difference_seen(discordant_share=share, cases=cases, alpha=ONE_SIDED)
    note += f"; {counted(cases, 'case')} show a drop of {100 * seen:.1f} points with 80 % power"
    if drop <= 0:
        return note
    needed = cases_needed(discordant_share=share, difference=drop, alpha=ONE_SIDED)
    return f"{note}, one of {100 * drop:.4g} needs {needed:,}"


def _scale(figure: str) -> float:
    """Return the value that is 100 % of a figure: 1 for a fraction, 100 for a score in percent."""
    score = _scores().get(figure)
    return 100.0 if score is not None and score.is_percent else 1.0


@dataclass(frozen=True, slots=True)
class _Held:
    """The values that gates are checked against."""

    counts: Mapping[str, int]
    figures: Mapping[str, float]
    total: int
    """The number of cases, the base of percentages of counts."""
    was_executed: bool = True
    has_references: bool = True

    @classmethod
    def of(cls, cases: Sequence[CaseResult]) -> _Held:
        return cls(
            known_counts(cases),
            _figures(cases),
            len(cases),
            was_executed(cases),
            any(case.has_reference for case in cases),
        )

    def verdict(self, gate: Gate) -> GateVerdict:
        count = self.counts.get(gate.figure)
        if count is not None:
            share = count / self.total if gate.is_percent and self.total else float(count)
            return GateVerdict(gate, share)
        value = self.figures.get(gate.figure)
        return GateVerdict(gate, value, "" if value is not None else self._why(gate.figure))

    def _why(self, figure: str) -> str:
        """Return why a figure is missing, if the reason is known."""
        if is_of_samples(figure):
            return "it needs several samples of each question; use sqlobs generate --samples"
        if figure in _COMPARED:
            return "it compares two runs; use --compare"
        if figure in _OF_REFERENCES and not self.has_references:
            return "no case has a reference"
        needs_execution = figure in BUCKET_TITLES or figure in _OF_EXECUTION
        return "no statement was executed" if needs_execution and not self.was_executed else ""


def _figures(cases: Sequence[CaseResult]) -> dict[str, float]:
    values = {figure.name: figure.value for figure in figures_of(cases) if figure.value is not None}
    for expense in expenses_of(cases):
        if expense.name == "cost" and expense.per_correct is not None:
            values[_COST] = expense.per_correct
    return values
