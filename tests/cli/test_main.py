from __future__ import annotations

import subprocess
import sys

import pytest

from sqlobs import __version__, cli
from sqlobs.cli import main


def test_wrong_usage_is_one_sentence_and_the_code_is_2(capsys):
    """What is wrong, and where help is; no page of usage."""
    commands = ", ".join(module.__name__.rpartition(".")[2] for module in cli._COMMANDS)
    assert main([]) == 2
    assert main(["chek"]) == 2
    assert main(["zzz"]) == 2
    assert main(["check", "SELECT 1", "--shema=x.sql"]) == 2
    assert main(["watch", "--window", "23h"]) == 2
    assert main(["judge", "callibrate"]) == 2
    assert main(["check"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "sqlobs: the following arguments are required: COMMAND; see sqlobs --help",
        "sqlobs: unknown command: chek. Did you mean check? See sqlobs --help.",
        f"sqlobs: unknown command: zzz. Choose from {commands}. See sqlobs --help.",
        "sqlobs: unknown option: --shema. Did you mean --schema? See sqlobs check --help.",
        "sqlobs: unknown value of --window: 23h. Did you mean 24h? See sqlobs watch --help.",
        "sqlobs: unknown command: callibrate. Did you mean calibrate? See sqlobs judge --help.",
        "sqlobs: the following arguments are required: SQL|FILE|-; see sqlobs check --help",
    ]


def test_the_version_is_the_packages(capsys):
    """`sqlobs --version`."""
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"sqlobs {__version__}\n"


def test_a_usage_error_is_one_sentence_on_stderr_with_exit_code_2(tmp_path, capsys):
    """No traceback: the command, and what is wrong."""
    (tmp_path / "file").write_text("")
    assert main(["demo", "--output", f"{tmp_path}/file/data", "--json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"sqlobs demo: Cannot write to {tmp_path}/file/data: Not a directory.\n"


@pytest.mark.parametrize("command", ["check", "demo", "schema", "why"])
def test_every_command_has_help_with_an_example(command, capsys):
    """`--help` shows how the command is typed."""
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"])
    assert exit_.value.code == 0
    assert f"\n  sqlobs {command}" in capsys.readouterr().out


def test_help_of_a_command_loads_no_parser():
    """Help is shown at once: sqlglot, pydantic and OpenTelemetry stay out."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"  # a coverage run has loaded modules of its own
        "from sqlobs.cli import main\n"
        "try:\n    main(['check', '--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'sqlglot', 'opentelemetry', 'pydantic', 'sqlite3', 'httpx', 'openai'}\n"
        "print(sorted(heavy & set(sys.modules) - before), file=sys.stderr)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True
    )
    assert shown.stderr == "[]\n"


def test_the_package_runs_as_a_module():
    """`python -m sqlobs` is the same command."""
    shown = subprocess.run(
        [sys.executable, "-m", "sqlobs", "--version"], capture_output=True, check=False, text=True
    )
    assert (shown.returncode, shown.stdout) == (0, f"sqlobs {__version__}\n")
