"""Asks a prompt and reads the answer, once more if the first answer cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from sqlobs.judge.endpoint.reply import Failure, Reply
from sqlobs.judge.judgement import NOTHING_USED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.judgement import Usage
    from sqlobs.judge.verdicts.prompt import Prompt

T = TypeVar("T")

_LIMIT: Final = "max_output_tokens, or a filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """What a model's answer says, or why it says nothing."""

    value: T | None
    """None exactly where there is a failure."""
    failure: Failure | None = None
    text: str = ""
    model: str | None = None
    usage: Usage = NOTHING_USED
    is_cached: bool = False
    is_repaired: bool = False


async def ask(
    endpoint: Endpoint,
    prompt: Prompt,
    read: Callable[[str, Mapping[str, str]], T | None],
    *,
    vote: int = 0,
    temperature: float | None = None,
) -> Answer[T]:
    """Ask, read, and ask once more where nothing could be read.

    Args:
        endpoint: Whom to ask.
        prompt: What to ask.
        read: Returns what an answer says about the data it may quote; None where it is malformed.
        vote: Which of several votes this is.
        temperature: In place of the configured one.
    """
    usage = NOTHING_USED
    last: Reply | None = None
    for repair in (False, True):
        reply = await endpoint.complete(prompt, vote=vote, temperature=temperature, repair=repair)
        if isinstance(reply, Failure):
            return Answer(value=None, failure=reply, usage=usage, text=last.text if last else "")
        usage, last = usage + reply.usage, reply
        # Of an answer that was cut, what stands last may be the data that it quotes
        value = None if reply.is_cut else read(reply.text, prompt.fields)
        if value is not None:
            return Answer(
                value=value,
                text=reply.text,
                model=reply.model,
                usage=usage,
                is_cached=reply.is_cached,
                is_repaired=repair,
            )
    endpoint.forget(prompt, vote=vote, temperature=temperature)
    return Answer(
        value=None,
        failure=Failure(
            reason="judge_malformed",
            message="two answers of the model held no readable verdict"
            + (f", the last was cut ({_LIMIT})" if last and last.is_cut else ""),
        ),
        text=last.text if last else "",
        model=last.model if last else None,
        usage=usage,
    )
