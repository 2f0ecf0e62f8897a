"""FLEX: a judge that knows the reference and looks for errors of execution accuracy.

Source: Kim et al., FLEX: Expert-level False-Less EXecution Metric (NAACL 2025). If results are
equal, the judge does not see them and looks for false positives; if they differ, it sees both and
looks for false negatives. A statement that does not run is incorrect without a model call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.judge.endpoint.asking import ask
from sqlobs.judge.verdicts.context import OPTIMAL, WITHOUT_REFERENCE, Context, shown_fields
from sqlobs.judge.verdicts.judging import failed_to_run, judgment_of, missing, oversized
from sqlobs.judge.verdicts.prompt import JsonSchema, Prompt, fingerprint, framed
from sqlobs.judge.verdicts.verdict import read_verdict

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment

VERDICT: Final[JsonSchema] = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "correct": {"type": "boolean"}},
    "required": ["reasoning", "correct"],
    "additionalProperties": False,
}
"""The answer format: reasoning before the verdict, so that the verdict follows from it."""

_WITH_REFERENCE: Final = ("flex_equal.v1", "flex_different.v1")
_WITHOUT_REFERENCE: Final = "flex_noref.v1"
NEEDS: Final = ("question", "dialect", "schema")
"""Required fields of an item, with and without a reference."""


@dataclass(frozen=True, slots=True)
class FlexJudge:
    """Judges a statement against a reference."""

    endpoint: Endpoint
    context: Context = OPTIMAL
    examples: str = ""
    """Examples of a tuned judge (`sqlobs judge tune`)."""
    name: str = "flex"

    @property
    def fingerprint(self) -> str:
        """Digest of the judge's prompt texts, to which a calibration belongs."""
        return fingerprint(_WITH_REFERENCE, examples=f"{self.context}{self.examples}")

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return the verdict on an executed pair.

        An item without question, dialect, schema, reference, or without `results_equal`, is
        `not_evaluated`.
        """
        unfit = missing(item, (*NEEDS, "reference"), name=self.name)
        unfit = unfit or failed_to_run(item, name=self.name)
        unfit = unfit or missing(item, ("results_equal",), name=self.name)
        return unfit or await _judged(self.endpoint, item, self.prompt(item), name=self.name)

    def prompt(self, item: JudgeItem) -> Prompt:
        """Return the prompt for an item."""
        return flex_prompt(item, self.context, examples=self.examples)


@dataclass(frozen=True, slots=True)
class FlexNoReferenceJudge:
    """Judges without a reference, for production traffic; weak evidence that needs calibration."""

    endpoint: Endpoint
    context: Context = WITHOUT_REFERENCE
    examples: str = ""
    name: str = "flex_noref"

    @property
    def fingerprint(self) -> str:
        """Digest of the judge's prompt texts, to which a calibration belongs."""
        return fingerprint((_WITHOUT_REFERENCE,), examples=f"{self.context}{self.examples}")

    async def judge(self, item: JudgeItem) -> Judgment:
        """Return the verdict on a statement; the judge sees its result if there is one."""
        unfit = missing(item, NEEDS, name=self.name) or failed_to_run(item, name=self.name)
        return unfit or await _judged(self.endpoint, item, self.prompt(item), name=self.name)

    def prompt(self, item: JudgeItem) -> Prompt:
        """Return the prompt for an item."""
        return verdict_prompt(_WITHOUT_REFERENCE, item, self.context, examples=self.examples)


def flex_prompt(item: JudgeItem, context: Context = OPTIMAL, *, examples: str = "") -> Prompt:
    """Return the prompt of a judge with a reference, for equal or for different results."""
    equal, different = _WITH_REFERENCE
    version = equal if item.results_equal else different
    return verdict_prompt(version, item, context, examples=examples)


def verdict_prompt(
    version: str, item: JudgeItem, context: Context, *, examples: str = ""
) -> Prompt:
    """Return the prompt of a judge that answers in the format `VERDICT`.

    Args:
        version: The prompt file of the package: task, situation, criteria, answer.
        item: The item to judge.
        context: The parts to include.
        examples: Further examples.
    """
    return framed(
        version,
        shown_fields(item, context),
        answer=VERDICT,
        dialect=item.dialect,
        variant="" if context.reference else "without reference",
        criteria=context.criteria,
        examples=examples,
    )


async def _judged(endpoint: Endpoint, item: JudgeItem, prompt: Prompt, *, name: str) -> Judgment:
    unfit = oversized(item, prompt, name=name)
    if unfit is not None:
        return unfit
    return judgment_of(await ask(endpoint, prompt, read_verdict), item, prompt, name=name)
