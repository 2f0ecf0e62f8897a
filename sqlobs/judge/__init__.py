"""LLM judges over any OpenAI-compatible endpoint, and how far to trust them.

A judge gets a `JudgeItem` and gives a `Judgement`; it never raises for what an endpoint or an
answer does, only for wrong configuration:

    from sqlobs.judge.endpoint import Endpoint, EndpointConfig
    from sqlobs.judge.flex import FlexJudge
    from sqlobs.judge.item import JudgeItem

    config = EndpointConfig(base_url="https://api.openai.com/v1", model="gpt-4o", api_key=key)
    async with Endpoint(config) as endpoint:
        judge = FlexJudge(endpoint)
        judgement = await judge.judge(JudgeItem(question=..., sql=..., dialect=..., ...))
    judgement.label, judgement.reason, judgement.explanation, judgement.cost_usd

One `Endpoint` serves any number of judges: its limits on concurrency, calls, tokens and money,
its breaker and its cache are shared. Something else that a model shall answer (a fallback of the
checker, say) is a `Prompt` (`sqlobs.judge.prompt`) given to `ask` (`sqlobs.judge.asking`) with a
function that reads the answer.
"""
