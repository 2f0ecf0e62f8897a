"""Print how many units were lost by hosts that end right after their last answer.

`python -m tests.tracing.exits --runs 100 [--hosts uvicorn,gunicorn] [--collectors fast,slow]`
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile

from tests.busy import busy_loops
from tests.tracing.exits.collector import MANNERS
from tests.tracing.exits.hosts import HOSTS
from tests.tracing.exits.run import Run, run


def main() -> None:
    """Run as configured, print one line for each host and manner, fail where a unit was lost unsaid."""
    options = _options()
    is_good = True
    with busy_loops(options.busy):
        for host in options.hosts.split(","):
            for manner in options.collectors.split(","):
                runs = [_once(host, manner, options.requests) for _ in range(options.runs)]
                is_good &= all(one.is_good for one in runs)
                sys.stdout.write(_line(host, manner, runs) + "\n")
                for one in runs:
                    if not one.is_good:
                        sys.stdout.write(f"    {one}\n")
                sys.stdout.flush()
    sys.exit(not is_good)


def _once(host: str, manner: str, requests: int) -> Run:
    with tempfile.TemporaryDirectory() as directory:
        spool = directory if manner == "gone" else None
        return run(host, manner, requests=requests, spool=spool)


def _line(host: str, manner: str, runs: list[Run]) -> str:
    answered = sum(one.answered for one in runs)
    missing = sum(one.missing for one in runs)
    lost = sum(one.counted for one in runs)
    longest = statistics.quantiles([one.took_s for one in runs] * 2, n=20)[-1]
    return (
        f"{host:<16}{manner:<12} runs {len(runs):>4}  requests {answered:>6}  "
        f"units missing {missing:>4}  counted as lost {lost:>4}  ends within {longest:5.1f} s (p95)"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--busy", type=int, default=2, help="busy loops beside the hosts")
    parser.add_argument("--hosts", default=",".join(HOSTS))
    parser.add_argument("--collectors", default=",".join(MANNERS))
    return parser.parse_args()


if __name__ == "__main__":
    main()
