"""Find the run to evaluate among the directories that generation wrote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STAMPED = re.compile(r"run_(\d{8}_\d{6})")


def newest_run(root: Path) -> Path:
    """Return the newest `run_*` directory below a folder.

    Raises:
        InputError: there is none.
    """
    changed = {
        path.name: path.stat().st_mtime
        for path in (root.iterdir() if root.is_dir() else ())
        if path.is_dir() and path.name.startswith("run_")
    }
    name = newest_name(changed)
    if name is None:
        raise InputError(f"{root} has no run_* directory; give the directory of a run")
    return root / name


def newest_name(changed: Mapping[str, float]) -> str | None:
    """Return the run with the latest time in its name; only without any such name the last changed.

    Args:
        changed: When each directory was last changed, by name.
    """
    stamped = {name: match[1] for name in changed if (match := _STAMPED.fullmatch(name))}
    if stamped:
        return max(stamped, key=lambda name: stamped[name])
    runs = [name for name in changed if name.startswith("run_")]
    return max(runs, key=lambda name: (changed[name], name), default=None)
