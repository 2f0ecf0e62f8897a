"""All judges by the name of the evaluation that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.verdicts.alternatives import EQUIVALENCE, RUBRIC
from sqlobs.judge.verdicts.ensemble import EnsembleJudge
from sqlobs.judge.verdicts.flex import NEEDS, FlexJudge, FlexNoReferenceJudge
from sqlobs.judge.verdicts.reference_free import ADHERENCE, EFFICIENCY, INJECTION
from sqlobs.judge.verdicts.voting import Task, VotingJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.judge.verdicts.judging import Judge

JudgeName = Literal[
    "flex", "flex_noref", "rubric", "equivalence", "adherence", "efficiency", "injection"
]
NAMES: Final[tuple[JudgeName, ...]] = get_args(JudgeName)
NEED_REFERENCE: Final[frozenset[JudgeName]] = frozenset({"flex", "rubric", "equivalence"})

_TASKS: Final[Mapping[str, Task]] = {
    task.name: task for task in (RUBRIC, EQUIVALENCE, ADHERENCE, EFFICIENCY, INJECTION)
}
VOTING: Final[frozenset[str]] = frozenset(_TASKS)
"""Judges that may be asked several times."""
JUDGE_FAILED: Final[frozenset[str]] = frozenset(
    task.name for task in _TASKS.values() if task.judges_failed
)
"""Judges to whom it does not matter whether a statement ran."""


def needs_of(name: str) -> tuple[str, ...]:
    """Return what must be known of an item for a judge: some of `question`, `dialect`, `schema`."""
    return _TASKS[name].needs if name in _TASKS else NEEDS


def judge_named(name: str, endpoint: Endpoint, *, votes: int = 1, examples: str = "") -> Judge:
    """Return a judge.

    Args:
        name: One of `NAMES`.
        endpoint: Whom it asks.
        votes: How often it asks, an odd number; FLEX asks once.
        examples: Worked cases of a tuned judge.

    Raises:
        ConfigError: There is no such judge, or it cannot vote so often.
    """
    if name in _TASKS:
        return VotingJudge(endpoint, _TASKS[name], votes, examples)
    if name not in NAMES:
        raise ConfigError(f"no judge {name!r}: use {', '.join(NAMES)}")
    if votes != 1:
        raise ConfigError(f"{name} is asked once: name several models for an ensemble")
    if name == "flex":
        return FlexJudge(endpoint, examples=examples)
    return FlexNoReferenceJudge(endpoint, examples=examples)


def fingerprint_of(name: str, *, votes: int = 1, examples: str = "") -> str:
    """Return the fingerprint of a judge, to which a calibration belongs, without asking anybody.

    Raises:
        ConfigError: There is no such judge, or it cannot vote so often.
    """
    nobody = Endpoint(EndpointConfig(base_url="http://localhost/v1", model="none"))
    return judge_named(name, nobody, votes=votes, examples=examples).fingerprint


def panel(name: str, endpoints: Sequence[Endpoint], *, votes: int = 1, examples: str = "") -> Judge:
    """Return one judge over several endpoints: an ensemble where there is more than one.

    Raises:
        ConfigError: Their number is even, or there is no such judge.
    """
    members = tuple(
        judge_named(name, endpoint, votes=votes, examples=examples) for endpoint in endpoints
    )
    return members[0] if len(members) == 1 else EnsembleJudge(members, name)
