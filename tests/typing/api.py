"""The public face as type checkers see it; never run, only checked by mypy and pyright."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import assert_type

from sqlobs import (
    CheckReport,
    Generation,
    Policy,
    Schema,
    SchemaSource,
    Sqlobs,
    aflush,
    configure,
    context,
    current_generation,
    flush,
    record_feedback,
    shutdown,
    trace_execution,
    trace_generation,
    trace_llm,
    trace_retrieval,
)
from sqlobs.judge import LlmFallback

schema = Schema.from_mapping({"orders": ["id"]}, dialect="postgres")
source = SchemaSource(lambda: schema)


@trace_generation
def plain(question: str, *, limit: int = 10) -> str:
    return f"SELECT {limit}"


@trace_generation(schema=schema, question="question", target="warehouse")
async def later(question: str) -> str:
    return "SELECT 1"


@trace_generation(schema=source, sql=None)
def streamed(question: str) -> Iterator[str]:
    yield "SELECT 1"


def schema_of(company: str) -> Schema:
    return {"a": schema}[company]


@trace_generation(schema=schema_of, sql="statement")
async def streamed_later(question: str, company: str) -> AsyncIterator[str]:
    yield "SELECT 1"


class Model:
    @trace_generation
    def answer(self, question: str) -> str:
        return question

    @trace_generation
    @classmethod
    def of_class(cls, question: str) -> str:
        return question

    @staticmethod
    @trace_generation(name="static")
    def without(question: str) -> str:
        return question


@trace_execution(sql="sql", target="warehouse")
async def run(sql: str) -> list[tuple[int, ...]]:
    return [(1,)]


@trace_llm(model="m", provider="openai")
def ask(prompt: str) -> str:
    return prompt


@trace_retrieval(source="schema")
def tables(question: str) -> list[str]:
    return [question]


def check_decorated() -> None:
    assert_type(plain("q", limit=3), str)
    assert_type(streamed("q"), Iterator[str])
    assert_type(streamed_later("q", "a"), AsyncIterator[str])
    assert_type(Model().answer("q"), str)
    assert_type(Model.of_class("q"), str)
    assert_type(Model.without("q"), str)
    assert_type(ask("p"), str)
    assert_type(tables("q"), list[str])
    partial = trace_generation(functools.partial(plain, limit=1))
    assert_type(partial, "functools.partial[str]")


def check_blocks() -> None:
    with trace_generation(name="sales", question="How many?") as generation:
        assert_type(generation, Generation)
        generation.set(sql="SELECT 1", outcome="answered", model="m")
        assert_type(generation.attempt("SELECT 1"), CheckReport)
        assert_type(generation.id, str)
    with trace_execution(sql="SELECT 1", target="w") as execution:
        execution.set(rows=1, columns=1, truncated=False)
    with trace_llm(model=lambda: "m", messages=["p"]), trace_retrieval(source="s", query="q"):
        pass


async def check_handles() -> None:
    assert_type(await later("q"), str)
    assert_type(await run("SELECT 1"), list[tuple[int, ...]])
    assert_type(current_generation(), Generation)
    assert_type(await current_generation().aattempt("SELECT 1"), CheckReport)
    with context(
        schema=schema,
        target="w",
        tenant="t",
        prompt=("sql", "v14"),
        model="m",
        conversation="c",
        user="u",
        session="s",
        reference="SELECT 1",
        hints="h",
    ) as ctx:
        assert_type(ctx.generation, Generation)
        assert_type(ctx.generations, tuple[Generation, ...])
        bound: Callable[[str], str] = ctx.bind(ask)
        bound("p")
    record_feedback(
        "id", kind="thumb", value="down", corrected_sql="SELECT 1", reason="wrong region"
    )
    assert_type(await aflush(), bool)


def check_configuration() -> None:
    configure(
        service_name="s",
        schema=schema,
        dialect="postgres",
        collector="http://127.0.0.1:4318",
        mode="auto",
        check="auto",
        native=True,
        strict="sql_correctness",
        policy=Policy(denied_tables={"salaries"}, allowed_functions={"tax"}),
        fallback=LlmFallback.from_environment(),
        fallback_mode="late",
        redact=lambda kind, text: None if kind == "question" else text,
        detect_refusals=True,
        mark_failures_as_errors=False,
        prices={"gpt-4o": {"input": 2.5, "output": 10}},
        set_global=False,
    )
    instance = Sqlobs(schema=schema, mode="inline")
    assert_type(instance.flush(), bool)
    assert_type(flush(), bool)
    assert_type(shutdown(), bool)
