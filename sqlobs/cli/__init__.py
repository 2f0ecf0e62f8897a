"""The command line: `sqlobs COMMAND`, one module per command.

A command's module offers `register(subparsers)`, which adds its options, and `run(args) -> int`,
its exit code: 0 = passed, 1 = findings or a gate failed, 2 = wrong usage or broken input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs._version import __version__
from sqlobs.cli import (
    check,
    demo,
    doctor,
    evaluate,
    generate,
    golden,
    inspect,
    judge,
    report,
    rules,
    schema,
    watch,
    why,
)
from sqlobs.command_line import Parser, run_command

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMANDS: Final = (
    check,
    demo,
    doctor,
    evaluate,
    generate,
    golden,
    inspect,
    judge,
    report,
    rules,
    schema,
    watch,
    why,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a mistake is one sentence on stderr."""
    return run_command("sqlobs", _parser, arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="sqlobs", description="Tracing and observability for production text-to-SQL."
    )
    parser.add_argument("--version", action="version", version=f"sqlobs {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.register(subparsers)
    return parser
