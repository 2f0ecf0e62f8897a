"""What `import sqlobs` costs a program that starts, beside `import json`."""

from __future__ import annotations

import statistics
import subprocess
import sys

from tests.benchmarks.scale import scaled

ROUNDS = scaled(15)
BAR_MS = 30.0
_PROGRAM = """
import time
started = time.process_time()
import {module}
print((time.process_time() - started) * 1000)
"""


def main() -> None:
    """Print the figures."""
    samples: dict[str, list[float]] = {"json": [], "sqlobs": []}
    for _ in range(ROUNDS):
        for module, found in samples.items():
            found.append(milliseconds(module))
    base, ours = (statistics.median(found) for found in samples.values())
    print(f"{'import json':<34} {base:8.2f} ms")
    print(f"{'import sqlobs':<34} {ours:8.2f} ms   {ours - base:+.2f} ms  (bar +{BAR_MS:.0f})")


def milliseconds(module: str) -> float:
    """Return the CPU time of importing a module in a fresh interpreter."""
    program = _PROGRAM.format(module=module)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return float(ended.stdout)


if __name__ == "__main__":
    main()
