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
from sqlobs.reporting.expense import expenses_of
from sqlobs.reporting.failures import BUCKET_TITLES, bucket_shares, code_shares
from sqlobs.reporting.figures import OF_FAILURES, figures_of
from sqlobs.reporting.rates import RATES
from sqlobs.reporting.wording import counted
from sqlobs.runs.scores import PARTIAL_SCORES, PRODUCTION_SCORES, RUN_SCORES, SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlobs.reporting.comparison import PairedRuns
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run

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
    _COST,
)
_SCORES: Final = {
    score.figure: score for score in (SCORES | RUN_SCORES | PRODUCTION_SCORES).values()
}
_COMPARED: Final = ("broken", "fixed", "difference", "regression")
_NAMES: Final = tuple(dict.fromkeys((*_RATES, *_SCORES, *BUCKET_TITLES, *_COMPARED)))


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound that fails a run when a figure is beyond it."""

    figure: str
    sign: str
    bound: float
    text: str
    """As it was given."""
    is_percent: bool = False
    """The bound was a percentage: of a count, of the cases."""

    def is_crossed(self, value: float) -> bool:
        """Say whether a value fails the gate."""
        return _OPERATORS[self.sign](value, self.bound)


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What a gate says about a run."""

    gate: Gate
    value: float | None
    """None where the run does not have the figure: the gate fails then, for nothing was shown."""
    note: str = ""
    """What the cases at hand let one say."""

    @property
    def is_failed(self) -> bool:
        """The run does not pass."""
        return self.value is None or self.gate.is_crossed(self.value)

    @property
    def sentence(self) -> str:
        """Say in one sentence how it went."""
        if self.value is None:
            return f"{self.gate.text}: failed, {self.gate.figure} was not evaluated in this run"
        word = "failed" if self.is_failed else "passed"
        shown = self._shown(self.value)
        return f"{self.gate.text}: {word}, {self.gate.figure} is {shown}{self.note}"

    def _shown(self, value: float) -> str:
        if not self.gate.is_percent:
            return f"{value:.4g}"
        return f"{value * 100 / _scale(self.gate.figure):.4g}%"


def parse_gate(text: str) -> Gate:
    """Read a gate: the name of a figure, `<`, `<=`, `>` or `>=`, and a number or percentage.

    Figures are rates in [0, 1] (`esm`, `schematic_pass_rate`, `schema_hallucination_rate`, …), mean
    scores (`f1`, …), `cost_per_correct`, counts of cases by bucket (`timeout`, …) or by failure
    code (`schema.unknown_table`, …), and of a comparison `broken`, `fixed`, `difference` (of the
    rates) and `regression` (how far the rate fell at least, at 95 %). A percentage of a count is a
    share of the cases.

    >>> parse_gate("schematic_pass_rate < 98%").bound
    0.98
    >>> parse_gate("subset_percent < 80%").bound
    80.0

    Raises:
        InputError: it cannot be read, or names no figure; the message offers the nearest name.
    """
    match = _GATE.fullmatch(text)
    if match is None:
        raise InputError(
            f"{text!r} is no gate: write one like 'schematic_pass_rate<98%' or 'timeout>0'"
        )
    name, sign, number, percent = match.groups()
    if name not in {*_NAMES, *CODES}:
        raise InputError(f"{text!r}: unknown figure {name}{_meant(name)}")
    bound = float(number) * _scale(name) / 100 if percent else float(number)
    return Gate(name, sign, bound, text.strip(), is_percent=bool(percent))


def _meant(name: str) -> str:
    """Return the nearest figure as a question, the longer form of a name first; else them all."""
    longer = sorted((each for each in _NAMES if each.startswith(f"{name}_")), key=len)
    near = longer or get_close_matches(name, (*_NAMES, *CODES), n=1)
    if near:
        return f", did you mean {near[0]}?"
    return f"; known are {', '.join(_NAMES)}, and the failure codes"


def check_gates(run: Run, gates: Iterable[Gate]) -> list[GateVerdict]:
    """Hold the figures of a run against gates, in the order given."""
    wanted = list(gates)
    if not wanted:
        return []
    counts, figures = _counts(run.cases), _figures(run.cases)
    return [_verdict(gate, figures, counts, total=len(run.cases)) for gate in wanted]


def check_comparison(pair: PairedRuns, gates: Iterable[Gate]) -> list[GateVerdict]:
    """Hold a comparison of two runs against gates, in the order given."""
    counts = {"broken": len(pair.broken), "fixed": len(pair.fixed)}
    known = {"difference": pair.difference, "regression": pair.regression}
    figures = {name: value for name, value in known.items() if value is not None}
    verdicts = [_verdict(gate, figures, counts, total=pair.total) for gate in gates]
    return [
        replace(verdict, note=_power(pair, verdict.gate.bound))
        if verdict.gate.figure == "regression"
        else verdict
        for verdict in verdicts
    ]


def _power(pair: PairedRuns, drop: float) -> str:
    """Say what drops so many cases show, and how many the gate's own one needs."""
    share, cases = pair.discordant_share, pair.total
    told = " at least (95 %, one-sided)"
    if not share:
        return told
    seen = difference_seen(discordant_share=share, cases=cases, alpha=ONE_SIDED)
    told += f"; {counted(cases, 'case')} show a drop of {100 * seen:.1f} points with 80 % power"
    if drop <= 0:
        return told
    needed = cases_needed(discordant_share=share, difference=drop, alpha=ONE_SIDED)
    return f"{told}, one of {100 * drop:.4g} needs {needed:,}"


def _scale(figure: str) -> float:
    """Return what 100 % of a figure is: 1 of a fraction, 100 of a score that is in percent."""
    score = _SCORES.get(figure)
    return 100.0 if score is not None and score.is_percent else 1.0


def _verdict(
    gate: Gate, figures: Mapping[str, float], counts: Mapping[str, int], *, total: int
) -> GateVerdict:
    count = counts.get(gate.figure)
    if count is None:
        return GateVerdict(gate, figures.get(gate.figure))
    return GateVerdict(gate, count / total if gate.is_percent and total else float(count))


def _counts(cases: Sequence[CaseResult]) -> dict[str, int]:
    """Return how many cases have each failure code, and end in each bucket; nothing of none."""
    if not cases:
        return {}
    shares = (*code_shares(cases), *bucket_shares(cases))
    return dict.fromkeys(CODES, 0) | {share.name: share.count for share in shares}


def _figures(cases: Sequence[CaseResult]) -> dict[str, float]:
    values = {figure.name: figure.value for figure in figures_of(cases) if figure.value is not None}
    for expense in expenses_of(cases):
        if expense.name == "cost" and expense.per_correct is not None:
            values[_COST] = expense.per_correct
    return values
