"""What the wheel holds for the demo."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_what_the_demo_reads(tmp_path):
    """`sqlobs demo` works after a bare `pip install`: schema and recordings are in the wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        packed = {
            name: files.read(name)
            for name in files.namelist()
            if name.startswith("sqlobs/demo/") and not name.endswith(".py")
        }
    assert packed == {
        f"sqlobs/demo/{name}": (ROOT / "sqlobs" / "demo" / name).read_bytes()
        for name in ("golden.jsonl", "judgments.jsonl", "recordings.jsonl", "shop.sql")
    }
