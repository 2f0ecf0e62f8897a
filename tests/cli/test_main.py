from __future__ import annotations

import pytest

from sqlobs import __version__
from sqlobs.cli import main


def test_without_a_command_usage_is_shown_and_the_code_is_2(capsys):
    """Wrong usage is told on stderr, as argparse does."""
    with pytest.raises(SystemExit) as exit_:
        main([])
    assert exit_.value.code == 2
    assert capsys.readouterr().err.startswith("usage: sqlobs")


def test_the_version_is_the_packages(capsys):
    """`sqlobs --version`."""
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"sqlobs {__version__}\n"


def test_a_mistake_is_one_sentence_on_stderr_and_the_code_is_2(tmp_path, capsys):
    """No traceback: the command, and what is wrong."""
    (tmp_path / "file").write_text("")
    assert main(["demo", "--output", f"{tmp_path}/file/data", "--json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"sqlobs demo: Cannot write to {tmp_path}/file/data: Not a directory.\n"


def test_every_command_has_help_with_an_example(capsys):
    """`--help` shows how the command is typed."""
    with pytest.raises(SystemExit) as exit_:
        main(["demo", "--help"])
    assert exit_.value.code == 0
    assert "\n  sqlobs demo" in capsys.readouterr().out
