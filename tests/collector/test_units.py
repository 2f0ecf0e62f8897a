from __future__ import annotations

import gzip
from collections import defaultdict

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from prometheus_client import CollectorRegistry
from sqlalchemy.exc import DBAPIError

from sqlobs_collector.journal.entry import Entry, Place
from sqlobs_collector.journal.log import JournalLog
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.masking import Masker
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.sampling import SamplingRules
from sqlobs_collector.sharing.duty import Duty
from sqlobs_collector.store import payload
from sqlobs_collector.store.writing import Store
from sqlobs_collector.subjects import SubjectDigests
from sqlobs_collector.units import batches, housekeeping
from sqlobs_collector.units.housekeeping import Housekeeper, RetentionLimits
from sqlobs_collector.units.late_report_effects import late_report_effect_of
from sqlobs_collector.units.projector import Projector
from tests.collector import records
from tests.collector.running import PATIENCE_S, wait_until
from tests.collector.stores import EMBEDDED, on_both

NOW_NS = 1_800_000_000 * 10**9
RETENTION = RetentionLimits(payload_s=1000, sampled_out_payload_s=100, unit_s=5000)
KEY = b"key of the tests"
DIGESTS = SubjectDigests([KEY])
UNMASKED = Masker({}, [], digests=DIGESTS)
SECOND = 10**9
store_kind = on_both(pytest.mark.slow)


class StationJournal:
    """The journal as the projector knows it; what the writer's thread does is done at once."""

    def __init__(self, log: JournalLog, retired: list[str]) -> None:
        self._log = log
        self._retired = retired
        self.identity = log.identity
        self.rotate = log.rotate
        self.set_aside = log.set_aside

    @property
    def acknowledged(self) -> Place:
        return self._log.acknowledged

    def retire(self, before: str) -> None:
        self._retired.append(before)


class Station:
    """A journal, a store and the projector between them, driven by hand."""

    def __init__(self, tmp_path, kind=EMBEDDED, *, rate=1.0):
        self.now_ns = NOW_NS
        self.data_dir = tmp_path
        self.directory = tmp_path / "journal"
        self.directory.mkdir()
        self.journal = JournalLog(self.directory, file_bytes=2**30, clock_ns=lambda: self.now_ns)
        self.engine = kind.open(tmp_path)
        self.registry = CollectorRegistry()
        self.retired: list[str] = []
        store, flow = Store(self.engine), PipelineMetrics(self.registry)
        decided = SamplingRules(rate, ["failed", "error", "feedback"])
        self.rules = defaultdict(lambda: decided)
        self.projector = Projector(
            JournalReader(self.directory, self.journal.identity),
            store,
            rules=self.rules.__getitem__,
            digests=DIGESTS,
            journal=StationJournal(self.journal, self.retired),
            flow=flow,
            clock_ns=lambda: self.now_ns,
        )
        self.housekeeper = Housekeeper(
            Duty(store),
            rules=self.rules.__getitem__,
            retention=RETENTION,
            flow=flow,
            clock_ns=lambda: self.now_ns,
        )

    def receive(self, request, *, kind="logs", workspace="default", subject="") -> None:
        body = request if isinstance(request, bytes) else request.SerializeToString()
        entry = Entry(workspace, kind, subject, "gzip", 1, gzip.compress(body))
        self.journal.append([entry], received_ns=self.now_ns)
        while self.projector.project():
            pass

    def later(self, seconds: float) -> None:
        self.now_ns += int(seconds * SECOND)
        self.housekeeper.keep_house()

    def query(self, statement: str) -> list[tuple]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(statement)]

    def change(self, statement: str) -> None:
        with self.engine.begin() as connection:
            connection.exec_driver_sql(statement)

    def states(self) -> list[tuple]:
        return self.query("SELECT state, reason, rule, probability, source FROM unit ORDER BY id")

    def counted(self) -> dict[tuple[str, str], float]:
        return self.counts("units", "state", "reason")

    def rejected(self) -> dict[tuple[str, str], float]:
        return self.counts("rejected", "signal", "reason")

    def counts(self, name: str, *labels: str, of=None) -> dict[tuple[str, ...], float]:
        families = (of or self.registry).collect()
        [family] = [one for one in families if one.name.endswith(f"_{name}")]
        return {
            tuple(sample.labels[label] for label in labels): sample.value
            for sample in family.samples
            if sample.name.endswith("_total")
        }

    def close(self) -> None:
        self.journal.close()
        self.engine.dispose()


