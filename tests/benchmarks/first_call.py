"""How long the first traced call holds its thread, after `configure` with a collector."""

from __future__ import annotations

import statistics
import subprocess
import sys

from tests.benchmarks.scale import scaled
from tests.busy import busy_loops

ROUNDS = 9
BAR_MS = 5.0
_PROGRAM = """
import asyncio, sys, time
from sqlobs import Schema, configure, trace_generation
schema = Schema.from_mapping({"orders": ["id", "total"]}, dialect="sqlite")
configure(service_name="shop", schema=schema, collector="http://127.0.0.1:9")

@trace_generation
def generate(question):
    return "SELECT totl FROM orders"

@trace_generation
async def generate_async(question):
    return "SELECT totl FROM orders"

async def run():
    started, used = time.perf_counter(), time.thread_time()
    await generate_async("q")
    report(started, used)

def report(started, used):
    wall, cpu = time.perf_counter() - started, time.thread_time() - used
    print(wall * 1000, cpu * 1000, file=sys.__stdout__)

time.sleep(float(sys.argv[2]))
if sys.argv[1] == "loop":
    asyncio.run(run())
else:
    started, used = time.perf_counter(), time.thread_time()
    generate("q")
    report(started, used)
sys.__stdout__.flush()
__import__("os")._exit(0)
"""


def main() -> None:
    """Print the figures: the time on the clock, and that on the processor."""
    for busy in (0, 2):
        with busy_loops(busy):
            for kind in ("thread", "loop"):
                for after_s in (0.0, 3.0):
                    _print(kind, after_s, busy)


def _print(kind: str, after_s: float, busy: int) -> None:
    rounds = [_measured(kind, after_s) for _ in range(scaled(ROUNDS))]
    wall, cpu = (statistics.median(column) for column in zip(*rounds, strict=True))
    name = f"first call, {kind}, {after_s:g} s after configure, {busy} busy loops"
    print(f"{name:<64} {wall:8.2f} ms  {cpu:8.2f} ms CPU   (bar {BAR_MS:.0f})")


def _measured(kind: str, after_s: float) -> tuple[float, float]:
    """Return milliseconds on the clock and on the processor, in a fresh interpreter."""
    command = [sys.executable, "-c", _PROGRAM, kind, str(after_s)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, cpu = map(float, ended.stdout.split())
    return wall, cpu


if __name__ == "__main__":
    main()
