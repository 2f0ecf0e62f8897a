"""Prompts and completions of stages, recorded if capture of message content is on.

Tests: `tests/tracing/test_prompts.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import semconv
from sqlobs.tracing.description.messages import Messages
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import MISSING
from sqlobs.tracing.options.option_resolution import option_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlobs.tracing.options.arguments import Arguments
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue


def prompt_in(option: object, arguments: Arguments | None, names: Iterable[str]) -> object:
    """Return the prompt of a call or a block.

    Args:
        option: A callable, the name of a parameter, or None; for a block the prompt itself.
        arguments: The arguments of the call; None for a block.
        names: Default names of the parameter.
    """
    if arguments is None:
        return option
    if callable(option):
        return option_value(option, arguments, "messages")
    wanted = (option,) if isinstance(option, str) else names
    found = (arguments.read(name) for name in wanted)
    return next((value for value in found if value is not MISSING and value is not None), None)


def prompt_attributes(runtime: Runtime, prompt: object) -> dict[str, AttributeValue]:
    """Return the attributes of a prompt; empty where it cannot be read."""
    messages = Messages(runtime.capture, runtime.redaction)
    try:
        messages.put_prompt(prompt)
        return _attributes(semconv.GEN_AI_INPUT_MESSAGES, messages)
    except Exception as error:  # noqa: BLE001 - the user's messages may be anything
        INTERNAL_ERRORS.caught("messages", error)
        return {}


def answer_attributes(runtime: Runtime, text: str, reason: str | None) -> dict[str, AttributeValue]:
    """Return the attributes of a completion."""
    messages = Messages(runtime.capture, runtime.redaction)
    messages.put_answer(text, reason)
    return _attributes(semconv.GEN_AI_OUTPUT_MESSAGES, messages)


def _attributes(name: str, messages: Messages) -> dict[str, AttributeValue]:
    text = messages.json
    if text is None:
        return {}
    cut = {semconv.SQLOBS_MESSAGES_TRUNCATED: True} if messages.is_cut else {}
    return {name: text, **cut}
