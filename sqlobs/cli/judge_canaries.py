"""`sqlobs judge canaries`: test a judge on items with known verdicts and on injections."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlobs.cli.judge_endpoint import (
    add_judge_endpoint,
    add_judge_store,
    judge_endpoint,
    opened_store,
)
from sqlobs.cli.unjudged import silence_lines, silences

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.store import SqliteStore
    from sqlobs.judge.trust.canaries import CanaryReport


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "canaries",
        help="test a judge on items with known verdicts, including prompt injections",
        description=(
            "Ask a judge about items with known verdicts. Some contain prompt injections that"
            " demand the opposite verdict; a judge that follows one is not reliable. Answers are"
            " never cached; --judge-store records their cost."
        ),
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    group = parser.add_argument_group("LLM judge")
    group.add_argument(
        "--judge", choices=("flex", "rubric"), default="flex", help="which judge; default: flex"
    )
    add_judge_endpoint(group)
    add_judge_store(group)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the results; return 1 if the judge is not reliable or gave too few verdicts."""
    config = judge_endpoint(args)
    with opened_store(args) as store:
        report = asyncio.run(_sung(args.judge, config, store))
    print(_json(report) if args.json else "\n".join(_lines(report)))
    return 0 if report.is_sound else 1


async def _sung(name: str, config: EndpointConfig, ledger: SqliteStore | None) -> CanaryReport:
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.trust.canaries import run_canaries
    from sqlobs.judge.verdicts.roster import judge_named

    async with Endpoint(config, ledger=ledger) as endpoint:
        return await run_canaries(judge_named(name, endpoint))


def _lines(report: CanaryReport) -> Iterator[str]:
    wrong, silent = len(report.wrong), report.silent
    right = report.asked - silent - wrong
    yield f"{report.asked} canaries: {right} right, {wrong} wrong, {silent} not evaluated"
    for judgment in report.wrong:
        fate = "misled" if judgment in report.misled else "wrong"
        yield f"  {fate}: {judgment.case_id} ({judgment.explanation})"
    yield from silence_lines(report.unheard)
    words = {True: "sound", False: "not reliable", None: "too few answers to decide"}
    yield words[report.is_sound]


def _json(report: CanaryReport) -> str:
    document = {
        "asked": report.asked,
        "silent": report.silent,
        "not_evaluated": [asdict(silence) for silence in silences(report.unheard)],
        "wrong": [judgment.case_id for judgment in report.wrong],
        "misled": [judgment.case_id for judgment in report.misled],
        "is_sound": report.is_sound,
    }
    return json.dumps(document)
