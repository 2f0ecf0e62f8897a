"""`sqlobs review`: the review queue of a collector, as its page in the console."""

from __future__ import annotations

import argparse
import getpass
import json
from pathlib import Path
from typing import Any, Final

from sqlobs.cli.admin import ADMIN_VARIABLE, ask, default_admin
from sqlobs.cli.numbers import positive
from sqlobs.reporting.wording import visible

_EXAMPLES: Final = """\
examples:
  sqlobs review sample --count 60 --labels 2
  sqlobs review label --rater ada                    # blind, also by several people at once
  sqlobs review status
  sqlobs review calibrate                            # corrects the judge's rates from now on
  sqlobs review export items.jsonl                   # for sqlobs judge calibrate and tune
  sqlobs review wrong 00-4bf9…-00f0…-01 --evaluation flex --critique "It counts returns."
"""
_JUDGES: Final = ("flex", "flex_noref")
_KEYS: Final = "y = correct, n = incorrect, s = schema, p = skip, q = quit"
_PATIENCE_S: Final = 300.0
"""Sampled requests are run again."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its actions and their options."""
    parser = subparsers.add_parser(
        "review",
        help="label sampled requests to calibrate the judge of a collector",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--admin", metavar="URL", default=default_admin(),
        help=f"the collector's admin address; default: ${ADMIN_VARIABLE}",
    )  # fmt: skip
    parser.add_argument("--judge", choices=_JUDGES, default="flex", help="default: flex")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("status", help="agreement and disagreements").set_defaults(run=_status)
    sample = actions.add_parser("sample", help="add requests at random")
    sample.add_argument("--count", type=positive, default=60, help="default: 60")
    sample.add_argument("--labels", type=positive, default=2, help="per request; default: 2")
    sample.add_argument("--days", type=positive, default=7, help="only of the last days")
    sample.set_defaults(run=_sample)
    label = actions.add_parser("label", help="label requests on the terminal")
    label.add_argument("--rater", default=getpass.getuser(), help="default: the user's name")
    label.set_defaults(run=_label)
    settle = actions.add_parser("settle", help="decide a disagreement")
    settle.add_argument("item", type=positive, help="its number, as `status` shows it")
    settle.add_argument("verdict", choices=("correct", "incorrect"))
    settle.set_defaults(run=_settle)
    calibrate = actions.add_parser("calibrate", help="calibrate the judge by the labels")
    calibrate.set_defaults(run=_calibrate)
    export = actions.add_parser("export", help="write items and labels")
    export.add_argument("file", type=Path, metavar="FILE", help="labels go to FILE.labels")
    export.add_argument(
        "--findings", action="store_true", help="also verdicts that people call wrong, for tuning"
    )
    export.set_defaults(run=_export)
    wrong = actions.add_parser("wrong", help="say that a verdict is wrong, and why")
    wrong.add_argument("id", help="generation id of the request")
    wrong.add_argument("--evaluation", default="verdict", help="default: the checker's verdict")
    wrong.add_argument("--critique", required=True)
    wrong.set_defaults(run=_wrong)


def _sample(args: argparse.Namespace) -> int:
    fields = {"count": args.count, "labels": args.labels, "days": args.days}
    added = _ask(args, "/sample", judge=args.judge, **fields)["added"]
    print(f"{added} requests added")
    return 0 if added else 1


def _status(args: argparse.Namespace) -> int:
    found = _ask(args, f"?judge={args.judge}")
    print(f"{found['complete']} of {found['items']} requests have all their labels")
    print(
        f"correct: {found['correct']}, incorrect: {found['incorrect']},"
        f" in dispute: {len(found['disputes'])}"
    )
    for pair in found["pairs"]:
        kappa = "undefined" if pair["kappa"] is None else f"{pair['kappa']:.3f}"
        names = f"{pair['first']} and {pair['second']}"
        print(visible(f"{names}: kappa {kappa} on {pair['items']} requests"))
    for dispute in found["disputes"]:
        print(visible(f"dispute {dispute['item_id']}: {dispute['question']} {dispute['sql']}"))
    return 0


def _label(args: argparse.Namespace) -> int:
    after = None
    while (task := _next(args, after)) is not None:
        for name in ("question", "hints", "sql", "reference"):
            if task[name]:
                print(visible(f"{name}: {task[name]}"))
        key = _key(task)
        if key == "q":
            return 1
        after = task["item_id"] if key == "p" else None
        if key == "p":
            _ask(args, f"/{task['item_id']}/skip", rater=args.rater)
            continue
        critique = input("why? (optional) ")
        fields = {"rater": args.rater, "is_correct": key == "y", "critique": critique}
        _ask(args, f"/{task['item_id']}/label", **fields)
    print("nothing left to label")
    return 0


def _next(args: argparse.Namespace, after: int | None) -> dict[str, Any] | None:
    found = _ask(args, "/next", judge=args.judge, rater=args.rater, after=after)
    print(f"\n{found['labeled']} of {found['items']} labeled. {_KEYS}")
    task: dict[str, Any] | None = found["task"]
    return task


def _key(task: dict[str, Any]) -> str:
    while True:
        try:
            key = input("correct? [y/n/s/p/q] ").strip().lower()[:1]
        except EOFError:
            return "q"
        if key in {"y", "n", "p", "q"}:
            return key
        print(visible(task["schema_text"] or "the schema is unknown") if key == "s" else _KEYS)


def _settle(args: argparse.Namespace) -> int:
    _ask(args, f"/{args.item}/settle", is_correct=args.verdict == "correct")
    print(f"dispute {args.item}: {args.verdict}")
    return 0


def _calibrate(args: argparse.Namespace) -> int:
    found = _ask(args, "/calibrate", judge=args.judge, author=getpass.getuser())
    print(
        f"{args.judge}: sensitivity {found['sensitivity']:.3f}, specificity"
        f" {found['specificity']:.3f}, {found['labeled']} labeled requests"
    )
    return 0


def _export(args: argparse.Namespace) -> int:
    wanted = f"judge={args.judge}&findings={str(args.findings).lower()}"
    found = _ask(args, f"/export?{wanted}")
    labels = Path(f"{args.file}.labels")
    for path, lines in ((args.file, found["items"]), (labels, found["labels"])):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {len(lines)} lines")
    return 0


def _wrong(args: argparse.Namespace) -> int:
    fields = {"generation_id": args.id, "evaluation": args.evaluation, "critique": args.critique}
    _ask(args, "/wrong", **fields, author=getpass.getuser())
    print("stored")
    return 0


def _ask(args: argparse.Namespace, path: str, **fields: object) -> Any:  # noqa: ANN401 - the collector's response
    return ask(
        args.admin,
        f"/v1/review{path}",
        patience_s=_PATIENCE_S,
        method="POST" if fields else "GET",
        body=fields or None,
    )
