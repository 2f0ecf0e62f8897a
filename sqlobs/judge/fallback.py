"""The checker's LLM fallback: four named checks, two labels, wrong names.

fallback = LlmFallback.from_environment()          # SQLOBS_LLM_BASE_URL, _MODEL, _API_KEY
report = await check_sql_async(sql, schema=schema, fallback=fallback)
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, Self, get_args

from sqlobs.check.fallback import CHECKS, LABELS, FallbackAnswer, NameKind, WrongName, place_of
from sqlobs.config import load_llm_settings
from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.asking import ask
from sqlobs.judge.endpoint.budget import BudgetLimits
from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.envelope import too_long
from sqlobs.judge.judgment import NOTHING_USED
from sqlobs.judge.verdicts.judging import suspicious_kinds
from sqlobs.judge.verdicts.prompt import JsonSchema, Prompt, dialect_facts, load
from sqlobs.judge.verdicts.verdict import read_object
from sqlobs.judge.verdicts.voting import VOTING_TEMPERATURE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.check.fallback import CheckName, FallbackRequest, LabelName
    from sqlobs.judge.endpoint.asking import Answer

VERSION: Final = "correctness.v1"
_NAME: Final = "sqlobs.fallback"
_FRAME: Final = "frame.v1"
_KINDS: Final[dict[str, NameKind]] = {kind: kind for kind in get_args(NameKind)}
_TIE: Final = 0.5
_BOOLEANS: Final = (*CHECKS, "syntactic", "schematic")
_KEYS: Final = frozenset({"reasoning", "wrong_names", *_BOOLEANS})

ANSWER: Final[JsonSchema] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        **{name: {"type": "boolean"} for name in _BOOLEANS},
        "wrong_names": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kind": {"type": "string", "enum": sorted(_KINDS)},
                },
                "required": ["name", "kind"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["reasoning", *_BOOLEANS, "wrong_names"],
    "additionalProperties": False,
}
"""The format of an answer: reasoning, then checks, then the labels that follow."""


class LlmFallback:
    """Asks a model if the checker cannot decide.

    Statement, schema and hints are sent as data between random delimiters; nothing in them is an
    instruction, and text that looks like one is flagged.
    """

    def __init__(self, endpoint: Endpoint, *, votes: int = 1) -> None:
        """Ask through an endpoint, with its limits, budget and cache.

        Args:
            endpoint: The endpoint.
            votes: Number of calls per statement; the majority decides each label.

        Raises:
            ConfigError: The number of votes is even.
        """
        if votes < 1 or votes % 2 == 0:
            raise ConfigError("the fallback needs an odd number of votes")
        self._endpoint = endpoint
        self._votes = votes

    @classmethod
    def from_environment(cls) -> Self:
        """Return a fallback configured by the `SQLOBS_LLM_*` variables.

        Raises:
            ConfigError: A variable is missing or invalid.
        """
        settings = load_llm_settings()
        limits = BudgetLimits(tokens=settings.tokens_per_day, usd=settings.usd_per_day)
        config = EndpointConfig(
            base_url=settings.base_url,
            model=settings.model,
            api_key=settings.api_key.get_secret_value() if settings.api_key is not None else None,
            timeout_s=settings.timeout_s,
            retries=1,
            concurrency=4,
            calls_per_minute=settings.calls_per_minute,
            max_wait_s=settings.timeout_s,
            budget=limits,
        )
        return cls(Endpoint(config), votes=settings.votes)

    async def ask(self, request: FallbackRequest) -> FallbackAnswer:
        """Ask the model, with one retry if its answer is malformed."""
        prompt = prompt_of(request)
        suspicious = suspicious_kinds(prompt)
        long = too_long(prompt.fields)
        if long is not None:
            return FallbackAnswer(
                reason="too_large",
                explanation=f"{long} exceeds the size limit",
                suspicious=suspicious,
                evaluator=_NAME,
                evaluator_version=VERSION,
            )
        answers = await asyncio.gather(*(self._vote(prompt, vote) for vote in range(self._votes)))
        counted = count_votes([answer.value for answer in answers if answer.value is not None])
        failures = [answer.failure for answer in answers if answer.failure is not None]
        if not counted.votes:
            counted = replace(counted, reason=failures[0].reason, explanation=failures[0].message)
        usage = sum((answer.usage for answer in answers), NOTHING_USED)
        models = [answer.model for answer in answers if answer.model]
        return replace(
            counted,
            suspicious=suspicious,
            evaluator=_NAME,
            evaluator_version=VERSION,
            model=models[0] if models else self._endpoint.config.model,
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
        )

    async def _vote(self, prompt: Prompt, vote: int) -> Answer[FallbackAnswer]:
        return await ask(
            self._endpoint,
            prompt,
            read_answer,
            vote=vote,
            temperature=VOTING_TEMPERATURE if self._votes > 1 else None,
        )

    async def close(self) -> None:
        """Close the connections; the fallback stays usable."""
        await self._endpoint.close()


def count_votes(votes: Sequence[FallbackAnswer]) -> FallbackAnswer:
    """Return the majority for each label; a tie leaves it undecided.

    Checks, names and reasoning come from the first answer that agrees with the label.
    """
    if not votes:
        return FallbackAnswer(votes=0)
    shares = {name: fmean(vote.label(name) is True for vote in votes) for name in LABELS}
    labels = {name: None if share == _TIE else share > _TIE for name, share in shares.items()}
    spokesmen = {
        name: next(vote for vote in votes if vote.label(name) is label)
        for name, label in labels.items()
        if label is not None
    }
    is_open = not spokesmen
    explanations = dict.fromkeys(spokesman.explanation for spokesman in spokesmen.values())
    return FallbackAnswer(
        syntactic=labels["syntactic"],
        schematic=labels["schematic"],
        syntactic_share=shares["syntactic"],
        schematic_share=shares["schematic"],
        votes=len(votes),
        failed_checks=tuple(
            check
            for name, spokesman in spokesmen.items()
            for check in spokesman.failed_checks
            if CHECKS[check] == name
        ),
        wrong_names=tuple(
            wrong
            for name, spokesman in spokesmen.items()
            for wrong in spokesman.wrong_names
            if _label_of(wrong.kind) == name
        ),
        reason="undecided" if is_open else None,
        explanation="the votes are tied" if is_open else " ".join(explanations),
    )


def _label_of(kind: NameKind) -> LabelName:
    return "syntactic" if kind == "function" else "schematic"


def prompt_of(request: FallbackRequest) -> Prompt:
    """Return the prompt for a statement."""
    own = load(VERSION).sections
    system = load(_FRAME).fill(
        "system",
        task=own["task"],
        situation=own["situation"],
        criteria=own["criteria"],
        dialect=dialect_facts(request.dialect),
        answer=own["answer"],
    )
    parts = {
        "engine": request.engine,
        "schema": request.schema,
        "other_tables": ", ".join(request.other_tables),
        "hints": request.hints,
        "facts": "\n".join(request.facts),
        "sql": request.sql,
    }
    fields = {name: text for name, text in parts.items() if text}
    return Prompt(version=VERSION, system=system, fields=fields, answer=ANSWER)


def read_answer(text: str, data: Mapping[str, str]) -> FallbackAnswer | None:
    """Parse an answer; None if it is malformed or contradicts itself.

    Only the model's own object with all keys counts: an answer may quote forged ones.
    """
    found = read_object(text, data, keys=_KEYS)
    if found is None or not all(isinstance(found[name], bool) for name in _BOOLEANS):
        return None
    listed = found["wrong_names"]
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        return None
    failed: tuple[CheckName, ...] = tuple(name for name in CHECKS if not found[name])
    for label in ("syntactic", "schematic"):
        if found[label] is any(CHECKS[name] == label for name in failed):
            return None
    return FallbackAnswer(
        syntactic=found["syntactic"],
        schematic=found["schematic"],
        failed_checks=failed,
        wrong_names=_wrong_names(listed, data["sql"]),
        explanation=str(found["reasoning"]).strip(),
    )


def _wrong_names(entries: list[dict[str, Any]], sql: str) -> tuple[WrongName, ...]:
    """Return those reported names that occur in the statement: a model may invent some."""
    names = []
    for entry in entries:
        name, kind = entry.get("name"), _KINDS.get(str(entry.get("kind")))
        if isinstance(name, str) and kind is not None:
            plain = name.rpartition(".")[2].strip("\"'`[]")
            if plain and place_of(sql, plain) is not None:
                names.append(WrongName(plain, kind))
    return tuple(dict.fromkeys(names))
