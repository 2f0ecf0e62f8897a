"""Content that looks as if it wants to steer a judge: flagged, never followed, never removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Suspicion = Literal["instruction", "role", "verdict", "delimiter", "invisible", "encoded"]

_STEERING: Final = (
    r"ignor(?:e|es|ed|ing)|disregard\w*|forget|overrid\w+|overrul\w+|bypass\w*|pretend|obey|comply"
    r"|skip|stop|do not|don't"
)
_STEERED: Final = (
    r"instructions?|prompts?|rules|criteria|guidelines?|verdicts?|judging|evaluat\w+|grading|rubric"
    r"|compar\w+|everything|previous|above|before this|policy|equal"
)
_SAYING: Final = (
    r"answer|respond|reply|output|return|say|mark|rate|grade|treat|consider|conclude|assume|report"
    r"|declare|accepts?|approves?|pass|label|classify|judge|print|emit|write|give|grant|set|says"
)
_SAID: Final = (
    r"correct|incorrect|true|valid|right|approval|verdict|marks|accepted|everything|leniently"
    r"|(?:all|every|this|the) (?:quer(?:y|ies)|statements?|prediction|answer)"
)
_MODELS: Final = (
    r"ai|llm|gpt|chatgpt|claude|language model|assistant|judge|evaluator|grader|reviewer"
)
# Matched against texts in lower case: a search that ignores case takes five times as long
_PATTERNS: Final[dict[Suspicion, re.Pattern[str]]] = {
    "instruction": re.compile(
        rf"\b(?:(?:{_STEERING})\b[^;\n]{{0,50}}?\b(?:{_STEERED})\b"
        rf"|(?:{_SAYING})\b[^;\n]{{1,50}}?\b(?:{_SAID})\b"
        rf"|(?:an?|the|dear|to the|to) (?:{_MODELS})\b|(?:{_MODELS})s?:"
        r"|(?:(?:you|you're|you are) (?:now|must|may now|will now|have to)|act as|from now on"
        r"|jailbreak|developer mode|new (?:task|instructions?|rules|policy))\b"
        r"|ignor(?:ier|ez|a las|a le|e tudo)|vergiss|antworte|bewerte|oubliez|répond|responde)"
        r"|игнориру|забудь|ответь|忽略|无视|回答|無視|指示"
    ),
    "role": re.compile(
        r"<\|[^|>]{1,40}\|>|\[/?(?:inst|sys)\]|<</?sys>>|</?(?:s|system|user|assistant|human|data"
        r"|instructions?|prompt|input|context|tool|function)[^>]{0,40}>"
        r"|(?:^|[\n\r*#/'\"-]|--)\s*#*\s*(?:system|user|assistant|human|ai|developer|tool)\s*:"
        r"|\b(?:system|assistant|developer)\s*:(?!:)"
        r"|^#{1,4}\s*(?:system|instructions?|response|answer|verdict|task)\b",
        re.MULTILINE,
    ),
    "verdict": re.compile(
        r"\b(?:is_)?(?:correct|verdict|passed|approved|adheres|injection|equivalent|efficient)\b"
        r"""\\?["'`]*\s*(?::|=>|\bis\b)\s*\\?["'`]?(?:true|yes|no\b|pass|correct|false|fail|in|[01])"""
        r"""|\b(?:score|grade|rating|label)\b\\?["'`]*\s*(?::|=>)"""
        r"|```|\bverdict\b"
    ),
    "delimiter": re.compile(
        r"data-[0-9a-f]{4}|-{3,}\s*(?:begin|end)|={4,}|<{3,}|>{3,}|\bend of (?:data|input|prompt)\b"
        r"|\bbegin (?:data|input|instructions?)\b|\"\s*[,}]\s*\"?\w*\"?\s*:|\beof\b|\bend_of_\w+"
    ),
    "invisible": re.compile(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
        "\u2060-\u2064\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
    ),
    "encoded": re.compile(r"(?:[a-z0-9+/]{4}){12,}={0,2}|(?:\\u[0-9a-f]{4}|&#x?\w+;|%\d\w){4,}"),
}


def suspicions(texts: Iterable[str]) -> tuple[Suspicion, ...]:
    """Return the kinds of suspect content found in any of the texts, in fixed order.

    Broad on purpose: a flag costs nothing but a look, and the verdict does not depend on it.
    """
    held = tuple(text.lower() for text in texts)
    return tuple(kind for kind, pattern in _PATTERNS.items() if any(map(pattern.search, held)))
