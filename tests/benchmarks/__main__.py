"""Run every benchmark: `python -m tests.benchmarks [name ...]`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all benchmarks: the modules with a `main`."""
    found = sorted(path for path in HERE.glob("*.py") if "\ndef main(" in path.read_text())
    return [path.stem for path in found if not path.stem.startswith("_")]


def main(wanted: list[str]) -> None:
    """Print the figures of the named benchmarks, or of all."""
    found = names()
    if unknown := set(wanted) - set(found):
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(found)}")
    for name in wanted or found:
        module = import_module(f"tests.benchmarks.{name}")
        print(f"\n== {name}: {(module.__doc__ or '').splitlines()[0]}")
        module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
