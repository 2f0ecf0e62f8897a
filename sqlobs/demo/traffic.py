"""The demo's traffic: asks the service every question, several at once, and runs what comes back.

Started by `sqlobs demo` as a process of its own, `python -m sqlobs.demo.traffic`, so that it is set
up as any application is: by `OTEL_*`, `SQLOBS_*` and `OPENAI_*` variables alone.
"""

from __future__ import annotations

import argparse
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import openai
from opentelemetry import trace
from opentelemetry.trace import SpanKind

import sqlobs
from sqlobs.demo.assistant import ShopAssistant
from sqlobs.demo.recordings import load_recordings
from sqlobs.demo.shop import shop_ddl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.demo.recordings import Recording

_CHUNKS_UNTIL_LEFT = 5
"""How much of a stream somebody reads who leaves before the end."""
_PROMPTS = ("v6", "v7")
"""Two versions of the prompt share the traffic, as during a roll-out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the questions and return 0; what fails inside a request is part of the demo."""
    options = _parse(arguments)
    schema = sqlobs.Schema.from_ddl(shop_ddl(options.dialect), dialect=options.dialect)
    sqlobs.configure(service_name="shop-assistant", schema=schema, set_global=True)
    # The parser is loaded and the schema prepared before the first user waits for an answer.
    sqlobs.check_sql("SELECT 1", schema=schema)
    with openai.OpenAI(max_retries=0) as client:
        model = options.model or client.models.list().data[0].id
        assistant = ShopAssistant(client, model=model, database=options.database, schema=schema)
        questions = list(islice(cycle(load_recordings()), options.requests))
        with ThreadPoolExecutor(options.concurrency) as threads:
            list(threads.map(lambda entry: ask(assistant, *entry), enumerate(questions)))
    sqlobs.shutdown()
    return 0


def ask(assistant: ShopAssistant, number: int, recording: Recording) -> None:
    """Put one question to the service and run the SQL that it answers with, as a user would."""
    prompt = ("shop-sql", _PROMPTS[number % len(_PROMPTS)])
    with (
        # What the instrumentation of a web framework does around a request.
        trace.get_tracer("shop").start_as_current_span("POST /questions", kind=SpanKind.SERVER),
        sqlobs.context(target="shop", prompt=prompt, model=assistant.model) as asked,
    ):
        try:
            sql = _sql_of(assistant, recording)
            result = _result_of(assistant, sql)
        except (openai.OpenAIError, sqlite3.Error) as error:
            print(f"{number:4d}  {type(error).__name__}: {error}", flush=True)
        else:
            print(f"{number:4d}  {result}  {asked.generation.id}", flush=True)


def _result_of(assistant: ShopAssistant, sql: str | None) -> str:
    if not sql:
        return "no SQL"
    return f"{len(assistant.run(sql))} rows" if assistant.has_database else "not run"


def _sql_of(assistant: ShopAssistant, recording: Recording) -> str | None:
    if recording.channel == "chat":
        return assistant.write_sql(recording.question)
    with assistant.stream_sql(recording.question) as stream:
        if recording.channel == "stream_closed":
            list(islice(stream, _CHUNKS_UNTIL_LEFT))
            return None
        pieces = [choice.delta.content or "" for chunk in stream for choice in chunk.choices]
    return assistant.statement_in("".join(pieces))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sqlobs.demo.traffic", description=__doc__)
    parser.add_argument("--database", type=Path, help="the shop's SQLite file; default: none")
    parser.add_argument("--dialect", required=True, help="what the shop's tables are written in")
    parser.add_argument("--requests", type=int, required=True, help="number of questions to ask")
    parser.add_argument("--concurrency", type=int, default=4, help="number of concurrent questions")
    parser.add_argument("--model", help="model; default: the first one that the server lists")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
