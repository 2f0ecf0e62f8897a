"""The steps that all judges share: required fields, limits, the call, the judgment."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from sqlobs.judge.envelope import too_long
from sqlobs.judge.judgment import Judgment
from sqlobs.judge.verdicts.suspicion import suspicions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.failure_codes import Reason
    from sqlobs.judge.endpoint.asking import Answer
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.verdicts.prompt import Prompt
    from sqlobs.judge.verdicts.suspicion import Suspicion
    from sqlobs.judge.verdicts.verdict import Verdict


class Judge(Protocol):
    """Protocol: gives a verdict on an item."""

    @property
    def name(self) -> str:
        """The name of its evaluation."""
        ...

    @property
    def fingerprint(self) -> str:
        """Digest of the judge's prompt texts, to which a calibration belongs."""
        ...

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return a judgment; `not_evaluated` with a reason if the item cannot be judged."""
        ...


Need = tuple[str, "Reason", str]

NEEDS: Final[Mapping[str, Need]] = {
    "question": ("question", "content_not_captured", "the question is unknown"),
    "dialect": ("dialect", "no_dialect", "the dialect is unknown"),
    "schema": ("schema", "no_schema", "the schema is unknown"),
    "reference": ("reference", "no_reference", "there is no reference"),
    "results_equal": (
        "results_equal",
        "no_target",
        "it is unknown whether both statements return the same result: they were not executed",
    ),
}
"""Fields that a judge may require, and the explanation if one is missing."""


def missing(item: JudgeItem, needs: Sequence[str], *, name: str) -> Judgment | None:
    """Return the judgment on an item that lacks a required field; None if it is complete."""
    for need in needs:
        field, reason, sentence = NEEDS[need]
        if getattr(item, field) is None:
            return not_evaluated(item, name=name, reason=reason, explanation=sentence)
    return None


def not_evaluated(
    item: JudgeItem, *, name: str, reason: Reason, explanation: str, prompt: Prompt | None = None
) -> Judgment:
    """Return a judgment without a verdict."""
    return Judgment(
        name=name,
        label="not_evaluated",
        reason=reason,
        explanation=explanation,
        prompt_version=prompt.version if prompt else None,
        prompt_digest=prompt.digest if prompt else None,
        decided_by="nobody",
        case_id=item.case_id,
    )


def oversized(item: JudgeItem, prompt: Prompt, *, name: str) -> Judgment | None:
    """Return the judgment on data beyond the limits; None if all fits.

    Nothing is truncated: a verdict on half a schema would be a guess.
    """
    field = too_long(prompt.fields)
    if field is None:
        return None
    return not_evaluated(
        item,
        name=name,
        reason="too_large",
        explanation=f"{field} exceeds the size limit ({len(prompt.fields[field])} characters)",
        prompt=prompt,
    )


def failed_to_run(item: JudgeItem, *, name: str) -> Judgment | None:
    """Return the judgment on a statement that did not run; None if it ran."""
    if item.predicted_error is None:
        return None
    return Judgment(
        name=name,
        label="fail",
        score=0.0,
        explanation=f"the statement did not run: {item.predicted_error}",
        decided_by="execution",
        case_id=item.case_id,
    )


def judgment_of(answer: Answer[Verdict], item: JudgeItem, prompt: Prompt, *, name: str) -> Judgment:
    """Return the judgment for a parsed verdict or a failure."""
    verdict, failure = answer.value, answer.failure
    return Judgment(
        name=name,
        label="not_evaluated" if verdict is None else "pass" if verdict.correct else "fail",
        score=None if verdict is None else float(verdict.correct),
        reason=failure.reason if failure else None,
        explanation=verdict.explanation if verdict else failure.message if failure else "",
        text=answer.text,
        model=answer.model,
        prompt_version=prompt.version,
        prompt_digest=prompt.digest,
        usage=answer.usage,
        is_cached=answer.is_cached,
        is_coerced=verdict is not None and verdict.is_coerced,
        is_repaired=answer.is_repaired,
        suspicious=suspicious_kinds(prompt),
        decided_by="nobody" if verdict is None else "judge",
        case_id=item.case_id,
    )


def suspicious_kinds(prompt: Prompt) -> tuple[Suspicion, ...]:
    """Return the kinds of suspect content in a prompt's data."""
    found = {kind for text in prompt.fields.values() for kind in _kinds(text)}
    return tuple(sorted(found))


@lru_cache(maxsize=512)  # the schema is the same for every item
def _kinds(text: str) -> tuple[Suspicion, ...]:
    return suspicions((text,))