@pytest.fixture
def station(tmp_path, store_kind):
    """A station that evaluates everything."""
    built = Station(tmp_path, store_kind)
    yield built
    built.close()


@pytest.fixture
def sparing(tmp_path, store_kind):
    """A station that evaluates a share; traces below 0.9 * 2**56 are left out."""
    built = Station(tmp_path, store_kind, rate=0.1)
    yield built
    built.close()


def unit(number: int = 1, **named) -> dict[str, object]:
    return records.log(
        number, **{"sqlobs__sampling__probability": 1.0, "sqlobs__verdict": "ok", **named}
    )


def test_a_unit_is_stored_with_what_dashboards_and_evaluators_ask_for(station):
    """Promoted columns, and everything else in the payload."""
    station.receive(
        records.logs(
            unit(
                sqlobs__workflow="answer",
                sqlobs__target__name="warehouse",
                sqlobs__dialect="postgres",
                sqlobs__syntactic=True,
                sqlobs__schematic=False,
                sqlobs__verdict="failed",
                sqlobs__failure__code="schema.unknown_column",
                sqlobs__failure__codes=["schema.unknown_column"],
                sqlobs__trace__sampled=False,
                sqlobs__query__capture="raw",
            )
        )
    )
    names = (
        "workspace, trace_id, span_id, source, service_name, environment, workflow, target, "
        "dialect, verdict, syntactic, schematic, hallucinated, failure_code, "
        "trace_sampled, capture, head_probability, probability, rule, state, occurred_ns"
    )
    assert station.query(f"SELECT {names} FROM unit") == [
        (
            "default",
            records.trace_id(1).hex(),
            records.span_id(1).hex(),
            "unit",
            "sales",
            "prod",
            "answer",
            "warehouse",
            "postgres",
            "failed",
            1,
            0,
            1,
            "schema.unknown_column",
            0,
            "raw",
            1.0,
            1.0,
            "always:failed",
            "queued",
            1_800_000_000_000_000_000,
        )
    ]
    [(packed,)] = station.query("SELECT payload FROM unit")
    attributes, body = payload.unpack(packed)
    assert body == {"sqlobs.query.text": "SELECT 1"}
    assert attributes["sqlobs.failure.codes"] == ["schema.unknown_column"]


def test_a_repeated_unit_is_one(station):
    """At least once on the wire, once in the store and in the counters."""
    station.receive(records.logs(unit(1), unit(1), unit(2)))
    station.receive(records.logs(unit(2), unit(3)))
    assert len(station.states()) == 3
    assert station.counted() == {("received", ""): 3, ("queued", ""): 3}


def test_the_same_ids_in_another_workspace_are_another_unit(station):
    """Workspaces are isolated by key."""
    station.receive(records.logs(unit(1)), workspace="sales")
    station.receive(records.logs(unit(1)), workspace="hr")
    assert station.query("SELECT workspace FROM unit ORDER BY id") == [("sales",), ("hr",)]


def test_the_rate_leaves_out_by_randomness_and_keeps_failures(sparing):
    """Each unit keeps the probability that it was kept with."""
    sparing.receive(
        records.logs(
            unit(1),
            unit(int(0.95 * 2**56)),
            unit(2, sqlobs__verdict="failed"),
            unit(3, sqlobs__outcome="error"),
        )
    )
    assert sparing.states() == [
        ("sampled_out", "sampled_out", "rate", 0.1, "unit"),
        ("queued", None, "rate", 0.1, "unit"),
        ("queued", None, "always:failed", 1.0, "unit"),
        ("queued", None, "always:error", 1.0, "unit"),
    ]


