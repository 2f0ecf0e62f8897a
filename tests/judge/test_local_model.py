"""A real model on the path: not for its judgment, for what real servers do.

`SQLOBS_LOCAL_MODEL` names a directory with `model.gguf` (a small instruction-tuned model) and
`node_modules/node-llama-cpp` (the first lines of `local_model/server.mjs` tell how); node is on the
path. The server is started here, on a free port of the loopback, and ended with the tests. Without
the variable, as in CI, they are skipped: a model is half a gigabyte.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sqlobs import Schema, check_sql_async
from sqlobs.judge.endpoint.budget import BudgetLimits, MemoryLedger
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.judge.fallback import LlmFallback
from sqlobs.judge.verdicts.flex import FlexNoReferenceJudge
from tests.judge.servers import config, item

HOME = Path(os.environ.get("SQLOBS_LOCAL_MODEL", ""))
SERVER = Path(__file__).with_name("local_model") / "server.mjs"
HOW = (
    "SQLOBS_LOCAL_MODEL is not set: no real model was asked. It names a directory with model.gguf"
    f" and node_modules/node-llama-cpp; see the first lines of {SERVER.name}"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not os.environ.get("SQLOBS_LOCAL_MODEL"), reason=HOW),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """Serve the model; the address up to and including /v1."""
    place = tmp_path_factory.mktemp("model")
    shutil.copy(SERVER, place)
    (place / "node_modules").symlink_to(HOME / "node_modules")
    command = ["node", SERVER.name, str(HOME / "model.gguf"), "0"]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = process.stdout.readline().strip()
            assert port, "the server of the local model did not start"
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _settings(url, **changes):
    return config(
        url, model="local", **{"timeout_s": 240, "max_output_tokens": 60, "retries": 0, **changes}
    )


def _judged(make, url, *, ledger=None, question="How many boats lie in berth 7?", **changes):
    async def run():
        async with Endpoint(_settings(url, **changes), ledger=ledger) as endpoint:
            return await make(endpoint).judge(item(question=question))

    return asyncio.run(run())


def test_a_verdict_has_its_latency_and_its_tokens(url):
    """Held to the schema a tiny model answers in form, or is cut and told so; all is accounted."""
    ledger = MemoryLedger()
    limits = BudgetLimits(tokens=1_000_000, window="run")
    found = _judged(FlexNoReferenceJudge, url, ledger=ledger, budget=limits)
    assert found.label in {"pass", "fail"} or "was cut" in found.explanation
    assert found.model == "local"
    assert found.usage.latency_s > 0
    assert found.usage.input_tokens > 300
    assert 0 < found.usage.output_tokens <= 2 * 60
    assert ledger.used("run").tokens == found.usage.input_tokens + found.usage.output_tokens


@pytest.mark.parametrize("path", ["no-schema", "no-format"])
def test_a_server_with_fewer_features_gets_a_simpler_request(url, path):
    """Without json_schema, then without any format: a verdict, or that there was none to read."""
    found = _judged(FlexNoReferenceJudge, f"{url}/{path}")
    assert found.label in {"pass", "fail"} or found.reason == "judge_malformed"
    assert found.usage.calls in {1, 2}


def test_an_answer_without_an_end_is_no_verdict(url):
    """Eight tokens hold none: asked twice, both paid, and the sentence says that it was cut."""
    found = _judged(FlexNoReferenceJudge, url, max_output_tokens=8)
    assert (found.label, found.reason, found.usage.calls) == ("not_evaluated", "judge_malformed", 2)
    assert found.explanation.endswith("the last was cut (max_output_tokens, or a filter)")


def test_calls_that_are_given_up_leave_endpoint_and_server_well(url):
    """One by its limit of time, one canceled by its caller; the next one is answered."""
    assert (
        _judged(FlexNoReferenceJudge, url, timeout_s=0.5, question="How long?").reason == "timeout"
    )

    async def run():
        async with Endpoint(_settings(url)) as endpoint:
            judge = FlexNoReferenceJudge(endpoint)
            call = asyncio.create_task(judge.judge(item(question="Who waits?")))
            await asyncio.sleep(0.5)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await judge.judge(item())

    found = asyncio.run(run())
    assert found.label in {"pass", "fail"} or found.reason == "judge_malformed"


def test_the_checker_s_fallback_asks_it(url):
    """Labels that agree with the checks, or the reason why they stay open."""
    schema = Schema.from_mapping({"boat": {"id": "integer", "name": "text"}}, dialect="hive")

    async def run():
        async with Endpoint(_settings(url, max_output_tokens=120)) as endpoint:
            sql = "SELECT ai_complete(name) FROM boat"
            return await check_sql_async(sql, schema=schema, fallback=LlmFallback(endpoint))

    report = asyncio.run(run())
    answer = report.fallback
    assert answer.input_tokens > 300
    if answer.reason is None:
        assert report.decided_by == "llm"
        assert report.syntactic is answer.syntactic
    else:
        assert (answer.reason, report.syntactic) == ("judge_malformed", None)
