"""The golden set in a collector's store: what the page of the console does, as options."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlobs.cli.admin import ask, default_admin
from sqlobs.cli.secret import secret
from sqlobs.errors import InputError
from sqlobs.reporting.wording import one_line, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

_SOURCES: Final = ("reference", "corrected", "accepted")
_ACTIONS: Final = ("retire", "restore", "run", "delete", "history")
_PATIENCE_S: Final = 120.0
_CHARACTERS: Final = 60


def add_golden_set(parser: argparse.ArgumentParser) -> None:
    """Add the options that read and change the set of a collector."""
    group = parser.add_argument_group("golden set of a collector, in effect at once")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the cases")
    what.add_argument(
        "--promote", metavar="ID", help="make a case of a request, by its generation id"
    )
    what.add_argument("--write", metavar="QUESTION", help="write a case, with --sql")
    what.add_argument(
        "--edit", metavar="CASE", type=int, help="change a case, with --sql and --owner"
    )
    what.add_argument("--import", metavar="LINES", type=Path, dest="import_file",
                      help="save the cases of a golden file")  # fmt: skip
    what.add_argument("--export", metavar="LINES", type=Path,
                      help="write the cases in effect as a golden file")  # fmt: skip
    for action in _ACTIONS:
        what.add_argument(
            f"--{action}", metavar="CASE", type=int, dest="run_case" if action == "run" else None,
            help=f"{_HELP[action]}, by its number",
        )  # fmt: skip
    group.add_argument(
        "--source", choices=_SOURCES, default="reference",
        help="SQL of a promoted case: the request's reference, --sql, or its answer;"
             " default: reference",
    )  # fmt: skip
    group.add_argument("--sql", help="correct SQL")
    group.add_argument("--owner", metavar="NAME", help="new owner, with --edit")
    group.add_argument(
        "--author", metavar="NAME", default=getpass.getuser(),
        help="who decides; default: the name of the user",
    )  # fmt: skip
    group.add_argument("--json", action="store_true", help="print the collector's response")


_HELP: Final = {
    "retire": "take a case out of force",
    "restore": "activate a case again",
    "run": "run a case now on its target",
    "delete": "delete a case with its history",
    "history": "show a case with its history",
}


def chosen(args: argparse.Namespace) -> Callable[[argparse.Namespace], int] | None:
    """Return what the options ask for; None: none of them was given."""
    for name, action in _DO.items():
        if getattr(args, name) not in {None, False}:
            return action
    return None


def _list(args: argparse.Namespace) -> int:
    found = _ask(args, "")
    return _print(args, found, map(_case_line, found["cases"]))


def _promote(args: argparse.Namespace) -> int:
    source = "corrected" if args.sql else args.source
    fields = {"generation_id": args.promote, "source": source, "sql": args.sql}
    return _saved(args, _ask(args, "/promote", **fields, author=args.author))


def _write(args: argparse.Namespace) -> int:
    fields = {"question": args.write, "sql": _sql(args), "target": args.target}
    return _saved(args, _ask(args, "", **fields, author=args.author))


def _edit(args: argparse.Namespace) -> int:
    known = _ask(args, f"/{args.edit}")["case"]
    fields = {"sql": args.sql or known["sql"], "owner": args.owner or known["owner"]}
    found = _ask(args, f"/{args.edit}", "PUT", **fields, author=args.author)
    return _print(args, found, [_case_line(found)])


def _import(args: argparse.Namespace) -> int:
    try:
        lines = args.import_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {args.import_file}: {error}") from error
    found = _ask(args, "/import", lines=lines, author=args.author)
    return _print(args, found, [", ".join(f"{count} {name}" for name, count in found.items())])


def _export(args: argparse.Namespace) -> int:
    cases = [one for one in _ask(args, "")["cases"] if one["is_in_force"]]
    with args.export.open("w", encoding="utf-8") as file:
        for case in sorted(cases, key=lambda one: one["created_ns"]):
            file.write(json.dumps(_line(case), ensure_ascii=False) + "\n")
    print(f"{args.export}: {len(cases)} cases")
    return 0


def _state(action: str) -> Callable[[argparse.Namespace], int]:
    def change(args: argparse.Namespace) -> int:
        found = _ask(args, f"/{getattr(args, action)}/{action}", author=args.author)
        return _print(args, found, [_case_line(found)])

    return change


def _run(args: argparse.Namespace) -> int:
    found = _ask(args, f"/{args.run_case}/run", author=args.author)
    shown = [found["status"], found["reason"], found["rows"] and f"{found['rows']} rows"]
    _print(args, found, [", ".join(filter(None, shown))])
    return 0 if found["status"] == "ok" else 1


def _delete(args: argparse.Namespace) -> int:
    found = _ask(args, f"/{args.delete}", "DELETE")
    return _print(args, found, [f"case {args.delete} deleted"])


def _history(args: argparse.Namespace) -> int:
    found = _ask(args, f"/{args.history}")
    entries = (
        f"  {one['action']} by {one['author']}: {one_line(one['sql'])}" for one in found["history"]
    )
    return _print(args, found, [_case_line(found["case"]), *entries])


def _saved(args: argparse.Namespace, found: dict[str, Any]) -> int:
    return _print(args, found, [f"{found['outcome']}: {_case_line(found['case'])}"])


def _print(args: argparse.Namespace, found: object, lines: Iterable[str]) -> int:
    text = json.dumps(found, ensure_ascii=False) if args.json else "\n".join(map(visible, lines))
    print(text)
    return 0


def _ask(args: argparse.Namespace, path: str, method: str | None = None, **fields: object) -> Any:  # noqa: ANN401 - the collector's response
    return ask(
        args.admin or default_admin(),
        f"/v1/golden{path}",
        token=args.admin_token and secret(args.admin_token, option="--admin-token"),
        patience_s=_PATIENCE_S,
        method=method or ("POST" if fields else "GET"),
        body=fields or None,
    )


def _sql(args: argparse.Namespace) -> str:
    if not args.sql:
        raise InputError("give the correct SQL with --sql")
    return str(args.sql)


def _case_line(case: dict[str, Any]) -> str:
    state = "in effect" if case["is_in_force"] else "retired"
    asked = one_line(case["question"] or f"digest {case['digest'][:12]}")[:_CHARACTERS]
    where = f" on {case['target']}" if case["target"] else ""
    return f"{case['id']}  {state}, {case['owner']}{where}  {asked}  {one_line(case['sql'])}"


def _line(case: dict[str, Any]) -> dict[str, str]:
    named = {"question": case["question"]} if case["question"] else {"digest": case["digest"]}
    return {**named, "sql": case["sql"], **({"target": case["target"]} if case["target"] else {})}


_DO: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "list": _list,
    "promote": _promote,
    "write": _write,
    "edit": _edit,
    "import_file": _import,
    "export": _export,
    "retire": _state("retire"),
    "restore": _state("restore"),
    "run_case": _run,
    "delete": _delete,
    "history": _history,
}
