"""Names of evaluations and of their rates; `sqlobs.scores` defines each one."""

from __future__ import annotations

from typing import Final

SCHEMA_HALLUCINATION: Final = "schema_hallucination"
ONLINE: Final = ("syntactic", "schematic", SCHEMA_HALLUCINATION)
"""The evaluations of every request in the application's process."""

HEADLINE: Final = "sql_correctness"
CHECKED: Final = (*ONLINE, HEADLINE)
"""The evaluations that follow from the check."""

EXECUTION: Final = "execution"
LOCAL_ENGINE: Final = "local_engine"
"""The verdict of the engine of BigQuery, Spark or ClickHouse that runs beside the evaluator."""
FEEDBACK: Final = "feedback"
CORRECTION: Final = "correction"

SCHEMA_HALLUCINATION_RATE: Final = "schema_hallucination_rate"
"""The name of the share of evaluated requests that invented a name, on every surface."""
FIRST_ATTEMPT_RATE: Final = "first_attempt_pass_rate"
"""The name of the share of evaluated first attempts with verdict ok or suspect."""
FIRST_ATTEMPT_SCHEMA_HALLUCINATION_RATE: Final = "first_attempt_schema_hallucination_rate"
"""The name of the share of evaluated first attempts that invented a name."""


def pass_rate(evaluation: str) -> str:
    """Return the name of the share that passes an evaluation: `schematic_pass_rate`."""
    return f"{evaluation}_pass_rate"
