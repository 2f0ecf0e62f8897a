"""The options of partial credit: how columns are aligned and cells are matched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError

if TYPE_CHECKING:
    import argparse

    from sqlobs.metrics.credit_score import Technique
    from sqlobs.metrics.embedding import Embedder
    from sqlobs.scores.comparison import ScoreSettings

_WHOLE: Final = "EXECUTION_ACCURACY"
_DEFAULT: Final = "EXACT_COLUMN_AND_EXACT_CELL"
_SEMANTIC: Final = (
    "SEMANTIC_COLUMN_AND_EXACT_CELL",
    "SEMANTIC_COLUMN_AND_PARTIAL_CELL",
    "UNIFIED_COLUMN_AND_SEMANTIC_ROW",
)
_TECHNIQUES: Final = (
    _WHOLE,
    _DEFAULT,
    "EXACT_COLUMN_AND_PARTIAL_CELL",
    "FREE_COLUMN_AND_PARTIAL_CELL",
    *_SEMANTIC,
)


def add_techniques(group: argparse._ActionsContainer) -> None:
    """Add the options."""
    group.add_argument(
        "--technique", choices=_TECHNIQUES, action="append", default=[],
        help="technique that matches cells for EXP, EXR and F1; default:"
             f" {_DEFAULT}; repeatable: each further one adds exp_NAME, exr_NAME and f1_NAME",
    )  # fmt: skip
    group.add_argument(
        "--assignment", choices=("greedy", "optimal"), default="greedy",
        help="assignment of partially equal rows: greedy (most similar first) or optimal",
    )  # fmt: skip
    group.add_argument(
        "--allow-extra-columns", action="store_true",
        help="extra predicted columns do not reduce precision",
    )  # fmt: skip
    group.add_argument(
        "--embedding-url",
        metavar="URL",
        help="OpenAI-compatible embedding server, with its /v1, for semantic techniques",
    )
    group.add_argument(
        "--embedding-model", metavar="NAME|DIR",
        help="name of the embedding model; without --embedding-url, the directory of a local model"
             " (model.onnx)",
    )  # fmt: skip
    group.add_argument(
        "--embedding-key", metavar="env:NAME", help="environment variable that holds the API key"
    )


def register_techniques(args: argparse.Namespace) -> None:
    """Make the scores of further techniques known to gates and reports.

    Raises:
        InputError: a technique is given twice, or credits no cells.
    """
    from sqlobs.scores.registry import register
    from sqlobs.scores.techniques import technique_declarations

    names = args.technique
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"--technique {repeated} is given twice; give each technique once")
    if _WHOLE in names[1:]:
        raise InputError(f"--technique {_WHOLE} credits no cells; omit it: `ex` is always computed")
    for declared in technique_declarations(_chosen(args)[1:]):
        register(declared)


def score_settings(args: argparse.Namespace) -> ScoreSettings:
    """Return how results are scored.

    Raises:
        InputError: a semantic technique lacks its embedding model.
    """
    from sqlobs.metrics.credit_score import CreditSettings
    from sqlobs.metrics.row_matching import RowMatching
    from sqlobs.scores.comparison import ScoreSettings

    credit = CreditSettings(
        penalize_extra_pred_cols=not args.allow_extra_columns,
        embedder=_embedder(args),
        matching=RowMatching(assignment=args.assignment),
    )
    first, *others = _chosen(args)
    return ScoreSettings(technique=first, further=tuple(others), credit=credit)


def _chosen(args: argparse.Namespace) -> tuple[Technique, ...]:
    from sqlobs.metrics.credit_score import Technique

    return tuple(map(Technique, args.technique or [_DEFAULT]))


def _embedder(args: argparse.Namespace) -> Embedder | None:
    semantic = [name for name in args.technique if name in _SEMANTIC]
    if not semantic:
        return None
    if not args.embedding_model:
        raise InputError(
            f"{semantic[0]} needs --embedding-model: a model name with --embedding-url, or a"
            " directory"
        )
    embedder = _named_embedder(args)
    embedder.embed(semantic)  # report invalid options before paying for the judge
    return embedder


def _named_embedder(args: argparse.Namespace) -> Embedder:
    if args.embedding_url:
        from sqlobs.evaluation.embedding import EndpointEmbedder

        return EndpointEmbedder(
            args.embedding_url, model=args.embedding_model, api_key=args.embedding_key
        )
    from sqlobs.evaluation.local_embedding import LocalEmbedder

    return LocalEmbedder(Path(args.embedding_model))
