"""Content that looks as if it wants to steer a judge: flagged, never followed, never removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Suspicion = Literal["instruction", "role", "verdict", "delimiter", "invisible", "encoded"]

_VERBS: Final = (
    r"ignor\w*|disregard\w*|forget|overrid\w*|overrul\w*|bypass\w*|skip|stop|pretend|obey|comply"
    r"|follow|answer|respond|reply|return|output|print|say|write|emit|mark|rate|score|grade|label"
    r"|judge|classify|declare|accept|approve|pass|treat|consider|conclude|assume|report|award|set"
)
_TARGETS: Final = (
    r"instructions?|prompts?|rules?|criteria|guidelines?|verdicts?|judg\w+|evaluat\w+|grad\w+"
    r"|rubric|reviewers?|assistant|model|system|correct|incorrect|right|wrong|valid|true|false"
    r"|full marks|pass(?:ed)?|everything (?:above|before|below)|above|previous\w*|prior|earlier"
)
_PATTERNS: Final[dict[Suspicion, re.Pattern[str]]] = {
    "instruction": re.compile(
        rf"\b(?:{_VERBS})\b[^.;\n]{{0,60}}?\b(?:{_TARGETS})\b"
        r"|\b(?:you are|you're|you must|you should|you will|you have to|act as|as an? (?:ai|llm"
        r"|judge|language model)|dear (?:judge|reviewer|model|assistant)|note to (?:the )?\w+"
        r"|attention|important|jailbreak|developer mode|new (?:task|instructions?|rules?|policy))\b"
        r"|\b(?:evaluator|judge|grader|reviewer|assistant|chatgpt|gpt|claude|llm)s?\b[^.\n]{0,30}"
        r"[:,]"
        r"|(?:ignorier|vergiss|antworte|bewerte|ignorez|oubliez|réponds|répondez|ignora|olvida"
        r"|responde|ignore tudo|игнорируй|забудь|ответь|忽略|无视|回答|無視|指示)",
        re.IGNORECASE,
    ),
    "role": re.compile(
        r"<\|[^|>]{1,40}\|>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?(?:s|system|user|assistant|human|data"
        r"|instructions?|prompt|input|context|tool|function)[^>]{0,40}>"
        r"|(?:^|[\n\r*#/'\"-]|--)\s*#*\s*(?:system|user|assistant|human|ai|developer|tool)\s*:"
        r"|^#{1,4}\s*(?:system|instructions?|response|answer|verdict|task)\b",
        re.IGNORECASE | re.MULTILINE,
    ),
    "verdict": re.compile(
        r"""["'`]?\b(?:correct|verdict|label|passed|approved|score|grade|rating|is_correct"""
        r"""|adheres|injection|equivalent|efficient)\b\\?["'`]?\s*(?::|=>|is\b)\s*\\?["'`]?\s*"""
        r"""(?:true|yes|pass(?:ed)?|correct|false|no\b|fail|incorrect|[0-9])"""
        r"""|```|\bverdict\b""",
        re.IGNORECASE,
    ),
    "delimiter": re.compile(
        r"DATA-[0-9a-f]{4}|-{3,}\s*(?:BEGIN|END)|={4,}|<{3,}|>{3,}|\bEND OF (?:DATA|INPUT|PROMPT)\b"
        r"|\bBEGIN (?:DATA|INPUT|INSTRUCTIONS?)\b|\"\s*[,}]\s*\"?\w*\"?\s*:|\bEOF\b|\bend_of_\w+",
        re.IGNORECASE,
    ),
    "invisible": re.compile(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
        "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    ),
    "encoded": re.compile(
        r"(?:[A-Za-z0-9+/]{4}){12,}={0,2}|(?:\\u[0-9a-fA-F]{4}|&#x?\w+;|%\d\w){4,}"
    ),
}


def suspicions(texts: Iterable[str]) -> tuple[Suspicion, ...]:
    """Return the kinds of suspect content found in any of the texts, in fixed order.

    Broad on purpose: a flag costs nothing but a look, and the verdict does not depend on it.
    """
    held = tuple(texts)
    return tuple(kind for kind, pattern in _PATTERNS.items() if any(map(pattern.search, held)))
