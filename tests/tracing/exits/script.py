"""Answer requests in a plain program, in forked children or in a pool; say so, and wait.

`python -m tests.tracing.exits.script script|fork|multiprocessing REQUESTS`
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time

from tests.tracing.exits.app import answered

CHILDREN = 2
TICK_S = 0.1
"""Longest step of a wait. Python checks for signals before a call that blocks, not inside it: one
that comes in between is handled when the call ends."""


def work(number: int, requests: int) -> None:
    """Answer requests, and print the id of each."""
    ids = [answered(f"question {number} {each}") for each in range(requests)]
    sys.stdout.write("\n".join(ids) + "\n")
    sys.stdout.flush()


def wait() -> None:
    """Wait for the signal that ends this process."""
    while True:
        time.sleep(TICK_S)


def serve(number: int, requests: int) -> None:
    """Work and wait, as a child that is terminated does."""
    work(number, requests)
    wait()


def fork(requests: int) -> None:
    """Fork children that leave by `os._exit`, which SIGTERM reaches before."""
    children = []
    for number in range(CHILDREN):
        child = os.fork()
        if not child:
            try:
                serve(number, requests)
            finally:
                os._exit(0)
        children.append(child)
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(child, signal.SIGTERM) for child in children])
    for child in children:
        while not os.waitpid(child, os.WNOHANG)[0]:
            time.sleep(TICK_S)


def pool(requests: int) -> None:
    """Have children of `multiprocessing` work: the first ends by itself, the others are ended."""
    children = [
        multiprocessing.get_context("fork").Process(
            target=serve if number else work, args=(number, requests)
        )
        for number in range(CHILDREN)
    ]
    for child in children:
        child.start()
    signal.signal(signal.SIGTERM, lambda *_: [child.terminate() for child in children])
    for child in children:
        while child.is_alive():
            child.join(TICK_S)


def main() -> None:
    """Run as configured."""
    kind, requests = sys.argv[1], int(sys.argv[2])
    if kind == "script":
        serve(0, requests)
    elif kind == "fork":
        fork(requests // CHILDREN)
    else:
        pool(requests // CHILDREN)


if __name__ == "__main__":
    main()
