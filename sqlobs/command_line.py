"""Command lines: parsing with one-sentence errors, and exit codes, for all our commands.

Tests: `tests/cli/test_main.py`.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sqlobs.errors import InputError, SqlobsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_BROKEN_INPUT: Final = 2
_INTERRUPTED: Final = 130


def run_command(
    program: str, parser: Callable[[], Parser], arguments: Sequence[str] | None = None
) -> int:
    """Parse the arguments, run the subcommand that they name, and return its exit code.

    A wrong argument, a broken input or a file that the system refuses is one sentence on standard
    error and exit code 2, Ctrl-C is exit code 130.

    Args:
        program: The name that errors begin with.
        parser: Makes the parser. Each subcommand sets `run`, which takes the parsed arguments and
            returns an exit code; the subparsers' `dest` is `command`.
        arguments: None = those of the process.
    """
    name = program
    _replace_what_the_terminal_lacks()
    try:
        args = parser().parse_args(arguments)
        name = f"{program} {args.command}"
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
        print(f"{name}: {_system_error(error)}", file=sys.stderr)
        return _BROKEN_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


class Parser(argparse.ArgumentParser):
    """A parser that reports one sentence with the nearest name; its subparsers are alike.

    An option may also be typed with underscores, as published evaluators spell theirs
    (`--run_dir` for `--run-dir`); help shows the spelling with dashes only.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - as argparse declares it
        # An abbreviation that works today is ambiguous as soon as an option is added.
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the arguments, and where help is.

        Raises:
            InputError: Always.
        """
        raise InputError(f"{message}; see {self.prog} --help")

    # argparse declares overloads: the type of the namespace is the caller's.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401
        """Parse, and report the first unknown option with the one that it resembles."""
        given = sys.argv[1:] if args is None else args
        found, extras = super().parse_known_args([*map(self._dashed, given)], namespace)
        for extra in extras:
            if extra.startswith("-"):
                self._refuse("option", extra.partition("=")[0], self._option_string_actions, "")
        return found, extras

    def _dashed(self, argument: str) -> str:
        name, equals, value = argument.partition("=")
        dashed = name.replace("_", "-")
        known = self._option_string_actions
        return f"{dashed}{equals}{value}" if name not in known and dashed in known else argument

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 - as argparse declares it
        if action.choices is None or value in action.choices:
            return
        is_command = isinstance(action, argparse._SubParsersAction)  # noqa: SLF001 - it has no public name
        kind = "command" if is_command else f"value of {'/'.join(action.option_strings)}"
        choices = [str(choice) for choice in action.choices]
        self._refuse(kind, str(value), choices, f" Choose from {', '.join(choices)}.")

    def _refuse(self, kind: str, name: str, known: Iterable[str], otherwise: str) -> NoReturn:
        nearest = get_close_matches(name, list(known), n=1)
        hint = f" Did you mean {nearest[0]}?" if nearest else otherwise
        raise InputError(f"unknown {kind}: {name}.{hint} See {self.prog} --help.")


def _system_error(error: OSError) -> str:
    """Return what the system refused: a full disk, a directory that may not be written to."""
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def _replace_what_the_terminal_lacks() -> None:
    """Let a stream without Unicode show `?` for a character it lacks, where it would raise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
