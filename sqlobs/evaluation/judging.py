"""LLM judging in an evaluation: a verdict on each pair that ran."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, Self

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.account import Account
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.item import JudgeItem
from sqlobs.judge.trust.dataset import flex_row
from sqlobs.judge.verdicts.categories import Categorizer
from sqlobs.judge.verdicts.facts import schema_text
from sqlobs.judge.verdicts.rendering import render
from sqlobs.judge.verdicts.roster import VOTING, panel
from sqlobs.runs.case import JudgeVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

    from sqlobs.evaluation.case import Case
    from sqlobs.evaluation.judge_store import JudgeStore
    from sqlobs.execution.outcome import Execution
    from sqlobs.judge.endpoint.budget import Amount
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.judge_names import JudgeName
    from sqlobs.judge.verdicts.judging import Judge
    from sqlobs.schema.model import Schema

EqualityName = Literal["ex", "ex_set", "ex_testsuite"]
"""Execution accuracy: ours, BIRD's sets of rows, Spider's test suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The judge and how it is called."""

    endpoints: tuple[EndpointConfig, ...]
    """One model, or an odd number of models that decide by majority."""
    name: JudgeName | None = "flex"
    """The judge of pairs; None = only judges that need no reference."""
    alone: tuple[JudgeName, ...] = ()
    """Judges that need no reference, asked about every statement."""
    votes: int = 1
    """How often each of these is asked, if it votes; odd."""
    is_batch: bool = False
    """By the Batch API: half the price, within a day."""
    equality: EqualityName = "ex"
    """When results count as equal: as our `ex` says, or as the dataset has it."""
    examples: str = ""
    """Worked cases of a tuned judge, as `Examples.text` gives them."""
    poll_s: float = 30.0
    """Polling interval of a batch in seconds."""

    def __post_init__(self) -> None:
        if len(self.endpoints) % 2 == 0:
            raise ConfigError("an ensemble needs an odd number of judges")
        if self.is_batch and len(self.endpoints) > 1:
            raise ConfigError("--judge-batch supports only one model; omit it to use several")

    @property
    def names(self) -> tuple[JudgeName, ...]:
        """All judges."""
        return self.alone if self.name is None else (self.name, *self.alone)

    @property
    def concurrency(self) -> int:
        """How many calls may be in progress at once."""
        return self.endpoints[0].concurrency

    @property
    def sorts(self) -> bool:
        """Whether a second call sorts what is wrong or different into categories."""
        return self.name == "flex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An executed prediction with its reference."""

    case: Case
    reference_sql: str
    reference: Execution
    predicted: Execution
    results_equal: bool | None
    dialect: str | None = None
    schema: Schema | None = None

    def as_item(self) -> JudgeItem:
        """Return the judge's input for it, with results as text, because tables may be large."""
        sql, schema = self.case.predicted_sql or "", self.schema
        item = JudgeItem.of_outcomes(
            sql=sql,
            predicted=self.predicted.outcome,
            reference_outcome=self.reference.outcome,
            results_equal=self.results_equal,
            question=self.case.question,
            dialect=self.dialect,
            schema=None if schema is None else schema_text(schema, [sql, self.reference_sql]),
            hints=self.case.hint,
            reference=self.reference_sql,
            case_id=self.case.label,
        )
        return replace(
            item,
            predicted_result=render(item.predicted_result),
            reference_result=render(item.reference_result),
        )


class PairJudge(Protocol):
    """Receives each pair that ran."""

    @property
    def equality(self) -> EqualityName:
        """The score that says whether results are equal."""
        ...

    def verdict(self, pair: Pair) -> JudgeVerdict | None:
        """Return the verdict on a pair; None if it comes later."""
        ...

    @property
    def alone(self) -> tuple[JudgeName, ...]:
        """The judges that need no reference."""
        ...

    def verdicts(
        self, index: int, item: JudgeItem, names: Iterable[JudgeName]
    ) -> Mapping[str, JudgeVerdict]:
        """Return the verdicts of judges that need no reference; none if they come later."""
        ...


class CaseJudge:
    """A thread-safe judge, and a context manager that closes its connections.

    Judges live on an event loop, evaluation on threads: the loop runs in a thread of its own.
    """

    def __init__(self, settings: JudgeSettings, store: JudgeStore) -> None:
        """Set up; connections are made by the first question.

        Args:
            settings: The endpoints, their limits and budget.
            store: Keeps answers, so that a killed run pays for nothing twice; closed at the end.

        Raises:
            ConfigError: a key is to come from a variable that is not set.
        """
        self.equality = settings.equality
        self._store = store
        account = Account(self._store)
        self._endpoints = [
            Endpoint(config, cache=self._store, ledger=account) for config in settings.endpoints
        ]
        self.alone = settings.alone
        self._judge = (
            None if settings.name is None else judge_of(settings.name, self._endpoints, settings)
        )
        self._others = {name: judge_of(name, self._endpoints, settings) for name in settings.alone}
        self._categorizer = Categorizer(self._endpoints[0]) if settings.sorts else None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="sqlobs-judge", daemon=True
        )

    @property
    def spent(self) -> Amount:
        """Tokens and money paid for all answers in the store."""
        return self._store.total()

    @property
    def repeated(self) -> int:
        """Calls that interruptions of this run cut off, and that are made again."""
        return self._store.repeated

    def verdict(self, pair: Pair) -> JudgeVerdict | None:
        """Return the judge's verdict on a pair; without one, the reason stands in its place."""
        if self._judge is None:
            return None
        return self._verdict(pair.as_item(), self._judge, self._categorizer)

    def verdicts(
        self,
        index: int,  # noqa: ARG002 - for judges whose verdicts come later
        item: JudgeItem,
        names: Iterable[JudgeName],
    ) -> Mapping[str, JudgeVerdict]:
        """Return the verdicts of judges that need no reference."""
        return {name: self._verdict(item, self._others[name], None) for name in names}

    def _verdict(
        self, item: JudgeItem, judge: Judge, categorizer: Categorizer | None
    ) -> JudgeVerdict:
        asked = asyncio.run_coroutine_threadsafe(flex_row(item, judge, categorizer), self._loop)
        try:
            return asked.result().verdict
        except CancelledError:
            return JudgeVerdict(judge=judge.name, correct=None, explanation="stopped")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._store.close()

    async def _close(self) -> None:
        for endpoint in self._endpoints:
            await endpoint.close()


def judge_of(name: JudgeName, endpoints: Sequence[Endpoint], settings: JudgeSettings) -> Judge:
    """Return a judge of a run: with its votes and examples, if it has any."""
    votes = settings.votes if name in VOTING else 1
    examples = settings.examples if name in {"flex", "flex_noref"} else ""
    return panel(name, endpoints, votes=votes, examples=examples)
