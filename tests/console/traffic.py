"""Requests of the last hour, as applications send them."""

from __future__ import annotations

import time

import httpx

from tests.collector import records
from tests.collector.running import wait_until
from tests.collector.test_units import send, unit

REQUESTS = 90
INVENTED = {
    "sqlobs__failure__code": "schema.unknown_column",
    "sqlobs__failure__codes": ["schema.unknown_column"],
}
MODELS = ("qwen2.5-coder", "gpt-4o")


def send_traffic(collector) -> None:
    """Send requests of two models; every third of the first model's has an invented name."""
    now_ns = time.time_ns()
    sent = []
    for number in range(1, REQUESTS + 1):
        is_first = number % 2
        invents = number % 6 == 1
        sent.append(
            unit(
                number,
                at_ns=now_ns - number * 30 * 10**9,
                sqlobs__workflow="answer",
                sqlobs__verdict="failed" if invents else "ok",
                sqlobs__first_attempt__verdict="failed" if invents else "ok",
                sqlobs__syntactic=True,
                sqlobs__schematic=not invents,
                sqlobs__generation__duration=0.2 * (1 + number % 7),
                sqlobs__usage__cost=0.0021,
                gen_ai__request__model=MODELS[0] if is_first else MODELS[1],
                **(INVENTED if invents else {}),
            )
        )
    send(collector, records.logs(*sent))
    wait_until(lambda: _stored(collector) == REQUESTS)


def _stored(collector) -> int:
    answer = httpx.get(f"{collector.admin}/v1/overview?since=1h", headers=collector.bearer)
    return answer.json()["requests"]
