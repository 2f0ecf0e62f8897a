"""Tests the connections to configured targets and judge, with one sentence each."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import httpx
import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError

from sqlobs.dialects.registry import by_system
from sqlobs.errors import ResponseError
from sqlobs.execution.executor import Executor
from sqlobs.responses import ACCEPTED, body_of
from sqlobs_collector.admin.problems import BusyError
from sqlobs_collector.assembly import target_settings, targets_of
from sqlobs_collector.evaluation.reachability import probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlobs.execution.target import System, Target
    from sqlobs.judge.endpoint.config import EndpointConfig
    from sqlobs_collector.config import CollectorConfig

WITHIN_S: Final = 15.0
"""How long a client waits; each connection has a limit of its own."""
_JUDGE: Final = "judge"
_TIMEOUT_S: Final = 5.0
_MOST_BYTES: Final = 8 * 1024 * 1024
_MOST_AT_A_TIME: Final = 4
_POSTGRES_WRITABLE: Final = """
    SELECT count(*) FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname <> 'information_schema'
      AND pg_catalog.left(n.nspname, 3) <> 'pg_'
      AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
"""
_WRITING: Final = re.compile(
    r"^GRANT .*\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|DROP|ALTER|CREATE)\b.* ON ", re.IGNORECASE
)
"""A line of `SHOW GRANTS`: ``GRANT SELECT, INSERT ON `shop`.* TO `reader`@`%` ``."""
_LOGINS: Final = {
    True: ", but its user has write privileges: statements run read-only anyway; use a role with"
    " SELECT privileges only (docs/execution.md)",
    False: ", and its user has read privileges only",
    None: "; the write privileges of its user are unknown",
}
_KEY_REFUSED: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of one part of the configuration."""

    subject: str
    """Its setting, as in `targets.shop`."""
    sentence: str
    is_usable: bool = True

    def __str__(self) -> str:
        return f"{self.subject}: {self.sentence}"


def findings(config: CollectorConfig) -> Iterator[Finding]:
    """Yield a finding for each target, and for the judge."""
    yield from _of_targets(config)
    endpoint = config.judge.endpoint()
    if endpoint is not None:
        yield _of_judge(endpoint)


class Prober:
    """Connects to targets and judge for clients that wait: one at a time, within a limit."""

    def __init__(self, *, within_s: float = WITHIN_S) -> None:
        self._within_s = within_s
        self._lock = threading.Lock()

    def findings(self, config: CollectorConfig) -> list[Finding]:
        """Return a finding for each target and the judge; one that is too slow is not usable.

        Raises:
            BusyError: Another client's connections are still being tested.
        """
        if not self._lock.acquire(blocking=False):
            raise BusyError("targets and judge are being probed already: try again in a minute")
        found: list[Finding] = []
        worker = threading.Thread(target=self._collect, args=(config, found), daemon=True)
        worker.start()
        worker.join(self._within_s)
        known = {one.subject for one in found}
        missing = [one for one in _subjects(config) if one not in known]
        late = f"does not respond within {self._within_s:g} seconds"
        return [*found, *(Finding(one, late, is_usable=False) for one in missing)]

    def _collect(self, config: CollectorConfig, found: list[Finding]) -> None:
        try:
            for one in findings(config):
                found.append(one)  # noqa: PERF402 - the caller reads it meanwhile
        finally:
            self._lock.release()


def _subjects(config: CollectorConfig) -> list[str]:
    judge = [] if config.judge.endpoint() is None else [_JUDGE]
    return [*(f"targets.{alias}" for alias in config.targets), *judge]


def _of_targets(config: CollectorConfig) -> Iterator[Finding]:
    targets = targets_of(config)
    if not targets:
        return
    settings = target_settings(config)
    workers = min(len(targets), _MOST_AT_A_TIME)
    with Executor(targets, workers=workers) as executor, ThreadPoolExecutor(workers) as threads:

        def finding(target: Target) -> Finding:
            return _of_target(target, probe(executor, settings, target.alias))

        yield from threads.map(finding, targets)


def _of_target(target: Target, why_not: str | None) -> Finding:
    subject = f"targets.{target.alias}"
    if why_not is not None:
        return Finding(subject, f"unavailable: {why_not}", is_usable=False)
    may_write = _PRIVILEGES.get(target.system)
    if may_write is None:  # files are opened read-only
        return Finding(subject, "answers")
    return Finding(subject, f"answers{_LOGINS[_answer(may_write, target)]}")


def _answer(may_write: Callable[[sqlalchemy.Connection], bool], target: Target) -> bool | None:
    """Return whether a login has write privileges; None = unknown."""
    known = by_system(target.system)
    driver = None if known is None else known.connections.driver
    url = sqlalchemy.make_url(target.url).set(drivername=driver)
    arguments: dict[str, Any] = {"connect_timeout": int(_TIMEOUT_S)}
    engine = sqlalchemy.create_engine(
        url, poolclass=sqlalchemy.NullPool, connect_args=arguments, hide_parameters=True
    )
    try:
        with engine.connect() as connection:
            return may_write(connection)
    except SQLAlchemyError:
        return None


def _may_write_postgres(connection: sqlalchemy.Connection) -> bool:
    return bool(connection.exec_driver_sql(_POSTGRES_WRITABLE).scalar_one())


def _may_write_mysql(connection: sqlalchemy.Connection) -> bool:
    grants = connection.exec_driver_sql("SHOW GRANTS").scalars()
    return any(_WRITING.match(str(grant)) for grant in grants)


_PRIVILEGES: Final[dict[System, Callable[[sqlalchemy.Connection], bool]]] = {
    "postgresql": _may_write_postgres,
    "mysql": _may_write_mysql,
}


def _of_judge(endpoint: EndpointConfig) -> Finding:
    """Ask the endpoint for its models: that costs nothing."""
    headers = {"Accept": "application/json", **ACCEPTED}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    url = f"{endpoint.base_url.rstrip('/')}/models"
    try:
        with httpx.stream("GET", url, headers=headers, timeout=_TIMEOUT_S) as response:
            content = body_of(response, most_bytes=_MOST_BYTES, within_s=_TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL, ResponseError, UnicodeEncodeError) as error:
        return Finding(_JUDGE, f"unreachable ({type(error).__name__})", is_usable=False)
    if response.status_code in _KEY_REFUSED:
        return Finding(_JUDGE, "rejects the key: check judge.api_key", is_usable=False)
    known = _models(content) if response.is_success else frozenset()
    if known and endpoint.model not in known:
        return Finding(_JUDGE, f"responds, but does not list the model {endpoint.model}")
    return Finding(_JUDGE, "answers")


def _models(content: bytes) -> frozenset[str]:
    """Return the names in `{"data": [{"id": "gpt-4o"}]}`; none where the answer is another."""
    try:
        listed = json.loads(content)["data"]
        return frozenset(str(one["id"]) for one in listed)
    except (ValueError, TypeError, KeyError, RecursionError):
        return frozenset()
