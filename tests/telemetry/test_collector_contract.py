from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sqlobs.schema.model import Schema
from sqlobs.testing import FakeCollector
from sqlobs.tracing.description.attributes import unit_of
from sqlobs.tracing.sending.collector_client import Collector, CollectorClient, Reply
from sqlobs.tracing.sending.schema_sender import SchemaSender
from sqlobs.tracing.sending.unit_sender import UnitSender
from sqlobs.unit import Unit
from tests.otlp import Backend, backend, value_of, values_of
from tests.telemetry.records import INVENTED, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCHEMA = Schema.from_mapping({"orders": ["id"]}, dialect="postgres")


class Real:
    """The client, with a backend on loopback."""

    def __init__(self, received: Backend) -> None:
        self.received = received
        self.collector: Collector = CollectorClient(received.endpoint)

    def refuse(self) -> None:
        """Answer 401 from now on."""
        self.received.status = 401

    @property
    def units(self) -> list[Unit]:
        """What arrived."""
        return [
            Unit.from_record(
                {k: tuple(v) if isinstance(v, list) else v for k, v in values_of(a).items()},
                value_of(b),
            )
            for a, b in ((log.attributes, log.body) for log in self.received.logs)
        ]

    @property
    def schemas(self) -> dict[str, Schema]:
        """What was put, by version."""
        return {
            r.path.rpartition("/")[2]: Schema.from_json(r.body)
            for r in self.received.requests
            if r.method == "PUT"
        }


class Fake:
    """The collector in memory."""

    def __init__(self) -> None:
        self._fake = FakeCollector()
        self.collector: Collector = self._fake

    def refuse(self) -> None:
        """Refuse from now on."""
        self._fake.reply = Reply("rejected", 401)

    @property
    def units(self) -> list[Unit]:
        """What arrived."""
        return self._fake.units

    @property
    def schemas(self) -> dict[str, Schema]:
        """What was put, by version."""
        return self._fake.schemas


@pytest.fixture(params=["real", "fake"])
def side(request) -> Iterator[Real | Fake]:
    """The real client and the fake, one after the other."""
    with backend() as received:
        made = Real(received) if request.param == "real" else Fake()
        yield made
        made.collector.close()


def sender_to(side: Real | Fake, failed: Callable[[int], None] = lambda _: None) -> UnitSender:
    """Return a sender to one side."""
    return UnitSender(side.collector, resource=dict, failed=failed)


def test_units_and_schemas_arrive_as_they_were_sent(side):
    """Attributes, body and schema read back equal on both sides."""
    sender = sender_to(side)
    schemas = SchemaSender(side.collector)
    schemas.offer(SCHEMA)
    sender.send(record(INVENTED))
    assert sender.flush(10)
    assert schemas.flush(10)
    sender.close(1)
    assert side.units == [unit_of(record(INVENTED))]
    assert side.schemas == {SCHEMA.version: SCHEMA}


def test_a_rejection_is_reported_and_nothing_is_stored(side):
    """A refused batch is counted by the sender."""
    failed: list[int] = []
    side.refuse()
    sender = sender_to(side, failed.append)
    sender.send(record())
    assert sender.flush(10)
    sender.close(1)
    assert failed == [1]


def test_a_collector_can_be_closed_twice(side):
    assert side.collector.endpoint
    assert side.collector.deliver("/v1/logs", b"", within_s=5).is_accepted
    side.collector.close()
    side.collector.close()


def test_a_closed_client_reaches_nothing():
    client = CollectorClient("http://127.0.0.1:9")
    client.close()
    assert client.deliver("/v1/logs", b"", within_s=1) == Reply("unreachable")
