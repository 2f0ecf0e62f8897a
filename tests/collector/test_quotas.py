"""Quotas of workspaces: what they keep out is counted, and what they sample biases no rate."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from sqlobs.errors import ConfigError
from sqlobs_collector.config import load
from sqlobs_collector.errors import BurstError
from sqlobs_collector.quality.gauges import QualityGauges
from sqlobs_collector.quotas import IntakeQuotas, Quotas
from sqlobs_collector.sampling import SamplingRules, within_quota
from sqlobs_collector.settings.quotas import Quota
from sqlobs_collector.store.intake import IntakeCounts, IntakeReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.stores import on_both
from tests.collector.test_units import NOW_NS, Station, feedback, unit

store_kind = on_both()
HOUR_NS = 3600 * 10**9
HOUR = NOW_NS // HOUR_NS
UNKNOWN = " names a workspace that is missing in auth.tokens and auth.workspaces: use default"
RULES = SamplingRules(0.5, ["failed", "feedback"])


@pytest.fixture
def station(tmp_path, store_kind):
    running = Station(tmp_path, store_kind)
    yield running
    running.close()


@given(
    rate=st.floats(0.01, 1),
    quota=st.integers(1, 10_000),
    others=st.integers(0, 100_000),
    always=st.integers(0, 100_000),
)
def test_an_equal_hour_fits_into_the_quota(rate, quota, others, always):
    """Every request keeps a probability above 0, and none gains one."""
    rules = SamplingRules(rate, ["failed"])
    found = within_quota(rules, quota, others=others, always=always)
    demand = found.always_rate * always + found.rate * others
    assert 0 < found.rate <= rate
    assert 0 < found.always_rate <= 1
    if always + rate * others <= quota:
        assert found == rules
    else:
        assert 0.89 * min(quota, always + rate * others) <= demand <= quota * 1.000001


def test_a_quota_of_evaluations_lowers_the_probabilities_of_the_next_hour(station):
    """They are stored with each unit, so that rates stay unbiased; other workspaces keep theirs."""
    quotas = Quotas(
        lambda _: RULES,
        lambda _: 1.0,
        {"default": Quota(evaluations_per_hour=10)},
        IntakeReader(station.engine),
        clock_ns=lambda: station.now_ns,
    )
    for number in range(100):
        station.rules["default"] = quotas.rules("default")
        verdict = "failed" if number < 4 else "ok"
        station.receive(records.logs(unit(number + 1, sqlobs__verdict=verdict)))
    assert quotas.rules("default") == RULES
    station.now_ns += HOUR_NS
    quotas.refresh()
    assert quotas.rules("other") == RULES
    lowered = station.rules["default"] = quotas.rules("default")
    assert lowered == SamplingRules(6 / 96, RULES.always, 1.0)
    station.receive(records.logs(unit(200), unit(201, sqlobs__verdict="failed")))
    assert [row[2:4] for row in station.states()][-2:] == [("rate", 6 / 96), ("always:failed", 1.0)]
    station.now_ns += HOUR_NS
    quotas.refresh()
    assert quotas.rules("default") == RULES


def test_a_quota_of_the_judge_lowers_its_share_in_the_next_hour(station):
    """The share is stored with each question, as the configured one is."""
    quotas = Quotas(
        lambda _: RULES,
        {"default": 0.5, "other": 0.5}.__getitem__,
        {"default": Quota(judged_per_hour=10)},
        IntakeReader(station.engine),
        clock_ns=lambda: station.now_ns,
    )
    with Store(station.engine).writing() as writer:
        writer.intake.judgeable({("default", HOUR): 60, ("other", HOUR): 60})
        writer.intake.judgeable({("default", HOUR): 40})
    quotas.refresh()
    assert quotas.judge_rate("default") == 0.5
    station.now_ns += HOUR_NS
    quotas.refresh()
    assert (quotas.judge_rate("default"), quotas.judge_rate("other")) == (0.1, 0.5)


def test_failures_beyond_a_quota_are_sampled_with_a_known_probability(station):
    """Their weight is no longer 1; a complaint still selects its unit for certain."""
    station.rules["default"] = within_quota(RULES, 10, others=0, always=100)
    low, high = 1, int(0.95 * 2**56)
    failed = [unit(number, sqlobs__verdict="failed") for number in (low, high)]
    station.receive(records.logs(*failed))
    assert [row[:4] for row in station.states()] == [
        ("sampled_out", "sampled_out", "always:failed", 0.1),
        ("queued", None, "always:failed", 0.1),
    ]


def test_requests_of_an_hour_are_counted_once_whoever_stores_them(station):
    """Repeats are no new requests; the counts of a workspace are its own."""
    batch = records.logs(unit(1), unit(2, sqlobs__verdict="failed"))
    station.receive(batch)
    station.receive(batch)
    station.receive(records.logs(unit(3)), workspace="other")
    with Store(station.engine).writing() as writer:
        writer.intake.refused({("default", HOUR): 6})
        writer.intake.refused({("default", HOUR): 2})
    found = IntakeReader(station.engine).within(NOW_NS, NOW_NS + 1)
    assert found == {"default": IntakeCounts(2, 1, 8), "other": IntakeCounts(1, 0, 0)}
    assert found["default"].censored == 0.8


def test_receivers_share_a_quota_of_requests(station):
    """Beyond it is what each took since its last look; a new hour begins anew."""
    store, reader = Store(station.engine), IntakeReader(station.engine)
    first, second = (
        IntakeQuotas(
            {"default": Quota(requests_per_hour=10)},
            store,
            reader,
            clock_ns=lambda: station.now_ns,
        )
        for _ in range(2)
    )
    assert first.admit("default", 4)
    assert second.admit("default", 4)
    station.receive(records.logs(*(unit(number) for number in range(1, 9))))
    for receiver in (first, second):
        receiver.refresh()
        assert receiver.admit("default", 2)
        assert not receiver.admit("default", 5)
    assert first.admit("other", 5)
    for receiver in (first, second):
        receiver.refresh()
    assert reader.within(NOW_NS, NOW_NS + 1)["default"].refused == 10
    station.now_ns += HOUR_NS
    assert first.admit("default", 2)


def test_a_window_that_a_quota_touches_shows_the_share_that_is_missing(station):
    """On /metrics, by workspace; without a spent quota there is no such series."""
    gauges = QualityGauges(
        QualityReader(station.engine),
        intake=IntakeReader(station.engine),
        clock_ns=lambda: station.now_ns,
    )

    def shown():
        gauges.refresh()
        return {
            (sample.labels["workspace"], sample.labels["window"]): sample.value
            for family in gauges.collect()
            for sample in family.samples
            if sample.name == "sqlobs_quality_censored_share"
        }

    station.receive(records.logs(unit(1), unit(2)))
    assert shown() == {}
    with Store(station.engine).writing() as writer:
        writer.intake.refused({("default", HOUR): 2})
    assert shown() == {("default", window): 0.5 for window in ("1h", "24h", "7d")}
    station.now_ns += 3 * HOUR_NS
    assert shown() == {("default", window): 0.5 for window in ("24h", "7d")}


def test_requests_beyond_a_quota_are_rejected_without_a_retry_and_counted(launch):
    """200 with a partial success; feedback about earlier requests still comes in."""
    collector = launch(quotas={"default": {"requests_per_hour": 5}})
    headers = {"content-type": "application/x-protobuf", **collector.bearer}

    def send(*numbers):
        body = records.logs(*(unit(number) for number in numbers))
        return httpx.post(
            f"{collector.http}/v1/logs", content=body.SerializeToString(), headers=headers
        )

    assert send(1, 2, 3).content == b""
    assert send(4, 5, 6).content == b""
    answer = send(7, 8)
    assert answer.status_code == 200
    partial = ExportLogsServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_log_records == 2
    assert partial.error_message == (
        "quota: the workspace default has spent its requests of this hour"
    )
    page = collector.metrics()
    assert 'reason="quota",service_name="sqlobs-collector",signal="logs"' in page

    def overview():
        return httpx.get(f"{collector.admin}/v1/overview", headers=collector.bearer).json()

    wait_until(lambda: overview()["censored"] == 2, within_s=30)
    assert overview()["censored_share"] == 0.25
    html = httpx.get(f"{collector.admin}/", headers=collector.bearer).text
    assert "of the requests are missing" in html


def test_a_span_does_not_bring_back_a_request_beyond_the_quota(station):
    """Its unit may have been rejected: it counts once, as missing, and no rate includes it."""
    station.receive(records.logs(unit(1), unit(2)))
    spans = records.spans(*(records.generation_span(number) for number in range(1, 5)))
    station.receive(spans, kind="traces")
    station.receive(spans, kind="traces", workspace="other")
    with Store(station.engine).writing() as writer:
        writer.intake.refused({("default", HOUR): 2})
    station.later(61)
    kept = "SELECT workspace, source FROM unit ORDER BY id"
    assert station.query(kept) == [("default", "unit")] * 2 + [("other", "span")] * 4
    counts = IntakeReader(station.engine).within(NOW_NS, NOW_NS + 1)
    assert counts == {"default": IntakeCounts(2, 0, 2), "other": IntakeCounts(4, 0, 0)}
    assert station.rejected()["traces", "quota"] == 2


@pytest.mark.parametrize(
    ("after_s", "stored"), [(-61, 1), (-59, 0), (3600 + 59, 0), (3600 + 61, 1)]
)
def test_a_span_and_its_unit_may_come_in_different_hours(station, after_s, stored):
    """A minute apart, on both sides of the hour whose quota is spent."""
    with Store(station.engine).writing() as writer:
        writer.intake.refused({("default", HOUR): 1})
    station.now_ns = HOUR * HOUR_NS + after_s * 10**9
    station.receive(records.spans(records.generation_span(1)), kind="traces")
    station.later(61)
    assert len(station.states()) == stored


def test_a_unit_beyond_the_minute_takes_the_place_of_its_lost_span(station):
    """It was accepted late: nothing of it is lost, and it counts once."""
    station.receive(records.spans(records.generation_span(1)), kind="traces")
    station.receive(records.logs(feedback(1, "down")))
    with Store(station.engine).writing() as writer:
        writer.intake.refused({("default", HOUR): 1})
    station.later(61)
    assert station.states() == []
    station.receive(records.logs(unit(1)))
    station.later(1)
    assert station.states() == [("queued", None, "always:feedback", 1.0, "unit")]
    assert IntakeReader(station.engine).within(NOW_NS, NOW_NS + 1)["default"].accepted == 1


def test_spans_are_not_stored_while_the_quota_is_spent(launch):
    """Rates of the last minute are not those of the traces that happen to be sampled."""
    collector = launch(quotas={"default": {"requests_per_hour": 2}})
    headers = {"content-type": "application/x-protobuf", **collector.bearer}

    def send(signal, body):
        url = f"{collector.http}/v1/{signal}"
        return httpx.post(url, content=body.SerializeToString(), headers=headers, timeout=30)

    spans = records.spans(*(records.generation_span(number) for number in (1, 2)))
    assert send("traces", spans).content == b""
    assert send("logs", records.logs(unit(1), unit(2))).content == b""
    assert send("traces", records.spans(records.generation_span(3))).content == b""
    assert [entry.kind for entry in collector.journaled()] == ["traces", "logs"]


def test_a_burst_has_to_be_sent_again(launch):
    """429 with a delay that exporters accept; nothing of it is stored."""
    collector = launch(quotas={"default": {"burst_per_second": 1}})
    answers = [
        httpx.post(
            f"{collector.http}/v1/logs",
            content=records.logs(*(unit(at + n) for n in range(200))).SerializeToString(),
            headers={"content-type": "application/x-protobuf", **collector.bearer},
        )
        for at in (1000, 2000)
    ]
    assert [one.status_code for one in answers] == [200, 429]
    assert 1 <= int(answers[1].headers["retry-after"]) <= 5


def test_a_burst_passes_once_time_has_passed(station):
    quotas = IntakeQuotas(
        {"default": Quota(burst_per_second=2)},
        Store(station.engine),
        IntakeReader(station.engine),
        clock_ns=lambda: station.now_ns,
    )
    assert quotas.admit("default", 12)
    with pytest.raises(BurstError):
        quotas.admit("default", 1)
    station.now_ns += 2 * 10**9
    assert quotas.admit("default", 1)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            {"quotas": {"sales": {"requests_per_hour": 1}}},
            "quotas.sales" + UNKNOWN,
        ),
        (
            {"sampling.workspaces": {"sales": {"rate": 1}}},
            "sampling.workspaces.sales" + UNKNOWN,
        ),
        (
            {"quotas": {"default": {"requests_per_hour": 0}}},
            "quotas.default.requests_per_hour: Input should be greater than 0",
        ),
    ],
)
def test_a_quota_that_limits_nothing_is_one_sentence(flags, sentence):
    with pytest.raises(ConfigError) as raised:
        load(None, environ={}, flags=flags)
    assert str(raised.value) == f"configuration: {sentence}"
