"""Runs statements, and those whose results are stored not again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.dialects.registry import by_system
from sqlobs.execution.conversation import not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from sqlobs.check.policy import Policy
    from sqlobs.evaluation.frames import Frames
    from sqlobs.execution.executor import Executor
    from sqlobs.execution.outcome import Execution
    from sqlobs.execution.target import Limits, Target

    Statements = Sequence[tuple[str, Limits]]

MISSING: Final = "no stored result; evaluate the run again with --dsn"
_LASTING: Final = frozenset({"ok", "error", "refused"})
"""What a statement comes to again on the same data; a timeout may be the machine's fault."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The data that a statement reads."""

    identity: str
    """Names the database, and its state where that is known."""
    is_known: bool
    """Its state is known: a file's, or that of a version that the user declared."""

    @classmethod
    def of(cls, target: Target, *, version: str | None) -> Origin:
        """Return the origin of a target's results.

        Args:
            target: A file is known by its size and the time of its last change.
            version: What the user calls the state of the data.
        """
        from sqlobs.evaluation.databases import redacted

        session = (f"{name}={value}" for name, value in sorted(target.access.settings.items()))
        names = [redacted(target.url), target.dialect, *_rules(target.policy), *session]
        if version is not None:
            return cls("|".join((*names, version)), is_known=True)
        known = by_system(target.system)
        if known is not None and known.connections.is_file:
            return cls("|".join((*names, _state(Path(target.path)))), is_known=True)
        return cls("|".join(names), is_known=False)


class StoredResults:
    """An executor that asks the stored results first, and stores what it runs."""

    def __init__(
        self, frames: Frames, origins: Mapping[str, Origin], executor: Executor | None
    ) -> None:
        """Prepare to run.

        Args:
            frames: The stored results.
            origins: By the alias of each target.
            executor: Runs what is not stored; None: nothing is run, and any stored result counts.
        """
        self._frames = frames
        self._origins = origins
        self._executor = executor

    def run_all(
        self,
        statements: Statements,
        *,
        target: str,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Return the executions of statements, as `Executor.run_all` does."""
        return self._all(
            statements,
            target,
            "",
            lambda executor, missing: executor.run_all(missing, target=target, session=session),
        )

    def digest_all(
        self,
        statements: Statements,
        *,
        target: str,
        keys: tuple[int, ...] | None = None,
        session: Mapping[str, str] | None = None,
    ) -> list[Execution]:
        """Return the executions of statements, as `Executor.digest_all` does."""
        return self._all(
            statements,
            target,
            f"digest {keys}",
            lambda executor, missing: executor.digest_all(
                missing, target=target, keys=keys, session=session
            ),
        )

    def stream(self, statements: Statements, *, target: str) -> Generator[Execution]:
        """Yield the executions of statements, as `Executor.stream` does."""
        keys = [self._key(one, target, "") for one in statements]
        known = [self._known(key, target) for key in keys]
        missing = [one for one, found in zip(statements, known, strict=True) if found is None]
        if self._executor is None or not missing:
            yield from (found or _missing() for found in known)
            return
        with closing(self._executor.stream(missing, target=target)) as running:
            for key, found in zip(keys, known, strict=True):
                if found is None:
                    found = next(running)  # noqa: PLW2901 - the execution, wherever it is from
                    self._frames.put(key, found)
                yield found
            next(running, None)  # a stream that is closed before its end costs its worker

    def interrupt(self) -> None:
        """Stop all running statements."""
        if self._executor is not None:
            self._executor.interrupt()

    def _all(
        self,
        statements: Statements,
        target: str,
        purpose: str,
        run: Callable[[Executor, Statements], list[Execution]],
    ) -> list[Execution]:
        keys = [self._key(one, target, purpose) for one in statements]
        found = {key: self._known(key, target) for key in keys}
        missing = [
            (key, one) for key, one in zip(keys, statements, strict=True) if found[key] is None
        ]
        if self._executor is not None and missing:
            ran = run(self._executor, [one for _, one in missing])
            for (key, _), execution in zip(missing, ran, strict=True):
                found[key] = execution
                self._frames.put(key, execution)
        return [found[key] or _missing() for key in keys]

    def _known(self, key: bytes, target: str) -> Execution | None:
        """Return a stored execution that holds."""
        is_rescoring = self._executor is None
        if not is_rescoring and not self._origins[target].is_known:
            return None
        execution = self._frames.get(key)
        if execution is None or is_rescoring:
            return execution
        is_lasting = execution.outcome.status in _LASTING and not execution.volatile
        return execution if is_lasting else None

    def _key(self, statement: tuple[str, Limits], target: str, purpose: str) -> bytes:
        sql, limits = statement
        parts = (self._origins[target].identity, purpose, _spelled(limits), sql)
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).digest()


@lru_cache
def _spelled(limits: Limits) -> str:
    return repr(limits)


def _missing() -> Execution:
    return not_run("error", MISSING)


def _rules(policy: Policy) -> list[str]:
    """Return what a policy says, in an order that is the same in every process."""
    found = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return [
        f"{name}={sorted(map(str, value)) if isinstance(value, Collection) else value}"
        for name, value in found.items()
        if value
    ]


def _state(path: Path) -> str:
    """Return the state of a database's file, and of its log where it has one."""
    found = []
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}.wal")):
        if each.is_file():
            stat = each.stat()
            found.append(f"{stat.st_ino}-{stat.st_size}-{stat.st_mtime_ns}")
    return "/".join(found)
