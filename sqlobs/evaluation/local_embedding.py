"""Texts as vectors from a model on the disk: no server, no network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs.evaluation.vector_memory import VectorMemory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from sqlobs.evaluation.vector_memory import Vector

    Numbers = npt.NDArray[np.float32]

_MODELS: Final = ("model.onnx", "onnx/model.onnx")
_TOKENIZER: Final = "tokenizer.json"
_POOLING: Final = "1_Pooling/config.json"
_BATCH: Final = 32
_MOST_TOKENS: Final = 512
_TOKENS: Final = 3
"""Dimensions of an output that has a vector for each token."""


class LocalEmbedder:
    """Runs a sentence embedding model in ONNX form on the processor, from any thread.

    The folder is laid out as sentence-transformers exports it: `model.onnx` (or `onnx/model.onnx`),
    `tokenizer.json`, and perhaps `1_Pooling/config.json`, which says whether a text's vector is the
    mean of its tokens' (the default) or the first token's.
    """

    def __init__(self, directory: Path) -> None:
        """Load a model.

        Args:
            directory: Its folder.

        Raises:
            ConfigError: A file is missing, or is not a model or tokenizer.
            MissingExtraError: The `embeddings` extra is not installed.
        """
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise MissingExtraError("A local embedding model", extra="embeddings") from error
        self._directory = directory
        model = next((path for name in _MODELS if (path := directory / name).is_file()), None)
        if model is None:
            raise ConfigError(f"{directory} has no embedding model: {_MODELS[0]} is missing")
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(directory / _TOKENIZER))
            self._session: Any = onnxruntime.InferenceSession(
                str(model), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise classes of their own, or bare ones
            reason = str(error).partition("\n")[0]
            raise ConfigError(f"{directory} has no embedding model: {reason}") from error
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._tokenizer.enable_padding()
        self._wanted = {given.name for given in self._session.get_inputs()}
        self._takes_first_token = _takes_first_token(directory / _POOLING)
        self._memory = VectorMemory(self._embedded, batch=_BATCH)

    def __repr__(self) -> str:
        return f"LocalEmbedder({str(self._directory)!r})"

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; texts that were embedded before are not computed again.

        Raises:
            ConfigError: The model takes other inputs than tokens.
        """
        return self._memory.vectors(texts)

    def _embedded(self, texts: list[str]) -> list[Vector]:
        import numpy as np

        encodings = self._tokenizer.encode_batch(texts)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        known = {
            "input_ids": np.array([encoding.ids for encoding in encodings], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        if not self._wanted <= known.keys():
            strange = ", ".join(sorted(self._wanted - known.keys()))
            raise ConfigError(
                f"the model in {self._directory} needs the inputs {strange}; only"
                " token inputs are supported"
            )
        [output, *_] = self._session.run(None, {name: known[name] for name in self._wanted})
        vectors = self._pooled(output, mask) if output.ndim == _TOKENS else output
        return [tuple(vector) for vector in vectors.tolist()]

    def _pooled(self, tokens: Numbers, mask: npt.NDArray[np.int64]) -> Numbers:
        """Make one vector of each text's: the first, or the mean of those that are not padding."""
        if self._takes_first_token:
            first: Numbers = tokens[:, 0]
            return first
        weights = mask[:, :, None].astype(tokens.dtype)
        mean: Numbers = (tokens * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)
        return mean


def _takes_first_token(path: Path) -> bool:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(settings, dict) and settings.get("pooling_mode_cls_token") is True
