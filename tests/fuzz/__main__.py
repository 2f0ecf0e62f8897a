"""Fuzzes the checker for some minutes; exit 1 with the smallest text that breaks a law."""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from time import monotonic

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning

from tests.fuzz.laws import hold
from tests.fuzz.texts import DIALECTS, TEXTS

BATCH = 500
warnings.simplefilter("ignore", HypothesisWarning)  # about the length of our own alternatives


def main() -> int:
    """Draw batches of texts, each with another seed, until the time is up."""
    arguments = _arguments()
    until = monotonic() + arguments.minutes * 60
    checked, begun = 0, arguments.seed
    while monotonic() < until:
        try:
            _batch(begun)()
        except Exception:
            print(f"seed {begun}:\n{traceback.format_exc(limit=-3)}")
            return 1
        checked, begun = checked + BATCH, begun + 1
    print(f"{checked} texts from seed {arguments.seed} to {begun - 1}: every law holds")
    return 0


def _batch(number: int):
    @seed(number)
    @settings(
        max_examples=BATCH,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(TEXTS, st.sampled_from(DIALECTS), st.booleans(), st.booleans())
    def batch(drawn, dialect, strict, native):
        hold(drawn[0], dialect, strict=strict, native=native, is_whole=drawn[1])

    return batch


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


sys.exit(main())
