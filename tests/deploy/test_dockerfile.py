"""The Dockerfile, as far as it can be read and its parts can be run without a container engine."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import sys

import pytest

from sqlobs_collector.cli import _parser
from tests.collector.running import RunningCollector
from tests.deploy.conftest import DEPLOY

ROOT = DEPLOY.parent


@pytest.fixture(scope="module")
def instructions():
    """The instructions of the last stage, which is the image."""
    text = (DEPLOY / "Dockerfile").read_text()
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    begins = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    return [line.strip().split(" ", 1) for line in lines[begins:] if line.strip()]


def test_the_image_runs_as_a_user_that_is_a_number(instructions):
    """Kubernetes' `runAsNonRoot` cannot verify a name."""
    (user,) = [value for name, value in instructions if name == "USER"]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)


def test_the_collector_accepts_the_image_s_command(instructions):
    """Entry point and default command together."""
    by_name = dict(instructions)
    assert json.loads(by_name["ENTRYPOINT"]) == ["sqlobs-collector"]
    assert _parser().parse_args(json.loads(by_name["CMD"])).command == "serve"


def test_the_health_check_tells_a_collector_that_responds(instructions, tmp_path):
    """The same program, on the port of a collector here: it succeeds, and fails after its end."""
    _, _, command = dict(instructions)["HEALTHCHECK"].partition("CMD ")
    _, option, program = json.loads(command)
    collector = RunningCollector(tmp_path / "data").start()
    try:
        here = program.replace("127.0.0.1:4319", str(collector.addresses.admin))
        assert here != program
        assert subprocess.run([sys.executable, option, here], check=False).returncode == 0
    finally:
        collector.stop()
    done = subprocess.run([sys.executable, option, here], check=False, capture_output=True)
    assert done.returncode == 1


def test_the_build_gets_everything_that_the_package_is_made_of():
    """And nothing else, such as a virtual environment or data."""
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    wanted = [rule[1:] for rule in rules if rule.startswith("!")]
    assert all((ROOT / path).exists() for path in wanted)
    assert {"pyproject.toml", "requirements.lock", "README.md", "LICENSE", "sqlobs"} <= set(wanted)
    linked = [path for path in (ROOT / "collectors").rglob("*") if path.is_symlink()]
    targets = [path.resolve().relative_to(ROOT).as_posix() for path in linked]
    assert all(any(fnmatch.fnmatch(one, f"{rule}*") for rule in wanted) for one in targets)
