"""Runs a backfill on Ray Data: on this machine, or on a cluster.

A row of the data set is the number of a chunk, so that nothing but numbers and rows of results goes
through the driver. `evaluated` keeps exceptions from Ray, which would drop a whole block for one.
"""

from __future__ import annotations

import logging
import socket
import sys
import warnings
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, Final

from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs_collector.backfilling.running import UnitResult, evaluated, unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlobs_collector.backfilling.running import Chunk, Work

_REPEATS: Final = 3
"""How often a chunk whose worker ended is begun again: statements run in processes of their own, so
that only the operating system, a person or a lost machine ends a worker."""
_CONNECT_S: Final = 10.0
_LOST: Final = "worker_ended"


@contextmanager
def on_ray(address: str | None, *, workers: int) -> Iterator[RayRunner]:
    """Connect to Ray for as long as the runner is used.

    Args:
        address: Of a cluster, `auto` or `HOST:PORT`; None: start Ray on this machine.
        workers: For how many workers a Ray of its own has processors.

    Raises:
        MissingExtraError: Ray is not installed.
        ConfigError: The cluster does not respond.
    """
    try:
        import ray.data
    except ImportError as error:
        raise MissingExtraError("--engine ray", extra="ray") from error
    of_its_own = {"num_cpus": workers + 1} if address is None else {}  # one for what feeds them
    try:
        _reach(address)
        ray.init(
            address=address or "local",
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.WARNING,
            **of_its_own,
        )
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"cannot connect to Ray at {address}: {reason}") from error
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.max_errored_blocks = -1  # a chunk that ends its workers ends no other
    with redirect_stdout(sys.stderr):  # Ray tells of workers that ended, until its own end
        try:
            yield RayRunner(ray)
        finally:
            ray.shutdown()


def _reach(address: str | None) -> None:
    """Connect to the head of a cluster: Ray itself tries for minutes, and does not say why.

    Raises:
        OSError: It does not respond.
    """
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()


class RayRunner:
    """Works in actors of Ray, each with one chunk at a time; see `on_ray`."""

    def __init__(self, ray: Any) -> None:  # noqa: ANN401 - Ray has no types
        self._ray = ray

    def run(self, chunks: Sequence[Chunk], work: Work, *, workers: int) -> Iterator[UnitResult]:
        """Start as many actors as there may be workers, at most."""
        if not chunks:
            return
        data = self._ray.data
        with warnings.catch_warnings():  # no other argument bounds repetitions, up to Ray 2.63
            warnings.simplefilter("ignore", DeprecationWarning)
            rows = data.range(len(chunks), override_num_blocks=len(chunks)).map_batches(
                _Actor,
                fn_constructor_args=(work, self._ray.put(list(chunks))),
                compute=data.ActorPoolStrategy(min_size=1, max_size=min(workers, len(chunks))),
                batch_size=1,
                batch_format="numpy",
                max_restarts=-1,
                max_task_retries=_REPEATS,
            )
        missing = dict(enumerate(chunks))
        for batch in rows.iter_batches(batch_size=None, batch_format="pyarrow"):
            for row in batch.to_pylist():
                missing.pop(row.pop("chunk"), None)
                yield UnitResult(**row)
        for chunk in missing.values():
            yield from unfinished(chunk, _LOST)


class _Actor:
    """One worker, in a process of Ray."""

    def __init__(self, work: Work, chunks: Any) -> None:  # noqa: ANN401 - a reference of Ray
        import ray

        self._open = ExitStack()
        self._evaluate = self._open.enter_context(work.open())
        self._chunks: list[Chunk] = ray.get(chunks)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Return the rows of one chunk."""
        number = int(batch["id"][0])
        rows = evaluated(self._evaluate, self._chunks[number])
        columns = {name: [getattr(row, name) for row in rows] for name in UnitResult._fields}
        return {"chunk": [number] * len(rows), **columns}
