"""LLM judges over any OpenAI-compatible endpoint, and how far to trust them.

A judge gets a `JudgeItem` and gives a `Judgement`; it never raises for what an endpoint or an
answer does, only for wrong configuration:

    from sqlobs.judge import Endpoint, EndpointConfig, FlexJudge, JudgeItem

    config = EndpointConfig(base_url="https://api.openai.com/v1", model="gpt-4o", api_key=key)
    async with Endpoint(config) as endpoint:
        judge = FlexJudge(endpoint)
        judgement = await judge.judge(JudgeItem(question=..., sql=..., dialect=..., ...))
    judgement.label, judgement.reason, judgement.explanation, judgement.cost_usd

One `Endpoint` serves any number of judges: its limits on concurrency, calls, tokens and money,
its breaker and its cache are shared. `endpoint` is the way to a model, `verdicts` the judges,
`trust` what tells how far to believe them.
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
    from sqlobs.judge.judgement import Judgement
    from sqlobs.judge.verdicts.flex import FlexJudge, FlexNoReferenceJudge
    from sqlobs.judge.verdicts.roster import judge_named

__all__ = [
    "Endpoint",
    "EndpointConfig",
    "FlexJudge",
    "FlexNoReferenceJudge",
    "JudgeItem",
    "Judgement",
    "LlmFallback",
    "SqliteStore",
    "judge_in_batch",
    "judge_named",
]

_HOMES = {
    "Endpoint": "sqlobs.judge.endpoint.endpoint",
    "EndpointConfig": "sqlobs.judge.endpoint.config",
    "FlexJudge": "sqlobs.judge.verdicts.flex",
    "FlexNoReferenceJudge": "sqlobs.judge.verdicts.flex",
    "JudgeItem": "sqlobs.judge.item",
    "Judgement": "sqlobs.judge.judgement",
    "LlmFallback": "sqlobs.judge.fallback",
    "SqliteStore": "sqlobs.judge.endpoint.store",
    "judge_in_batch": "sqlobs.judge.endpoint.batch",
    "judge_named": "sqlobs.judge.verdicts.roster",
}


__getattr__ = lazy_names(__name__, _HOMES)
