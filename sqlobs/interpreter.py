"""The command line of a fresh interpreter that runs an internal program.

`-I` keeps the environment and the working directory out of its import path; ours is added.

Tests: `tests/execution/test_workers.py`, `tests/tracing/test_checking_process_life.py`.
"""

from __future__ import annotations

import sys


def boot_of(module: str) -> str:
    """Return the text that extends the import path and runs `main` of a module."""
    return (
        "import sys; "
        "sys.path += [path for path in sys.argv.pop().split('\\n') if path not in sys.path]; "
        f"from {module} import main; main()"
    )


def command(boot: str, *arguments: str) -> list[str]:
    """Return the command line.

    Args:
        boot: What `boot_of` returned.
        arguments: What the program finds in `sys.argv`, from its second place on.
    """
    paths = "\n".join(path for path in sys.path if path)
    return [sys.executable, "-I", "-c", boot, *arguments, paths]
