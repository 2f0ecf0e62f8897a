"""A cache of embedding vectors: each text is embedded once."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Embed: TypeAlias = Callable[[list[str]], Sequence["Vector"]]

Vector: TypeAlias = tuple[float, ...]


class VectorMemory:
    """Remembers vectors by a digest of their text; may be used from several threads."""

    def __init__(self, embed: Embed, *, batch: int) -> None:
        """Set up.

        Args:
            embed: Returns one vector a text.
            batch: The most texts that it is given at a time.
        """
        self._embed = embed
        self._batch = batch
        self._vectors: dict[bytes, Vector] = {}
        self._lock = threading.Lock()  # one caller at a time requests missing vectors

    def vectors(self, texts: list[str]) -> list[Vector]:
        """Return one vector per text; each missing one is requested once."""
        digests = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in texts]
        with self._lock:
            missing = {
                digest: text
                for digest, text in zip(digests, texts, strict=True)
                if digest not in self._vectors
            }
            entries = list(missing.items())
            for at in range(0, len(entries), self._batch):
                some = entries[at : at + self._batch]
                found = self._embed([text for _, text in some])
                self._vectors.update(zip((digest for digest, _ in some), found, strict=True))
            return [self._vectors[digest] for digest in digests]
