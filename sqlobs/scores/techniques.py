"""Partial credit by further techniques: three scores each, beside those of the run's technique."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sqlobs.runs.declaration import MetricDeclaration
from sqlobs.scores.registry import COMPARED_SCORES
from sqlobs.scores.score import Score

if TYPE_CHECKING:
    from sqlobs.metrics.credit_score import Technique
    from sqlobs.scores.comparison import Comparison, ScoreSettings
    from sqlobs.scores.score import Compute

_PARTS: Final = ("exp", "exr", "f1")


def compared_scores(settings: ScoreSettings) -> tuple[Score, ...]:
    """Return all scores that compare two results, those of further techniques at the end."""
    return (*COMPARED_SCORES.values(), *technique_scores(settings.further))


@lru_cache
def technique_scores(techniques: tuple[Technique, ...]) -> tuple[Score, ...]:
    """Return `exp_…`, `exr_…` and `f1_…` of each technique, named after it in lower case."""
    return tuple(_score(part, technique) for technique in techniques for part in _PARTS)


def technique_declarations(techniques: tuple[Technique, ...]) -> tuple[MetricDeclaration, ...]:
    """Return what a run says of these scores, so that reports know them."""
    return tuple(
        MetricDeclaration(
            name=score.name, title=score.title, about=score.about, needs=("reference", "rows")
        )
        for score in technique_scores(techniques)
    )


def _score(part: str, technique: Technique) -> Score:
    own = COMPARED_SCORES[part]
    return Score(
        f"{part}_{technique.value.lower()}",
        f"{own.title} ({technique.value})",
        own.about,
        needs=own.needs,
        compute=_compute(part, technique),
        from_digests=own.from_digests,
        cells="text" if technique.compares_text else "raw",
        is_graded=True,
    )


def _compute(part: str, technique: Technique) -> Compute:
    def compute(pair: Comparison) -> float | None:
        value: float | None = getattr(pair.further_credits[technique], part)
        return value

    return compute
