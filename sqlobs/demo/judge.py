"""The recorded judge of the demo: a local server of the OpenAI protocol, one verdict a question."""

from __future__ import annotations

import json
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Final

from sqlobs.judge.replay import ChatReply, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.judge.replay import ChatRequest

RECORDED_JUDGE: Final = "shop-judge-recorded"
PRICE: Final = {"input": 0.15, "output": 0.6}
"""USD per million tokens: what a small hosted model costs, so that the demo shows a spend."""

_UNKNOWN: Final = ChatReply("No recorded judgment for this question.", status=404)


@contextmanager
def serve_judgments() -> Iterator[str]:
    """Serve the packaged judgments until the block ends; gives the base URL."""
    known = load_judgments()

    def respond(request: ChatRequest) -> ChatReply:
        return known.get(request.fields.get("question", ""), _UNKNOWN)

    with serving(respond) as server:
        yield server.base_url


def load_judgments() -> dict[str, ChatReply]:
    """Return the recorded replies by their question."""
    text = (resources.files("sqlobs.demo") / "judgments.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    return {
        record.pop("question"): ChatReply(json.dumps(record, ensure_ascii=False))
        for record in records
    }
