"""All judges by the name of their evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs.judge.endpoint.endpoint import Endpoint, EndpointConfig
from sqlobs.judge.judge_names import NAMES
from sqlobs.judge.verdicts.alternatives import EQUIVALENCE, RUBRIC
from sqlobs.judge.verdicts.ensemble import EnsembleJudge
from sqlobs.judge.verdicts.flex import NEEDS, FlexJudge, FlexNoReferenceJudge
from sqlobs.judge.verdicts.reference_free import ADHERENCE, EFFICIENCY, INJECTION
from sqlobs.judge.verdicts.voting import Task, VotingJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlobs.judge.verdicts.judging import Judge

_TASKS: Final[Mapping[str, Task]] = {
    task.name: task for task in (RUBRIC, EQUIVALENCE, ADHERENCE, EFFICIENCY, INJECTION)
}
VOTING: Final[frozenset[str]] = frozenset(_TASKS)
"""Judges that support voting."""
JUDGE_FAILED: Final[frozenset[str]] = frozenset(
    task.name for task in _TASKS.values() if task.judges_failed
)
"""Judges that also judge statements that did not run."""


def needs_of(name: str) -> tuple[str, ...]:
    """Return the fields that a judge requires: some of `question`, `dialect`, `schema`."""
    return _TASKS[name].needs if name in _TASKS else NEEDS


def judge_named(name: str, endpoint: Endpoint, *, votes: int = 1, examples: str = "") -> Judge:
    """Return a judge.

    Args:
        name: One of `NAMES`.
        endpoint: The model to ask.
        votes: Number of votes, odd; FLEX supports only one.
        examples: Examples of a tuned judge.

    Raises:
        ConfigError: The judge is unknown or does not support that number of votes.
    """
    if name in _TASKS:
        return VotingJudge(endpoint, _TASKS[name], votes, examples)
    if name not in NAMES:
        raise ConfigError(f"unknown judge {name!r}; valid names are {', '.join(NAMES)}")
    if votes != 1:
        raise ConfigError(f"{name} does not support votes; give several models for an ensemble")
    if name == "flex":
        return FlexJudge(endpoint, examples=examples)
    return FlexNoReferenceJudge(endpoint, examples=examples)


def fingerprint_of(name: str, *, votes: int = 1, examples: str = "") -> str:
    """Return the fingerprint of a judge, to which a calibration belongs, without a model call.

    Raises:
        ConfigError: The judge is unknown or does not support that number of votes.
    """
    nobody = Endpoint(EndpointConfig(base_url="http://localhost/v1", model="none"))
    return judge_named(name, nobody, votes=votes, examples=examples).fingerprint


def panel(name: str, endpoints: Sequence[Endpoint], *, votes: int = 1, examples: str = "") -> Judge:
    """Return one judge over all endpoints: an ensemble if there are several.

    Raises:
        ConfigError: Their number is even, or the judge is unknown.
    """
    members = tuple(
        judge_named(name, endpoint, votes=votes, examples=examples) for endpoint in endpoints
    )
    return members[0] if len(members) == 1 else EnsembleJudge(members, name)
