"""Prompt templates: a text, or messages as JSON, with placeholders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard

from sqlobs.errors import InputError
from sqlobs.evaluation.generation.placeholders import PLACEHOLDERS
from sqlobs.execution.json_template import filled, placeholders_of, read_template, require_known

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sqlobs.execution.json_template import Json
    from sqlobs.judge.verdicts.prompt import Messages

_TEXT: Final = """\
You write SQL. Answer the question with one read-only {dialect} statement for this schema, and with
nothing else.

{schema}

{hints}

Question: {question}
"""
_SUFFIX: Final = ".json"
_ROLES: Final = ("system", "developer", "user", "assistant")


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """The messages of a request, with placeholders in their texts."""

    name: str
    """The name in reports: the file's, without its suffix."""
    messages: Json

    @property
    def placeholders(self) -> frozenset[str]:
        """The placeholders in its texts."""
        return frozenset(placeholders_of(self.messages))

    def filled(self, values: Mapping[str, str]) -> Messages:
        """Return the messages to send; nothing in a value can become a message of its own."""
        found = filled(self.messages, values)
        if not _are_messages(found):
            raise AssertionError("values do not change the form of messages")
        return found


def _of_text(name: str, text: str) -> PromptTemplate:
    return PromptTemplate(name, [{"role": "user", "content": text}])


DEFAULT: Final = _of_text("default", _TEXT)
"""Used where no prompt is given."""


def read_prompt(path: Path) -> PromptTemplate:
    """Read a template: a text is the user's message; a `.json` file has a list of messages.

    Raises:
        InputError: the file cannot be read, has no or an unknown placeholder, or no messages.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--prompt {path}: {_fault(error)}") from None
    option = f"--prompt {path}"
    if path.suffix.lower() != _SUFFIX:
        template = _of_text(path.stem, text)
        require_known(template.messages, option=option, noun="prompt", names=PLACEHOLDERS)
        return template
    messages = read_template(text, option=option, noun="prompt", names=PLACEHOLDERS)
    has_form = _are_messages(messages)
    if not has_form:
        raise InputError(
            f'{option}: write a list of messages: [{{"role": "user", "content": "{{question}}"}}],'
            f" with the roles {', '.join(_ROLES)}"
        )
    return PromptTemplate(path.stem, messages)


def _are_messages(found: object) -> TypeGuard[Messages]:
    return isinstance(found, list) and bool(found) and all(map(_is_message, found))


def _is_message(found: object) -> bool:
    if not isinstance(found, dict) or set(found) != {"role", "content"}:
        return False
    return found["role"] in _ROLES and isinstance(found["content"], str)


def _fault(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    return (error.strerror or "cannot be read").lower()