@pytest.mark.parametrize("complaint_first", [True, False])
def test_a_complaint_selects_a_unit_that_was_sampled_out(sparing, complaint_first):
    """Negative feedback counts in any order; positive feedback changes nothing."""
    down = feedback(1, "down")
    sent = [down, unit(1)] if complaint_first else [unit(1), down]
    for record in sent:
        sparing.receive(records.logs(record))
    sparing.receive(records.logs(unit(2), feedback(2, "up")))
    sparing.receive(records.logs(down))
    sparing.later(1)
    assert sparing.states() == [
        ("queued", None, "always:feedback", 1.0, "unit"),
        ("sampled_out", "sampled_out", "rate", 0.1, "unit"),
    ]
    assert sparing.query("SELECT kind, is_negative, is_joined FROM report ORDER BY trace_id") == [
        ("feedback", 1, 1),
        ("feedback", 0, 1),
    ]


def test_a_complaint_makes_a_unit_certain_that_the_rate_had_selected(sparing):
    """With its old weight, units with complaints would count almost twice: some as ten, all as one."""
    kept = int(0.95 * 2**56)
    sparing.receive(records.logs(unit(kept), unit(2), unit(3, sqlobs__verdict="failed")))
    sparing.change("UPDATE unit SET state = 'done' WHERE id = 1")
    complaints = (feedback(number, "down") for number in (kept, 2, 3))
    sparing.receive(records.logs(*complaints))
    sparing.later(1)
    assert sparing.states() == [
        ("done", None, "always:feedback", 1.0, "unit"),
        ("queued", None, "always:feedback", 1.0, "unit"),
        ("queued", None, "always:failed", 1.0, "unit"),
    ]


def test_a_complaint_about_a_span_waits_for_its_decision(sparing):
    """Sampling decides about a span a minute later; the complaint counts then."""
    sparing.receive(records.spans(records.generation_span(1)), kind="traces")
    sparing.receive(records.logs(feedback(1, "down")))
    sparing.later(1)
    assert [state for state, *_ in sparing.states()] == ["held"]
    sparing.later(61)
    assert sparing.states() == [("queued", None, "always:feedback", None, "span")]


def feedback(number: int, value: str) -> dict[str, object]:
    return records.log(
        number,
        event="gen_ai.evaluation.result",
        gen_ai__evaluation__name="feedback",
        sqlobs__feedback__kind="thumb",
        sqlobs__feedback__value=value,
    )


def test_a_span_replaces_its_unit_if_that_does_not_arrive_in_time(station):
    """60 seconds; its probability comes from the tracestate, else it is unknown."""
    with_threshold = records.generation_span(1) | {"trace_state": "ot=th:8"}
    station.receive(records.spans(with_threshold, records.generation_span(2)), kind="traces")
    held = ("held", "pending", None, None, "span")
    assert station.states() == [held, held]
    station.later(59)
    assert station.states() == [held, held]
    station.later(2)
    assert station.states() == [
        ("queued", None, "rate", 0.5, "span"),
        ("queued", None, "rate", None, "span"),
    ]
    assert station.counted() == {("received", ""): 2, ("queued", ""): 2}


@pytest.mark.parametrize("delay_s", [1, 100])
def test_a_later_unit_replaces_what_its_span_told(station, delay_s):
    """A unit and a span of one identity are one; the unit says more."""
    station.receive(records.spans(records.generation_span(1)), kind="traces")
    station.later(delay_s)
    station.receive(records.logs(unit(1, sqlobs__verdict="failed")))
    station.receive(records.spans(records.generation_span(1)), kind="traces")
    assert station.states() == [("queued", None, "always:failed", 1.0, "unit")]
    assert station.counted()["received", ""] == 1


