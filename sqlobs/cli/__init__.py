"""The command line: `sqlobs COMMAND`, one module per command.

A command's module offers `register(subparsers)`, which adds its options, and `run(args) -> int`,
its exit code: 0 = passed, 1 = findings or a gate failed, 2 = wrong usage or broken input.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING, Final, NoReturn

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
from sqlobs.errors import InputError, SqlobsError

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
_BROKEN_INPUT: Final = 2
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a mistake is one sentence on stderr."""
    name = "sqlobs"
    _show_what_the_terminal_cannot()
    try:
        args = _parser().parse_args(arguments)
        name = f"sqlobs {args.command}"
        code: int = args.run(args)
        sys.stdout.flush()
    except SqlobsError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return _BROKEN_INPUT
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; keep the interpreter from flushing into it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{name}: {_told(error)}", file=sys.stderr)
        return _BROKEN_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _told(error: OSError) -> str:
    """Tell what the system refused: a full disk, a folder that may not be written to."""
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def _show_what_the_terminal_cannot() -> None:
    """Let a stream without Unicode show `?` for a sign it lacks, where it would raise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence; its subparsers are of the same class."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sqlobs", description="Tracing and observability for production text-to-SQL."
    )
    parser.add_argument("--version", action="version", version=f"sqlobs {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.register(subparsers)
    return parser
