"""Small file systems of their own, which only root can mount."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def mounted(path: Path, size_bytes: int) -> Iterator[Path]:
    """Mount a file system with room for little; where that is impossible, skip the test."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system can be mounted by root only: nothing of this test ran")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", path]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here: nothing of this test ran")
    yield path
    subprocess.run(["umount", path], check=True)