def test_a_span_is_sampled_by_the_randomness_that_its_tracestate_tells(sparing):
    """Not by its trace id, which then need not be random."""
    states = ("ot=th:8;rv:ffffffffffffff", "ot=th:8;rv:80000000000000", "ot=th:8")
    told = [records.generation_span(one) | {"trace_state": states[one]} for one in range(3)]
    sparing.receive(records.spans(*told), kind="traces")
    sparing.later(61)
    assert sparing.query("SELECT state, probability, randomness FROM unit ORDER BY id") == [
        ("queued", 0.1, 2**56 - 1),
        ("sampled_out", 0.1, 2**55),
        ("sampled_out", 0.1, None),
    ]


def test_schemas_are_kept_once_per_version(station):
    """Content-addressed: the first document of a version stays."""
    for document in (b'{"a": 1}', b'{"b": 2}'):
        station.receive(document, kind="schema", subject="v1")
    assert station.query("SELECT workspace, version, document FROM schema_document") == [
        ("default", "v1", b'{"a": 1}')
    ]


def test_what_was_said_is_forgotten_in_time_and_the_verdict_stays(sparing):
    """Payloads go first, those of units left out soonest; rows go last."""
    sparing.receive(records.logs(unit(1), unit(2, sqlobs__verdict="failed")))
    has_payload = "SELECT state, payload IS NOT NULL FROM unit ORDER BY id"
    sparing.later(101)
    assert sparing.query(has_payload) == [("sampled_out", 0), ("queued", 1)]
    sparing.later(1000)
    assert sparing.query(has_payload) == [("sampled_out", 0), ("queued", 0)]
    sparing.later(5000)
    assert sparing.query(has_payload) == []


def test_the_journal_records_what_is_projected(station):
    """Files before the one being read may be deleted; at the end, all before the newest."""
    station.receive(records.logs(unit(1)))
    first, second = "journal-20270115T080000.000000.log", "journal-20270115T080000.000002.log"
    assert station.journal.begin().name == second
    assert station.projector.project() == 0
    assert station.retired == [first, first, second]


AHEAD = [2**64 - 1, 2**63, NOW_NS + 301 * SECOND]
"""Times that no clock near ours shows; the first two are beyond what a store can hold."""


@pytest.mark.parametrize("told_ns", AHEAD)
def test_a_request_of_the_future_counts_from_when_it_was_received(station, told_ns):
    """A clock that is wrong costs the time it told, not the unit, nor those behind it."""
    late_span = {**records.generation_span(2), "end_time_unix_nano": told_ns}
    station.receive(records.logs(unit(1, at_ns=told_ns)))
    station.receive(records.spans(late_span), kind="traces")
    station.receive(records.logs(unit(3, at_ns=NOW_NS + 299 * SECOND)))
    assert station.query("SELECT state, occurred_ns FROM unit ORDER BY id") == [
        ("queued", NOW_NS),
        ("held", NOW_NS),
        ("queued", NOW_NS + 299 * SECOND),
    ]


def test_a_record_that_cannot_be_stored_is_skipped_alone(station, caplog, monkeypatch):
    """The others of its batch and of its request are stored, and what comes later; it is counted."""
    real, unfit = batches.unit_row, records.span_id(2).hex()

    def row(record, rules):
        made = real(record, rules)
        return made._replace(occurred_ns=2**63) if made.span_id == unfit else made

    monkeypatch.setattr(batches, "unit_row", row)
    station.journal.append(
        [
            Entry("default", "logs", "", "identity", 1, records.logs(*ones).SerializeToString())
            for ones in ([unit(1), unit(2), unit(3)], [unit(4)])
        ],
        received_ns=NOW_NS,
    )
    station.receive(records.logs(unit(5)))
    assert station.query("SELECT span_id, state FROM unit ORDER BY id") == [
        (records.span_id(number).hex(), "queued") for number in (1, 3, 4, 5)
    ]
    assert station.counted() == {("received", ""): 4, ("queued", ""): 4}
    assert station.rejected() == {("logs", "unreadable"): 1}
    assert "cannot be read or stored and is skipped" in caplog.text


