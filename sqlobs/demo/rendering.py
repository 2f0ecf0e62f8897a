"""The demo's summary as text of at most 100 columns, in color where asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlobs.demo.collected import Collected, Score
    from sqlobs.demo.summary import Rate, Stage, Summary

    Record = Mapping[str, Any]

WIDTH: Final = 100
_TOP: Final = 8
"""How many lines a ranking shows."""
_RATE_NAMES: Final = {
    "syntactic": "not valid SQL (syntactic)",
    "schematic": "not grounded (schematic)",
    "schema_hallucination": "invented or misplaced names (schema hallucination)",
    "execution": "accepted by the engine (execution)",
    "ex": "returns the reference's rows (EX)",
    "flex": "judged correct, with a reference (flex)",
    "flex_noref": "judged correct, without a reference (flex_noref)",
}
_SCORE_NAMES: Final = {"f1": "mean F1 of cells"}
_OUTCOMES: Final = ("answered", "abstained", "clarified", "cancelled", "error")
_LABELS: Final = ("pass", "fail", "not_evaluated")


@dataclass(frozen=True, slots=True)
class Palette:
    """Escape sequences around a heading and around a number to look at; empty without color."""

    heading: str = ""
    alarm: str = ""
    end: str = ""


PLAIN: Final = Palette()
COLORED: Final = Palette(heading="\x1b[1;36m", alarm="\x1b[31m", end="\x1b[0m")


def render_summary(summary: Summary, *, palette: Palette = PLAIN) -> str:
    """Return the tables of the summary, one paragraph per question a reader has."""
    paragraphs = (
        ("Requests", _requests(summary)),
        ("Failure rates, out of the evaluated requests", _rates(summary, palette)),
        ("Why requests failed (primary code)", _failures(summary)),
        ("Names that are not in the schema", _inventions(summary)),
        ("Attempts", _attempts(summary)),
        ("Static verdict and the engine's verdict, executed statements", _matrix(summary)),
        ("Latency by stage, milliseconds", _latency(summary)),
    )
    return "\n\n".join(
        f"{palette.heading}{heading}{palette.end}\n{indent(lines)}" for heading, lines in paragraphs
    )


def render_collected(found: Collected, *, palette: Palette = PLAIN) -> str:
    """Return what the collector found, and what the dashboard's first row shows of it."""
    paragraphs = (
        ("Results of the collector: SQL executed on the shop, compared, judged", _quality(found)),
        ("First row of the dashboard", _first_row(found)),
    )
    return "\n\n".join(
        f"{palette.heading}{heading}{palette.end}\n{indent(lines)}" for heading, lines in paragraphs
    )


def render_span(span: Record, *, palette: Palette = PLAIN) -> str:
    """Return one span with all its attributes; long values are folded."""
    took_ms = (span["end_unix_nano"] - span["start_unix_nano"]) / 1e6
    lines = [
        f"{palette.heading}{span['name']}{palette.end}   {span['kind']}, {took_ms:.1f} ms",
        f"trace {span['trace_id']}   span {span['span_id']}   status {span['status']}",
    ]
    names = sorted(span["attributes"])
    width = max(len(name) for name in names)
    for name in names:
        lines.extend(_folded(name.ljust(width), _shown(span["attributes"][name])))
    return indent(lines)


