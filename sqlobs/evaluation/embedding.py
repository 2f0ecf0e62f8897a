"""Texts as vectors from any server of OpenAI's protocol, each text once."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final, Self

from sqlobs.errors import ConfigError, ResponseError
from sqlobs.evaluation.vector_memory import VectorMemory
from sqlobs.responses import ACCEPTED, body_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from sqlobs.evaluation.vector_memory import Vector

_ENVIRONMENT: Final = "env:"
_BATCH: Final = 256
_TIMEOUT_S: Final = 60.0
_MOST_BYTES: Final = 64 * 1024 * 1024
_SUCCESS: Final = 200


class EndpointEmbedder:
    """Calls `POST {base_url}/embeddings`; thread-safe, and a context manager.

    A model behind a local server (Ollama, vLLM, …) is one, too; `LocalEmbedder` needs no server.
    """

    def __init__(self, base_url: str, *, model: str, api_key: str | None = None) -> None:
        """Set up; the first text connects.

        Args:
            base_url: The server's address with its `/v1`.
            model: The model's name.
            api_key: `env:NAME`, the variable that holds the key; None = none is sent.

        Raises:
            ConfigError: the URL is none, or the key is not given as a variable that is set.
        """
        import httpx

        if not base_url.startswith(("http://", "https://")):
            raise ConfigError(f"{base_url} is not the URL of an embeddings server")
        key = _key(api_key)
        headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._model = model
        self._client = httpx.Client(headers={**ACCEPTED, **headers}, timeout=_TIMEOUT_S)
        self._memory = VectorMemory(self._asked, batch=_BATCH)

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self._url!r}, model={self._model!r})"

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return one vector per text; known texts are not sent again.

        Raises:
            ConfigError: the server cannot be reached, or does not answer with vectors.
        """
        return self._memory.vectors(texts)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _asked(self, texts: list[str]) -> list[Vector]:
        import httpx

        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                content = body_of(response, most_bytes=_MOST_BYTES, within_s=_TIMEOUT_S)
            document = json.loads(content) if response.status_code == _SUCCESS else None
        except ResponseError as error:
            raise ConfigError(f"{self._url} returned no vectors: {error}") from error
        except (httpx.HTTPError, ValueError, RecursionError) as error:
            raise ConfigError(
                f"{self._url} returned no vectors ({type(error).__name__})"
            ) from error
        if document is None:
            raise ConfigError(f"{self._url} returned HTTP status {response.status_code}")
        vectors = _vectors(document)
        if len(vectors) != len(texts):
            raise ConfigError(f"{self._url} returned {len(vectors)} vectors for {len(texts)} texts")
        return vectors


def _vectors(document: object) -> list[Vector]:
    entries = document.get("data") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        return []
    try:
        ordered = sorted(entries, key=lambda entry: int(entry.get("index", 0)))
        return [tuple(map(float, entry["embedding"])) for entry in ordered]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def _key(given: str | None) -> str | None:
    if given is None:
        return None
    name = given.removeprefix(_ENVIRONMENT)
    if name == given:
        raise ConfigError(
            "write the embeddings key as env:NAME, with the name of the environment variable"
        )
    key = os.environ.get(name)
    if key is None:
        raise ConfigError(f"the variable {name} with the embeddings key is not set")
    return key
