"""What sqlobs adds to a request of a service: requests with pauses, threads and an event loop.

40 requests a second, no two statements alike, a third of them faulty. *Added* is the time between
the call and its answer; the function itself answers at once. CPU is that of the whole process, with
the pauses of its threads, and with that of its checking process: the first row is that load without
any span. `sqlobs` is the default, which checks in a process here; it is started before the load.
Subjects take turns.
"""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlglot
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from sqlobs import Schema, Sqlobs
from sqlobs.tracing.checking_process.auto_checker import AutoChecker
from sqlobs.tracing.checking_process.process import START_S
from tests.benchmarks.model_statements import schema_of, statements
from tests.benchmarks.scale import scaled
from tests.benchmarks.tracing import bare_span, others, provider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RATE = 40
THREADS = 4
ROUNDS = scaled(4, least=1)
REQUESTS = scaled(200, least=8)
REPEATED = 20
NOTHING = "no span"
PARSED = "bare span + sqlglot.parse"
BARE = "bare span"


@dataclass
class Load:
    """What the turns of one subject cost."""

    added: list[float] = field(default_factory=list)
    """Seconds of each call."""
    cpu: list[float] = field(default_factory=list)
    """CPU seconds of the process per request, one figure a turn."""

    def percentile(self, share: float) -> float:
        """Return a percentile of the added time, in milliseconds."""
        return sorted(self.added)[min(len(self.added) - 1, int(len(self.added) * share))] * 1e3

    @property
    def cpu_ms(self) -> float:
        """The median over the turns, in milliseconds."""
        return statistics.median(self.cpu) * 1e3


def answer(sql: str) -> str:
    """Answer at once: the statement of a request is its question."""
    return sql


def parsed(sql: str) -> str:
    """Answer after a parse."""
    with suppress(sqlglot.ParseError):
        sqlglot.parse(sql, dialect="postgres")
    return sql


def processor_s(pid: int | None) -> float:
    """Return the processor time of this process, and of the one that checks for it."""
    # The clock of a process, as `clock_getcpuclockid` makes it of an id
    other = 0.0 if pid is None else time.clock_gettime(~pid << 3 | 2)
    return time.process_time() + other


def threaded(
    call: Callable[[str], object], texts: Iterator[str], load: Load, helper: int | None
) -> None:
    """Send the requests of one turn from threads, each with pauses between its requests."""
    shared = [next(texts) for _ in range(REQUESTS)]

    def client(mine: list[str], delay: float) -> None:
        due = time.perf_counter() + delay
        for sql in mine:
            time.sleep(max(0.0, due - time.perf_counter()))
            due += THREADS / RATE
            begun = time.perf_counter()
            call(sql)
            load.added.append(time.perf_counter() - begun)

    begun = processor_s(helper)
    clients = [
        threading.Thread(target=client, args=(shared[place::THREADS], place / RATE))
        for place in range(THREADS)
    ]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    time.sleep(0.2)  # what a worker does behind the requests is paid for, too
    load.cpu.append((processor_s(helper) - begun) / REQUESTS)


async def paused(call: Callable[[str], object], texts: Iterator[str]) -> list[float]:
    """Return how much later than asked an event loop woke up every 5 ms, in seconds."""
    shared = [next(texts) for _ in range(REQUESTS)]
    late: list[float] = []

    async def watch() -> None:
        while True:
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            late.append(time.perf_counter() - due)

    watching = asyncio.create_task(watch())
    for sql in shared:
        call(sql)
        await asyncio.sleep(1 / RATE)
    watching.cancel()
    return late


def instances(schema: Schema) -> dict[str, Sqlobs]:
    """Return an instance for each way to check, the default first, with providers of its own."""
    options: dict[str, dict[str, Any]] = {"sqlobs": {"check": "auto"}} | {
        f"sqlobs application, {mode}": {"check": "application", "mode": mode}
        for mode in ("auto", "inline", "deferred")
    }
    return {
        name: Sqlobs(
            tracer_provider=provider(),
            meter_provider=MeterProvider(metric_readers=[InMemoryMetricReader()]),
            schema=schema,
            **own,
        )
        for name, own in options.items()
    }


def processes_of(
    made: dict[str, Sqlobs], ours: dict[str, Callable[[str], str]], text: str
) -> dict[str, int | None]:
    """Return the checking process of each instance that starts one, after its start."""
    for call in ours.values():
        call(text)  # prepares the schema
        on_another_thread(lambda call=call: call(f"{text} "))  # type: ignore[misc]
    found = {}
    for name, one in made.items():
        one.flush()
        checker = one.runtime.checker
        if isinstance(checker, AutoChecker):
            until = time.monotonic() + START_S
            while not checker.is_up and time.monotonic() < until:
                time.sleep(0.01)
            found[name] = checker.process_id
    return found


def on_another_thread(call: Callable[[], object]) -> None:
    """Make a call on a thread of its own."""
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def measured(
    subjects: dict[str, Callable[[str], Any]],
    source: Iterator[str],
    pids: dict[str, int | None],
) -> dict[str, Load]:
    """Return what each subject costs."""
    loads = {name: Load() for name in subjects}
    for _ in range(ROUNDS):
        for name, call in subjects.items():
            threaded(call, source, loads[name], pids.get(name))
    return loads


def repeated(texts: Iterator[str]) -> Iterator[str]:
    """Yield a few statements again and again."""
    few = [next(texts) for _ in range(REPEATED)]
    while True:
        yield from few


def show(title: str, loads: dict[str, Load], reference: str) -> None:
    """Print a table of one load."""
    print(f"\n{title}: {RATE} requests a second over {THREADS} threads, {ROUNDS} turns")
    print(f"{'':<28}{'CPU ms':>8}{'ratio':>8}{'p50 ms':>8}{'ratio':>8}{'p95 ms':>8}{'p99 ms':>8}")
    base = loads[reference]
    for name, load in loads.items():
        cpu = load.cpu_ms / base.cpu_ms
        p50 = load.percentile(0.5) / base.percentile(0.5)
        print(
            f"{name:<28}{load.cpu_ms:8.2f}{cpu:7.2f}x{load.percentile(0.5):8.2f}{p50:7.2f}x"
            f"{load.percentile(0.95):8.2f}{load.percentile(0.99):8.2f}"
        )


def main() -> None:
    """Print the figures for 10 and 1,000 tables, distinct and repeated statements."""
    for tables in (10, 1_000):
        made = instances(schema_of(tables))
        ours = {name: one.trace_generation(answer) for name, one in made.items()}
        texts = statements(tables, seed=tables)
        pids = processes_of(made, ours, next(texts))
        peers = others(answer)
        subjects = {NOTHING: answer, BARE: bare_span(answer), PARSED: bare_span(parsed)}
        found = measured({**subjects, **ours}, texts, pids)
        show(f"distinct statements, {tables} tables (ratio to parse)", found, PARSED)
        if tables == 10:
            again = measured({**subjects, **ours, **peers}, repeated(texts), pids)
            show("repeated statements, 10 tables (ratio to a bare span)", again, BARE)
        print(f"\nlongest pauses of an event loop, {tables} tables: p99 and maximum, ms")
        for name, call in {PARSED: subjects[PARSED], **ours}.items():
            late = sorted(asyncio.run(paused(call, texts)))
            print(f"{name:<28}{late[int(len(late) * 0.99)] * 1e3:8.2f}{late[-1] * 1e3:8.2f}")
        for one in made.values():
            one.shutdown()


if __name__ == "__main__":
    main()
