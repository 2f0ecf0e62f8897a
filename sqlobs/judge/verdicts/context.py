"""Which parts of an item a judge sees: the paper's context, or an ablation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.errors import ConfigError
from sqlobs.judge.verdicts.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.judge.item import JudgeItem, Result
    from sqlobs.judge.verdicts.rendering import ProfileName

ResultsShown = Literal["by_outcome", "both", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Which parts are shown; the default is the paper's optimal one."""

    question: bool = True
    knowledge: bool = True
    criteria: bool = True
    reference: bool = True
    results: ResultsShown = "by_outcome"
    """`by_outcome`: both results if they differ, none if they are equal."""
    profile: ProfileName = "seed"

    def shows_results(self, item: JudgeItem) -> bool:
        """Return whether the judge sees an item's results."""
        if self.results == "by_outcome":
            return not item.results_equal
        return self.results == "both"


OPTIMAL: Final = Context()
WITHOUT_REFERENCE: Final = Context(reference=False, results="both")

SWITCHES: Final[Mapping[str, Mapping[str, object]]] = {
    "no-question": {"question": False},
    "no-knowledge": {"knowledge": False},
    "no-criteria": {"criteria": False},
    "no-reference": {"reference": False},
    "results=both": {"results": "both"},
    "results=none": {"results": "none"},
}
"""The paper's ablations by their command-line names."""


def context_of(switches: Iterable[str], *, profile: ProfileName = "seed") -> Context:
    """Return the context with the named ablations. Raises: ConfigError: An ablation is unknown."""
    changes: dict[str, object] = {}
    for switch in switches:
        if switch not in SWITCHES:
            raise ConfigError(f"no context {switch!r}: use {', '.join(SWITCHES)}")
        changes.update(SWITCHES[switch])
    return Context(profile=profile, **changes)  # type: ignore[arg-type]  # the table holds fields


def shown_fields(item: JudgeItem, context: Context) -> dict[str, str]:
    """Return the data of an item by name, in prompt order."""
    with_results = context.shows_results(item)
    was_executed = item.results_equal is not None
    reference = item.reference if context.reference else None
    parts: dict[str, str | None] = {
        "schema": item.schema,
        "dialect": item.dialect,
        "question": item.question if context.question else None,
        "hints": item.hints if context.knowledge else None,
        "predicted_sql": item.sql,
        "predicted_result": _rendered(item.predicted_result, context)
        if with_results and (was_executed or item.predicted_result is not None)
        else None,
        "reference_sql": reference,
        "reference_result": _rendered(item.reference_result, context)
        if with_results and reference is not None
        else None,
        "facts": "\n".join(item.facts),
    }
    return {name: text for name, text in parts.items() if text}


def _rendered(result: Result | None, context: Context) -> str:
    return render(result, context.profile)
