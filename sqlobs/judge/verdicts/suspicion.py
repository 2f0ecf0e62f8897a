"""Detects content that tries to steer a judge: flagged, never followed, never removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, get_args

from sqlobs.judge.verdicts.disguise import is_disguised, readings, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Suspicion = Literal[
    "instruction", "role", "verdict", "delimiter", "invisible", "encoded", "disguised"
]

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
    r"ai|llm|gpt|chatgpt|claude|language model|assistant|judges?|evaluators?|graders?|reviewers?"
)
# "Ignore the instructions", "answer that it is right": key words in the most spoken languages
_OTHER_LANGUAGES: Final = (
    r"ignor(?:ier|ez|a las|a le|a tutt|e tudo|era )|vergiss|antworte|bewerte|oubliez|répond"
    r"|responde|anweisungen|instrucciones|instruções|istruzioni|instructies|negeer|antwoord"
    r"|zignoruj|instrukcj|odpowiedz|instruktion|abaikan|instruksi|talimat|yok say|bỏ qua|trả lời"
)
_OTHER_SCRIPTS: Final = (
    r"игнориру|забудь|ответь|ігнору|αγνόησε|αγνοησε|οδηγίες|忽略|无视|回答|無視|指示|무시|지시"
    r"|अनदेखा|निर्देश|تجاهل|تعليمات|התעלם|הוראות|เพิกเฉย|คำสั่ง"
)
# Matched against lower-case text: case-insensitive search takes five times as long. Every
# repetition is bounded, so that no text can make a search slow.
_PATTERNS: Final[dict[Suspicion, re.Pattern[str]]] = {
    "instruction": re.compile(
        rf"\b(?:(?:{_STEERING})\b[^;\n]{{0,50}}?\b(?:{_STEERED})\b"
        rf"|(?:{_SAYING})\b[^;\n]{{1,50}}?\b(?:{_SAID})\b"
        rf"|(?:an?|the|dear|to the|to) (?:{_MODELS})\b|(?:{_MODELS})s?:"
        r"|(?:(?:you|you're|you are) (?:now|must|may now|will now|have to)|act as|from now on"
        r"|jailbreak|developer mode|new (?:task|instructions?|rules|policy))\b"
        rf"|{_OTHER_LANGUAGES})|{_OTHER_SCRIPTS}"
    ),
    "role": re.compile(
        r"<\|[^|>]{1,40}\|>|\[/?(?:inst|sys|tool|system|user|assistant|end)\b[^\]]{0,20}\]|<</?sys>>"
        r"|\[/?(?:tool|function|system)_\w{1,20}\]"
        r"|</?(?:s|system|user|assistant|human|data|instructions?|prompt|input|context|tool|function"
        r"|think|thinking|result|answer|verdict|output|response)(?:_\w{1,20})?\b[^>]{0,40}>"
        r"|(?:^|[*#/'\"-])[ \t]{0,4}#{0,6}[ \t]{0,4}"
        r"(?:system|user|assistant|human|ai|developer|tool)\s{0,4}:"
        r"|\b(?:system|assistant|developer)\s{0,4}:(?!:)"
        r"|^#{1,4}\s{0,4}(?:system|assistant|user|instructions?|response|answer|verdict|task)\b"
        r"|^-{3,9}\s{1,4}(?:system|assistant|user)\b",
        re.MULTILINE,
    ),
    "verdict": re.compile(
        r"\b(?:is_)?(?:correct|verdict|passed|approved|adheres|injection|equivalent|efficient)\b"
        r"""\\?["'`]{0,4}\s{0,4}(?::|=>|\bis\b)\s{0,4}\\?["'`]?"""
        r"(?:true|yes|no\b|pass|correct|false|fail|in|[01])"
        r"""|\b(?:score|grade|rating|label)\b\\?["'`]{0,4}\s{0,4}(?::|=>)"""
        r"|```|~~~|\bverdict\b"
    ),
    "delimiter": re.compile(
        r"data-(?:[0-9a-f]{4}|end)|[#%=~<>*+\[\]{}\"]{3,9}\s{0,4}(?:begin|end|eof|eot)\b|<!--\s{0,4}end"
        r"|[\u241c-\u241f]|first message asks|earlier reply|the data stands between"
        r"|\bend of (?:the |user |all )?(?:data|input|prompt|context|question|message)\b"
        r"|---\s{0,4}(?:begin|end)\b|={4}|<<<|>>>"
        r"|\bbegin (?:data|input|instructions?)\b|\"\s{0,4}[,}]\s{0,4}\"?\w{0,40}\"?\s{0,4}:"
        r"|\beof\b|\bend_of_\w"
    ),
    "invisible": re.compile(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f"
        "\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
        "|\\w[\ufe00-\ufe0e]|[\ufe00-\ufe0f]{2}"
    ),
    # ASCII letters and spaces, which need no escaping: "\u0049\u0067", "&#73;&#103;"
    "encoded": re.compile(
        r"(?:\\u00[2-7][0-9a-f]|\\x[2-7][0-9a-f]|&#(?:x[2-7][0-9a-f]|3[2-9]|[4-9]\d|1[01]\d|12[0-6]);"
        r"|%[2-7][0-9a-f]){4,}"
    ),
}
_ORDERS: Final[frozenset[Suspicion]] = frozenset({"instruction", "role", "verdict"})
"""Patterns that make encoded data suspect; quotes and delimiters are common in such data."""


def suspicions(texts: Iterable[str]) -> tuple[Suspicion, ...]:
    """Return the kinds of suspect content found in any of the texts, in fixed order.

    Broad on purpose: a flag only causes a review, and the verdict does not depend on it.
    """
    found: set[Suspicion] = set()
    for text in texts:
        found.update(_kinds(text))
    return tuple(kind for kind in get_args(Suspicion) if kind in found)


def _kinds(text: str) -> Iterator[Suspicion]:
    """Yield the kinds found in a text as written, and in its decoded readings."""
    lowered = text.lower()
    yield from _matching(lowered)
    if is_disguised(lowered):
        yield "disguised"
    for reading in readings(lowered):
        yield from _matching(reading)
    if any(kind in _ORDERS for hidden in unpacked(text) for kind in _matching(hidden)):
        yield "encoded"


def _matching(lowered: str) -> Iterator[Suspicion]:
    return (kind for kind, pattern in _PATTERNS.items() if pattern.search(lowered))
