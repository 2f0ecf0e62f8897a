"""The systemd units: systemd's own check, and what the product says about each process."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sqlobs_collector.settings.roles import ROLES
from tests.deploy.conftest import DEPLOY

UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PROCESSES = sorted((DEPLOY / "systemd").glob("*.env"))
SECRETS = {
    "SQLOBS_STORE_URL": "postgresql://sqlobs:secret@db/sqlobs",
    "SQLOBS_DIGEST_KEY": "the same everywhere",
    "SQLOBS_INGEST_TOKEN": "a token that sends",
    "SQLOBS_ADMIN_TOKEN": "a token that reads",
}


def variables(path):
    lines = path.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def settings(unit):
    """The settings of a unit; one that occurs several times keeps its last value."""
    lines = unit.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_the_unit(unit, tmp_path):
    """With the program of this environment in the place of the installed one."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is NOT INSTALLED: nothing of this test ran")
    copied = tmp_path / unit.name
    here = unit.read_text().replace("/opt/sqlobs/bin", str(Path(sys.executable).parent))
    copied.write_text(here)
    done = subprocess.run(
        [program, "verify", "--man=no", copied], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_each_process_of_a_shared_store_is_accepted(validated, monkeypatch):
    """They have all roles together, and ports and directories of their own."""
    (unit,) = [unit for unit in UNITS if "@" in unit.name]
    _, *arguments = shlex.split(settings(unit)["ExecStart"])
    arguments[arguments.index("--config") + 1] = str(DEPLOY / "systemd/collector.yaml")
    roles, addresses = set(), []
    for process in PROCESSES:
        with monkeypatch.context() as patched:
            for name, value in {**SECRETS, **variables(process)}.items():
                patched.setenv(name, value)
            found = yaml.safe_load(validated(arguments))
        roles |= set(found["roles"])
        addresses.append(found["listen"]["admin"])
    assert roles == set(ROLES)
    assert len(set(addresses)) == len(addresses) == len(PROCESSES)


def test_one_process_is_accepted_with_the_configuration_of_the_first_alert(validated, tmp_path):
    """A unit runs `serve` on a file that the user writes; the defaults are enough."""
    (unit,) = [unit for unit in UNITS if "@" not in unit.name]
    _, *arguments = shlex.split(settings(unit)["ExecStart"])
    (tmp_path / "collector.yaml").write_text("notify: {url: 'http://127.0.0.1:9999/'}\n")
    arguments[arguments.index("--config") + 1] = str(tmp_path / "collector.yaml")
    assert yaml.safe_load(validated(arguments))["roles"] == list(ROLES)


def test_both_units_protect_the_machine_alike():
    """They differ in what they are called, and in where state and variables are."""
    one, several = (set(settings(unit).items()) for unit in UNITS)
    names = {name for name, _ in one ^ several}
    assert names == {
        "Description", "Environment", "EnvironmentFile", "StateDirectory", "TimeoutStopSec"
    }  # fmt: skip
