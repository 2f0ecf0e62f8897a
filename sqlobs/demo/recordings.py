"""The recorded generations that the demo's model plays, and what is known of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.demo.translation import SHOP_DIALECT, translated_answer
from sqlobs.types import WITHOUT_SQL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.types import Outcome

Channel = Literal["chat", "stream", "stream_closed"]
"""How the question comes in: answered in one piece with a repair loop; streamed; streamed to
somebody who leaves before the end."""

RECORDED_MODEL: Final = "shop-sql-recorded"
"""The name under which recorded generations are served."""


@dataclass(frozen=True, slots=True)
class ModelError:
    """An answer of the model's API that is no completion."""

    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Completion:
    """One recorded answer of the model."""

    content: str
    error: ModelError | None
    outcome: Outcome
    """How the request ends when this is its last answer."""
    code: str | None
    """The failure code that this text deserves; tests hold the checker to it, the demo's summary
    never reads it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One question and the model's answers to it: the first, and one per repair attempt."""

    question: str
    channel: Channel
    completions: tuple[Completion, ...]

    def completion(self, attempt: int) -> Completion:
        """Return the answer to the given attempt (from 0); the last one is repeated."""
        return self.completions[min(attempt, len(self.completions) - 1)]


def load_recordings() -> tuple[Recording, ...]:
    """Return the recorded generations in the order in which they are asked."""
    text = (resources.files("sqlobs.demo") / "recordings.jsonl").read_text(encoding="utf-8")
    return tuple(_recording(json.loads(line)) for line in text.splitlines())


def by_question(dialect: str = SHOP_DIALECT) -> Mapping[str, Recording]:
    """Return the recorded generations by their question, with SQL of a dialect."""
    recordings = (_in_dialect(recording, dialect) for recording in load_recordings())
    return {recording.question: recording for recording in recordings}


def _in_dialect(recording: Recording, dialect: str) -> Recording:
    if dialect == SHOP_DIALECT:
        return recording
    completions = (
        each
        if each.outcome in WITHOUT_SQL
        else replace(each, content=translated_answer(each.content, dialect=dialect))
        for each in recording.completions
    )
    return replace(recording, completions=tuple(completions))


def _recording(record: dict[str, object]) -> Recording:
    completions = record["completions"]
    assert isinstance(completions, list)  # noqa: S101 - our own file, tested
    return Recording(
        question=str(record["question"]),
        channel=record["channel"],  # type: ignore[arg-type]  # our own file; a test holds its words
        completions=tuple(_completion(**completion) for completion in completions),
    )


def _completion(
    *,
    outcome: Outcome,
    code: str | None,
    content: str = "",
    error: Mapping[str, object] | None = None,
) -> Completion:
    failure = (
        ModelError(int(str(error["status"])), str(error["code"]), str(error["message"]))
        if error
        else None
    )
    return Completion(content, failure, outcome, code)
