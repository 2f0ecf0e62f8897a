"""A real model on the path: not for its judgement, for what real servers do.

`local_model/server.mjs` serves a GGUF file over the OpenAI protocol (its first lines tell how);
`SQLOBS_LOCAL_MODEL_URL` names it, up to and including `/v1`. Skipped where it is not set.
"""

from __future__ import annotations

import asyncio
import os

import pytest

from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.verdicts.flex import FlexJudge, FlexNoReferenceJudge
from sqlobs.judge.verdicts.roster import judge_named
from tests.judge.servers import config, item

URL = os.environ.get("SQLOBS_LOCAL_MODEL_URL", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not URL, reason="SQLOBS_LOCAL_MODEL_URL is not set: no real model was asked"
    ),
]


def _judged(make, *, url=URL, **changes):
    async def run():
        settings = config(url, model="local", timeout_s=300, max_output_tokens=200, retries=0)
        async with Endpoint(settings) as endpoint:
            return await make(endpoint).judge(item(**changes))

    return asyncio.run(run())


def test_a_small_model_gives_a_verdict_with_its_tokens_counted():
    """Held to the schema, even a tiny model answers in form."""
    found = _judged(FlexJudge)
    assert found.label in {"pass", "fail"}
    assert found.model == "local"
    assert found.usage.input_tokens > 300
    assert 0 < found.usage.output_tokens <= 400
    assert found.usage.latency_s > 0


@pytest.mark.parametrize("path", ["/v1/no-schema", "/v1/no-format"])
def test_a_server_that_knows_less_is_asked_in_a_plainer_form(path):
    """Without json_schema, then without any format: a verdict, or that there was none to read."""
    found = _judged(FlexNoReferenceJudge, url=URL.removesuffix("/v1") + path)
    assert found.label in {"pass", "fail"} or found.reason == "judge_malformed"


def test_a_slow_answer_is_given_up_and_the_server_goes_on():
    """A cancelled call and a timeout leave endpoint and server usable."""

    async def run():
        settings = config(URL, model="local", timeout_s=1.0, retries=0, max_output_tokens=200)
        async with Endpoint(settings) as endpoint:
            return await FlexJudge(endpoint).judge(item(question="How long will this take?"))

    assert asyncio.run(run()).reason == "timeout"
    found = _judged(lambda endpoint: judge_named("efficiency", endpoint))
    assert found.label in {"pass", "fail"}
