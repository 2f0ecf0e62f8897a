"""`sqlobs rules generate`, from the shell's side."""

from __future__ import annotations

import builtins

from sqlobs.cli import main
from sqlobs.monitoring.files import RULE_TESTS, RULES, SLOW_RULE_TESTS

DASHBOARDS = [
    f"sqlobs-{name}.dashboard.json"
    for name in (
        *("overview", "quality", "latency-cost", "correctness", "feedback-coverage"),
        "collector",
    )
]


def test_the_files_are_written_and_named(tmp_path, capsys):
    """A directory that is not there is made; each file is named on a line."""
    out = tmp_path / "new" / "monitoring"
    assert main(["rules", "generate", "--output", str(out)]) == 0
    names = [RULES, RULE_TESTS, SLOW_RULE_TESTS, *DASHBOARDS]
    assert capsys.readouterr().out.splitlines() == [str(out / name) for name in names]
    assert sorted(path.name for path in out.iterdir()) == sorted(names)


def test_the_objective_reaches_rules_and_dashboards(tmp_path):
    """As the objective of each workflow that has none of its own."""
    assert main(["rules", "generate", "--output", str(tmp_path), "--objective", "0.05"]) == 0
    assert "+ 0.05" in (tmp_path / RULES).read_text()
    assert "objective 0.05" in (tmp_path / DASHBOARDS[0]).read_text()


def test_a_share_in_percent_is_one_sentence(tmp_path, capsys):
    """The usual mistake, and what to write instead."""
    assert main(["rules", "generate", "--output", str(tmp_path), "--objective", "2"]) == 2
    assert capsys.readouterr().err == (
        "sqlobs rules: --objective: schema_hallucination: input should be less than or equal to 0.5;"
        " write 2 % as 0.02\n"
    )


def test_an_unwritable_path_gives_one_error_sentence(tmp_path, capsys):
    """A file stands where the directory should be."""
    (tmp_path / "file").write_text("")
    assert main(["rules", "generate", "--output", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"sqlobs rules: {tmp_path / 'file'}: file exists\n"


def test_without_the_extra_the_sentence_names_it(tmp_path, capsys, monkeypatch):
    """The foundation SDK is not part of a bare installation."""
    known = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith(("grafana_foundation_sdk", "sqlobs.monitoring.dashboards")):
            raise ImportError(name)
        return known(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert main(["rules", "generate", "--output", str(tmp_path)]) == 2
    assert 'pip install "sqlobs[monitoring]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
