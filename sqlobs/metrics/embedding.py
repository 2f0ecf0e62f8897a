"""Texts as vectors: what an embedder must do, and how similar two vectors are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from sqlobs.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Matrix: TypeAlias = npt.NDArray[np.float64]


class Embedder(Protocol):
    """Turns texts into vectors; an endpoint, a local model, or a fixed table in tests."""

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text, all of one length."""
        ...


def cosine_similarities(texts: list[str], others: list[str], *, embedder: Embedder) -> Matrix:
    """Return the cosines between two lists of texts, one row for each of `texts`.

    Each distinct text is embedded once, all in one call. A zero vector is similar to nothing.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("Semantic matching", extra="metrics") from error

    distinct = list(dict.fromkeys([*texts, *others]))
    vectors = np.asarray(embedder.embed(distinct), dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    place = {text: position for position, text in enumerate(distinct)}
    left = unit[[place[text] for text in texts]]
    right = unit[[place[text] for text in others]]
    similarities: Matrix = left @ right.T
    return similarities
