"""`sqlobs judge agreement`: measure a judge's agreement with the experts of the FLEX study.

Without an endpoint, a local server replays the study's recorded answers: they pass through the
whole judging path (prompt, HTTP, parsing of the verdict) and must reproduce the published figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.cli.judge_endpoint import (
    add_judge_endpoint,
    add_judge_store,
    is_judge_named,
    judge_endpoint,
    opened_store,
)
from sqlobs.cli.judge_study import StudyFigures, figure_lines, published
from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.endpoint import Endpoint
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.trust.study import CategorizedPair, StudiedPair
    from sqlobs.judge.verdicts.context import Context

_SWITCHES: Final = (
    "no-question",
    "no-knowledge",
    "no-criteria",
    "no-reference",
    "results=both",
    "results=none",
)


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "agreement",
        help="measure a judge on the published FLEX study",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--flex",
        required=True,
        type=Path,
        metavar="DIR",
        help="directory with the published files of the study",
    )
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        choices=_SWITCHES,
        metavar="SWITCH",
        help=f"ablation from the paper, repeatable: {', '.join(_SWITCHES)}",
    )
    parser.add_argument(
        "--profile",
        choices=("seed", "repo"),
        default="repo",
        help="how results are truncated: as the paper describes or as its code does; default: repo",
    )
    parser.add_argument(
        "--show-prompt",
        type=int,
        metavar="N",
        help="print the prompt of the Nth pair (from 0) without sending it",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    group = parser.add_argument_group("LLM judge; default: recorded answers")
    add_judge_endpoint(group)
    add_judge_store(group)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the figures; return 1 if the judge gave no verdict on some pair."""
    from sqlobs.judge.trust.study import read_categorized, read_pairs
    from sqlobs.judge.verdicts.context import context_of

    context = context_of(args.context, profile=args.profile)
    pairs = read_pairs(args.flex)
    if args.show_prompt is not None:
        print(_shown_prompt(pairs, args.show_prompt, context))
        return 0
    categorized = read_categorized(args.flex)
    figures = _measure(args, pairs, categorized, context)
    print(json.dumps(asdict(figures), indent=2) if args.json else "\n".join(figure_lines(figures)))
    return 1 if figures.judge.errors else 0


def _shown_prompt(pairs: Sequence[StudiedPair], place: int, context: Context) -> str:
    from sqlobs.judge.verdicts.flex import flex_prompt

    if not 0 <= place < len(pairs):
        raise InputError(f"--show-prompt must be between 0 and {len(pairs) - 1}")
    messages = flex_prompt(pairs[place].item, context).messages("DATA-" + "0" * 16)
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)


def _measure(
    args: argparse.Namespace,
    pairs: Sequence[StudiedPair],
    categorized: Sequence[CategorizedPair],
    context: Context,
) -> StudyFigures:
    with _served(args, pairs, categorized) as config, opened_store(args) as store:

        async def judged() -> tuple[list[Judgment], list[frozenset[str]]]:
            from sqlobs.judge.endpoint.endpoint import Endpoint

            async with Endpoint(config, cache=store, ledger=store) as endpoint:
                return (
                    await _judged(endpoint, pairs, context),
                    await _categorized(endpoint, categorized),
                )

        judgments, categories = asyncio.run(judged())
    figures = _figures(config.model, pairs, judgments, categorized=categorized, chosen=categories)
    return replace(
        figures,
        context=tuple(args.context),
        is_recorded=not (is_judge_named(args)),
        published=published(args.context, len(pairs)),
    )


@contextmanager
def _served(
    args: argparse.Namespace,
    pairs: Sequence[StudiedPair],
    categorized: Sequence[CategorizedPair],
) -> Iterator[EndpointConfig]:
    """Yield the endpoint of the options, or of a local server that replays the recorded answers."""
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.replay import recorded, serving

    if is_judge_named(args):
        yield judge_endpoint(args)
        return
    recordings = [pair.recording for pair in pairs]
    recordings += [recording for pair in categorized for recording in pair.recordings]
    with serving(recorded(recordings)) as server:
        yield EndpointConfig(base_url=server.base_url, model="gpt-4o-2024-08-06 (recorded)")


async def _judged(
    endpoint: Endpoint, pairs: Sequence[StudiedPair], context: Context
) -> list[Judgment]:
    from sqlobs.judge.many import judge_all
    from sqlobs.judge.verdicts.flex import FlexJudge

    judge = FlexJudge(endpoint, context)
    concurrency = endpoint.config.concurrency
    return await judge_all(judge, [pair.item for pair in pairs], concurrency=concurrency)


async def _categorized(
    endpoint: Endpoint, pairs: Sequence[CategorizedPair]
) -> list[frozenset[str]]:
    """Categorize the recorded judgments, which are the ones that the experts categorized."""
    from sqlobs.judge.many import each
    from sqlobs.judge.verdicts.categories import Categorizer

    categorizer = Categorizer(endpoint)

    async def categorize(pair: CategorizedPair) -> frozenset[str]:
        found = await categorizer.categorize(pair.item, pair.judged)
        return frozenset(found.keys)

    return await each(categorize, pairs, concurrency=endpoint.config.concurrency)


def _figures(
    model: str,
    pairs: Sequence[StudiedPair],
    judgments: Sequence[Judgment],
    *,
    categorized: Sequence[CategorizedPair],
    chosen: Sequence[frozenset[str]],
) -> StudyFigures:
    from sqlobs.judge.trust.agreement import agreement, category_agreement
    from sqlobs.judge.trust.study import recorded_ex
    from sqlobs.metrics.agreement import fleiss_kappa

    human, equal = [pair.consensus for pair in pairs], [pair.ex for pair in pairs]
    fleiss = fleiss_kappa([[pair.votes.count(False), pair.votes.count(True)] for pair in pairs])
    reasons = [judgment.reason for judgment in judgments if judgment.reason]
    faults = [place for place, pair in enumerate(categorized) if pair.item.results_equal]
    differences = [place for place, pair in enumerate(categorized) if not pair.item.results_equal]
    return StudyFigures(
        model=model,
        context=(),
        is_recorded=False,
        published=None,
        judge=agreement(human, [judgment.is_correct for judgment in judgments], equal),
        ex=agreement(human, equal, equal),
        experts_fleiss=fleiss.value if fleiss else None,
        ex_recomputed=sum(
            recorded_ex(str(p.item.predicted_result), str(p.item.reference_result)) == p.ex
            for p in pairs
        ),
        pairs=len(pairs),
        fault_categories=category_agreement(
            [categorized[place] for place in faults], [chosen[place] for place in faults]
        ),
        difference_categories=category_agreement(
            [categorized[place] for place in differences], [chosen[place] for place in differences]
        ),
        reasons={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
    )
