"""An HTTP target described by settings, or by the variables that Denodo's evaluator reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.errors import InputError
from sqlobs.execution.target import NO_DIALECT, HttpQuery, Target

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ALIAS: Final = "service"
_CATALOG: Final = "http://localhost:9090/denodo-data-catalog"
_EXECUTE: Final = "public/api/askaquestion/execute"
_DENODO: Final = HttpQuery(
    body={"vql": "{sql}", "limit": "{limit}"},
    rows="rows",
    cells="values",
    cell_name="column",
    cell_value="value",
    error=None,
)


def denodo_target(variables: Mapping[str, str], *, login: tuple[str, str] | None) -> Target:
    """Return Denodo's Data Catalog as a target.

    Args:
        variables: `DATA_CATALOG_URL`, `DATA_CATALOG_EXECUTION_URL` (default: below the former),
            `DATA_CATALOG_SERVER_ID` (default: 1), `DATA_CATALOG_VERIFY_SSL` (`1` or `0`, default).
        login: User and password.

    Raises:
        InputError: the server id is not a number, or the URL is not a URL.
    """
    from dataclasses import replace

    base = variables.get("DATA_CATALOG_URL") or _CATALOG
    url = variables.get("DATA_CATALOG_EXECUTION_URL") or f"{base.rstrip('/')}/{_EXECUTE}"
    server_id = variables.get("DATA_CATALOG_SERVER_ID") or "1"
    if not server_id.isdecimal():
        raise InputError(f"DATA_CATALOG_SERVER_ID is {server_id}, not a number")
    verify_ssl = (variables.get("DATA_CATALOG_VERIFY_SSL") or "0").lower() in {"1", "true", "yes"}
    query = replace(_DENODO, login=login, verify_ssl=verify_ssl)
    return http_target(f"{url}?serverId={server_id}", query)


def http_target(url: str, query: HttpQuery, *, dialect: str | None = None) -> Target:
    """Return a service as a target.

    Args:
        url: Where statements are posted.
        query: How.
        dialect: What the service speaks; None = statements pass by their leading keyword.

    Raises:
        InputError: the URL is none.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url}: the URL of an HTTP target must start with http:// or https://")
    return Target(alias=ALIAS, system="http", url=url, spoken=dialect or NO_DIALECT, http=query)


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a file with `NAME=value` lines; `#` begins a comment.

    Raises:
        InputError: the file cannot be read, or a line is none of these.
    """
    from sqlobs.evaluation.loading.text import read_lines

    found: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), start=1):
        text = line.strip().removeprefix("export ")
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{path}, line {number}: write NAME=value")
        found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if is_quoted else value.partition(" #")[0].strip()
