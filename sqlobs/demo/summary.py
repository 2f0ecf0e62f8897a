"""The demo's figures, computed from received telemetry alone."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs import semconv
from sqlobs.metrics.intervals import Interval, wilson_interval
from sqlobs.semconv import metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Record = Mapping[str, Any]

_STAGES: Final = (
    ("total", semconv.SQLOBS_GENERATION_DURATION),
    ("retrieval", semconv.SQLOBS_RETRIEVAL_DURATION),
    ("model", semconv.SQLOBS_LLM_DURATION),
    ("first token", semconv.SQLOBS_GENERATION_TIME_TO_FIRST_TOKEN),
    ("check", semconv.SQLOBS_CHECK_DURATION),
)
"""What a stage is called here, and the attribute of the generation span that holds its time."""
_GENERATION_PREFIX: Final = semconv.SPAN_GENERATION.partition("{")[0]
_RATES: Final = ("syntactic", "schematic", "schema_hallucination")


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its denominator and its 95 % Wilson interval."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share in [0, 1]; None without observations."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> Interval:
        """The 95 % Wilson score interval; everything is possible without observations."""
        return wilson_interval(self.hits, self.of) or Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Invention:
    """A name that the schema does not have."""

    name: str
    suggestion: str | None
    """The nearest name that exists, if one is near."""
    requests: int


@dataclass(frozen=True, slots=True)
class Stage:
    """How long one part of a request took, in seconds, over the requests that had it."""

    name: str
    requests: int
    p50_s: float
    p95_s: float
    max_s: float


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds of sqlobs on the request's own thread, estimated from a histogram."""

    p50_s: float
    p95_s: float


@dataclass(frozen=True, slots=True)
class Received:
    """How many records of each kind came in."""

    spans: int
    generations: int
    """Spans of whole requests among them."""
    metric_series: int
    units: int
    """Records of whole requests for a collector."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the received telemetry says about the requests."""

    received: Received
    outcomes: Mapping[str, int]
    verdicts: Mapping[str, int]
    failure_rates: Mapping[str, Rate]
    """Failed of evaluated requests, by evaluation."""
    first_attempt_pass_rate: Rate
    """First attempts that passed, of those that were evaluated."""
    attempts: Mapping[str, Mapping[str, int]]
    """By number of the attempt: verdict and count."""
    failures: Sequence[tuple[str, int]]
    """Failed requests by primary code, most frequent first."""
    inventions: Sequence[Invention]
    comparisons: Mapping[str, Mapping[str, int]]
    """Executed statements by static label, then engine label."""
    executions: Mapping[str, int]
    """Executions by status; `empty` counts those without a row."""
    stages: Sequence[Stage]
    tokens: Mapping[str, int]
    overhead: Overhead | None

    @property
    def requests(self) -> int:
        """Requests counted, whatever their outcome."""
        return sum(self.outcomes.values())


def summarize(directory: Path) -> Summary:
    """Compute the figures from the files that a `Receiver` wrote into `directory`."""
    spans = read_records(directory / "spans.jsonl")
    points = latest_points(read_records(directory / "metrics.jsonl"))
    units = read_records(directory / "units.jsonl")
    generations = [span for span in spans if is_generation(span)]
    executions = [span for span in spans if span["name"] == semconv.SPAN_EXECUTE]
    attempts = _attempts(points)
    return Summary(
        received=_received(spans, points, units),
        outcomes=_counts(points, metrics.GENERATIONS, by=semconv.SQLOBS_OUTCOME),
        verdicts=_counts(points, metrics.GENERATIONS, by=semconv.SQLOBS_VERDICT),
        failure_rates=_failure_rates(points),
        first_attempt_pass_rate=_first_attempt(attempts.get("1", {})),
        attempts=attempts,
        failures=_counts_ranked(points, metrics.FAILURES, by=semconv.SQLOBS_FAILURE_CODE),
        inventions=_inventions(generations),
        comparisons=_comparisons(points),
        executions=_executions(points),
        stages=tuple(_stages(generations, executions)),
        tokens=_counts(points, metrics.USAGE_TOKENS, by=semconv.SQLOBS_TOKEN_TYPE),
        overhead=_overhead(points),
    )


def read_records(path: Path) -> list[Record]:
    """Return the records of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def is_generation(span: Record) -> bool:
    """Return whether a span is that of a whole request, as sqlobs makes it."""
    is_ours: bool = span["scope"] == semconv.SCOPE
    return is_ours and span["name"].startswith(_GENERATION_PREFIX)


def latest_points(points: Iterable[Record]) -> list[Record]:
    """Return the last point of each series; points of delta series are all kept, to be added."""
    return list({(*_series(point), point["start_unix_nano"]): point for point in points}.values())


def _series(point: Record) -> tuple[str, str, str]:
    labels, resource = (
        json.dumps(point[part], sort_keys=True) for part in ("attributes", "resource")
    )
    return point["name"], labels, resource


def _counts(points: Iterable[Record], metric: metrics.Metric, *, by: str) -> dict[str, int]:
    """Add up a counter by one label; labels that stand at zero are left out."""
    counts: Counter[str] = Counter()
    for point in points:
        if point["name"] == metric.name and point["value"]:
            counts[_word(point["attributes"].get(by, "unknown"))] += point["value"]
    return dict(counts)


def _word(label: object) -> str:
    """Return a label as text; booleans as Prometheus spells them."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _counts_ranked(
    points: Iterable[Record], metric: metrics.Metric, *, by: str
) -> list[tuple[str, int]]:
    counts = _counts(points, metric, by=by)
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _table(
    points: Iterable[Record], metric: metrics.Metric, *, rows: str, columns: str
) -> dict[str, dict[str, int]]:
    """Add up a counter by two labels."""
    table: dict[str, Counter[str]] = {}
    for point in points:
        if point["name"] == metric.name and point["value"]:
            labels = point["attributes"]
            table.setdefault(labels[rows], Counter())[labels[columns]] += point["value"]
    return {row: dict(counts) for row, counts in sorted(table.items())}