def columns(rows: Iterable[Sequence[str]], *, align: str) -> list[str]:
    """Return rows as aligned lines; `align` holds `<` or `>` per column."""
    cells = [tuple(row) for row in rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(align))]
    return [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def indent(lines: Iterable[str]) -> str:
    """Return lines as a block that stands two columns in."""
    return "\n".join(f"  {line}".rstrip() for line in lines)


def _requests(summary: Summary) -> list[str]:
    received = summary.received
    outcomes = "   ".join(f"{word} {summary.outcomes.get(word, 0)}" for word in _OUTCOMES)
    tokens = "   ".join(f"{kind} {count:,}" for kind, count in sorted(summary.tokens.items()))
    return [
        *columns(
            (
                ("counted", f"{summary.requests}   {outcomes}"),
                (
                    "received",
                    (
                        f"{received.generations} request spans of {received.spans} spans,"
                        f" {received.units} units, {received.metric_series} metric series"
                    ),
                ),
                ("tokens", tokens or "unknown"),
            ),
            align="<<",
        ),
    ]


def _rates(summary: Summary, palette: Palette) -> list[str]:
    rows = [("", "failed", "of", "rate", "95 % interval")]
    rows += [
        (_RATE_NAMES[name], str(rate.hits), str(rate.of), _percent(rate.value), _interval(rate))
        for name, rate in summary.failure_rates.items()
    ]
    lines = columns(rows, align="<>>>>")
    lines[-1] = f"{palette.alarm}{lines[-1]}{palette.end}"
    return lines


def _failures(summary: Summary) -> list[str]:
    if not summary.failures:
        return ["none"]
    top = max(count for _, count in summary.failures)
    return columns(
        (
            (code, str(count), "▇" * max(1, round(20 * count / top)))
            for code, count in summary.failures[:_TOP]
        ),
        align="<><",
    )


def _inventions(summary: Summary) -> list[str]:
    if not summary.inventions:
        return ["none"]
    rows = [("name", "requests", "nearest name in the schema")]
    rows += [
        (invention.name, str(invention.requests), invention.suggestion or "-")
        for invention in summary.inventions[:_TOP]
    ]
    rest = len(summary.inventions) - _TOP
    return [*columns(rows, align="<><"), *([f"and {rest} more"] if rest > 0 else [])]


def _attempts(summary: Summary) -> list[str]:
    verdicts = ("ok", "suspect", "failed", "not_evaluated")
    rows: list[tuple[str, ...]] = [("attempt", *verdicts)]
    rows += [
        (number, *(str(counts.get(verdict, 0)) for verdict in verdicts))
        for number, counts in sorted(summary.attempts.items())
    ]
    first = summary.first_attempt_pass_rate
    return [
        (
            f"first-attempt pass rate {first.hits} of {first.of}: {_percent(first.value)}"
            f"   (95 % interval {_interval(first)})"
        ),
        *columns(rows, align="<>>>>"),
    ]


def _matrix(summary: Summary) -> list[str]:
    if not any(summary.executions.values()):
        return ["none"]
    rows: list[tuple[str, ...]] = [("", *(f"engine {label}" for label in _LABELS))]
    rows += [
        (
            f"static {static}",
            *(str(summary.comparisons.get(static, {}).get(label, 0)) for label in _LABELS),
        )
        for static in _LABELS
    ]
    words = "   ".join(
        f"{word} {summary.executions.get(word, 0)}" for word in ("ok", "error", "timeout", "empty")
    )
    return [*columns(rows, align="<>>>"), f"executions: {words}"]


def _latency(summary: Summary) -> list[str]:
    rows: list[tuple[str, ...]] = [("stage", "requests", "p50", "p95", "max")]
    rows += [_latency_row(stage) for stage in summary.stages]
    lines = columns(rows, align="<>>>>")
    if summary.overhead is not None:
        half, most = summary.overhead.p50_s * 1000, summary.overhead.p95_s * 1000
        lines.append(
            "sqlobs on the request's own thread, estimated from its histogram:"
            f" p50 {half:.1f}, p95 {most:.1f}"
        )
    return lines


def _quality(found: Collected) -> list[str]:
    rows: list[tuple[str, ...]] = [("", "passed", "of", "rate", "95 % interval")]
    rows += [
        (_RATE_NAMES[name], str(rate.hits), str(rate.of), _percent(rate.value), _interval(rate))
        for name, rate in found.pass_rates.items()
    ]
    rows += [
        (_SCORE_NAMES[name], "", str(score.of), f"{score.mean:.3f}", _interval(score))
        for name, score in found.scores.items()
    ]
    states = "   ".join(f"{state} {count}" for state, count in found.states.items())
    lines = [*columns(rows, align="<>>>>"), f"units: {states}"]
    if found.judge_calls:
        lines.append(
            f"judge: RECORDED replies, {found.judge_calls} calls, {found.judge_tokens:,} tokens,"
            f" {found.judge_cost_usd:.3f} USD at a small hosted model's price"
        )
    return lines


def _first_row(found: Collected) -> list[str]:
    judged = [rate for name, rate in found.pass_rates.items() if name.startswith("flex")]
    correct = (sum(rate.hits for rate in judged), sum(rate.of for rate in judged))
    cells = {
        "requests": str(found.requests),
        "schema hallucination": _percent(found.schema_hallucination_rate.value),
        "first-attempt pass rate": _percent(found.first_attempt_pass_rate.value),
        "EX": _percent(found.pass_rates["ex"].value if "ex" in found.pass_rates else None),
        "judged correct": _percent(correct[0] / correct[1] if correct[1] else None),
    }
    return columns((tuple(cells), tuple(cells.values())), align="<<<<<")


def _latency_row(stage: Stage) -> tuple[str, ...]:
    times = (f"{seconds * 1000:.1f}" for seconds in (stage.p50_s, stage.p95_s, stage.max_s))
    return (stage.name, str(stage.requests), *times)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f} %"


def _interval(rate: Rate | Score) -> str:
    interval = rate.interval
    return f"{interval.low * 100:.1f} - {interval.high * 100:.1f} %"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)


def _folded(name: str, value: str) -> list[str]:
    """Return `name  value` in lines that fit the width, cut between words where there are any."""
    room = WIDTH - 2 - len(name) - 2
    pieces: list[str] = []
    for line in value.splitlines() or [""]:
        rest = line
        while len(rest) > room:
            cut = rest.rfind(" ", room // 2, room + 1)
            cut = room if cut < 0 else cut
            pieces.append(rest[:cut])
            rest = rest[cut:].lstrip()
        pieces.append(rest)
    margin = " " * len(name)
    return [f"{name if place == 0 else margin}  {piece}" for place, piece in enumerate(pieces)]
