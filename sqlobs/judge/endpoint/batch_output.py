"""The output file of a batch: one JSON object per line, some of them replies."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sqlobs.judge.endpoint.budget import Amount, micro_usd
from sqlobs.judge.endpoint.client import counted, is_cut
from sqlobs.judge.endpoint.reply import Reply
from sqlobs.judge.endpoint.text import storable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlobs.judge.endpoint.config import EndpointConfig

PRICE_SHARE: Final = 0.5
"""The price of a call in a batch, as a share of a direct call's."""
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply in the output file."""

    key: str
    reply: Reply

    @property
    def spent(self) -> Amount:
        """Its usage."""
        tokens = self.reply.input_tokens + self.reply.output_tokens
        return Amount(tokens, micro_usd(self.reply.cost_usd or 0.0))


def answered(text: str, config: EndpointConfig) -> Iterator[Answered]:
    """Yield the replies of an output file, skipping failed, invalid and empty lines.

    Args:
        text: The file.
        config: The endpoint's configuration.
    """
    for line in text.split(
        "\n"
    ):  # a reply may contain other characters that `splitlines` treats as line ends
        try:
            record = json.loads(line)
            response, key = record["response"], record["custom_id"]
            body = response["body"]
            choice = body["choices"][0]
            content = choice["message"]["content"]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            continue
        is_whole = isinstance(key, str) and isinstance(content, str) and content != ""
        if is_whole and response.get("status_code", _OK) == _OK:
            reply = _reply(content, body, config)
            yield Answered(key, replace(reply, is_cut=is_cut(choice.get("finish_reason"))))


def batch_cost(config: EndpointConfig, asked: int, answered_: int) -> float | None:
    """Return the cost of tokens in a batch; None if the price is unknown."""
    if config.price is None:
        return None
    return PRICE_SHARE * config.price.of(input_tokens=asked, output_tokens=answered_)


def _reply(content: str, body: dict[str, Any], config: EndpointConfig) -> Reply:
    reported = body.get("usage")
    usage = reported if isinstance(reported, dict) else {}
    asked, given = (
        counted(usage.get(name)) or 0 for name in ("prompt_tokens", "completion_tokens")
    )
    return Reply(
        text=storable(content),
        model=config.model,
        input_tokens=asked,
        output_tokens=given,
        cost_usd=batch_cost(config, asked, given),
    )