def test_errors_of_the_store_lose_no_evaluation(station):
    """A store that cannot be written to for now is no fault of the records: they wait."""
    station.change("ALTER TABLE unit RENAME TO moved")
    with pytest.raises(DBAPIError, match="unit"):
        station.receive(records.logs(unit(1)))
    station.change("ALTER TABLE moved RENAME TO unit")
    station.receive(records.logs(unit(2)))
    assert [state for state, *_ in station.states()] == ["queued", "queued"]
    assert station.rejected() == {}


ODD = [
    ("gen_ai.evaluation.result", "gen_ai.evaluation.name"),
    ("gen_ai.evaluation.result", "gen_ai.evaluation.score.label"),
    ("gen_ai.evaluation.result", "sqlobs.feedback.kind"),
    ("sqlobs.execution", "sqlobs.feedback.value"),
]


@pytest.mark.parametrize(("event", "name"), ODD)
@pytest.mark.parametrize("odd", [["down"], {"down": 1}], ids=["list", "map"])
def test_a_value_of_an_odd_kind_is_as_good_as_none(station, event, name, odd):
    """A list where a text belongs stops neither the projection nor the housekeeping."""
    named = {"gen_ai__evaluation__score__label": "fail", name.replace(".", "__"): odd}
    station.receive(records.logs(unit(1), unit(2)))
    station.receive(records.logs(records.log(1, event=event, **named), feedback(2, "down")))
    station.later(1)
    assert station.query("SELECT span_id, is_joined, is_negative FROM report ORDER BY span_id") == [
        (records.span_id(1).hex(), 1, 0),
        (records.span_id(2).hex(), 1, 1),
    ]
    assert station.rejected() == {}


def test_an_unreadable_report_is_skipped_alone(station, caplog, monkeypatch):
    """The others have their effect; it is counted, and not looked at again."""

    def consequence(report):
        if report.unit.trace_id == records.trace_id(1).hex():
            raise OverflowError("odd")
        return late_report_effect_of(report)

    monkeypatch.setattr(housekeeping, "late_report_effect_of", consequence)
    station.receive(records.logs(unit(1), unit(2), feedback(1, "down"), feedback(2, "down")))
    station.later(1)
    station.later(1)
    assert station.query("SELECT is_joined FROM report") == [(1,), (1,)]
    assert station.rejected() == {("logs", "unreadable"): 1}
    assert "cannot be read and is skipped" in caplog.text


def test_a_damaged_entry_costs_only_itself(station, caplog):
    """What cannot be read is counted and passed over; the rest continues."""
    station.receive(b"\xff\xff")
    station.receive(records.logs(unit(1)))
    assert len(station.states()) == 1
    assert station.rejected() == {("logs", "unreadable"): 1}
    assert "cannot be read" in caplog.text


def test_a_crash_between_batches_repeats_nothing(tmp_path, store_kind):
    """Position and rows are one transaction: a new projector continues where the last one ended."""
    first = Station(tmp_path, store_kind)
    first.receive(records.logs(unit(1), unit(2)))
    first.close()
    second = store_kind.open(tmp_path)
    projector = Projector(
        JournalReader(first.directory, first.journal.identity),
        Store(second),
        rules=lambda _: SamplingRules(1, []),
        digests=DIGESTS,
        journal=StationJournal(first.journal, []),
        flow=PipelineMetrics(CollectorRegistry()),
    )
    assert projector.project() == 0
    second.dispose()


