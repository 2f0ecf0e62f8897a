"""`sqlobs judge tune`: add wrong verdicts as examples to a prompt if they improve the judge."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.judge_bench import (
    Bench,
    add_shared_options,
    dispute_lines,
    examples_of,
    labeled_sources,
    measured_sources,
    refuse_unwritable,
    share,
)
from sqlobs.cli.judge_endpoint import judge_endpoints, opened_store
from sqlobs.cli.unjudged import refuse_silence, silence_lines, silences

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.trust.calibration import Measured
    from sqlobs.judge.trust.labels import Label
    from sqlobs.judge.trust.tuning import Examples


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "tune",
        help="add wrong verdicts as examples to a judge's prompt, if they improve it",
        description=(
            "Split labeled items into two parts. Wrong verdicts on the first part become examples;"
            " the second part measures the judge without and with them. The examples become active"
            " only if they improve agreement."
        ),
    )
    add_shared_options(parser, examples="FILE.examples, if it exists")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="examples file to write (default: FILE.examples)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the split")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the result of tuning; return 1 if the judge did not improve."""
    from sqlobs.judge.trust.calibration import agreement_of
    from sqlobs.judge.trust.tuning import examples_from, parted, settled_by

    path = args.output or Path(f"{args.file}.examples")
    refuse_unwritable(path)
    before = examples_of(args.judge, args.judge_examples or _last_tuning(args.file))
    labeled = labeled_sources(args)
    pairs = [(source.item, label) for source, label in labeled.pairs]
    learned, held_back = parted(pairs, seed=args.seed)
    with opened_store(args) as store:
        bench = Bench(args, judge_endpoints(args), store)
        first = bench.judged([item for item, _ in learned + held_back], before)
        refuse_silence(first.judgments)
        wrong = _wrong(learned, first.judgments)
        candidate = examples_from(wrong, before)
        shown = replace(candidate, is_active=True)
        again = bench.judged([item for item, _ in held_back], shown)
        refuse_silence(again.judgments)
    was = _beside(held_back, first.judgments[len(learned) :])
    now = _beside(held_back, again.judgments)
    found = settled_by(candidate, agreement_of(was), agreement_of(now), now)
    if args.json:
        silent = [asdict(silence) for silence in silences(first.judgments + again.judgments)]
        print(json.dumps({**_tuning(found, len(wrong)), "not_evaluated": silent}))
    else:
        silent_lines = silence_lines(first.judgments + again.judgments)
        print("\n".join([_tuning_line(found, len(wrong)), *silent_lines, *dispute_lines(labeled)]))
    path.write_text((found if found.is_active else before).to_json() + "\n", encoding="utf-8")
    return 0 if found.is_active else 1


def _last_tuning(items: str) -> Path | None:
    """Return the examples file of the last tuning, if it exists."""
    path = Path(f"{items}.examples")
    return path if path.exists() else None


def _wrong(
    pairs: Sequence[tuple[JudgeItem, Label]], judgments: Sequence[Judgment]
) -> list[tuple[JudgeItem, Label]]:
    """Return the pairs on which the judge contradicts the human label."""
    return [
        pair
        for pair, judgment in zip(pairs, judgments, strict=False)
        if judgment.is_correct is not None and judgment.is_correct != pair[1].correct
    ]


def _beside(
    pairs: Sequence[tuple[JudgeItem, Label]], judgments: Sequence[Judgment]
) -> list[Measured]:
    from sqlobs.judge.verdicts.records import Source

    return measured_sources([(Source(item), label) for item, label in pairs], judgments)


def _tuning(found: Examples, wrong: int) -> dict[str, object]:
    return {
        "judge": found.judge,
        "version": found.version,
        "examples": len(found.cases),
        "wrong": wrong,
        "held_back": found.held_back,
        "kappa_before": found.kappa_before,
        "kappa_after": found.kappa_after,
        "is_active": found.is_active,
    }


def _tuning_line(found: Examples, wrong: int) -> str:
    fate = "active" if found.is_active else "not active: no improvement"
    return (
        f"{wrong} wrong verdicts, {len(found.cases)} examples (version {found.version});"
        f" kappa on {found.held_back} held-out items: {share(found.kappa_before)} before,"
        f" {share(found.kappa_after)} after; {fate}"
    )
