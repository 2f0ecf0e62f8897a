"""Reports about runs: terminal, HTML page, workbook, JUnit, JSON, comparisons, gates, rankings.

`Run.read` opens a run directory with its `CaseResult`s; `run_of_units` makes a run of production
requests that a collector exported. Writers take a run and a path; `check_gates` decides in CI.

Tests: `tests/reporting/test_figures.py`.
Tests of comparison_text: `tests/reporting/test_comparison.py`.
Tests of inspection_text: `tests/reporting/test_console.py`.
Tests of json_report: `tests/reporting/test_expense.py`.
Tests of junit: `tests/reporting/test_gates.py`.
Tests of samples: `tests/evaluation/test_models.py`.
Tests of weights: `tests/reporting/test_page.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.reporting.comparison import (
        CommonFailures,
        Comparison,
        PairedLevel,
        PairedRuns,
        compare,
    )
    from sqlobs.reporting.comparison_text import comparison_block, comparison_document
    from sqlobs.reporting.console import console_block
    from sqlobs.reporting.gates import Gate, GateVerdict, check_comparison, check_gates, parse_gate
    from sqlobs.reporting.inspection_text import inspection, inspection_document
    from sqlobs.reporting.json_report import report_document
    from sqlobs.reporting.junit import junit_document, write_junit
    from sqlobs.reporting.leaderboard.contestants import contestants_of, read_scores
    from sqlobs.reporting.leaderboard.page import leaderboard_html, write_leaderboard_html
    from sqlobs.reporting.leaderboard.text import leaderboard_block, leaderboard_document
    from sqlobs.reporting.leaderboard.workbook import write_leaderboard_workbook
    from sqlobs.reporting.page.comparison import comparison_html, write_comparison_html
    from sqlobs.reporting.page.document import html_document, write_html
    from sqlobs.reporting.paired_figures import PairedFigure
    from sqlobs.reporting.production.run import run_of_units
    from sqlobs.reporting.production.unit import Unit
    from sqlobs.reporting.workbook.document import write_workbook
    from sqlobs.runs.case import CaseResult
    from sqlobs.runs.run import Run
    from sqlobs.runs.summary import RunSummary

__all__ = [
    "CaseResult",
    "CommonFailures",
    "Comparison",
    "Gate",
    "GateVerdict",
    "PairedFigure",
    "PairedLevel",
    "PairedRuns",
    "Run",
    "RunSummary",
    "Unit",
    "check_comparison",
    "check_gates",
    "compare",
    "comparison_block",
    "comparison_document",
    "comparison_html",
    "console_block",
    "contestants_of",
    "html_document",
    "inspection",
    "inspection_document",
    "junit_document",
    "leaderboard_block",
    "leaderboard_document",
    "leaderboard_html",
    "parse_gate",
    "read_scores",
    "report_document",
    "run_of_units",
    "write_comparison_html",
    "write_html",
    "write_junit",
    "write_leaderboard_html",
    "write_leaderboard_workbook",
    "write_workbook",
]

_HOMES = {
    "CaseResult": "sqlobs.runs.case",
    "CommonFailures": "sqlobs.reporting.comparison",
    "Comparison": "sqlobs.reporting.comparison",
    "Gate": "sqlobs.reporting.gates",
    "GateVerdict": "sqlobs.reporting.gates",
    "PairedFigure": "sqlobs.reporting.paired_figures",
    "PairedLevel": "sqlobs.reporting.comparison",
    "PairedRuns": "sqlobs.reporting.comparison",
    "Run": "sqlobs.runs.run",
    "RunSummary": "sqlobs.runs.summary",
    "Unit": "sqlobs.reporting.production.unit",
    "check_comparison": "sqlobs.reporting.gates",
    "check_gates": "sqlobs.reporting.gates",
    "compare": "sqlobs.reporting.comparison",
    "comparison_block": "sqlobs.reporting.comparison_text",
    "comparison_document": "sqlobs.reporting.comparison_text",
    "comparison_html": "sqlobs.reporting.page.comparison",
    "console_block": "sqlobs.reporting.console",
    "contestants_of": "sqlobs.reporting.leaderboard.contestants",
    "html_document": "sqlobs.reporting.page.document",
    "inspection": "sqlobs.reporting.inspection_text",
    "inspection_document": "sqlobs.reporting.inspection_text",
    "junit_document": "sqlobs.reporting.junit",
    "leaderboard_block": "sqlobs.reporting.leaderboard.text",
    "leaderboard_document": "sqlobs.reporting.leaderboard.text",
    "leaderboard_html": "sqlobs.reporting.leaderboard.page",
    "parse_gate": "sqlobs.reporting.gates",
    "read_scores": "sqlobs.reporting.leaderboard.contestants",
    "report_document": "sqlobs.reporting.json_report",
    "run_of_units": "sqlobs.reporting.production.run",
    "write_comparison_html": "sqlobs.reporting.page.comparison",
    "write_html": "sqlobs.reporting.page.document",
    "write_junit": "sqlobs.reporting.junit",
    "write_leaderboard_html": "sqlobs.reporting.leaderboard.page",
    "write_leaderboard_workbook": "sqlobs.reporting.leaderboard.workbook",
    "write_workbook": "sqlobs.reporting.workbook.document",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
