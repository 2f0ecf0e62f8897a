"""Prompts and completions of stages, as the JSON of the GenAI conventions, redacted and capped.

They are recorded if capture of message content is on. Messages of a model contain SQL as generated,
also earlier ones in the prompt: they are recorded with raw capture of SQL only.
Tests: `tests/tracing/test_prompts.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlobs import semconv
from sqlobs.check.llm_output.answer_text import field_of
from sqlobs.tracing.description.attribute_set import LIST_CAP, MESSAGES_CAP, cut_name
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import MISSING, Arguments
from sqlobs.tracing.options.option_layer import option_value

if TYPE_CHECKING:
    from sqlobs.tracing.description.redaction import TextKind
    from sqlobs.tracing.runtime import Runtime
    from sqlobs.unit import AttributeValue

Part = dict[str, object]

_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
"""Roles by type of LangChain message."""


@dataclass(slots=True)
class Messages:
    """Builds the messages of one attribute."""

    runtime: Runtime
    room: int = MESSAGES_CAP
    """Remaining bytes of UTF-8 for texts."""
    is_cut: bool = False
    _written: list[Part] = field(default_factory=list)

    def put_prompt(self, prompt: object) -> None:
        """Add a prompt: a text, or a list of messages, of which the last 20 are kept."""
        messages = [prompt] if isinstance(prompt, str) else prompt
        if not isinstance(messages, Sequence):
            return
        self.is_cut = len(messages) > LIST_CAP
        for message in reversed(messages[-LIST_CAP:]):
            role = "user" if isinstance(message, str) else _role_of(message)
            if role is not None:
                self._written.insert(0, {"role": role, "parts": self._parts(role, message)})

    def put_answer(self, text: str) -> None:
        """Add a completion."""
        self._written.append({"role": "assistant", "parts": self._parts("assistant", text)})

    def as_attribute(self, name: str) -> dict[str, AttributeValue]:
        """Return the attribute, and whether it was cut; nothing without messages."""
        if not self._written:
            return {}
        text = json.dumps(self._written, ensure_ascii=False, separators=(",", ":"))
        valid = text.encode(errors="replace").decode()  # lone surrogates are invalid UTF-8
        return {name: valid, **({semconv.SQLOBS_MESSAGES_TRUNCATED: True} if self.is_cut else {})}

    def _parts(self, role: str, message: object) -> list[Part]:
        if role == "assistant" and self.runtime.capture.sql != "raw":
            return []
        kind: TextKind = "completion" if role == "assistant" else "prompt"
        parts: list[Part] = []
        for text in _texts_of(message):
            cleaned = self.runtime.redaction.clean(kind, text)
            if cleaned is None:
                continue
            kept, was_cut = cut_name(cleaned, self.room)
            self.room -= len(kept.encode(errors="replace"))
            self.is_cut |= was_cut
            parts.append({"type": "text", "content": kept})
        return parts


def _role_of(message: object) -> str | None:
    role = field_of(message, "role")
    if not isinstance(role, str):
        role = _ROLES.get(str(field_of(message, "type")))
    return role


def _texts_of(message: object) -> Iterator[str]:
    """Yield the texts of a message, without images and tool calls."""
    content = message if isinstance(message, str) else field_of(message, "content")
    blocks = [content] if isinstance(content, str | Mapping) else content
    for block in blocks if isinstance(blocks, Sequence) else ():
        text = block if isinstance(block, str) else field_of(block, "text")
        if isinstance(text, str):
            yield text


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
    messages = Messages(runtime)
    with INTERNAL_ERRORS.contained("messages"):
        messages.put_prompt(prompt)
        return messages.as_attribute(semconv.GEN_AI_INPUT_MESSAGES)
    return {}


def answer_attributes(runtime: Runtime, text: str) -> dict[str, AttributeValue]:
    """Return the attributes of a completion."""
    messages = Messages(runtime)
    messages.put_answer(text)
    return messages.as_attribute(semconv.GEN_AI_OUTPUT_MESSAGES)
