"""A judge with several votes: its label is the majority, its score the share of votes.

A `Task` defines the question: a prompt file of the package, its data, and the answer format.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.asking import ask
from sqlobs.judge.judgment import NOTHING_USED, Judgment
from sqlobs.judge.verdicts.context import Context, shown_fields
from sqlobs.judge.verdicts.judging import (
    failed_to_run,
    missing,
    not_evaluated,
    oversized,
    suspicious_kinds,
)
from sqlobs.judge.verdicts.prompt import JsonSchema, Prompt, fingerprint, framed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlobs.judge.endpoint.asking import Answer
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem

VOTING_TEMPERATURE: Final = 0.7
"""Temperature for several votes: at 0 they would all be equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A parsed vote."""

    is_good: bool
    explanation: str
    score: float | None = None
    """In [0, 1] for a graded answer; otherwise the vote is the score."""
    codes: tuple[str, ...] = ()
    is_coerced: bool = False

    @property
    def worth(self) -> float:
        """The score of this vote."""
        return float(self.is_good) if self.score is None else self.score


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to a model about a statement."""

    name: str
    """The name of the evaluation."""
    version: str
    """The prompt file of the package."""
    needs: tuple[str, ...]
    """Required fields of the item."""
    shows: frozenset[str]
    """The data to send, by its names in the prompt."""
    answer: JsonSchema
    read: Callable[[str, Mapping[str, str]], Opinion | None]
    """Parses an answer, given the data that it may quote; None if it is malformed."""
    judges_failed: bool = False
    """Whether to judge statements that did not run, too."""


@dataclass(frozen=True, slots=True)
class VotingJudge:
    """Asks a model about a task, once or `votes` times."""

    endpoint: Endpoint
    task: Task
    votes: int = 1
    examples: str = ""

    def __post_init__(self) -> None:
        if self.votes < 1 or self.votes % 2 == 0:
            raise ConfigError("a judge needs an odd number of votes")

    @property
    def name(self) -> str:
        """The evaluation that it makes."""
        return self.task.name

    @property
    def fingerprint(self) -> str:
        """Digest of its prompt texts and votes, to which a calibration belongs."""
        return fingerprint((self.task.version,), examples=f"{self.votes}{self.examples}")

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return the majority of the votes; unreadable votes abstain."""
        unfit = missing(item, self.task.needs, name=self.name)
        if unfit is None and not self.task.judges_failed:
            unfit = failed_to_run(item, name=self.name)
        prompt = self.prompt(item)
        unfit = unfit or oversized(item, prompt, name=self.name)
        if unfit is not None:
            return unfit
        answers = await asyncio.gather(*(self._vote(prompt, vote) for vote in range(self.votes)))
        return self._counted(answers, item, prompt)

    def prompt(self, item: JudgeItem) -> Prompt:
        """Return the prompt for an item."""
        fields = shown_fields(item, _EVERYTHING)
        return framed(
            self.task.version,
            {name: text for name, text in fields.items() if name in self.task.shows},
            answer=self.task.answer,
            dialect=item.dialect,
            examples=self.examples,
        )

    async def _vote(self, prompt: Prompt, vote: int) -> Answer[Opinion]:
        temperature = VOTING_TEMPERATURE if self.votes > 1 else None
        return await ask(
            self.endpoint,
            prompt,
            self.task.read,
            vote=vote,
            temperature=temperature,
        )

    def _counted(
        self, answers: Sequence[Answer[Opinion]], item: JudgeItem, prompt: Prompt
    ) -> Judgment:
        opinions = [answer.value for answer in answers if answer.value is not None]
        usage = sum((answer.usage for answer in answers), NOTHING_USED)
        good = sum(opinion.is_good for opinion in opinions)
        if not opinions or 2 * good == len(opinions):
            return self._undecided(answers, item, prompt)
        is_good = 2 * good > len(opinions)
        winners = [opinion for opinion in opinions if opinion.is_good == is_good]
        shown = next(answer for answer in answers if answer.value is winners[0])
        return Judgment(
            name=self.name,
            label="pass" if is_good else "fail",
            score=fmean(opinion.worth for opinion in opinions),
            explanation=winners[0].explanation,
            codes=tuple(dict.fromkeys(code for opinion in winners for code in opinion.codes)),
            text=shown.text,
            model=shown.model,
            prompt_version=prompt.version,
            prompt_digest=prompt.digest,
            usage=usage,
            is_cached=all(answer.is_cached for answer in answers),
            is_coerced=any(opinion.is_coerced for opinion in opinions),
            is_repaired=any(answer.is_repaired for answer in answers),
            suspicious=suspicious_kinds(prompt),
            case_id=item.case_id,
        )

    def _undecided(
        self, answers: Sequence[Answer[Opinion]], item: JudgeItem, prompt: Prompt
    ) -> Judgment:
        failures = [answer.failure for answer in answers if answer.failure is not None]
        has_votes = len(failures) < len(answers)
        return not_evaluated(
            item,
            name=self.name,
            reason="undecided" if has_votes else failures[0].reason,
            explanation="the votes are tied" if has_votes else failures[0].message,
            prompt=prompt,
        )


_EVERYTHING: Final = Context(results="both")
