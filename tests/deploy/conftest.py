"""The kit in `deploy/`, as its files stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlobs_collector.cli import main

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def validated(capsys):
    """Give a command line of `serve` to `sqlobs-collector validate`; the configuration in effect."""

    def validate(arguments):
        command, *rest = arguments
        assert command == "serve"
        code = main(["validate", "--offline", *rest])
        output = capsys.readouterr()
        assert (code, output.err) == (0, "")
        return output.out

    return validate
