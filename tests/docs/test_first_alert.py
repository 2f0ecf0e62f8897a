"""The page about the first alert: its files are run as written, but for the ports."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.collector.running import wait_until
from tests.servers import free_port

PAGE = (Path(__file__).parents[2] / "docs" / "first-alert.md").read_text(encoding="utf-8")
FILES = {
    name: re.search(rf"`{name}`.*?```\w+\n(.*?)```", PAGE, re.DOTALL)[1]
    for name in ("webhook.py", "collector.yaml", "app.py")
}
LISTENING = {"http": "4318", "grpc": "4317", "admin": "4319"}
WITHIN_S = 240


@pytest.mark.slow
def test_following_the_page_leads_to_an_alert_with_its_link(tmp_path):
    """Webhook, collector, application: the alert names workflow and prompt version."""
    ports = {name: str(free_port()) for name in ("9999", "4318", "4317", "4319")}
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SQLOBS_")}
    own = Path(sys.executable).parent

    def adapted(text: str) -> str:
        return re.sub("|".join(ports), lambda port: ports[port[0]], text)

    for name, text in FILES.items():
        (tmp_path / name).write_text(adapted(text))
    endpoint = adapted("http://127.0.0.1:4318")
    listening = [f"--{name}={adapted(f'127.0.0.1:{port}')}" for name, port in LISTENING.items()]
    with ExitStack() as stack:

        def run(*command: object, **variables: str) -> Path:
            output = tmp_path / f"{len(list(tmp_path.glob('*.out')))}.out"
            process = subprocess.Popen(
                command,
                env={**kept, **variables},
                cwd=tmp_path,
                stdout=stack.enter_context(output.open("w")),
                stderr=subprocess.STDOUT,
            )
            stack.callback(process.wait, WITHIN_S)
            stack.callback(process.terminate)
            return output

        told = run(sys.executable, "webhook.py")
        serve = (own / "sqlobs-collector", "serve", "--config", "collector.yaml", *listening)
        collector = run(*serve)
        wait_until(lambda: "admin" in collector.read_text(), within_s=WITHIN_S)
        run(sys.executable, "app.py", SQLOBS_COLLECTOR_ENDPOINT=endpoint)
        wait_until(lambda: '"SqlobsSchemaHallucination"' in told.read_text(), within_s=WITHIN_S)
    sent = next(line for line in told.read_text().splitlines() if line.startswith("{"))
    alert = json.loads(sent)["alerts"][0]
    assert alert["labels"]["alertname"] == "SqlobsSchemaHallucination"
    assert "50%" in alert["annotations"]["summary"]
    assert alert["annotations"]["prompt_version"] == "v14"
    assert alert["annotations"]["console_url"].startswith(adapted("http://127.0.0.1:4319/"))
