"""`sqlobs judge calibrate`: measure a judge on labeled items and correct its rates."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sqlobs.cli.judge_bench import (
    Bench,
    add_shared_options,
    bounds,
    counted,
    dispute_lines,
    examples_of,
    labeled_sources,
    measured_sources,
    refuse_unwritable,
    share,
)
from sqlobs.cli.judge_endpoint import judge_endpoints, opened_store
from sqlobs.cli.judge_label import read_sources
from sqlobs.cli.unjudged import refuse_silence, silence_lines, silences
from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from sqlobs.judge.judgment import Judgment
    from sqlobs.judge.trust.agreement import Agreement
    from sqlobs.judge.trust.calibration import Calibration
    from sqlobs.judge.trust.category_rates import CategoryRates
    from sqlobs.judge.trust.labels import Label
    from sqlobs.judge.verdicts.records import Source


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    calibrate = actions.add_parser(
        "calibrate",
        help="measure a judge on labeled items and correct its rates",
        description=(
            "Judge labeled items, print the agreement with human labels, and save the calibration."
            " With --rate, judge more items and print their raw and corrected rates."
        ),
    )
    add_shared_options(calibrate)
    calibrate.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="calibration file to write (default: FILE.calibration)",
    )
    calibrate.add_argument("--rate", metavar="FILE", help="more items, without labels")
    calibrate.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the calibration; return 1 if the judge gave no verdict on some item."""
    from sqlobs.judge.trust.calibration import agreement_of, calibrate

    settled, examples = labeled_sources(args), examples_of(args.judge, args.judge_examples)
    labeled = settled.pairs
    _refuse_disputed(labeled, args.file)
    path = args.output or Path(f"{args.file}.calibration")
    refuse_unwritable(path)
    further = [source.item for source in read_sources(args.rate)] if args.rate else []
    with opened_store(args) as store:
        bench = Bench(args, judge_endpoints(args), store)
        judged = bench.judged([source.item for source, _ in labeled] + further, examples)
        verdicts = judged.judgments[: len(labeled)]
        refuse_silence(verdicts)
        has_categories = any(label.categories is not None for _, label in labeled)
        items = [source.item for source, _ in labeled]
        categorized = bench.categorized(items, verdicts) if has_categories else ()
    measured = measured_sources(labeled, verdicts, categorized)
    calibration = calibrate(
        measured, judge=args.judge, model=", ".join(bench.models), prompt=judged.fingerprint
    )
    rest = judged.judgments[len(labeled) :]
    agreement = agreement_of(measured)
    if args.json:
        document = _document(calibration, agreement, verdicts, rest)
        print(json.dumps({**document, "in_dispute": settled.in_dispute}, indent=2))
    else:
        lines = (
            _calibration_lines(calibration, agreement, verdicts),
            dispute_lines(settled),
            _rate_lines(calibration, rest) if rest else (),
            _ensemble_lines(bench.models, verdicts),
        )
        print("\n".join(chain.from_iterable(lines)))
    path.write_text(calibration.to_json() + "\n", encoding="utf-8")
    if not args.json:
        print(f"calibration saved to {path}")
    return 1 if calibration.errors else 0


def _refuse_disputed(labeled: Sequence[tuple[Source, Label]], place: str) -> None:
    """Raise if items were drawn by what the judge says of them.

    Raises:
        InputError: sensitivity and specificity of such items are not those of the judge.
    """
    if any(source.sampled_by == "verdict" for source, _ in labeled):
        raise InputError(
            f"{place}: these items were sampled by the judge's verdict, which biases a calibration;"
            " use them with `sqlobs judge tune`, and sample --by execution to calibrate"
        )


def _calibration_lines(
    calibration: Calibration, agreement: Agreement, judgments: Sequence[Judgment]
) -> Iterator[str]:
    (accepted, missed), (fooled, rejected) = calibration.table
    kappa = agreement.kappa
    value = share(kappa.value if kappa else None)
    yield f"{calibration.judge} by {calibration.model}, prompt {calibration.prompt[:12]}"
    yield f"labeled: {agreement.correct_count} correct, {agreement.incorrect_count} incorrect"
    yield f"kappa        {value}  {bounds(kappa.interval if kappa else None)}"
    yield f"sensitivity  {counted(accepted, accepted + missed)}"
    yield f"specificity  {counted(rejected, fooled + rejected)}"
    yield f"PABAK        {share(agreement.pabak)}"
    yield from silence_lines(judgments)
    for name, ((a, b), (c, d)) in calibration.strata.items():
        yield f"  {name:<12} accepted {a} of {a + b} correct, rejected {d} of {c + d} incorrect"
    for rates in calibration.category_rates:
        yield from _category_lines(rates)


def _ensemble_lines(models: Sequence[str], judgments: Sequence[Judgment]) -> Iterator[str]:
    """Yield the agreement of an ensemble's members, and the items left for human review."""
    from sqlobs.judge.verdicts.ensemble import ensemble_agreement

    if len(models) == 1:
        return
    found = ensemble_agreement(judgments)
    value = share(found.fleiss.value if found.fleiss else None)
    yield f"ensemble of {len(models)}: Fleiss kappa {value}"
    for model, kappa in zip(models, found.members, strict=False):
        yield f"  {model}: kappa {share(kappa.value if kappa else None)} against the majority"
    if found.undecided:
        yield f"undecided, for human review: {', '.join(map(str, found.undecided))}"


def _category_lines(rates: CategoryRates) -> Iterator[str]:
    kappa = rates.kappa
    value = share(kappa.value if kappa else None)
    yield rates.key
    yield f"  kappa        {value}  {bounds(kappa.interval if kappa else None)}".rstrip()
    yield f"  sensitivity  {counted(*rates.sensitivity)}"
    yield f"  specificity  {counted(*rates.specificity)}"


def _rate_lines(calibration: Calibration, rest: Sequence[Judgment]) -> Iterator[str]:
    from sqlobs.judge.trust.calibration import published_rate

    rate = published_rate(rest, calibration, prompt=calibration.prompt, model=calibration.model)
    yield f"rate raw        {share(rate.raw)}  {bounds(rate.raw_interval)}  {rate.judged} judged"
    yield f"rate corrected  {share(rate.corrected)}  {bounds(rate.corrected_interval)}"
    if rate.corrected is None:
        yield (
            "  the judge is no better than chance on the labeled items, so rates cannot be"
            " corrected"
        )
    if rate.is_conservative:
        yield (
            "  fewer than 50 labeled items in a class, or none that the judge got wrong: this"
            " interval may be wider than necessary"
        )
    yield from silence_lines(rest)


def _document(
    calibration: Calibration,
    agreement: Agreement,
    judgments: Sequence[Judgment],
    rest: Sequence[Judgment],
) -> dict[str, object]:
    """Return the calibration as JSON."""
    from sqlobs.judge.trust.calibration import published_rate
    from sqlobs.judge.verdicts.ensemble import ensemble_agreement

    document: dict[str, object] = {
        "calibration": json.loads(calibration.to_json()),
        "agreement": asdict(agreement),
        "categories": [rates.as_record() for rates in calibration.category_rates],
        "not_evaluated": [asdict(silence) for silence in silences(judgments)],
    }
    if any(judgment.members for judgment in judgments):
        document["ensemble"] = asdict(ensemble_agreement(judgments))
    if rest:
        rate = published_rate(rest, calibration, prompt=calibration.prompt, model=calibration.model)
        document["rate"] = asdict(rate)
    return document
