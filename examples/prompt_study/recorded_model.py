"""Serves the recorded answers of two models, and of a judge, over the API of OpenAI.

    python recorded_model.py 8090

The answers were written for this example; no model is called. `answers.jsonl` has an answer for
each model, prompt and question, `verdicts.jsonl` what the judge says of each statement.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROMPTS = {"one read-only": "rules", "Use only its tables": "schema", "Write a": "plain"}
"""A text of each prompt; the first one that occurs tells which prompt it is."""


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


ANSWERS = {(a["model"], a["prompt"], a["question"]): a["text"] for a in lines("answers.jsonl")}
VERDICTS = {(v["question"], v["sql"]): v["correct"] for v in lines("verdicts.jsonl")}


def answer(request: dict[str, Any]) -> str:
    text = "\n".join(message["content"] for message in request["messages"])
    if request["model"] == "judge":
        return verdict(request, text)
    prompt = next(name for part, name in PROMPTS.items() if part in text)
    question = text.rpartition("Question: ")[2].strip()
    return str(ANSWERS[request["model"], prompt, question])


def verdict(request: dict[str, Any], text: str) -> str:
    data = json.loads(text[text.rindex(" BEGIN\n{") + 7 : text.rindex("}\nDATA-") + 1])
    if "judgement" in data:  # the second call asks for categories
        menu = request["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps({key: {"issued": False, "explanation": ""} for key in menu})
    correct = VERDICTS[data["question"], data["predicted_sql"]]
    return json.dumps({"reasoning": "Recorded.", "correct": correct})


def completion(request: dict[str, Any], text: str) -> dict[str, Any]:
    sent = sum(len(message["content"]) for message in request["messages"])
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": sent // 4, "completion_tokens": -(-len(text) // 4)}
    return {
        "id": "recorded",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {**usage, "total_tokens": sum(usage.values())},
    }


class Handler(BaseHTTPRequestHandler):
    """Answers every POST as a chat completion."""

    def do_POST(self) -> None:
        """Send the recorded answer."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(completion(request, answer(request))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as in the base
        """Stay silent."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
