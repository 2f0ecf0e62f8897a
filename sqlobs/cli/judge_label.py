"""`sqlobs judge label`: annotators label the same items independently, without execution results.

Half of the items have equal results, half different ones; annotators see neither this nor the
verdicts of judges and other annotators. Labels are saved line by line, so that an interrupted
session resumes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sqlobs.cli.inputs import read_json_lines
from sqlobs.cli.numbers import positive
from sqlobs.errors import InputError
from sqlobs.reporting.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs.judge.item import JudgeItem
    from sqlobs.judge.trust.labels import Label
    from sqlobs.judge.verdicts.records import Source

_Answer = Literal["correct", "incorrect", "skip", "stop"]

_ANSWERS: Final[dict[str, _Answer]] = {"y": "correct", "n": "incorrect", "p": "skip"}
_KEYS: Final = "y = correct, n = incorrect, r = results, s = schema, p = skip, q = quit"


def register(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the action and its options."""
    parser = actions.add_parser(
        "label",
        help="label items by hand to calibrate judges",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="executed items as JSON Lines")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--rater", metavar="NAME", help="name of the annotator")
    who.add_argument(
        "--consensus",
        action="store_true",
        help="resolve items on which annotators disagree; prints their kappa first",
    )
    parser.add_argument(
        "--labels", metavar="FILE", type=Path, help="file of the labels (default: FILE.labels)"
    )
    parser.add_argument(
        "--count", type=positive, metavar="N", help="number of items to sample (default: all)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="seed of the sample; use the same seed for all annotators",
    )
    parser.add_argument(
        "--categories",
        action="store_true",
        help="also ask for the categories of errors, or of differences in correct statements",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask for labels; return 1 if some items are still unlabeled."""
    from sqlobs.judge.trust.labels import stratified

    path, sources = labels_path(args), list(read_sources(args.file))
    if args.consensus:
        return _settle(sources, path, with_categories=args.categories)
    drawn = stratified(sources, count=args.count, seed=args.seed)
    if args.rater == "consensus":
        raise InputError(
            "--rater: `consensus` is reserved for --consensus; give the annotator's name"
        )
    done = {label.case_id for label in read_labels(path) if label.rater == args.rater}
    waiting = [source.item for source in drawn if source.item.case_id not in done]
    print(f"{len(drawn)} items, {len(waiting)} left for {args.rater}. {_KEYS}")
    given = _label(waiting, path, rater=args.rater, with_categories=args.categories).given
    print(f"{given} labels written to {path}")
    return 0 if given == len(waiting) else 1


def labels_path(args: argparse.Namespace) -> Path:
    """Return the label file of `--labels`, or the default next to the items file."""
    return args.labels or Path(f"{args.file}.labels")


def read_sources(place: str) -> Iterator[Source]:
    """Yield the items of a JSON Lines file.

    Raises:
        InputError: A line is not an item, or two lines have the same ID.
    """
    from sqlobs.judge.verdicts.records import source_of

    seen: set[str | None] = set()
    for number, record in read_json_lines(place):
        source = source_of(record, place=f"{place}, line {number}")
        if source.item.case_id in seen:
            raise InputError(f"{place}, line {number}: duplicate id {source.item.case_id}")
        seen.add(source.item.case_id)
        yield source


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a file; empty if the file does not exist yet."""
    from sqlobs.judge.trust.labels import Label

    if not path.exists():
        return []
    lines = read_json_lines(str(path))
    return [Label.from_record(record, place=f"{path}, line {number}") for number, record in lines]


def _settle(sources: Sequence[Source], path: Path, *, with_categories: bool) -> int:
    from sqlobs.judge.trust.labels import CONSENSUS, agreement_before, by_item, disputed, raters

    labels = read_labels(path)
    names = raters(labels)
    if len(names) < 2:  # noqa: PLR2004 - nobody agrees alone
        raise InputError(f"{path}: a consensus needs labels from at least two annotators")
    kappa = agreement_before(labels)
    value = None if kappa is None else kappa.value
    kappa_text = "undefined" if value is None else f"{value:.3f}"
    print(f"{len(names)} annotators ({', '.join(names)}), Fleiss kappa before: {kappa_text}")
    items = {source.item.case_id: source.item for source in sources}
    in_dispute = disputed(labels)
    waiting = [case_id for case_id in in_dispute if case_id in items]
    elsewhere = len(in_dispute) - len(waiting)
    elsewhere_text = f", and {elsewhere} more that are not in this file" if elsewhere else ""
    print(f"{len(waiting)} items in dispute{elsewhere_text}. {_KEYS}")
    given, held = 0, by_item(labels)
    for case_id in waiting:
        votes = held[case_id]
        print()
        for name, label in votes.items():
            word = "correct" if label.correct else "incorrect"
            print(visible(f"{name}: {word}{f' ({label.critique})' if label.critique else ''}"))
        done = _label([items[case_id]], path, rater=CONSENSUS, with_categories=with_categories)
        given += done.given
        if done.has_stopped:
            break
    print(f"{given} of {len(waiting)} resolved in {path}")
    return 0 if given == len(waiting) else 1


@dataclass(frozen=True, slots=True)
class _Done:
    """The result of a labeling session."""

    given: int
    has_stopped: bool = False


def _label(items: Sequence[JudgeItem], path: Path, *, rater: str, with_categories: bool) -> _Done:
    """Ask for the label of each item."""
    from sqlobs.judge.trust.labels import Label

    given = 0
    with path.open("a", encoding="utf-8") as lines:
        for number, item in enumerate(items, start=1):
            print(visible(f"\n[{number} of {len(items)}] {item.case_id}"))
            print("\n".join(_shown(item)))
            answer = _answer(item)
            if answer == "stop":
                return _Done(given, has_stopped=True)
            if answer == "skip":
                continue
            is_correct = answer == "correct"
            label = Label(
                case_id=str(item.case_id),
                rater=rater,
                correct=is_correct,
                categories=_categories(is_correct) if with_categories else None,
                critique=_ask("why? (optional) ") or "",
            )
            lines.write(json.dumps(label.as_record(), ensure_ascii=False) + "\n")
            lines.flush()
            given += 1
    return _Done(given)


def _categories(is_correct: bool) -> tuple[str, ...] | None:  # noqa: FBT001 - the label itself
    """Ask for categories by number; None if the annotator skips the question.

    The menu does not reveal whether results differ: it is the same for all correct statements.
    """
    from sqlobs.judge.trust.labels import menu_of

    menu = menu_of(is_correct)
    print("\n".join(f"  {number} {key}" for number, key in enumerate(menu, start=1)))
    while True:
        words = (_ask("which? (numbers; 0 = none; empty = unsure) ") or "").split()
        if not words:
            return None
        if words == ["0"]:
            return ()
        if all(word.isdecimal() and 1 <= int(word) <= len(menu) for word in words):
            return tuple(dict.fromkeys(menu[int(word) - 1] for word in words))


def _answer(item: JudgeItem) -> _Answer:
    from sqlobs.judge.verdicts.rendering import render

    while True:
        key = _ask("correct? [y/n/r/s/p/q] ")
        if key is None or key == "q":
            return "stop"
        if key in _ANSWERS:
            return _ANSWERS[key]
        if key == "r":
            print(visible(f"predicted:\n{render(item.predicted_result)}"))
            print(visible(f"reference:\n{render(item.reference_result)}"))
        elif key == "s":
            print(visible(item.schema or "the schema is unknown"))
        else:
            print(_KEYS)


def _ask(prompt: str) -> str | None:
    """Return a line from the terminal; None at end of input."""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _shown(item: JudgeItem) -> Iterator[str]:
    parts = (
        ("question", item.question),
        ("hints", item.hints),
        ("predicted", item.sql),
        ("reference", item.reference),
    )
    for name, text in parts:
        if text:
            yield f"{name}: {visible(text)}"
