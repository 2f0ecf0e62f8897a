"""Input that is there and holds nothing."""

from __future__ import annotations

import pytest

from sqlobs.cli import main


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("report --leaderboard scores.jsonl", "sqlobs report: scores.jsonl: no system found"),
        (
            "schema pull duckdb:///shop.duckdb --namespace nope",
            "sqlobs schema: --namespace nope contains no tables",
        ),
        (
            "demo --forward 127.0.0.1:4318",
            "sqlobs demo: --forward 127.0.0.1:4318: the URL must start with http:// or https://",
        ),
        (
            "demo --model qwen2.5-coder",
            "sqlobs demo: --model qwen2.5-coder: set OPENAI_BASE_URL to the server that provides it",
        ),
    ],
)
def test_what_would_come_to_nothing_is_told(tmp_path, monkeypatch, capsys, command, said):
    """One sentence and exit code 2; an empty answer would look like a good one."""
    import duckdb

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "scores.jsonl").touch()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INT)")
    assert main(command.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(said)
    assert len(shown.err.splitlines()) == 1
