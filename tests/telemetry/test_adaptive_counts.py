"""Counts by open names: the newest and the busiest have series, and no request is lost."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from sqlobs.semconv import metrics
from sqlobs.tracing.sending.adaptive_counts import ENDING_S, AdaptiveCounts
from sqlobs.tracing.sending.observable_metrics import ObservableMetrics

SHOP = {"service.name": "shop"}


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


def shown(counts):
    """The collected values by model and prompt version."""
    found = Counter()
    for page in range(counts.pages):
        for (_, _, model, prompt), _, value in counts.collected(page):
            found[model, prompt] += value
    return dict(found)


def ask(counts, prompt, *, model="gpt-4o", times=1):
    """Count requests."""
    for _ in range(times):
        counts.add(("answer", "postgres", model, prompt), ("ok",))


def test_a_new_version_is_seen_and_the_least_busy_one_makes_room():
    """Version 4 of 3 is there at once; of the old ones, the least asked one is `other`."""
    clock = Clock()
    counts = AdaptiveCounts((3, 2), limit=3, newest=1, clock_s=clock)
    ask(counts, "v1", times=5)
    ask(counts, "v2", times=2)
    ask(counts, "v3", times=9)
    assert shown(counts) == {("gpt-4o", "v1"): 5, ("gpt-4o", "v2"): 2, ("gpt-4o", "v3"): 9}
    ask(counts, "v4")
    ask(counts, "v2")
    assert shown(counts) == {
        ("gpt-4o", "v1"): 5,
        ("gpt-4o", "v2"): 2,  # ends, and shows its last value to those who have not seen it
        ("gpt-4o", "v3"): 9,
        ("gpt-4o", "v4"): 1,
        ("gpt-4o", "other"): 1,
    }
    assert counts.folded == 1
    clock.now_s = ENDING_S + 1
    assert ("gpt-4o", "v2") not in shown(counts)


def test_what_was_never_collected_moves_to_other():
    """A name that comes and goes between two collections loses no request and makes no series."""
    counts = AdaptiveCounts((3, 2), limit=2, newest=1)
    ask(counts, "v1", times=5)
    for number in range(100):
        ask(counts, f"random-{number}")
    found = shown(counts)
    assert sum(found.values()) == 105
    assert set(found) == {("gpt-4o", "v1"), ("gpt-4o", "other"), ("gpt-4o", "random-99")}
    assert counts.folded == 99


def test_random_models_do_not_hide_a_known_one():
    """Combinations beyond the budget count as `other`; a model with versions keeps its name."""
    counts = AdaptiveCounts((3, 2), limit=3, newest=1)
    ask(counts, "v1", times=50)
    ask(counts, "v2", times=40)
    for number in range(20):
        ask(counts, "v1", model=f"random-{number}")
        ask(counts, f"w-{number}")
    found = shown(counts)
    assert sum(found.values()) == 130
    assert found["gpt-4o", "v1"] == 50
    assert found["gpt-4o", "v2"] == 40
    assert found["gpt-4o", "other"] >= 19
    assert found["other", "other"] >= 19


def test_a_name_comes_back_from_zero_when_it_is_busy_again():
    """An evicted version that gets traffic again has a series again, once the old one has ended."""
    clock = Clock()
    counts = AdaptiveCounts((3, 2), limit=2, newest=1, clock_s=clock)
    ask(counts, "v1", times=3)
    ask(counts, "v2", times=2)
    shown(counts)
    ask(counts, "v3", times=2)
    ask(counts, "v4")
    shown(counts)
    clock.now_s = 2 * ENDING_S
    shown(counts)
    ask(counts, "v2", times=30)
    found = shown(counts)
    assert 20 <= found["gpt-4o", "v2"] <= 30
    assert counts.pages == 2  # an instrument that has never shown it: delta readers start at 0


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["a", "b"]), st.booleans())))
def test_no_request_is_lost_or_counted_twice(requests):
    """Increases of all series, taken collection by collection, add up to the requests."""
    clock = Clock()
    counts = AdaptiveCounts((3, 2), limit=4, newest=2, clock_s=clock)
    last: dict[object, float] = {}
    increases = 0.0
    for version, model, is_collected in [*requests, (0, "a", True)]:
        ask(counts, f"v{version}", model=model)
        clock.now_s += 40.0
        if is_collected:
            now = {
                (page, names, rest): value
                for page in range(counts.pages)
                for names, rest, value in counts.collected(page)
            }
            assert all(value >= last.get(key, 0) for key, value in now.items())
            increases += sum(value - last.get(key, 0) for key, value in now.items())
            last.update(now)
            assert len({key[1] for key in now}) <= 4 + 4 + 3  # kept, ending, and `other`
    assert increases == len(requests) + 1


def test_an_sdk_never_reaches_its_limit_of_series():
    """Names without end: the SDK's instrument is followed by another, with no loss of labels."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    observed = ObservableMetrics(provider.get_meter("sqlobs"), SHOP)
    counts = observed.counts(metrics.VERSION_GENERATIONS, SHOP)
    for number in range(3_000):
        counts.add(("answer", "postgres", "gpt-4o", f"v{number}"), ("ok", None, "pass"))
        if number % 100 == 99:
            reader.get_metrics_data()
            observed.show_pages(
                metrics.VERSION_GENERATIONS,
                counts,
                lambda page: provider.get_meter("sqlobs", attributes={"page": page}),
            )
    data = reader.get_metrics_data()
    points = [
        point
        for scope in data.resource_metrics[0].scope_metrics
        for family in scope.metrics
        if family.name == "sqlobs.version.generations"
        for point in family.data.data_points
    ]
    assert counts.pages == 2
    assert not [point for point in points if "otel.metric.overflow" in point.attributes]
    versions = {point.attributes["gen_ai.prompt.version"] for point in points}
    assert {"v2999", "v2998"} <= versions
    assert len(versions) <= 301
