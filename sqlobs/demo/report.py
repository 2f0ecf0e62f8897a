"""What the demo prints: where the answers come from, the figures, one span, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlobs import semconv
from sqlobs.demo.collector import COLLECTOR_CONFIG, GOLDEN
from sqlobs.demo.rendering import (
    PLAIN,
    Palette,
    columns,
    indent,
    render_collected,
    render_span,
    render_summary,
)
from sqlobs.demo.session import DATABASE, SERVICE_LOG, SUMMARY_FILE
from sqlobs.demo.shop import table_counts
from sqlobs.demo.summary import is_generation, read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlobs.demo.session import Performance, Plan

    Record = Mapping[str, Any]

_RECORDED: Final = """\
The generations are RECORDED: no model is called. A local server that speaks the OpenAI protocol
plays answers to {requests} questions, written for this demo, failures included. Everything else is
real: service and openai client, checks, {executions}and the telemetry, from which alone
the figures below are computed."""
_EXECUTIONS: Final = "executions on SQLite, "
_TRANSLATED: Final = """
The answers were written for SQLite and are translated to {dialect}; a few functions that only
SQLite has stay."""
_COLLECTOR: Final = """\
A collector runs the SQL again, compares its rows with references, and asks a judge whose replies
are RECORDED, too."""
_NO_JUDGE: Final = "A collector runs the SQL again and compares its rows with references."
_OWN_MODEL: Final = """\
{requests} questions go to your own model at {host} (OPENAI_BASE_URL); progress is in
{log}. The figures below are computed from the received telemetry alone."""
_CHECKED: Final = "\nThere is no {dialect} database here: the SQL is checked, and not executed."
_NO_COLLECTOR: Final = (
    'Execution accuracy, F1 and the judge need the collector: pip install "sqlobs[collector]".'
)
_CHECK: Final = 'sqlobs check "SELECT name, price FROM products"'
_FILES: Final = (
    ("spans.jsonl", "one line per received span"),
    ("metrics.jsonl", "one line per received data point"),
    (SUMMARY_FILE, "the figures above"),
)
_DATABASE: Final = ("shop.db, shop.sql", "the database and its schema")
_SCHEMA: Final = ("shop.sql", "the schema")
_LOG: Final = (SERVICE_LOG, "output of the service")
_COLLECTOR_FILES: Final = (
    ("collector/, collector.yaml", "the collector's data (units with raw SQL) and settings"),
    (GOLDEN, "the references"),
)
_UNITS_FILE: Final = (
    (
        "units.jsonl",
        "units that a collector would receive: question and raw SQL, one line per request",
    ),
)


@dataclass(frozen=True, slots=True)
class Report:
    """The demo's words around its figures."""

    plan: Plan
    palette: Palette = PLAIN

    def opening(self) -> str:
        """Return the text before the run, which says whether generations are recorded."""
        plan = self.plan
        words = _RECORDED if plan.is_recorded else _OWN_MODEL
        log = plan.directory / SERVICE_LOG
        executions = _EXECUTIONS if plan.has_database else ""
        text = words.format(
            requests=plan.requests, host=plan.model_host, log=log, executions=executions
        )
        if not plan.has_database:
            text += ((_TRANSLATED if plan.is_recorded else "") + _CHECKED).format(
                dialect=plan.dialect
            )
        if plan.has_collector:
            text += "\n" + (_COLLECTOR if plan.is_recorded else _NO_JUDGE)
        return f"{self._heading('sqlobs demo')}\n{indent(text.splitlines())}\n"

    def closing(self, performance: Performance) -> str:
        """Return the figures, one span, where the files lie, and the next commands."""
        paragraphs = [render_summary(performance.summary, palette=self.palette)]
        if performance.collected is not None:
            paragraphs.append(render_collected(performance.collected, palette=self.palette))
        elif self.plan.lacks_collector:
            paragraphs.append(_NO_COLLECTOR)
        span = telling_span(read_records(self.plan.directory / "spans.jsonl"))
        if span is not None:
            shown = render_span(span, palette=self.palette)
            title = self._heading("One request, as your backend receives it")
            paragraphs.append(f"{title}\n{shown}")
        paragraphs.append(f"{self._heading('Output files')}\n{indent(self._files())}")
        paragraphs.append(f"{self._heading('Next')}\n{indent(self._next_commands())}")
        return "\n\n".join(paragraphs)

    def complaints(self, performance: Performance) -> Iterator[str]:
        """Yield a sentence for each thing that did not go as planned."""
        if performance.refusals:
            count, first = len(performance.refusals), performance.refusals[0]
            yield f"{self.plan.forward} did not take {count} of the copies; the first: {first}"
        if not performance.is_complete:
            received = performance.summary.received
            yield (
                f"Telemetry is incomplete: {self.plan.requests} requests were made,"
                f" {performance.summary.requests} counted, {received.generations} spans and"
                f" {received.units} units received; see {self.plan.directory / SERVICE_LOG}."
            )

    def _heading(self, words: str) -> str:
        return f"{self.palette.heading}{words}{self.palette.end}"

    def _files(self) -> list[str]:
        directory = self.plan.directory
        more = _COLLECTOR_FILES if self.plan.has_collector else _UNITS_FILE
        shop = _DATABASE if self.plan.has_database else _SCHEMA
        lines = columns((*_FILES, shop, _LOG, *more), align="<<")
        return [f"{directory}/", *(f"  {line}" for line in lines), *self._rows()]

    def _rows(self) -> Iterator[str]:
        if self.plan.has_database:
            rows = sum(count for _, count in table_counts(self.plan.directory / DATABASE))
            yield f"  ({rows:,} rows in the shop)"

    def _next_commands(self) -> list[str]:
        schema = self.plan.directory / "shop.sql"
        return [
            *(self._ask_collector() if self.plan.has_collector else ()),
            "check your own statement against the shop's schema:",
            f"  {_CHECK} --schema {schema} --dialect {self.plan.dialect}",
            "see dashboards and alerts: set up examples/observability/README.md, then run",
            "  sqlobs demo --forward http://127.0.0.1:4318",
            "use your own model (any server with an OpenAI-compatible API):",
            "  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 sqlobs demo --requests 20",
        ]

    def _ask_collector(self) -> list[str]:
        config = self.plan.directory / COLLECTOR_CONFIG
        wrong = wrong_answer(read_records(self.plan.directory / "spans.jsonl"))
        asked = [f"  sqlobs why {wrong}"] if wrong else []
        return [
            "restart the collector, open its console, show its rates, and inspect a wrong answer:",
            f"  sqlobs-collector serve --config {config}",
            "  sqlobs console",
            "  curl http://127.0.0.1:4319/metrics",
            *asked,
        ]


