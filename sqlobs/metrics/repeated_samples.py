"""Several samples of one question: pass@k, the majority by result, and self-consistency."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """Return the probability that at least one of k samples is correct: `1 - C(n-c, k) / C(n, k)`.

    Range 0 to 1, higher is better. The unbiased estimator of Chen et al., "Evaluating Large
    Language Models Trained on Code" (2021), equation 1, as a product that does not overflow.

    >>> pass_at_k(5, 2, 1)
    0.4

    Args:
        samples: How many samples there are (n).
        correct: How many of them are correct (c).
        k: How many are drawn, without replacement.

    Raises:
        ValueError: not 0 <= correct <= samples, or not 1 <= k <= samples.
    """
    if not 0 <= correct <= samples or not 1 <= k <= samples:
        raise ValueError("pass@k needs 0 <= correct <= samples and 1 <= k <= samples")
    wrong, missed = samples - correct, 1.0
    for place in range(k):
        if wrong <= place:
            return 1.0
        missed *= (wrong - place) / (samples - place)
    return 1.0 - missed


@dataclass(frozen=True, slots=True)
class Majority:
    """The result that most samples of a question have."""

    place: int
    """The first sample with it."""
    votes: int


def majority_result(results: Sequence[object]) -> Majority | None:
    """Return the most frequent result; of equally frequent ones, the one that came first.

    The vote of self-consistency: Wang et al., "Self-Consistency Improves Chain of Thought Reasoning
    in Language Models" (2023), over results of execution instead of answers in text.

    Args:
        results: What each sample's result is known by; `None` = it has none and does not vote.
    """
    counts = Counter(result for result in results if result is not None)
    if not counts:
        return None
    [(result, votes)] = counts.most_common(1)
    return Majority(list(results).index(result), votes)
