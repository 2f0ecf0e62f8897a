"""Content that looks as if it wants to steer a judge: flagged, never followed, never removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Suspicion = Literal["instruction", "role", "verdict", "delimiter", "invisible", "encoded"]

_STEERING: Final = (
    r"ignor(?:e|es|ed|ing)|disregard(?:ed|ing)?|forget|overrid(?:e|es|ing)|overrul(?:e|es|ing)|bypass|pretend|obey|comply"
    r"|skip|stop|do not|don't"
)
_STEERED: Final = (
    r"instructions?|prompts?|rules|criteria|guidelines?|verdicts?|judging|evaluat(?:e|es|ion|ions|ors?)|grading|rubric"
    r"|compar(?:e|es|ing|ison)|everything|previous|above|before this|policy|equal"
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
# Matched against texts in lower case: a search that ignores case takes five times as long. Every
# repetition is bounded, so that no text makes a search take long.
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
        r"|instructions?|prompt|input|context|tool|function)\b[^>]{0,40}>"
        r"|(?:^|[*#/'\"-])[ \t]{0,4}#{0,6}[ \t]{0,4}"
        r"(?:system|user|assistant|human|ai|developer|tool)\s{0,4}:"
        r"|\b(?:system|assistant|developer)\s{0,4}:(?!:)"
        r"|^#{1,4}\s{0,4}(?:system|instructions?|response|answer|verdict|task)\b",
        re.MULTILINE,
    ),
    "verdict": re.compile(
        r"\b(?:is_)?(?:correct|verdict|passed|approved|adheres|injection|equivalent|efficient)\b"
        r"""\\?["'`]{0,4}\s{0,4}(?::|=>|\bis\b)\s{0,4}\\?["'`]?"""
        r"(?:true|yes|no\b|pass|correct|false|fail|in|[01])"
        r"""|\b(?:score|grade|rating|label)\b\\?["'`]{0,4}\s{0,4}(?::|=>)"""
        r"|```|\bverdict\b"
    ),
    "delimiter": re.compile(
        r"data-[0-9a-f]{4}|---\s{0,4}(?:begin|end)\b|={4}|<<<|>>>|\bend of (?:data|input|prompt)\b"
        r"|\bbegin (?:data|input|instructions?)\b|\"\s{0,4}[,}]\s{0,4}\"?\w{0,40}\"?\s{0,4}:"
        r"|\beof\b|\bend_of_\w"
    ),
    "invisible": re.compile(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
        "\u2060-\u2064\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
    ),
    "encoded": re.compile(r"[a-z0-9+/]{48}|(?:\\u[0-9a-f]{4}|&#x?\w{1,8};|%\d\w){4,}"),
}


def suspicions(texts: Iterable[str]) -> tuple[Suspicion, ...]:
    """Return the kinds of suspect content found in any of the texts, in fixed order.

    Broad on purpose: a flag costs nothing but a look, and the verdict does not depend on it.
    """
    held = tuple(text.lower() for text in texts)
    return tuple(kind for kind, pattern in _PATTERNS.items() if any(map(pattern.search, held)))
