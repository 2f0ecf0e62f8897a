"""How a set of cases is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlobs.evaluation.evaluator_settings import EvaluatorSettings
from sqlobs.evaluation.frames import DEFAULT_BYTES

if TYPE_CHECKING:
    from sqlobs.evaluation.databases import Place
    from sqlobs.evaluation.judging import JudgeSettings
    from sqlobs.execution.access import Access
    from sqlobs.judge.trust.category_rates import Table
    from sqlobs.schema.model import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How a set of cases is evaluated."""

    place: Place | None
    """Where statements run; None = nothing is executed."""
    evaluator: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    functions: frozenset[str] = frozenset()
    """Functions allowed in addition to the dialect's own; lower case."""
    access: Access | None = None
    """What connections need besides their URLs, and what statements may cost there."""
    schema: Schema | None = None
    """What predictions are checked against; None = the databases' own catalogs."""
    system: str | None = None
    """What a leaderboard calls the system that was evaluated; None = the model that generated."""
    system_type: str | None = None
    """Its type, to compare types: `proprietary`, `open`, `fine-tuned`, …"""
    judge: JudgeSettings | None = None
    """LLM judges that give verdicts on every pair or statement that ran."""
    calibrations: Mapping[str, Table] = field(default_factory=dict)
    """Of judges, by name: human x judge, correct before incorrect; their rates are corrected."""
    workers: int = 2
    """How many cases are in progress at a time."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Cases of the input that are not in the run, by reason."""
    frames_bytes: int = DEFAULT_BYTES
    """What the stored results may take in the run's directory; 0 = none are stored."""
    data_version: str | None = None
    """What the user calls the state of the data: the same name, the same results."""
    is_rescored: bool = False
    """Nothing is executed: the results are those stored in the run's directory."""
