"""What the wheel holds beside the code."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_what_the_demo_and_the_console_read(tmp_path):
    """They work after a bare `pip install`: schema, recordings and runbook are in the wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        packed = {
            name: files.read(name)
            for name in files.namelist()
            if name.startswith("sqlobs/demo/") and not name.endswith(".py")
        }
        runbook = files.read("sqlobs_collector/console/docs/alerts.md")
    assert packed == {
        f"sqlobs/demo/{name}": (ROOT / "sqlobs" / "demo" / name).read_bytes()
        for name in ("golden.jsonl", "judgments.jsonl", "recordings.jsonl", "shop.sql")
    }
    assert runbook == (ROOT / "docs" / "alerts.md").read_bytes()
