"""A system under test behind an HTTP API: a body from a template, fields by paths."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal, get_args

from sqlobs.check.llm_output.extraction import extract_sql
from sqlobs.errors import InputError, ResponseError
from sqlobs.evaluation.generation.answer import Answer, RefusedError
from sqlobs.evaluation.generation.placeholders import Surroundings
from sqlobs.execution.json_template import Json, at_path, filled, standing_at
from sqlobs.responses import ACCEPTED, async_body_of
from sqlobs.runs.case import GenerationRecord
from sqlobs.urls import is_http_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import httpx

    from sqlobs.evaluation.case import Case

Field = Literal[
    "sql",
    "model",
    "input_tokens",
    "output_tokens",
    "cost",
    "attempts",
    "sql_execution_time",
    "vector_store_search_time",
    "llm_time",
    "total_execution_time",
]

FIELDS: Final[tuple[Field, ...]] = get_args(Field)
_DEFAULT_BODY: Final[Json] = {"question": "{question}"}
_PATHS: Final[Mapping[Field, str]] = {name: name for name in FIELDS}
_DENODO_PATHS: Final[Mapping[Field, str]] = {
    **_PATHS,
    "sql": "sql_query",
    "model": "llm_model",
    "input_tokens": "tokens.input_tokens",
    "output_tokens": "tokens.output_tokens",
}
_DENODO_BODY: Final[Json] = {
    "question": "{question}",
    "custom_instructions": "{context}",
    "plot": False,
}
_DENODO_ENDPOINTS: Final = ("/answerQuestion", "/answerDataQuestion")
_MOST_BYTES: Final = 64 * 1024 * 1024
_SHOWN_CHARACTERS: Final = 300
_PATIENCE: Final = frozenset({429, 503})
_PAUSES_S: Final = (0.5, 2.0, 8.0)
"""Before the second, third and fourth time, where the service does not say how long."""
_SUCCESS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How questions are sent to a system over HTTP."""

    url: str
    body: Json = field(default_factory=lambda: _DEFAULT_BODY)
    """Texts may hold the names of `PLACEHOLDERS` in braces."""
    paths: Mapping[Field, str] = field(default_factory=lambda: _PATHS)
    """Where in the answer each field stands."""
    login: tuple[str, str] | None = field(default=None, repr=False)
    """User and password for basic authentication."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    verify_ssl: bool = True
    timeout_s: float = 120.0
    surroundings: Surroundings = field(default_factory=Surroundings)

    @classmethod
    def preset(cls, name: str, url: str) -> HttpSettings:
        """Return the settings of a known API: `denodo`, or `plain` with fields named as ours.

        Raises:
            InputError: the preset is unknown, or the URL is none.
        """
        if not url.startswith(("http://", "https://")):
            raise InputError(f"--api-url {url}: write http:// or https://")
        if not is_http_url(url):
            raise InputError(
                f"--api-url {url}: the host is missing or invalid; write http://HOST/PATH"
            )
        if name == "denodo":
            return cls(url=url, body=_DENODO_BODY, paths=_DENODO_PATHS)
        if name == "plain":
            return cls(url=url)
        raise InputError(f"--preset {name}: known are denodo and plain")


def is_denodo(url: str) -> bool:
    """Return whether a URL ends in one of the endpoints of Denodo's AI SDK."""
    return url.partition("?")[0].rstrip("/").endswith(_DENODO_ENDPOINTS)


def paths_of(assignments: Iterable[str], usual: Mapping[Field, str]) -> Mapping[Field, str]:
    """Read `field=path` pairs over the usual ones.

    Raises:
        InputError: a pair has no `=`, or the field is unknown.
    """
    paths = dict(usual)
    for assignment in assignments:
        name, equals, path = assignment.partition("=")
        known = next((each for each in FIELDS if each == name.strip()), None)
        if not equals or known is None:
            raise InputError(f"--field {assignment}: write FIELD=PATH with {', '.join(FIELDS)}")
        paths[known] = path.strip()
    return paths


