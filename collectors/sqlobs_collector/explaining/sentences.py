"""An explanation in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.metrics.rate_change import Counts, Explanation, Group
    from sqlobs_collector.store.incidents import RateName

_TITLES: Final[dict[RateName, str]] = {
    "schema_hallucination": "The schema-hallucination rate",
    "syntactic": "The share of syntactic failures",
    "failed": "The share of failed requests",
    "error": "The share of requests that ended in an error",
    "unchecked": "The share of answers without a verdict",
    "first_attempt": "The share of first attempts that failed",
}
_HALF: Final = 0.5


def summary(rate: RateName, before: Counts, now: Counts, found: Sequence[Explanation]) -> str:
    """Return what changed and the best explanation, in one or two sentences."""
    if not now.requests:
        return f"{_TITLES[rate]} is unknown: the window has no such request."
    if not before.requests:
        return f"{_TITLES[rate]} is {_share(now)}; the baseline has no request to compare with."
    if not found:
        return f"{_TITLES[rate]} is {_share(now)}, before {_share(before)}: this may be chance."
    verb = "rose" if (now.rate or 0) >= (before.rate or 0) else "fell"
    changed = f"{_TITLES[rate]} {verb} from {_share(before)} to {_share(now)}."
    return f"{changed} {_because(found[0], before, now)}"


def _because(best: Explanation, before: Counts, now: Counts) -> str:
    if best.group is None:
        return "All groups changed equally: no model, prompt, schema, tenant or release explains"
        " the change."
    change = (now.rate or 0) - (before.rate or 0)
    part = best.mix + best.within
    share = f"{part / change:.0%} of the change" if change else "the change"
    others = " or ".join(map(_name, best.same_requests))
    also = f" (the same requests as {others})" if others else ""
    return f"{_name(best.group)}{also} explains {share}: {_how(best)}."


def _how(best: Explanation) -> str:
    if best.is_new:
        return f"it is new, and {_share(best.now)} of its requests fail"
    if best.mix > _HALF * (best.mix + best.within):
        return "its share of the requests changed"
    return f"its rate went from {_share(best.before)} to {_share(best.now)}"


def _name(group: Group) -> str:
    value = "unknown" if group.value is None else group.value
    return f"{group.dimension.replace('_', ' ')} {value}"


def _share(counts: Counts) -> str:
    if counts.rate is None:
        return "no request"
    return f"{100 * counts.rate:.3g} % ({counts.failed:,} of {counts.requests:,})"
