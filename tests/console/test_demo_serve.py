"""`sqlobs demo --serve`: the demo ends in the console, with its traffic."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from html import unescape
from pathlib import Path

import httpx
import pytest

from tests.console.browser import Browser

REQUESTS = 12
LINK = re.compile(r"console: (http://\S+)(/login\?code=\S+)")  # console: http://h:1/login?code=x

pytestmark = pytest.mark.slow


def test_the_demo_ends_in_the_console_until_it_is_interrupted(tmp_path):
    """Its link logs in; the pages have what the demo asked; the collector ends with the command."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SQLOBS_")}
    program = Path(sys.executable).with_name("sqlobs")
    command = [program, "demo", "--serve", "--requests", str(REQUESTS), "--output", tmp_path]
    demo = subprocess.Popen(command, env=kept, stdout=subprocess.PIPE, text=True)
    try:
        told = []
        for line in demo.stdout:
            told.append(line)
            if "Ctrl-C" in line:
                break
        admin, path = LINK.search("".join(told)).groups()
        browser = Browser(admin)
        assert browser.get(path).headers["location"] == "/"
        assert browser.get("/v1/overview?since=1h").json()["requests"] == REQUESTS
        asked = browser.get("/v1/requests?since=1h").json()["requests"]
        shown = unescape(browser.get("/requests?since=1h").text)
        assert len(asked) == REQUESTS
        assert all(one["question"] in shown for one in asked)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0
    finally:
        demo.kill()
        demo.communicate()
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{admin}/healthz")
