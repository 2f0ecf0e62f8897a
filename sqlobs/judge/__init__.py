"""LLM judges over any OpenAI-compatible endpoint, and measures of their reliability.

A judge gets a `JudgeItem` and gives a `Judgment`; it never raises because of an endpoint or an
answer, only because of invalid configuration:

    from sqlobs.judge import Endpoint, EndpointConfig, FlexJudge, JudgeItem

    config = EndpointConfig(base_url="https://api.openai.com/v1", model="gpt-4o", api_key=key)
    async with Endpoint(config) as endpoint:
        judge = FlexJudge(endpoint)
        judgment = await judge.judge(JudgeItem(question=..., sql=..., dialect=..., ...))
    judgment.label, judgment.reason, judgment.explanation, judgment.cost_usd

One `Endpoint` serves any number of judges: its limits on concurrency, calls, tokens and money,
its breaker and its cache are shared. `endpoint` is the way to a model, `verdicts` the judges,
`trust` what tells how far to believe them.

Tests: `tests/judge/test_endpoint.py`.
Tests of correctness: `tests/collector/test_judging.py`.
Tests of item: `tests/judge/test_contradictions.py`.
Tests of envelope: `tests/judge/test_injection.py`.
Tests of judge_names, judgment: `tests/judge/test_panels.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs import lazy_names

if TYPE_CHECKING:
    from sqlobs.judge.endpoint.batch import judge_in_batch
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.endpoint.store import SqliteStore
    from sqlobs.judge.fallback import LlmFallback
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.trust.calibration import Calibration, calibrate, read_calibration
    from sqlobs.judge.trust.canaries import CanaryReport, run_canaries
    from sqlobs.judge.trust.dataset import FlexRow, flex_rows
    from sqlobs.judge.verdicts.categories import Categorization, Categorizer
    from sqlobs.judge.verdicts.ensemble import EnsembleAgreement, ensemble_agreement
    from sqlobs.judge.verdicts.facts import facts_of, schema_text
    from sqlobs.judge.verdicts.flex import FlexJudge, FlexNoReferenceJudge
    from sqlobs.judge.verdicts.roster import judge_named, panel

__all__ = [
    "Calibration",
    "CanaryReport",
    "Categorization",
    "Categorizer",
    "Endpoint",
    "EndpointConfig",
    "EnsembleAgreement",
    "FlexJudge",
    "FlexNoReferenceJudge",
    "FlexRow",
    "JudgeItem",
    "Judgment",
    "LlmFallback",
    "SqliteStore",
    "calibrate",
    "ensemble_agreement",
    "facts_of",
    "flex_rows",
    "judge_in_batch",
    "judge_named",
    "panel",
    "read_calibration",
    "run_canaries",
    "schema_text",
]

_HOMES = {
    "Calibration": "sqlobs.judge.trust.calibration",
    "CanaryReport": "sqlobs.judge.trust.canaries",
    "Categorization": "sqlobs.judge.verdicts.categories",
    "Categorizer": "sqlobs.judge.verdicts.categories",
    "Endpoint": "sqlobs.judge.endpoint.endpoint",
    "EndpointConfig": "sqlobs.judge.endpoint.config",
    "EnsembleAgreement": "sqlobs.judge.verdicts.ensemble",
    "FlexJudge": "sqlobs.judge.verdicts.flex",
    "FlexNoReferenceJudge": "sqlobs.judge.verdicts.flex",
    "FlexRow": "sqlobs.judge.trust.dataset",
    "JudgeItem": "sqlobs.judge.item",
    "Judgment": "sqlobs.judge.judgment",
    "LlmFallback": "sqlobs.judge.fallback",
    "SqliteStore": "sqlobs.judge.endpoint.store",
    "calibrate": "sqlobs.judge.trust.calibration",
    "ensemble_agreement": "sqlobs.judge.verdicts.ensemble",
    "facts_of": "sqlobs.judge.verdicts.facts",
    "flex_rows": "sqlobs.judge.trust.dataset",
    "judge_in_batch": "sqlobs.judge.endpoint.batch",
    "judge_named": "sqlobs.judge.verdicts.roster",
    "panel": "sqlobs.judge.verdicts.roster",
    "read_calibration": "sqlobs.judge.trust.calibration",
    "run_canaries": "sqlobs.judge.trust.canaries",
    "schema_text": "sqlobs.judge.verdicts.facts",
}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
