"""One entry of the registry reaches every surface: gauges, gates, JSON, page, terminal, workbook."""

from __future__ import annotations

import openpyxl
import pytest

from sqlobs.execution.target import Target
from sqlobs.metrics.shared_rows import row_overlap
from sqlobs.reporting.console import figures_block
from sqlobs.reporting.filters import parse_filter
from sqlobs.reporting.gates import check_gates, parse_gate
from sqlobs.reporting.json_report import report_document
from sqlobs.reporting.page.document import html_document
from sqlobs.reporting.workbook.document import write_workbook
from sqlobs.runs.case import CaseResult
from sqlobs.runs.run import Run
from sqlobs.scores.registry import CASE_SCORES, ONLINE_SCORES, SCORES, SHOWN_SCORES
from sqlobs.types import ResultTable
from sqlobs_collector.disclosure import disclosed
from tests.collector.test_evaluation import Evaluation
from tests.collector.test_quality import shown

OWN = dict(CASE_SCORES)
"""Without the techniques and metrics that other tests register."""


def run_with(name: str) -> Run:
    """Return a run whose two cases have a score's best value and 0: half of it on average."""
    values = (SCORES[name].best, 0.0)
    return Run(
        name="r",
        cases=tuple(
            CaseResult(index=index, reference_sql="SELECT 1", scores={name: value})
            for index, value in enumerate(values)
        ),
    )


@pytest.mark.parametrize("name", CASE_SCORES)
def test_a_score_of_a_case_is_on_every_surface_of_a_report(name):
    """Gate, filter, JSON, terminal and page know it by its name or its title."""
    score, run = SCORES[name], run_with(name)
    [verdict] = check_gates(run, [parse_gate(f"{score.figure}<{score.best}")])
    assert (verdict.value, verdict.is_failed) == (score.best / 2, True)
    assert parse_filter(f"{name} > 0")[0].holds(run.cases[0])
    assert report_document(run)["figures"][score.figure]["value"] == score.best / 2
    assert score.title in figures_block(run)
    assert score.title in html_document(run)


def test_every_column_of_the_registry_is_in_the_workbook(tmp_path):
    """Under its title, with its description below."""
    run = Run(name="r", cases=tuple(run_with(name).cases[0] for name in OWN))
    write_workbook(run, tmp_path / "r.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "r.xlsx")["Details"]
    heads = {(sheet.cell(2, at).value, sheet.cell(3, at).value) for at in range(1, 40)}
    columns = {(score.title, score.column) for score in OWN.values() if score.column}
    assert columns <= heads


def test_every_online_score_has_the_gauges_that_the_registry_names(tmp_path, shop, executor):
    """Two of three rows are right: the score is not 1, so that it fails and has a mean."""
    target = Target.from_url("shop", f"sqlite:///{shop}")
    station = Evaluation(tmp_path, targets=[target], executor=executor)
    station.evaluate("SELECT id FROM orders WHERE id < 3", "SELECT id FROM orders WHERE id < 4")
    found = {(gauge, of) for gauge, of, window, _ in shown(station) if window == "1h"}
    rates = {("pass_rate", name) for name in ONLINE_SCORES}
    graded = {("score", name) for name, score in ONLINE_SCORES.items() if len(score.gauges) > 1}
    assert rates | graded <= found
    assert {of for gauge, of in found if gauge == "score"} == {name for _, name in graded}
    assert station.scores()["row_overlap"] == ("fail", pytest.approx(2 / 3), None)
    station.close()


@pytest.mark.parametrize("name", SHOWN_SCORES)
def test_the_collector_rounds_every_graded_score_that_it_shows(name):
    """An exact fraction of rows would tell how many rows there are."""
    score = SCORES[name]
    exact = score.best / 3
    assert disclosed(name, exact) == (
        pytest.approx(score.best * 0.33) if score.is_graded else exact
    )


def test_names_and_figures_are_unique():
    """A gate means one score."""
    assert len({score.figure for score in SCORES.values()}) == len(SCORES)
    assert len({score.title for score in SCORES.values()}) == len(SCORES)


@pytest.mark.parametrize(
    ("reference", "predicted", "share"),
    [
        ([(1,), (2,), (3,)], [(1,), (2,)], 2 / 3),
        ([(1,), (1,), (2,)], [(1,), (2,), (2,)], 2 / 4),
        ([(1,)], [(2,)], 0.0),
        ([(1, 2)], [(1,)], 0.0),
        ([(0.1 + 0.2,)], [(0.3,)], 1.0),
        ([], [], 1.0),
        ([], [(1,)], 0.0),
    ],
)
def test_row_overlap_is_rows_in_both_over_rows_in_either(reference, predicted, share):
    """As bags, with the cells of `ex`."""
    tables = [
        ResultTable(tuple("abc"[: len(rows[0]) if rows else 1]), tuple(rows))
        for rows in (reference, predicted)
    ]
    assert row_overlap(*tables) == pytest.approx(share)


def test_row_overlap_of_large_tables_is_that_of_small_ones():
    """Large tables are compared by hashes: 6,000 rows, a third of which differ or come twice."""
    rows = [(number % 5_000, f"name {number % 7}", number / 8) for number in range(6_000)]
    other = [(*row[:2], row[2] + (position % 3 == 0)) for position, row in enumerate(rows)]
    columns = ("a", "b", "c")
    large = [ResultTable.of(columns, held) for held in (rows, [*other, *other[:500]])]
    small = [ResultTable(columns, tuple(table.rows)) for table in large]
    assert large[0].arrow is not None
    assert row_overlap(*large) == pytest.approx(row_overlap(*small))
    assert 0 < row_overlap(*large) < 1
