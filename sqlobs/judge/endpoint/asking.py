"""Sends a prompt and parses the answer, with one retry if the first answer is malformed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from sqlobs.judge.endpoint.reply import Failure, Reply
from sqlobs.judge.judgment import NOTHING_USED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.judgment import Usage
    from sqlobs.judge.verdicts.prompt import Prompt

T = TypeVar("T")

_LIMIT: Final = "max_output_tokens, or a filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """A parsed answer of a model, or the reason why there is none."""

    value: T | None
    """None exactly if there is a failure."""
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
    """Send a prompt and parse the answer, with one retry if it is malformed.

    Args:
        endpoint: The endpoint.
        prompt: The prompt.
        read: Parses an answer, given the data that it may quote; None if it is malformed.
        vote: The index among several votes.
        temperature: Overrides the configured one.
    """
    usage = NOTHING_USED
    last: Reply | None = None
    for repair in (False, True):
        reply = await endpoint.complete(prompt, vote=vote, temperature=temperature, repair=repair)
        if isinstance(reply, Failure):
            return Answer(value=None, failure=reply, usage=usage, text=last.text if last else "")
        usage, last = usage + reply.usage, reply
        # The end of a truncated answer may be quoted data, not a verdict
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
            message="neither of the model's two answers contains a readable verdict"
            + (f"; the second was truncated ({_LIMIT})" if last and last.is_cut else ""),
        ),
        text=last.text if last else "",
        model=last.model if last else None,
        usage=usage,
    )