def _received(
    spans: Sequence[Record], points: Sequence[Record], units: Sequence[Record]
) -> Received:
    return Received(
        spans=len(spans),
        generations=sum(is_generation(span) for span in spans),
        metric_series=len({_series(point) for point in points}),
        units=sum(unit["event_name"] == semconv.EVENT_UNIT for unit in units),
    )


def _failure_rates(points: Sequence[Record]) -> dict[str, Rate]:
    by_name = _table(
        points,
        metrics.EVALUATIONS,
        rows=semconv.GEN_AI_EVALUATION_NAME,
        columns=semconv.GEN_AI_EVALUATION_SCORE_LABEL,
    )
    return {name: _failure_rate(by_name.get(name, {})) for name in _RATES}


def _failure_rate(labels: Mapping[str, int]) -> Rate:
    failed = labels.get("fail", 0)
    return Rate(failed, failed + labels.get("pass", 0))


def _attempts(points: Sequence[Record]) -> dict[str, dict[str, int]]:
    number, verdict = semconv.SQLOBS_ATTEMPT_NUMBER, semconv.SQLOBS_VERDICT
    return _table(points, metrics.ATTEMPTS, rows=number, columns=verdict)


def _comparisons(points: Sequence[Record]) -> dict[str, dict[str, int]]:
    static, engine = semconv.SQLOBS_STATIC_LABEL, semconv.SQLOBS_ENGINE_LABEL
    return _table(points, metrics.COMPARISONS, rows=static, columns=engine)


def _first_attempt(verdicts: Mapping[str, int]) -> Rate:
    passed = verdicts.get("ok", 0) + verdicts.get("suspect", 0)
    return Rate(passed, passed + verdicts.get("failed", 0))


def _inventions(generations: Iterable[Record]) -> list[Invention]:
    names: Counter[str] = Counter()
    suggestions: dict[str, str] = {}
    for span in generations:
        attributes = span["attributes"]
        names.update(attributes.get(semconv.SQLOBS_HALLUCINATED_TABLES, ()))
        names.update(attributes.get(semconv.SQLOBS_HALLUCINATED_COLUMNS, ()))
        for suggestion in attributes.get(semconv.SQLOBS_SUGGESTIONS, ()):
            wrong, _, meant = suggestion.partition(" -> ")
            suggestions[wrong] = meant
    ranked = sorted(names.items(), key=lambda entry: (-entry[1], entry[0]))
    return [Invention(name, suggestions.get(name), count) for name, count in ranked]


def _executions(points: Sequence[Record]) -> dict[str, int]:
    counts = _counts(points, metrics.EXECUTIONS, by=semconv.SQLOBS_EXECUTION_STATUS)
    empty = _counts(points, metrics.EXECUTIONS, by=semconv.SQLOBS_RESULT_EMPTY)
    return {**counts, "empty": empty.get("true", 0)}


def _stages(generations: Sequence[Record], executions: Sequence[Record]) -> Iterator[Stage]:
    times = {
        name: [
            span["attributes"][attribute] for span in generations if attribute in span["attributes"]
        ]
        for name, attribute in _STAGES
    }
    times["execution"] = [
        (span["end_unix_nano"] - span["start_unix_nano"]) / 1e9 for span in executions
    ]
    for name, seconds in times.items():
        if seconds:
            half, most = (_quantile(sorted(seconds), share) for share in (0.5, 0.95))
            yield Stage(name, len(seconds), half, most, max(seconds))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that at least that share of the values do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _overhead(points: Iterable[Record]) -> Overhead | None:
    histograms = [point for point in points if point["name"] == metrics.OVERHEAD_DURATION.name]
    if not histograms:
        return None
    bounds = histograms[0]["bounds"]
    counts = [
        sum(counts) for counts in zip(*(point["counts"] for point in histograms), strict=True)
    ]
    return Overhead(_estimate(bounds, counts, 0.5), _estimate(bounds, counts, 0.95))


def _estimate(bounds: Sequence[float], counts: Sequence[int], share: float) -> float:
    """Estimate a quantile from a histogram as Prometheus does.

    Values are taken as spread evenly within their bucket; in the last one, which has no upper
    bound, the last bound is returned.
    """
    rank = share * sum(counts)
    before = 0
    for place, count in enumerate(counts[:-1]):
        if before + count >= rank and count:
            low = bounds[place - 1] if place else 0.0
            return low + (bounds[place] - low) * (rank - before) / count
        before += count
    return bounds[-1]
