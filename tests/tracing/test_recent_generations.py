"""The memory of generations for executions outside any `context`."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from sqlobs.tracing.stages.joining import RECENT, RecentGenerations


def request(number, trace_id):
    """A stand-in: only its trace is asked for."""
    return SimpleNamespace(number=number, identity=SimpleNamespace(trace_id=trace_id))


@given(
    st.lists(st.integers(0, 3), max_size=30),
    st.integers(0, 3),
    st.integers(0, 30),
)
def test_the_last_ones_are_found_by_their_trace(traces, asked, looked_at):
    """As a search through the last 1,024 finds them, whenever somebody looked before."""
    recent = RecentGenerations()
    filler = [request(-1, 9)] * (RECENT - 10)
    started = [*filler, *(request(number, trace) for number, trace in enumerate(traces))]
    for place, one in enumerate(started):
        recent.append(one)
        if place == len(filler) + looked_at:
            recent.of_trace(asked)
    kept = [one for one in reversed(started[-RECENT:]) if one.identity.trace_id == asked]
    assert list(recent.of_trace(asked)) == kept
    assert len(recent._sorted) <= RECENT
    assert sum(map(len, recent._by_trace.values())) == len(recent._sorted)


def test_one_long_trace_keeps_its_last_generations():
    """A batch job makes millions inside one trace."""
    recent = RecentGenerations()
    for number in range(3 * RECENT):
        recent.append(request(number, 1))
        if number % 100 == 0:
            recent.of_trace(1)
    assert [one.number for one in recent.of_trace(1)] == list(range(2 * RECENT, 3 * RECENT))[::-1]
