"""The pages that the browser tests visit, each with an address that shows something."""

from __future__ import annotations

PAGES = {
    "overview": "/?since=1h&by=model",
    "overview-filtered": "/?since=7d&workflow=answer&rate=sql_correctness",
    "overview-empty": "/?since=1h&workflow=nobody",
    "problem": "/nothing",
}