def wrong_answer(spans: Iterable[Record]) -> str | None:
    """Return the trace of an answer that runs but does not give the reference's rows, if any."""
    labels = {
        (span["attributes"].get(semconv.SQLOBS_EVALUATED_TRACE_ID), evaluation): label
        for span in spans
        if (evaluation := span["attributes"].get(semconv.GEN_AI_EVALUATION_NAME))
        and (label := span["attributes"].get(semconv.GEN_AI_EVALUATION_SCORE_LABEL))
    }
    wrong = (
        str(trace_id)
        for (trace_id, evaluation), label in labels.items()
        if evaluation == "ex" and label == "fail" and labels.get((trace_id, "execution")) == "pass"
    )
    return next(wrong, None)


def telling_span(spans: Iterable[Record]) -> Record | None:
    """Return the request that shows most: an invented name with a suggestion, else a failure."""
    generations = [span for span in spans if is_generation(span)]
    return min(generations, key=_dullness, default=None)


def _dullness(span: Record) -> tuple[bool, ...]:
    attributes = span["attributes"]
    return (
        not attributes.get(semconv.SQLOBS_REPAIRABLE, False),
        semconv.SQLOBS_SUGGESTIONS not in attributes,
        semconv.SQLOBS_FAILURE_CODE not in attributes,
    )
