"""`sqlobs judge`: LLM judges and their agreement with human labels."""

from __future__ import annotations

import argparse
from typing import Final

from sqlobs.cli import (
    judge_agreement,
    judge_calibrate,
    judge_canaries,
    judge_label,
    judge_sample,
    judge_tune,
)

_EXAMPLES: Final = """\
examples:
  sqlobs judge agreement --flex flex_agreement
  sqlobs judge agreement --flex flex_agreement --judge-url https://api.openai.com/v1 \\
      --judge-model gpt-4o --judge-key env:OPENAI_API_KEY --context no-knowledge
  sqlobs judge agreement --flex flex_agreement --context results=both --show-prompt 0
  sqlobs judge sample run/run_20260908_001148 --dsn postgresql://… --output items.jsonl --count 100
  sqlobs judge label items.jsonl --rater ada
  sqlobs judge label items.jsonl --consensus
  sqlobs judge calibrate items.jsonl --judge-url URL --judge-model M --rate more.jsonl
  sqlobs judge tune items.jsonl --judge-url URL --judge-model M --judge-key env:KEY
  sqlobs judge canaries --judge-url URL --judge-model M

SQLOBS_LLM_BASE_URL, SQLOBS_LLM_MODEL and SQLOBS_LLM_API_KEY configure the judge that no option
sets.
"""
_ACTIONS: Final = (
    judge_agreement,
    judge_sample,
    judge_label,
    judge_calibrate,
    judge_tune,
    judge_canaries,
)


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its actions."""
    parser = subparsers.add_parser(
        "judge",
        help="measure how LLM judges agree with human labels",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in _ACTIONS:
        action.register(actions)
