"""Run every benchmark: `python -m tests.benchmarks [name ...]`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def main(wanted: list[str]) -> None:
    """Print the figures of the named benchmarks, or of all."""
    found = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    if unknown := set(wanted) - set(found):
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(found)}")
    for name in wanted or found:
        module = import_module(f"tests.benchmarks.{name}")
        if hasattr(module, "main"):
            print(f"\n== {name}: {(module.__doc__ or '').splitlines()[0]}")
            module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