class HttpSystem:
    """Posts each question and reads the answer's fields."""

    def __init__(self, settings: HttpSettings) -> None:
        import httpx

        self._settings = settings
        self._unmet: set[Field] | None = None
        self._client = httpx.AsyncClient(
            auth=settings.login,
            headers={**ACCEPTED, **dict(settings.headers)},
            verify=settings.verify_ssl,
            timeout=settings.timeout_s,
            limits=httpx.Limits(max_connections=None),
        )

    async def ask(self, case: Case) -> Answer:
        """Post one question; whatever is not an answer raises `RefusedError`.

        A busy service (429, 503) is retried until the question times out.
        """
        values = self._settings.surroundings.values(case)
        body = filled(self._settings.body, values)
        deadline = perf_counter() + self._settings.timeout_s
        for pause_s in (*_PAUSES_S, None):
            started = perf_counter()
            async with self._client.stream("POST", self._settings.url, json=body) as response:
                content = await _content(response, within_s=self._settings.timeout_s)
            wanted_s = _wanted_pause(response, pause_s)
            if wanted_s is None or perf_counter() + wanted_s > deadline:
                break
            await asyncio.sleep(wanted_s)
        return self._answer(case, _document(response, content), perf_counter() - started)

    @property
    def unmet(self) -> frozenset[Field]:
        """The fields that stood in no answer; empty as long as nothing was answered."""
        return frozenset(self._unmet or ())

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _answer(self, case: Case, document: object, elapsed_s: float) -> Answer:
        def found(name: Field) -> object:
            return at_path(document, self._settings.paths[name])

        dialect = self._settings.surroundings.dialect_of(case)
        held = extract_sql(self._text(document), dialect=dialect)
        model, total = found("model"), _number(found("total_execution_time"))
        record = GenerationRecord(
            status="refused" if held is None else "answered",
            model=model if isinstance(model, str) else None,
            input_tokens=_whole(found("input_tokens")),
            output_tokens=_whole(found("output_tokens")),
            cost=_number(found("cost")),
            attempts=_whole(found("attempts")),
            sql_execution_time=_number(found("sql_execution_time")),
            vector_store_search_time=_number(found("vector_store_search_time")),
            llm_time=_number(found("llm_time")),
            total_execution_time=round(elapsed_s, 6) if total is None else total,
        )
        return Answer(case.index, None if held is None else held.sql, record)

    def _text(self, document: object) -> str:
        """Return the text in which the statement stands, "" for null: the system abstained."""
        paths = self._settings.paths
        text = at_path(document, paths["sql"])
        missing = {name for name, path in paths.items() if not [*standing_at(document, path)]}
        if not (text is None or isinstance(text, str)):
            missing.add("sql")
        self._unmet = missing if self._unmet is None else self._unmet & missing
        if "sql" in missing:
            raise RefusedError(f"the answer has no text at {paths['sql']}; {_outline(document)}")
        return str(text or "")


def _outline(document: object) -> str:
    """Return what an answer is made of."""
    if isinstance(document, dict):
        return f"its fields are {', '.join(map(str, document))[:_SHOWN_CHARACTERS]}"
    return f"it is a {type(document).__name__}, not an object"


async def _content(response: httpx.Response, *, within_s: float) -> bytes:
    try:
        return await async_body_of(response, most_bytes=_MOST_BYTES, within_s=within_s)
    except ResponseError as error:
        raise RefusedError(str(error)) from None


def _wanted_pause(response: httpx.Response, usual_s: float | None) -> float | None:
    """Return how long to wait before asking again; None if it is of no use."""
    if response.status_code not in _PATIENCE or usual_s is None:
        return None
    delay = response.headers.get("retry-after", "")
    return float(delay) if delay.isdecimal() else usual_s


def _document(response: httpx.Response, content: bytes) -> object:
    text = content.decode("utf-8", "replace")
    if response.status_code // 100 * 100 != _SUCCESS:
        raise RefusedError(f"HTTP {response.status_code}: {text[:_SHOWN_CHARACTERS].strip()}")
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError(f"the answer is not JSON: {text[:_SHOWN_CHARACTERS].strip()}") from None
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
