"""The command line: `sqlobs COMMAND`, one module per command.

A command's module offers `register(subparsers)`, which adds its options, and `run(args) -> int`,
its exit code: 0 = passed, 1 = findings or a gate failed, 2 = usage error or invalid input.

Tests: `tests/cli/test_main.py`.
Tests of check: `tests/cli/test_check_command.py`.
Tests of golden_set: `tests/collector/test_golden.py`.
Tests of review: `tests/collector/test_review.py`.
Tests of collected, golden: `tests/cli/test_collected_cases.py`.
Tests of diagnostics, doctor: `tests/cli/test_doctor_command.py`.
Tests of inputs: `tests/cli/test_empty_input.py`.
Tests of evaluate: `tests/cli/test_evaluate_command.py`.
Tests of production: `tests/cli/test_production_report.py`.
Tests of reading, report, reports, runs: `tests/cli/test_report_command.py`.
Tests of rules: `tests/cli/test_rules_command.py`.
Tests of schema: `tests/cli/test_schema_command.py`.
Tests of targets: `tests/cli/test_several_databases.py`.
Tests of judge_sample: `tests/judge/test_sample.py`.
Tests of own_metrics: `tests/evaluation/test_own_metric.py`.
Tests of model_options, surroundings: `tests/evaluation/test_models.py`.
Tests of asking: `tests/cli/test_wrong_server.py`.
Tests of admin: `tests/collector/test_admin_access.py`.
Tests of candidates: `tests/collector/test_references.py`.
Tests of explain: `tests/collector/test_explain.py`.
Tests of why: `tests/collector/test_why_command.py`.
Tests of demo: `tests/demo/test_demo_command.py`.
Tests of generate, secret: `tests/evaluation/test_generation.py`.
Tests of judge_options, unjudged: `tests/evaluation/test_judging.py`.
Tests of progress: `tests/evaluation/test_session.py`.
Tests of judge_agreement, judge_bench, judge_study: `tests/judge/test_agreement.py`.
Tests of judge, judge_calibrate, judge_canaries, judge_endpoint: `tests/judge/test_calibration.py`.
Tests of judge_label, judge_tune: `tests/judge/test_calibration.py`.
Tests of compared, requests: `tests/collector/test_requests_command.py`.
Tests of watch: `tests/monitoring/test_watching.py`.
Tests of console: `tests/console/test_console_command.py`.
Tests of settings: `tests/console/test_settings.py`.
Tests of inspect: `tests/reporting/test_filters.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs._version import __version__
from sqlobs.cli import (
    check,
    console,
    demo,
    doctor,
    evaluate,
    explain,
    generate,
    golden,
    inspect,
    judge,
    report,
    requests,
    review,
    rules,
    schema,
    settings,
    watch,
    why,
)
from sqlobs.command_line import Parser, run_command

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMANDS: Final = (
    check,
    console,
    demo,
    doctor,
    evaluate,
    explain,
    generate,
    golden,
    inspect,
    judge,
    report,
    requests,
    review,
    rules,
    schema,
    settings,
    watch,
    why,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error is one sentence on stderr."""
    return run_command("sqlobs", _parser, arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="sqlobs", description="Tracing and observability for production text-to-SQL."
    )
    parser.add_argument("--version", action="version", version=f"sqlobs {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.register(subparsers)
    return parser
