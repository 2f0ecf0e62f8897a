"""What an engine refuses among the constructs that the checker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.check.constructs import (
    CALLS,
    CONSTRUCTS,
    SAMPLES,
    TOKEN_CONSTRUCTS,
    UNIT_CALLS,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def refused(*, is_refused: Callable[[str], bool]) -> list[str]:
    """Return the samples that the engine answers with an error, and the names of questions.

    Args:
        is_refused: prepares a statement over a table `probe (x)`; any error is a refusal.
    """
    samples = [entry.sample for entry in (*CONSTRUCTS, *TOKEN_CONSTRUCTS)]
    samples += [*CALLS.values(), *UNIT_CALLS.values()]
    found = [sample for sample in samples if is_refused(sample)]
    return sorted(dict.fromkeys(found)) + [name for name in SAMPLES if is_refused(SAMPLES[name])]
