"""The commands on a store at rest or in use: `migrate`, `export`, `backfill`."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError
from sqlobs_collector.datadir import DirectoryLock
from sqlobs_collector.store.backfill import Backfill, count_units, queue_units
from sqlobs_collector.store.database import FILE_NAME, open_store, store_version
from sqlobs_collector.store.export import Selection, write_lines, write_parquet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from sqlobs_collector.config import CollectorConfig

_PARQUET: Final = ".parquet"


def migrate(config: CollectorConfig) -> str:
    """Bring the store's tables up to date; returns what was done, in a sentence.

    Raises:
        ConfigError: There is no store, a collector runs on it, or a newer sqlobs wrote it.
    """
    path = _existing(config)
    lock = DirectoryLock(config.data_dir)
    lock.acquire()
    try:
        before, after = store_version(path)
        open_store(config.data_dir).dispose()
    finally:
        lock.release()
    if before == after:
        return f"{path} is at version {after} already"
    return f"{path}: version {before} -> {after}; a copy is {path.stem}.before-{after}.sqlite"


def export(config: CollectorConfig, options: argparse.Namespace) -> str:
    """Write units and evaluations to a file or standard output; returns what was written."""
    selection = _selection(options)
    with _opened(config) as engine:
        if options.out is None:
            count = write_lines(engine, selection, file=sys.stdout.buffer, has_texts=options.texts)
            return f"{count} units"
        path = Path(options.out)
        try:
            if path.suffix == _PARQUET:
                return f"{write_parquet(engine, selection, path=path)} evaluations in {path}"
            with path.open("wb") as file:
                count = write_lines(engine, selection, file=file, has_texts=options.texts)
        except OSError as error:
            raise ConfigError(f"cannot write {path}: {error.strerror}") from error
        return f"{count} units in {path}"


def backfill(config: CollectorConfig, options: argparse.Namespace) -> str:
    """Queue stored units to be evaluated again; returns how many, or would be."""
    wanted = Backfill(_selection(options), options.reason)
    with _opened(config) as engine:
        if options.dry_run:
            return f"{count_units(engine, wanted)} units would be evaluated again"
        return f"{queue_units(engine, wanted, at_ns=time.time_ns())} units are queued"


@contextmanager
def _opened(config: CollectorConfig) -> Iterator[Engine]:
    """Open a store that is at our version; a collector may be running on it."""
    path = _existing(config)
    before, after = store_version(path)
    if before != after:
        raise ConfigError(
            f"the store {path} is at version {before}, this sqlobs at {after}: run "
            "`sqlobs-collector migrate`"
        )
    engine = open_store(config.data_dir)
    try:
        yield engine
    finally:
        engine.dispose()


def _existing(config: CollectorConfig) -> Path:
    path = config.data_dir / FILE_NAME
    if not path.is_file():
        raise ConfigError(f"there is no store in {config.data_dir}: set data_dir to a collector's")
    return path


def _selection(options: argparse.Namespace) -> Selection:
    since, until = _nanoseconds(options.since), _nanoseconds(options.until)
    return Selection(
        **({} if since is None else {"since_ns": since}),
        **({} if until is None else {"until_ns": until}),
    )


def _nanoseconds(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(
            f"{text!r} is no time: write it as 2026-01-31 or 2026-01-31T12:00"
        ) from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * 10**9
