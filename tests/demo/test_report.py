"""What the demo prints around its figures."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from sqlobs.demo.collected import Collected, Score
from sqlobs.demo.rendering import COLORED, WIDTH, render_collected
from sqlobs.demo.report import Report, telling_span, wrong_answer
from sqlobs.demo.session import Performance, Plan
from sqlobs.demo.shop import build_shop
from sqlobs.demo.summary import Rate, summarize

SPAN = {
    "name": "invoke_workflow answer",
    "kind": "internal",
    "trace_id": "a" * 32,
    "span_id": "b" * 16,
    "start_unix_nano": 0,
    "end_unix_nano": 5_000_000,
    "status": "unset",
    "scope": "sqlobs",
    "attributes": {"sqlobs.verdict": "ok"},
}


def _span(**attributes):
    named = {f"sqlobs.{name.replace('_', '.')}": value for name, value in attributes.items()}
    return {**SPAN, "attributes": named}


@pytest.fixture
def directory(tmp_path):
    """Hold the shop, one span and nothing else, as after a run of one request."""
    build_shop(tmp_path / "shop.db")
    (tmp_path / "spans.jsonl").write_text(json.dumps(SPAN) + "\n")
    for name in ("metrics", "units"):
        (tmp_path / f"{name}.jsonl").write_text("")
    return tmp_path


def test_recorded_generations_are_called_so_before_anything_else(tmp_path):
    """Nobody shall take the demo's figures for those of a model."""
    assert Report(Plan(tmp_path, 142)).opening() == (
        "sqlobs demo\n"
        "  The generations are RECORDED: no model is called. A local server that speaks the OpenAI protocol\n"
        "  plays answers to 142 questions, written for this demo, failures included. Everything else is\n"
        "  real: service and openai client, checks, executions on SQLite, and the telemetry, from which alone\n"
        "  the figures below are computed.\n"
    )


def test_your_own_model_is_named_without_secrets(tmp_path):
    """With OPENAI_BASE_URL nothing is called recorded."""
    plan = Plan(tmp_path, 20, base_url="http://me:secret@127.0.0.1:11434/v1")
    assert Report(plan).opening() == (
        "sqlobs demo\n"
        "  20 questions go to your own model at http://127.0.0.1:11434 (OPENAI_BASE_URL); progress is in\n"
        f"  {tmp_path}/service.log. The figures below are computed from the received telemetry alone.\n"
    )


def test_after_the_figures_the_summary_shows_a_span_the_files_and_three_commands(directory):
    """The whole ending, and nothing of the figures is wider than a terminal."""
    performance = Performance(Plan(directory, 1), summarize(directory), ())
    shown = Report(performance.plan).closing(performance)
    figures, ending = shown.split("One request, as your backend receives it\n")
    assert max(len(line) for line in figures.splitlines()) <= WIDTH
    assert ending == (
        "  invoke_workflow answer   internal, 5.0 ms\n"
        f"  trace {'a' * 32}   span {'b' * 16}   status unset\n"
        "  sqlobs.verdict  ok\n"
        "\n"
        "Output files\n"
        f"  {directory}/\n"
        "    spans.jsonl        one line per received span\n"
        "    metrics.jsonl      one line per received data point\n"
        "    summary.json       the figures above\n"
        "    shop.db, shop.sql  the database and its schema\n"
        "    service.log        output of the service\n"
        "    units.jsonl        units that a collector would receive: question and raw SQL, one line per request\n"
        f"    ({re.search(r'[0-9,]+ rows', ending)[0]} in the shop)\n"
        "\n"
        "Next\n"
        "  check your own statement against the shop's schema:\n"
        f'    sqlobs check "SELECT name, price FROM products" --schema {directory}/shop.sql --dialect sqlite\n'
        "  see dashboards and alerts: set up examples/observability/README.md, then run\n"
        "    sqlobs demo --forward http://127.0.0.1:4318\n"
        "  use your own model (any server with an OpenAI-compatible API):\n"
        "    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 sqlobs demo --requests 20"
    )


