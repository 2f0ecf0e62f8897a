"""Systems under test that are models behind an OpenAI-compatible API."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.evaluation.generation.answer import Answer, CostLimitError, RefusedError
from sqlobs.judge.endpoint.account import Account
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.endpoint.reply import Failure
from sqlobs.judge.endpoint.store import SqliteStore
from sqlobs.judge.verdicts.prompt import Messages, Prompt
from sqlobs.runs.case import GenerationRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.generation.placeholders import Surroundings
    from sqlobs.evaluation.generation.plan import Plan
    from sqlobs.evaluation.generation.prompts import PromptTemplate
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.reply import Reply

STORE: Final = "generation.db"
"""Answers and their cost, in the directory of the runs."""
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One cell of a matrix: a model with a prompt and a temperature."""

    endpoint: EndpointConfig
    prompt: PromptTemplate
    temperature: float = 0.0

    @property
    def identity(self) -> tuple[object, ...]:
        """Everything that decides what is answered."""
        return (
            self.endpoint.base_url,
            self.endpoint.model,
            self.temperature,
            self.prompt.name,
            self.prompt.messages,
        )


@dataclass(frozen=True, kw_only=True)
class ChatPrompt(Prompt):
    """The messages of a question, as the user's template has them."""

    version: str = "generation"
    system: str = ""

    @classmethod
    def of(cls, messages: Messages, base_url: str) -> ChatPrompt:
        """Return a prompt whose answer is kept by its messages and by who answers."""
        return cls(fields={"messages": json.dumps(messages), "base_url": base_url})

    def messages(self, delimiter: str, *, repair: bool = False) -> Messages:  # noqa: ARG002 - as in the base
        """Return the messages as they are."""
        found: Messages = json.loads(self.fields["messages"])
        return found


class ModelSystem:
    """Asks models; an answer is kept as soon as it is there, so that none is paid for twice."""

    def __init__(
        self,
        settings: Sequence[Setting],
        plan: Plan,
        surroundings: Surroundings,
        folder: Path,
    ) -> None:
        """Set up; connections are made by the first question.

        Args:
            settings: The cells, in the order of the plan's runs.
            plan: Says which cell and which sample a task is.
            surroundings: The values of placeholders.
            folder: Where answers and their cost are kept.

        Raises:
            ConfigError: a key is to come from a variable that is not set.
        """
        self._settings = settings
        self._plan = plan
        self._surroundings = surroundings
        self._store = SqliteStore(folder / STORE)
        account = Account(self._store)
        self._endpoints = [
            Endpoint(setting.endpoint, cache=self._store, ledger=account) for setting in settings
        ]

    async def ask(self, case: Case) -> Answer:
        """Ask the model of a task; whatever is not an answer raises `RefusedError`.

        Raises:
            CostLimitError: the call could exceed the cost limit.
            RefusedError: the model did not answer.
        """
        place = self._plan.run_of(case)
        setting, endpoint = self._settings[place], self._endpoints[place]
        messages = setting.prompt.filled(self._surroundings.values(case))
        prompt = ChatPrompt.of(messages, setting.endpoint.base_url)
        sample, heat = self._plan.sample_of(case), setting.temperature
        reply = await endpoint.complete(prompt, vote=sample, temperature=heat)
        if isinstance(reply, Failure):
            raise self._refused(reply, endpoint)
        if reply.is_cut:
            endpoint.forget(prompt, vote=sample, temperature=heat)  # a retry asks again
        return self._answer(case, reply, setting)

    async def close(self) -> None:
        """Close the connections."""
        for endpoint in self._endpoints:
            await endpoint.close()
        self._store.close()

    def _answer(self, case: Case, reply: Reply, setting: Setting) -> Answer:
        record = _record(reply, setting)
        if reply.is_cut:
            most = setting.endpoint.max_output_tokens
            fault = f"the answer was cut; raise --max-output-tokens (now {most})"
            return Answer(case.index, None, replace(record, status="error", error=fault))
        found = extract_sql(reply.text, dialect=self._surroundings.dialect_of(case))
        if found is None:
            return Answer(case.index, None, replace(record, status="refused"))
        return Answer(case.index, found.sql, record)

    def _refused(self, failure: Failure, endpoint: Endpoint) -> Exception:
        limit = endpoint.config.budget.usd
        if failure.reason != "budget" or limit is None:
            return RefusedError(failure.message)
        spent = endpoint.used.micro_usd / _MILLION
        return CostLimitError(
            f"${spent:.4f} of ${limit:g} spent, and the next call could exceed it"
        )


def _record(reply: Reply, setting: Setting) -> GenerationRecord:
    return GenerationRecord(
        model=setting.endpoint.model,
        prompt=setting.prompt.name,
        temperature=setting.temperature,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost=reply.cost_usd,
        llm_time=round(reply.latency_s, 6),
        total_execution_time=round(reply.latency_s, 6),
    )
