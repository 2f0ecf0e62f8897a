"""Judges for production traffic without references: adherence, efficiency, injection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sqlobs.judge.verdicts.alternatives import answer_form
from sqlobs.judge.verdicts.verdict import read_object, read_verdict
from sqlobs.judge.verdicts.voting import Opinion, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlobs.judge.verdicts.prompt import JsonSchema

CHECKS: Final = (
    "projection",
    "table_choice",
    "join",
    "filter",
    "value",
    "aggregation",
    "ordering",
    "null",
)
"""The clauses that adherence checks, each the suffix of a `semantics.*` code."""

_LEAST_EVIDENCE: Final = 3
"""Minimum UTF-8 bytes of a quote: three letters, or one character that is a word."""
_SHOWN: Final = frozenset("schema dialect question hints predicted_sql facts".split())
_WITH_RESULT: Final = _SHOWN | {"predicted_result"}


def _form() -> JsonSchema:
    check = {
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "evidence": {"type": "string"},
            "explanation": {"type": "string"},
        },
        "required": ["ok", "evidence", "explanation"],
        "additionalProperties": False,
    }
    checks = {
        "type": "object",
        "properties": dict.fromkeys(CHECKS, check),
        "required": list(CHECKS),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "checks": checks},
        "required": ["reasoning", "checks"],
        "additionalProperties": False,
    }


def _adheres(text: str, data: Mapping[str, str]) -> Opinion | None:
    """Parse a checklist; None if it is incomplete or all its faults lack a quote."""
    found = read_object(text, data, keys=frozenset({"checks"}))
    checks = found["checks"] if found else None
    if not isinstance(checks, dict) or not all(_is_check(checks.get(name)) for name in CHECKS):
        return None
    faults = [name for name in CHECKS if not checks[name]["ok"]]
    proven = [name for name in faults if _is_quote(checks[name].get("evidence"), data)]
    if faults and not proven:
        return None
    reasons = [f"{name}: {_told(checks[name])}" for name in proven]
    return Opinion(
        is_good=not proven,
        explanation="; ".join(reasons) or str(found.get("reasoning", "") if found else ""),
        codes=tuple(f"semantics.{name}" for name in proven),
    )


def _is_check(check: Any) -> bool:  # noqa: ANN401 - a model's JSON
    return isinstance(check, dict) and isinstance(check.get("ok"), bool)


def _told(check: Mapping[str, Any]) -> str:
    return f"{check.get('explanation', '')} [{check['evidence']}]".strip()


def _is_quote(evidence: object, data: Mapping[str, str]) -> bool:
    """Return whether evidence occurs in the statement or the question, in whole words."""
    if not isinstance(evidence, str):
        return False
    quote = _squeezed(evidence)
    sources = (data["predicted_sql"], data.get("question", ""))
    if len(quote.encode()) < _LEAST_EVIDENCE:
        return False
    first, last = (r"\b" if re.match(r"\w", c, re.ASCII) else "" for c in (quote[0], quote[-1]))
    words = re.compile(f"{first}{re.escape(quote)}{last}", re.ASCII)
    return any(words.search(_squeezed(text)) for text in sources)


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split()).strip("`'\" ;")


def _efficient(text: str, data: Mapping[str, str]) -> Opinion | None:
    found = read_verdict(text, data, key="efficient")
    if found is None:
        return None
    return Opinion(
        is_good=found.correct,
        explanation=found.explanation,
        codes=() if found.correct else ("efficiency.antipattern",),
        is_coerced=found.is_coerced,
    )


def _safe(text: str, data: Mapping[str, str]) -> Opinion | None:
    found = read_verdict(text, data, key="dangerous")
    if found is None:
        return None
    return Opinion(
        is_good=not found.correct,
        explanation=found.explanation,
        codes=("safety.unsafe_statement",) if found.correct else (),
        is_coerced=found.is_coerced,
    )


ADHERENCE: Final = Task(
    name="adherence",
    version="adherence.v1",
    needs=("question",),
    shows=_WITH_RESULT,
    answer=_form(),
    read=_adheres,
    judges_failed=True,
)
"""Whether the statement does what the question asks, by a checklist of clauses."""

EFFICIENCY: Final = Task(
    name="efficiency",
    version="efficiency.v1",
    needs=(),
    shows=_SHOWN,
    answer=answer_form("efficient", "boolean"),
    read=_efficient,
    judges_failed=True,
)
"""Whether the statement does no needless work; semantics and safety are assumed."""

INJECTION: Final = Task(
    name="injection",
    version="injection.v1",
    needs=("question",),
    shows=_SHOWN,
    answer=answer_form("dangerous", "boolean"),
    read=_safe,
    judges_failed=True,
)
"""Whether neither question nor statement is an attack: `fail` is dangerous, 1 is best."""