def test_what_went_wrong_is_said_in_a_sentence(directory):
    """Missing telemetry and a rejecting backend are reported, each once."""
    plan = Plan(directory, 2, forward="http://127.0.0.1:9")
    performance = Performance(plan, summarize(directory), ("/v1/traces: refused", "again"))
    assert list(Report(plan).complaints(performance)) == [
        "http://127.0.0.1:9 did not take 2 of the copies; the first: /v1/traces: refused",
        (
            "Telemetry is incomplete: 2 requests were made, 0 counted, 1 spans and 0 units received;"
            f" see {directory}/service.log."
        ),
    ]


def test_the_span_that_shows_most_is_shown():
    """An invented name that can be repaired, else one with a suggestion, else a failure."""
    plain, failed = _span(verdict="ok"), _span(failure_code="syntax.no_sql")
    suggested = _span(failure_code="schema.unknown_column", suggestions=["a -> b"])
    repairable = _span(
        failure_code="schema.unknown_column", suggestions=["a -> b"], repairable=True
    )
    spans = [plain, failed, suggested, repairable]
    assert [telling_span(spans[:count]) for count in range(5)] == [
        None,
        plain,
        failed,
        suggested,
        repairable,
    ]


def test_headings_are_colored_on_a_terminal(tmp_path):
    """Escape sequences stand around headings and nowhere else."""
    colored = Report(Plan(tmp_path, 1), palette=COLORED).opening()
    heading, _, rest = colored.partition("\n")
    assert heading == f"{COLORED.heading}sqlobs demo{COLORED.end}"
    assert "\x1b" not in rest


COLLECTED = Collected(
    requests=142,
    units=142,
    states={"done": 141, "refused": 1},
    pass_rates={"execution": Rate(115, 130), "ex": Rate(51, 66), "flex": Rate(52, 66)},
    scores={"f1": Score(0.8125, 66)},
    judge_calls=66,
    judge_tokens=12345,
    judge_cost_usd=0.0123,
    schema_hallucination_rate=Rate(10, 129),
    first_attempt_pass_rate=Rate(93, 131),
)


def test_what_the_collector_found_is_told_with_denominators_and_intervals():
    """Rates, a mean score, what became of units, what judging cost, and the dashboard's row."""
    assert render_collected(COLLECTED) == snapshot("""\
Results of the collector: SQL executed on the shop, compared, judged
                                           passed   of    rate  95 % interval
  accepted by the engine (execution)          115  130  88.5 %  81.8 - 92.9 %
  returns the reference's rows (EX)            51   66  77.3 %  65.8 - 85.7 %
  judged correct, with a reference (flex)      52   66  78.8 %  67.5 - 86.9 %
  mean F1 of cells                                  66   0.812  70.2 - 88.8 %
  units: done 141   refused 1
  judge: RECORDED replies, 66 calls, 12,345 tokens, 0.012 USD at a small hosted model's price

First row of the dashboard
  requests  schema hallucination  first-attempt pass rate  EX      judged correct
  142       7.8 %                 71.0 %                   77.3 %  78.8 %\
""")


def test_a_run_without_a_judge_does_not_mention_one():
    """A model of one's own gives SQL that no recorded judgment is about."""
    found = replace(COLLECTED, pass_rates={"ex": Rate(1, 2)}, judge_calls=0)
    text = render_collected(found)
    assert "judge:" not in text
    assert text.splitlines()[-1].split() == ["142", "7.8", "%", "71.0", "%", "50.0", "%", "-"]


def test_what_is_asked_of_the_collector_again_is_an_answer_that_is_wrong():
    """The trace of an answer that ran and did not give the reference's rows."""

    def evaluation(trace_id, name, label):
        return {
            "attributes": {
                "sqlobs.evaluated.trace_id": trace_id,
                "gen_ai.evaluation.name": name,
                "gen_ai.evaluation.score.label": label,
            }
        }

    spans = [
        SPAN,
        evaluation("a", "execution", "fail"),
        evaluation("a", "ex", "fail"),
        evaluation("b", "execution", "pass"),
        evaluation("b", "ex", "pass"),
        evaluation("c", "execution", "pass"),
        evaluation("c", "ex", "fail"),
    ]
    assert wrong_answer(spans) == "c"
    assert wrong_answer(spans[:5]) is None


def test_without_the_collector_extra_the_demo_names_what_it_adds(directory):
    """One line, with what to install."""
    performance = Performance(Plan(directory, 1, lacks_collector=True), summarize(directory), ())
    assert 'pip install "sqlobs[collector]"' in Report(performance.plan).closing(performance)
