"""Judging over a slow endpoint against a bare loop of the openai client: 200 calls in flight.

The server is a process of its own and takes one second for each call at full scale. Both sides send prompts of
the same size; halves of them alternate, so that a loaded machine slows both.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.envelope import new_delimiter
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.many import each, judge_all
from sqlobs.judge.replay import completion
from sqlobs.judge.verdicts.flex import FlexJudge, flex_prompt
from tests.benchmarks.scale import SCALE, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

PARTS = 2
CALLS = scaled(4_000, least=10 * PARTS)
IN_FLIGHT = 200
LATENCY_S = SCALE
LEAST_SHARE = 0.8
SCHEMA = "\n".join(
    f"CREATE TABLE boat_{n} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, berth INTEGER);"
    for n in range(40)
)
REPLY = json.dumps({"reasoning": "Both count the boats of the berth. " * 6, "correct": True})


def main() -> None:
    """Print both rates and their ratio; say whether it keeps its bar."""
    with _server() as base_url, tempfile.TemporaryDirectory() as directory:
        bare, ours = [], []
        for part in range(PARTS):
            items = [_item(number) for number in range(part, CALLS, PARTS)]
            bare.append(asyncio.run(_bare(base_url, items)))
            ours.append(asyncio.run(_ours(base_url, items, Path(directory) / f"{part}.db")))
    rates = {
        name: CALLS / sum(seconds for seconds, _ in parts)
        for name, parts in (("bare openai loop", bare), ("FlexJudge, answers kept", ours))
    }
    for (name, rate), parts in zip(rates.items(), (bare, ours), strict=True):
        cpu_ms = 1e3 * sum(cpu for _, cpu in parts) / CALLS
        print(f"{name:<26} {rate:6.1f} calls/s  {cpu_ms:5.2f} ms CPU a call")
    share = rates["FlexJudge, answers kept"] / rates["bare openai loop"]
    bound = IN_FLIGHT / LATENCY_S
    print(f"{CALLS} calls each, {IN_FLIGHT} in flight, at most {bound:.0f} calls/s")
    word = "kept" if share >= LEAST_SHARE else "MISSED"
    print(f"share of the bare loop: {share:.2f} (bar {LEAST_SHARE}: {word})")


def _item(number: int) -> JudgeItem:
    return JudgeItem(
        question=f"How many boats lie in berth {number}?",
        sql=f"SELECT COUNT(*) FROM boat_1 WHERE berth = {number}",
        reference=f"SELECT COUNT(id) FROM boat_1 WHERE berth = {number}",
        dialect="sqlite",
        schema=SCHEMA,
        results_equal=True,
    )


async def _ours(base_url: str, items: list[JudgeItem], path: Path) -> tuple[float, float]:
    config = EndpointConfig(
        base_url=base_url, model="slow", concurrency=IN_FLIGHT, timeout_s=60, max_wait_s=60
    )
    with SqliteStore(path) as store:
        async with Endpoint(config, cache=store, ledger=store) as endpoint:
            started, cpu = time.perf_counter(), time.process_time()
            found = await judge_all(FlexJudge(endpoint), items, concurrency=IN_FLIGHT)
            took = time.perf_counter() - started, time.process_time() - cpu
    if not all(judgment.label == "pass" for judgment in found):
        raise SystemExit("some item was not judged")
    return took


async def _bare(base_url: str, items: list[JudgeItem]) -> tuple[float, float]:
    from openai import AsyncOpenAI

    prompts = [flex_prompt(item) for item in items]
    requests = [(prompt.messages(new_delimiter()), prompt.answer) for prompt in prompts]
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def call(request: tuple[list[dict[str, str]], dict[str, object]]) -> bool:
            messages, answer = request
            schema = {"name": "answer", "strict": True, "schema": answer}
            found = await client.chat.completions.create(  # type: ignore[call-overload]
                model="slow",
                messages=messages,
                temperature=0.0,
                max_tokens=2048,
                response_format={"type": "json_schema", "json_schema": schema},
            )
            return bool(json.loads(found.choices[0].message.content)["correct"])

        started, cpu = time.perf_counter(), time.process_time()
        found = await each(call, requests, concurrency=IN_FLIGHT)
        took = time.perf_counter() - started, time.process_time() - cpu
    if not all(found):
        raise SystemExit("some call was not answered")
    return took


@contextmanager
def _server() -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(told: Connection) -> None:
    asyncio.run(_answer_all(told))


async def _answer_all(told: Connection) -> None:
    server = await asyncio.start_server(_converse, "127.0.0.1", 0, backlog=IN_FLIGHT * 2)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    document = {"model": "slow", "messages": [{"role": "user", "content": "x" * 4_000}]}
    body = json.dumps(completion(document, REPLY)).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    try:
        while True:
            header = await reader.readuntil(b"\r\n\r\n")
            length = header.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            await asyncio.sleep(LATENCY_S)
            writer.write(head + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


if __name__ == "__main__":
    main()
