"""Options for reading case files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlobs.cli.numbers import positive

if TYPE_CHECKING:
    import argparse

    from sqlobs.evaluation.loading.cases import LoadSettings


def add_reading(group: argparse._ActionsContainer) -> None:
    """Add the options for reading cases."""
    group.add_argument(
        "--column",
        metavar="ROLE=NAME",
        action="append",
        default=[],
        help="name of the input field that holds question, solution, prediction, difficulty,"
        " category, context, id or db",
    )
    group.add_argument(
        "--question-rows", metavar="N", type=positive, help="read only the first N cases"
    )
    group.add_argument(
        "--gold-templates",
        action="store_true",
        help="in references, `;` separates alternatives and {a,b} matches any of the columns",
    )


def load_settings(args: argparse.Namespace, *, dialect: str | None) -> LoadSettings:
    """Return the reading settings from the options.

    Raises:
        InputError: a role is unknown.
    """
    from sqlobs.evaluation.loading.cases import LoadSettings
    from sqlobs.evaluation.loading.columns import Columns

    return LoadSettings(
        columns=Columns.of(args.column),
        dialect=dialect,
        is_template=args.gold_templates,
        most=args.question_rows,
    )
