"""Metrics of the user's own: how they are declared, what they receive, and how they are called."""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs.errors import InputError
from sqlobs.evaluation.user_code import named_function
from sqlobs.runs.declaration import OWN_NEEDS, MetricDeclaration, OwnNeed
from sqlobs.scores.registry import RUN_SCORES, SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlobs.runs.case import CheckSummary, JudgeVerdict
    from sqlobs.types import ResultTable

ENTRY_POINTS: Final = "sqlobs.metrics"
"""The group of entry points by which a package offers metrics."""
_ATTRIBUTE: Final = "__sqlobs_metric__"
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*")
_SHOWN_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricCase:
    """What a metric knows of a case; fields without a value are None."""

    id: str
    question: str | None = None
    hint: str | None = None
    db: str | None = None
    dialect: str | None = None
    predicted_sql: str | None = None
    """`None`: the system abstained."""
    reference_sql: str | None = None
    """The closest of several references."""
    predicted: ResultTable | None = None
    """The prediction's result."""
    reference: ResultTable | None = None
    predicted_error: str | None = None
    """Why the prediction did not run."""
    predicted_ms: float | None = None
    reference_ms: float | None = None
    check: CheckSummary | None = None
    judge: JudgeVerdict | None = None
    scores: dict[str, float | None] = field(default_factory=dict)
    """The other scores of the case, by name."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A declared function. Equal code has an equal `repr`, which decides whether a run resumes."""

    declaration: MetricDeclaration
    digest: str
    function: Callable[[MetricCase], object] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name in reports and gates."""
        return self.declaration.name

    def value(self, case: MetricCase) -> float | None:
        """Return the metric of a case; None = the metric has nothing to say about it.

        Raises:
            ValueError: the result is not a number of the declared range.
            Exception: whatever the function raises.
        """
        found = self.function(case)
        if found is None:
            return None
        if not isinstance(found, int | float) or math.isnan(found):
            raise ValueError(f"{found!r} is not a number")
        declared = self.declaration
        if found < declared.low or (declared.high is not None and found > declared.high):
            raise ValueError(f"{found:g} is outside the declared range {range_text(declared)}")
        if declared.is_share and found not in {0, 1}:
            raise ValueError(f"{found:g} is neither 0 nor 1")
        return float(found)


def metric(
    *,
    name: str | None = None,
    title: str | None = None,
    needs: Iterable[OwnNeed] = (),
    low: float = 0.0,
    high: float | None = 1.0,
    better: Literal["higher", "lower"] = "higher",
    is_share: bool = False,
) -> Callable[[Callable[[MetricCase], Any]], Callable[[MetricCase], Any]]:
    """Declare a function as a metric for `sqlobs evaluate --metric module:function`.

    It receives a `MetricCase` and returns a number of its range, a bool, or None. It may be called
    from several threads at once.

    Args:
        name: The name in reports, gates and JSON; default: the function's.
        title: The label in reports; default: the name.
        needs: `reference`, `execution`, `rows`, `judge`; a case without them has no score.
        low: The lower end of the range.
        high: The upper end; None = there is none. Up to 100 is shown as a percentage.
        better: Whether higher or lower is better.
        is_share: Values are 0 or 1, and reports show the share of 1.
    """

    def declared(function: Callable[[MetricCase], Any]) -> Callable[[MetricCase], Any]:
        own = str(name or getattr(function, "__name__", ""))
        about = (inspect.getdoc(function) or "").partition("\n")[0]
        declaration = MetricDeclaration(
            name=own,
            title=title or own.replace("_", " ").capitalize(),
            about=about,
            needs=tuple(needs),
            low=low,
            high=high,
            better=better,
            is_share=is_share,
        )
        setattr(function, _ATTRIBUTE, declaration)
        return function

    return declared


def load_metric(given: str) -> Metric:
    """Import `module:function`, or the entry point of that name, and validate its declaration.

    Raises:
        InputError: it does not exist or cannot be imported, or its declaration is invalid.
    """
    found = named_function(given, option="--metric") if ":" in given else _entry_point(given)
    if not hasattr(found, _ATTRIBUTE):
        found = metric()(found)
    declaration: MetricDeclaration = getattr(found, _ATTRIBUTE)
    _require_valid(declaration, given)
    return Metric(declaration, _digest(found), found)


def range_text(declared: MetricDeclaration) -> str:
    """Return a range in words: `0 to 1`, `0 or more`."""
    low = f"{declared.low:g}"
    return f"{low} or more" if declared.high is None else f"{low} to {declared.high:g}"


def fault_text(error: Exception) -> str:
    """Return why a metric has no value, as the reason of an unscored case."""
    return f"error: {type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]


def _entry_point(name: str) -> Callable[..., object]:
    known = {each.name: each for each in entry_points(group=ENTRY_POINTS)}
    if name not in known:
        offered = f"; installed are {', '.join(sorted(known))}" if known else ""
        raise InputError(
            f"--metric {name}: write module:function, or the name of an entry point of the group"
            f" {ENTRY_POINTS}{offered}"
        )
    try:
        found: object = known[name].load()
    except Exception as error:
        raise InputError(f"--metric {name}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise InputError(f"--metric {name} is not a function")
    return found


def _require_valid(declared: MetricDeclaration, given: str) -> None:
    fault = None
    strange = [need for need in declared.needs if need not in OWN_NEEDS]
    if not _NAME.fullmatch(declared.name):
        fault = f"the name {declared.name!r} is not of lower-case letters, digits and _"
    elif declared.name in {*SCORES, *RUN_SCORES}:
        fault = f"the name {declared.name} is taken by a score of sqlobs"
    elif strange:
        fault = f"unknown need {strange[0]!r}; known are {', '.join(OWN_NEEDS)}"
    elif not math.isfinite(declared.low) or not _is_above(declared.high, declared.low):
        fault = f"the range {declared.low} to {declared.high} is empty or not of numbers"
    elif declared.better not in {"higher", "lower"}:
        fault = f"better is {declared.better!r}; write higher or lower"
    if fault is not None:
        raise InputError(f"--metric {given}: {fault}")


def _is_above(high: float | None, low: float) -> bool:
    return high is None or (math.isfinite(high) and high > low)


def _digest(function: object) -> str:
    """Return a digest of a function's source; of its name where there is no source."""
    try:
        text = inspect.getsource(function)  # type: ignore[arg-type]  # TypeError is what we catch
    except (OSError, TypeError):
        text = repr(getattr(function, "__qualname__", type(function).__qualname__))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
