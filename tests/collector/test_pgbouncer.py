"""The store behind PgBouncer in transaction mode: each transaction may run on another connection."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import make_url

from sqlobs_collector.sharing.duty import LeasedDuty
from sqlobs_collector.sharing.heartbeat import Heartbeat
from sqlobs_collector.store.writing import Store
from tests.collector import records
from tests.collector.stores import StoreKind
from tests.collector.test_units import Station, unit
from tests.servers import PgBouncer

CLIENTS = 6
"""More than PgBouncer has connections to the server."""
ROUNDS = 12
"""psycopg prepares a statement when it is executed for the sixth time."""


@pytest.mark.postgres
def test_a_store_behind_a_pooler_is_migrated_and_shared(databases, tmp_path):
    """Requests come in, leases are renewed and units are taken on any connection."""
    server = make_url(databases.empty().url)
    pooler = PgBouncer(server.port)
    try:
        kind = StoreKind(f"{pooler.url(server.database)}?pgbouncer=true")
        with closing(Station(tmp_path, kind)) as station:
            store = Store(station.engine)

            def work(client: int) -> int:
                duty = LeasedDuty(station.engine, f"duty {client}", "this one")
                heartbeat = Heartbeat(store, is_alone=False)
                taken = 0
                for _ in range(ROUNDS):
                    duty.compete()
                    heartbeat.beat()
                    assert duty.is_held
                    with duty.store.writing() as writer:
                        taken += len(writer.queue.take(heartbeat.worker, at_ns=1, limit=3))
                return taken

            numbers = range(1, CLIENTS * ROUNDS + 1)
            for number in numbers[::CLIENTS]:
                station.receive(
                    records.logs(*(unit(one) for one in range(number, number + CLIENTS)))
                )
            with ThreadPoolExecutor(CLIENTS) as clients:
                taken = sum(clients.map(work, range(CLIENTS)))
            assert taken == len(numbers)
            states = "SELECT state, count(*) FROM unit GROUP BY state"
            assert station.query(states) == [("running", len(numbers))]
    finally:
        pooler.stop()
