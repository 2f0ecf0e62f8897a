"""Judging labeled items with the judge from the options; shared by calibrate and tune."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.judge_endpoint import add_judge_endpoint, add_judge_store
from sqlobs.cli.judge_label import labels_path, read_labels, read_sources
from sqlobs.cli.numbers import positive
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs.judge.endpoint.store import SqliteStore
    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judge_names import JudgeName
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.trust.calibration import Measured
    from sqlobs.judge.trust.labels import Label
    from sqlobs.judge.trust.tuning import Examples
    from sqlobs.judge.verdicts.categories import Categorization
    from sqlobs.judge.verdicts.records import Source
    from sqlobs.metrics.intervals import Interval


def add_shared_options(parser: argparse.ArgumentParser, *, examples: str = "none") -> None:
    """Add the options of both actions; `examples` describes the default of `--examples`."""
    parser.add_argument("file", metavar="FILE", help="items as JSON Lines")
    parser.add_argument(
        "--labels", metavar="FILE", type=Path, help="labels of the items (default: FILE.labels)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    group = parser.add_argument_group("LLM judge")
    group.add_argument("--judge", default="flex", help="which judge; default: flex")
    group.add_argument(
        "--judge-votes", metavar="N", type=positive, default=1,
        help="number of votes, for judges that support voting; default: 1",
    )  # fmt: skip
    group.add_argument(
        "--judge-examples", metavar="FILE", type=Path,
        help=f"examples from an earlier tuning; default: {examples}",
    )  # fmt: skip
    add_judge_endpoint(group)
    add_judge_store(group)


@dataclass(frozen=True, slots=True)
class JudgedItems:
    """Judgments with the fingerprint of their judge."""

    judgments: list[Judgment]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Bench:
    """Judges items with the judge from the options."""

    args: argparse.Namespace
    endpoints: tuple[EndpointConfig, ...]
    """One endpoint for each model; the majority decides."""
    store: SqliteStore | None

    def judged(self, items: Sequence[JudgeItem], examples: Examples) -> JudgedItems:
        """Judge the items, in order."""
        return asyncio.run(self._judged(items, examples))

    async def _judged(self, items: Sequence[JudgeItem], examples: Examples) -> JudgedItems:
        from sqlobs.judge.endpoint.account import Account
        from sqlobs.judge.endpoint.budget import MemoryLedger
        from sqlobs.judge.endpoint.endpoint import Endpoint
        from sqlobs.judge.many import judge_all
        from sqlobs.judge.verdicts.roster import panel

        account = Account(MemoryLedger() if self.store is None else self.store)
        async with AsyncExitStack() as stack:
            endpoints = [
                await stack.enter_async_context(Endpoint(config, cache=self.store, ledger=account))
                for config in self.endpoints
            ]
            votes, prompt_examples = self.args.judge_votes, examples.text
            judge = panel(self.args.judge, endpoints, votes=votes, examples=prompt_examples)
            concurrency = self.endpoints[0].concurrency
            judgments = await judge_all(judge, items, concurrency=concurrency)
            return JudgedItems(judgments, judge.fingerprint)

    @property
    def models(self) -> list[str]:
        """The names of the judging models."""
        return [config.model for config in self.endpoints]

    def categorized(
        self, items: Sequence[JudgeItem], judgments: Sequence[Judgment]
    ) -> list[Categorization]:
        """Sort judgments into categories by a second call each, in order."""
        return asyncio.run(self._categorized(items, judgments))

    async def _categorized(
        self, items: Sequence[JudgeItem], judgments: Sequence[Judgment]
    ) -> list[Categorization]:
        from sqlobs.judge.endpoint.endpoint import Endpoint
        from sqlobs.judge.many import each
        from sqlobs.judge.verdicts.categories import Categorizer

        config = self.endpoints[0]
        async with Endpoint(config, cache=self.store, ledger=self.store) as endpoint:
            categorizer = Categorizer(endpoint)

            async def categorize(pair: tuple[JudgeItem, Judgment]) -> Categorization:
                return await categorizer.categorize(*pair)

            pairs = list(zip(items, judgments, strict=True))
            return await each(categorize, pairs, concurrency=config.concurrency)


@dataclass(frozen=True, slots=True)
class LabeledItems:
    """Items of a file with their human consensus labels."""

    pairs: list[tuple[Source, Label]]
    in_dispute: int
    """Number of excluded items: their annotators disagree and there is no consensus yet."""


def labeled_sources(args: argparse.Namespace) -> LabeledItems:
    """Return the items of the file with their human consensus labels.

    Raises:
        InputError: None of them has a label.
    """
    from sqlobs.judge.trust.labels import disputed, settled

    path = labels_path(args)
    given = read_labels(path)
    labels, in_dispute = settled(given), set(disputed(given))
    sources = list(read_sources(args.file))
    found = [
        (source, labels[source.item.case_id]) for source in sources if source.item.case_id in labels
    ]
    if not found:
        raise InputError(
            f"{path} has no label for the items in {args.file}; add labels with sqlobs judge label"
        )
    return LabeledItems(found, sum(source.item.case_id in in_dispute for source in sources))


def dispute_lines(labeled: LabeledItems) -> Iterator[str]:
    """Yield a line with the number of items that are excluded because annotators disagree."""
    if labeled.in_dispute:
        yield (
            f"excluded because annotators disagree: {labeled.in_dispute} (resolve them with sqlobs"
            " judge label --consensus)"
        )


def refuse_unwritable(path: Path) -> None:
    """Raise if the file cannot be written, before any paid call.

    Raises:
        InputError: It is a directory, its directory is missing, or one of them is not writable.
    """
    place = path if path.exists() else path.parent
    if path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
        raise InputError(f"{path} cannot be written; choose another file with --output")


def examples_of(judge: JudgeName, path: Path | None) -> Examples:
    """Return the examples of an earlier tuning, or version 0 without examples.

    Args:
        judge: The judge that uses the examples.
        path: The examples file of a tuning; None = no examples.

    Raises:
        InputError: The file has no examples, or those of another judge.
    """
    from sqlobs.judge.trust.tuning import Examples, read_examples

    return Examples(judge=judge) if path is None else read_examples(path, judge=judge)


def measured_sources(
    labeled: Sequence[tuple[Source, Label]],
    judgments: Sequence[Judgment],
    categorizations: Sequence[Categorization] = (),
) -> list[Measured]:
    """Return judgments with their labels, and with categories if requested."""
    from sqlobs.judge.trust.calibration import Measured

    chosen = [_chosen(found) for found in categorizations] or [None] * len(judgments)
    return [
        Measured(
            judgment=judgment,
            human=label.correct,
            results_equal=source.item.results_equal is True,
            difficulty=source.difficulty,
            human_categories=None if label.categories is None else frozenset(label.categories),
            judge_categories=categories,
        )
        for (source, label), judgment, categories in zip(labeled, judgments, chosen, strict=True)
    ]


def _chosen(categorization: Categorization) -> frozenset[str] | None:
    """Return the chosen categories; None if there is no usable answer."""
    return None if categorization.reason is not None else frozenset(categorization.keys)


def share(value: float | None) -> str:
    """Format a rate in percent."""
    return "  -  " if value is None else f"{value:.3f}"


def counted(hits: int, total: int) -> str:
    """Format a rate with its interval and denominator."""
    from sqlobs.metrics.intervals import wilson_interval

    rate = share(hits / total if total else None)
    return f"{rate}  {bounds(wilson_interval(hits, total))}  {hits} of {total}"


def bounds(interval: Interval | None) -> str:
    """Format an interval; empty if there is none."""
    return "" if interval is None else f"(95 %: {interval.low:.3f}-{interval.high:.3f})"
