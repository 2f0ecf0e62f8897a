"""`sqlobs report`, from the shell's side."""

from __future__ import annotations

import json

import openpyxl
import pytest

from sqlobs.cli import main
from tests.reporting.samples import small_run


@pytest.fixture
def directory(tmp_path):
    """Return the directory of an evaluated run."""
    path = tmp_path / "run_20260301_120000"
    small_run().write(path)
    return path


def test_figures_are_printed_and_files_written(directory, tmp_path, capsys):
    """The pipeline's block, every figure, and the files that were asked for."""
    html, xlsx, junit = (tmp_path / f"r.{kind}" for kind in ("html", "xlsx", "xml"))
    files = ["--html", str(html), "--xlsx", str(xlsx), "--junit", str(junit)]
    assert main(["report", str(directory), *files]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "=== EVAL SUMMARY ==="
    line = next(line for line in shown if line.startswith("Grounded in the schema"))
    assert line.split()[4:] == ["85.7", "%", "48.7\u201397.4", "6", "of", "7"]
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert openpyxl.load_workbook(xlsx).sheetnames[:2] == ["Summary", "Details"]
    assert junit.read_text(encoding="utf-8").count("<testcase") == 9


def test_a_crossed_gate_is_exit_code_1(directory, capsys):
    """Each gate is told about; one that fails is enough."""
    gates = ["--fail-on", "schematic<0.98", "--fail-on", "timeout>5"]
    assert main(["report", str(directory), *gates]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "schematic<0.98: failed, schematic is 0.8571",
        "timeout>5: passed, timeout is 1",
    ]
    assert main(["report", str(directory), "--fail-on", "timeout>5"]) == 0


def test_json_holds_every_figure_with_its_denominator(directory, capsys):
    """Fractions, never percent; slices, codes, diagnosis and gates beside the pipeline's keys."""
    assert main(["report", str(directory), "--json", "--fail-on", "esm<0.9"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["esm"] == {"pass": 2, "rate": 22.2, "attempted": 8, "rate_attempted": 25.0}
    assert document["figures"]["schematic"]["passed"] == 6
    assert document["figures"]["schematic"]["interval"] == pytest.approx([0.4869, 0.9743], abs=1e-4)
    assert document["failure_codes"] == {"result.mismatch": 1, "schema.unknown_column": 1}
    assert document["invented_names"] == [{"name": "category", "suggestion": "genre", "cases": 1}]
    assert list(document["slices"]["difficulty"]) == ["simple", "moderate", "challenging"]
    assert document["gates"] == [{"gate": "esm<0.9", "value": 2 / 9, "failed": True}]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{run}/nowhere"], "nowhere: no such directory"),
        (["{run}", "--fail-on", "esm"], "'esm' is no gate"),
        (["{run}", "--html", "{run}"], "is a directory"),
        (["{run}", "--xlsx", "{run}/no/where.xlsx"], "no such file or directory"),
        (["{run}", "--junit", "{run}/no/where.xml"], "no such file or directory"),
    ],
)
def test_a_mistake_is_one_sentence(directory, arguments, sentence, capsys):
    """Exit code 2, nothing on standard output, no traceback."""
    assert main(["report", *(text.format(run=directory) for text in arguments)]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)