@given(
    value=st.recursive(
        st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_a_payload_gives_back_what_was_put_in(value):
    """Attributes and bodies of any shape survive the store."""
    pair = KeyValue(key="a", value=records.value(value))
    record = LogRecord(attributes=[pair], body=records.value(value))
    assert payload.unpack(payload.pack(record.SerializeToString())) == ({"a": value}, value)


@pytest.mark.parametrize("length", [0, 10, 4096, 100_000])
def test_a_long_payload_is_compressed(length):
    """Of any length it is given back; only a long one is worth the time."""
    body = records.value("SELECT " + "1" * length)
    record = LogRecord(body=body).SerializeToString()
    packed = payload.pack(record)
    assert payload.unpack(packed).body == "SELECT " + "1" * length
    assert (len(packed) < len(record)) is (length >= 4096)


def send(collector, request, **headers) -> None:
    response = httpx.post(
        f"{collector.http}/v1/logs",
        content=request.SerializeToString(),
        headers={"Content-Type": "application/x-protobuf", **headers},
        timeout=PATIENCE_S,
    )
    assert response.status_code == 200


def why(collector, identity: str, **headers) -> list[dict]:
    response = httpx.get(
        f"{collector.admin}/v1/why/{identity}",
        headers=headers or collector.bearer,
        timeout=PATIENCE_S,
    )
    assert response.status_code == 200
    return response.json()["units"]


def test_why_tells_the_path_a_request_took(launch):
    """By trace id or generation id: each step with its time and the reason for every skip."""
    collector = launch(sampling__rate=0.1)
    at_ns = 1_768_464_000 * SECOND
    of_answer = unit(1, at_ns=at_ns, sqlobs__workflow="answer")
    send(collector, records.logs(of_answer, feedback(9, "up")))
    trace = records.trace_id(1).hex()
    [path] = wait_until(lambda: why(collector, trace))
    received, sampled = path.pop("steps")
    assert path == {
        "generation_id": f"00-{trace}-{records.span_id(1).hex()}",
        "occurred": "2026-01-15T08:00:00.000Z",
        **dict.fromkeys(("model", "prompt_version", "tenant", "target", "question", "reference")),
        "sql": "SELECT 1",
        "service": "sales",
        "service_version": "2.4.1",
        "environment": "prod",
        "workflow": "answer",
        "outcome": None,
        "verdict": "ok",
        "failure_code": None,
        "state": "sampled_out",
        "reason": "sampled_out",
    }
    assert (received["step"], received["as"], received["occurred"]) == (
        "received",
        "unit",
        "2026-01-15T08:00:00.000Z",
    )
    assert {name: sampled[name] for name in ("step", "label", "rule", "probability", "why")} == {
        "step": "sampling",
        "label": "sampled_out",
        "rule": "rate",
        "probability": 0.1,
        "why": "sampling.rate excludes this trace's randomness; sampled with probability 0.1",
    }
    identity = f"00-{trace}-{records.span_id(1).hex()}-01"
    assert [one["state"] for one in why(collector, identity)] == ["sampled_out"]
    assert why(collector, "f" * 32) == []


def test_why_answers_only_about_the_asker_s_workspace(launch):
    """A token opens its own workspace, and none opens none."""
    collector = launch(
        auth__tokens={
            "sales": {"ingest": ["s"], "read": ["s"]},
            "hr": {"ingest": ["h"], "read": ["h"]},
        }
    )
    send(collector, records.logs(unit(1)), Authorization="Bearer s")
    trace = records.trace_id(1).hex()
    wait_until(lambda: why(collector, trace, Authorization="Bearer s"))
    assert why(collector, trace, Authorization="Bearer h") == []
    assert httpx.get(f"{collector.admin}/v1/why/{trace}").status_code == 401
    assert httpx.get(f"{collector.admin}/v1/why/nonsense").status_code == 401


def test_why_names_the_form_of_an_id(collector):
    """A wrong id is a 400 that says what would be right."""
    response = httpx.get(f"{collector.admin}/v1/why/nonsense", headers=collector.bearer)
    assert response.status_code == 400
    assert "32 hex digits" in response.json()["error"]


def test_stop_projects_what_was_acknowledged(launch, store_kind):
    """Draining ends with every acknowledged unit in the store."""
    collector = launch()
    for start in range(0, 2000, 500):
        send(collector, records.logs(*(unit(start + number) for number in range(500))))
    collector.stop()
    with store_kind.open(collector.config.data_dir).connect() as connection:
        count = "SELECT count(*), count(DISTINCT trace_id) FROM unit"
        assert connection.exec_driver_sql(count).all() == [(2000, 2000)]
