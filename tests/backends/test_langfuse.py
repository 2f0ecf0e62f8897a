"""Scores as Langfuse's own client sends them: the same path, credentials and fields."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace

import pytest

from sqlobs_collector.emission.emitter import basic_auth
from sqlobs_collector.emission.scores import LANGFUSE_PATH, langfuse_scores
from tests.backends.conftest import program
from tests.collector.backend import Backend

pytestmark = [pytest.mark.backends, pytest.mark.slow]

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SEND = f"""
from langfuse import Langfuse
import sys
client = Langfuse(public_key="pk", secret_key="sk", base_url=sys.argv[1])
client.create_score(
    name="ex", value=0.0, data_type="NUMERIC", trace_id="{TRACE}", observation_id="{SPAN}",
    score_id="1", comment="why", metadata={{"kind": "engine"}},
)
client.flush()
"""
READ = """
import json, sys
from langfuse.api.core.pydantic_utilities import parse_obj_as
from langfuse.api.scores.types import CreateScoreRequest
for score in parse_obj_as(list[CreateScoreRequest], json.load(sys.stdin)):
    assert not score.model_extra, score.model_extra
    print(score.trace_id, score.observation_id, score.name, score.value, score.data_type.value)
"""


def evaluated(**changed):
    known = {
        "workspace": "default",
        "trace_id": TRACE,
        "span_id": SPAN,
        "trace_sampled": True,
        "environment": "prod",
        "workflow": "answer",
        "metric": "ex",
        "version": "1",
        "kind": "engine",
        "label": "fail",
        "value": 0.0,
        "reason": None,
        "explanation": "why",
        "probability": 1.0,
        "detail": None,
        "created_ns": 1_790_000_000_000_000_000,
    }
    return SimpleNamespace(**{**known, **changed})


def test_our_request_is_that_of_the_client():
    """Path and credentials are equal, and the client sends no field for a score that we lack."""
    python = program("langfuse", "python")
    server = Backend()
    try:
        subprocess.run([python, "-c", SEND, server.url], check=True, timeout=60)
        server.wait_for(1)
    finally:
        server.stop()
    ((path, body, headers),) = [one for one in server.received if one[0] == LANGFUSE_PATH]
    assert headers["Authorization"] == basic_auth("pk", "sk")["Authorization"]
    (theirs,) = json.loads(body)
    (ours,) = langfuse_scores([evaluated()])
    assert path == LANGFUSE_PATH
    shared = theirs.keys() & ours.keys() - {"id", "metadata", "timestamp", "environment"}
    assert {name: theirs[name] for name in shared} == {name: ours[name] for name in shared}
    assert theirs.keys() - ours.keys() == set()


def test_the_clients_own_types_read_our_scores():
    """Every field is one of the documented API; graded scores keep their value."""
    python = program("langfuse", "python")
    scores = langfuse_scores(
        [evaluated(), evaluated(metric="f1", value=0.25), evaluated(label="pass", value=None)]
    )
    done = subprocess.run(
        [python, "-c", READ],
        input=json.dumps(scores),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [
        f"{TRACE} {SPAN} ex 0.0 NUMERIC",
        f"{TRACE} {SPAN} f1 0.25 NUMERIC",
        f"{TRACE} {SPAN} ex 1.0 NUMERIC",
    ]
