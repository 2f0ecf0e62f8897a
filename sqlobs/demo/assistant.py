"""A text-to-SQL service over the shop, written as an application writes it: sqlobs decorates it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from sqlobs import (
    check_sql,
    current_generation,
    trace_execution,
    trace_generation,
    trace_llm,
    trace_retrieval,
)
from sqlobs.demo.shop_rows import TODAY

if TYPE_CHECKING:
    from pathlib import Path

    import openai
    from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

    from sqlobs import Schema, Table

MAX_ATTEMPTS: Final = 3
MAX_ROWS: Final = 200
_ABSTAINS: Final = "CANNOT_ANSWER:"
_ASKS_BACK: Final = "CLARIFY:"
_INSTRUCTIONS: Final = """\
You translate questions about a web shop into one {dialect} SELECT statement. Today is {today}.
If the tables cannot answer the question, reply "{abstains}" and the reason; if the question is
ambiguous, reply "{asks_back}" and what you need to know. Tables:

{tables}"""


class ShopAssistant:
    """Turns questions into SQL with a repair loop, or as a stream, and runs it read-only."""

    def __init__(
        self, client: openai.OpenAI, *, model: str, database: Path | None, schema: Schema
    ) -> None:
        self.model = model
        self._client = client
        self._database = database
        self._schema = schema

    @property
    def has_database(self) -> bool:
        """Return whether there is a database that runs SQL."""
        return self._database is not None

    @trace_generation(name="answer_question")
    def write_sql(self, question: str) -> str | None:
        """Return the SQL for a question; None if the model declines to answer."""
        generation = current_generation()
        conversation = self._conversation(question)
        sql = ""
        for _ in range(MAX_ATTEMPTS):
            reply = self._complete(conversation).choices[0].message.content or ""
            if reply.startswith((_ABSTAINS, _ASKS_BACK)):
                generation.set(outcome="abstained" if reply.startswith(_ABSTAINS) else "clarified")
                return None
            report = generation.attempt(reply)
            sql = report.sql
            if report.ok:
                break
            conversation.append({"role": "assistant", "content": reply})
            conversation.append({"role": "user", "content": report.explain()})
        return sql

    @trace_generation(name="stream_answer")
    def stream_sql(self, question: str) -> openai.Stream[ChatCompletionChunk]:
        """Return the model's answer as it is written."""
        return self._client.chat.completions.create(
            model=self.model,
            messages=self._conversation(question),
            stream=True,
            stream_options={"include_usage": True},
        )

    def statement_in(self, reply: str) -> str:
        """Return the SQL that a reply holds, without the prose and fences around it."""
        return check_sql(reply, schema=self._schema).sql

    @trace_execution(sql="sql", target="shop")
    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run SQL on the shop, which is opened read-only, and return the first rows."""
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchmany(MAX_ROWS)

    def _conversation(self, question: str) -> list[ChatCompletionMessageParam]:
        instructions = _INSTRUCTIONS.format(
            dialect=self._schema.dialect,
            today=TODAY,
            abstains=_ABSTAINS,
            asks_back=_ASKS_BACK,
            tables=self._schema.render(tables=self._relevant_tables(question)),
        )
        return [
            {"role": "system", "content": instructions},
            {"role": "user", "content": question},
        ]

    @trace_retrieval(source="shop-schema")
    def _relevant_tables(self, question: str) -> list[str]:
        """Return the tables that share a word with the question and those they refer to."""
        words = {word.strip("?,.").lower().rstrip("s") for word in question.split()}
        named = {
            table.name
            for table in self._schema.tables
            if words & {word.rstrip("s") for word in _words_of(table)}
        }
        linked = {
            key.table
            for table in self._schema.tables
            if table.name in named
            for key in table.foreign_keys
        }
        return sorted(named | linked) or [table.name for table in self._schema.tables]

    @trace_llm(provider="openai")
    def _complete(self, conversation: list[ChatCompletionMessageParam]) -> ChatCompletion:
        return self._client.chat.completions.create(model=self.model, messages=conversation)


def _words_of(table: Table) -> set[str]:
    columns = (column.name for column in table.columns)
    return {word for name in (table.name, *columns) for word in name.lower().split("_")}
