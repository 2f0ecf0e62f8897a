"""The maintenance commands: `migrate`, `export`, `backfill`, `replay`."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry
from sqlalchemy.exc import DBAPIError

from sqlobs.errors import ConfigError
from sqlobs_collector.assembly import archive_reader, sampling_rules, store_place, subject_digests
from sqlobs_collector.datadir import JOURNAL, DirectoryLock
from sqlobs_collector.journal.entry import START, Place
from sqlobs_collector.journal.files import segment_names
from sqlobs_collector.journal.log import identity_of
from sqlobs_collector.journal.reader import JournalReader
from sqlobs_collector.pipeline_metrics import PipelineMetrics
from sqlobs_collector.secrets import Secret
from sqlobs_collector.settings.storing import server_url
from sqlobs_collector.store.backfill import count_units, queue_units
from sqlobs_collector.store.database import open_store, store_version
from sqlobs_collector.store.embedded import EmbeddedStore
from sqlobs_collector.store.export import Selection, write_lines, write_parquet
from sqlobs_collector.store.moving import move
from sqlobs_collector.store.server import ServerStore
from sqlobs_collector.store.writing import Store
from sqlobs_collector.units.projector import Projector
from sqlobs_collector.units.replay import Replay

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection, Engine

    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.store.backfill import Backfill
    from sqlobs_collector.store.database import Place as StorePlace
    from sqlobs_collector.store.export import ArchivedUnit
    from sqlobs_collector.units.replay import Replayed

_PARQUET: Final = ".parquet"


def migrate(config: CollectorConfig) -> str:
    """Migrate the store's tables; return one sentence about the result.

    Raises:
        ConfigError: There is no store, a collector is using it, or a newer sqlobs wrote it.
    """
    place = _existing(store_place(config), config)
    with _alone(config):
        before, after = store_version(place)
        open_store(place).dispose()
    if before == after:
        return f"{place.name} is already at version {after}"
    backup = place.backup_name(after)
    copied = f"; backup: {backup}" if backup and before else ""
    return f"{place.name}: version {before or 'none'} -> {after}{copied}"


def move_to(config: CollectorConfig, to: str) -> str:
    """Move the embedded store into a PostgreSQL database; return one sentence about the result.

    Args:
        config: Of the collector, which must be stopped; its `store.url` does not matter.
        to: The address, or `env:NAME` or `file:PATH`.

    Raises:
        ConfigError: There is no store, a collector is using it, the database cannot be used, or it
            has rows of another store.
    """
    try:
        target = ServerStore(server_url(Secret(to)))
    except ValueError as error:
        raise ConfigError(f"--to: {error}") from error
    source = _existing(EmbeddedStore(config.data_dir), config)
    with _alone(config), _store(source) as here, _store(target) as there:
        try:
            moved = move(here, there, names=(source.name, target.name))
        except DBAPIError as error:
            reason = " ".join(str(error.orig).split())
            raise ConfigError(
                f"the move to {target.name} was interrupted ({reason}): run the command again, it"
                " continues where it stopped"
            ) from error
    before = f" ({moved.was_there} of them were there)" if moved.was_there else ""
    return (
        f"{moved.rows} rows with {moved.units} units are in {target.name}{before}; set store.url"
        f" to it, and remove {source.name} when you no longer need it"
    )


def export(config: CollectorConfig, options: argparse.Namespace) -> str:
    """Write units and evaluations to a file or standard output; returns what was written."""
    selection = selection_of(options)
    with opened(config), _reading(config) as engine:
        archived = _archived(config, selection)
        if options.output is None:
            count = write_lines(
                engine,
                selection,
                file=sys.stdout.buffer,
                has_texts=options.texts,
                archived=archived,
            )
            return f"{count} units"
        path = Path(options.output)
        try:
            if path.suffix == _PARQUET:
                count = write_parquet(engine, selection, path=path, archived=archived)
                return f"{count} evaluations in {path}"
            with path.open("wb") as file:
                count = write_lines(
                    engine, selection, file=file, has_texts=options.texts, archived=archived
                )
        except OSError as error:
            raise ConfigError(f"cannot write {path}: {error.strerror}") from error
        return f"{count} units in {path}"


def _archived(
    config: CollectorConfig, selection: Selection
) -> Callable[[Connection], Iterable[ArchivedUnit]]:
    archive = archive_reader(config)
    if archive is None:
        return lambda _: ()
    since_ns, until_ns = selection.since_ns, selection.until_ns
    return lambda connection: archive.units(connection, since_ns=since_ns, until_ns=until_ns)


def backfill(config: CollectorConfig, wanted: Backfill, *, is_dry: bool) -> int:
    """Queue stored units for another evaluation; return their number."""
    with opened(config) as engine:
        if is_dry:
            return count_units(engine, wanted)
        return queue_units(engine, wanted, at_ns=time.time_ns())


def replay(config: CollectorConfig, options: argparse.Namespace) -> Replayed:
    """Read a journal into the store of a stopped collector; return the counts.

    Entries that the collector has not projected yet are projected normally; others are marked as
    replayed.

    Raises:
        ConfigError: A collector is using the store, or the journal cannot be read.
    """
    own = config.data_dir / JOURNAL
    directory: Path = options.journal or own
    selection = selection_of(options)
    identity = _identity(directory)
    is_own = directory.resolve() == own.resolve()
    with _alone(config), _store(store_place(config)) as engine:
        store = Store(engine)
        with store.writing() as writer:
            standing = writer.journals.get(identity)
        projected = Place(standing.sequence, standing.entries, standing.records)
        caught_up = 0 if options.dry_run or not is_own else _catch_up(store, config, identity)
        rules = sampling_rules(config)
        digests = subject_digests(config)
        again = Replay(
            directory, identity, store, rules=rules, digests=digests, selection=selection
        )
        found = again.run(until=projected if is_own else None, is_dry=options.dry_run)
    return replace(found, caught_up=caught_up)


def _identity(directory: Path) -> bytes:
    """Return what the files of a journal have in common."""
    if not segment_names(directory):
        raise ConfigError(f"no journal in {directory}: give its directory with --journal")
    try:
        return identity_of(directory)
    except OSError as error:
        raise ConfigError(f"the journal in {directory} cannot be read: {error.strerror}") from error


def _catch_up(store: Store, config: CollectorConfig, identity: bytes) -> int:
    """Project the entries that a collector has not projected yet; return the number of units."""
    projector = Projector(
        JournalReader(config.data_dir / JOURNAL, identity),
        store,
        rules=sampling_rules(config),
        digests=subject_digests(config),
        journal=_AtRest(identity),
        flow=PipelineMetrics(CollectorRegistry()),
    )
    before = _count(store)
    while projector.project():
        pass
    return _count(store) - before


class _AtRest:
    """A read-only journal, whose files stay unchanged."""

    def __init__(self, identity: bytes) -> None:
        self.identity = identity
        self.acknowledged = START

    def retire(self, before: str) -> None:
        """Keep them."""

    def rotate(self, name: str) -> None:
        """Begin none."""

    def set_aside(self, name: str) -> None:
        """Move none."""


def _count(store: Store) -> int:
    with store.writing() as writer:
        return sum(writer.state_counts().values())


@contextmanager
def _alone(config: CollectorConfig) -> Iterator[None]:
    """Lock a data directory against collectors."""
    lock = DirectoryLock(config.data_dir)
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def opened(config: CollectorConfig) -> Iterator[Engine]:
    """Open a store of the current version; a collector may be using it."""
    place = _existing(store_place(config), config)
    before, after = store_version(place)
    if before != after:
        raise ConfigError(
            f"the store {place.name} is at version {before}, this sqlobs at {after}: run "
            "`sqlobs-collector migrate`"
        )
    with _store(place) as engine:
        yield engine


@contextmanager
def _store(place: StorePlace) -> Iterator[Engine]:
    engine = open_store(place)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _reading(config: CollectorConfig) -> Iterator[Engine]:
    """Open a store whose transactions see one state of it."""
    engine = store_place(config).reading_engine()
    try:
        yield engine
    finally:
        engine.dispose()


def workspace_of(config: CollectorConfig, named: str | None) -> str:
    """Return the workspace that a command is about: the named one, or the only one.

    Raises:
        ConfigError: It is missing or unknown.
    """
    known = config.auth.all_workspaces
    chosen = named or (known[0] if len(known) == 1 else None)
    if chosen not in known:
        raise ConfigError(f"set --workspace to one of {', '.join(known)}")
    return chosen


def _existing(place: StorePlace, config: CollectorConfig) -> StorePlace:
    if place.is_missing():
        raise ConfigError(
            f"no store in {config.data_dir}: set data_dir to the data directory of a collector"
        )
    return place


def selection_of(options: argparse.Namespace) -> Selection:
    """Return the period that a command is about.

    Raises:
        ConfigError: A time is invalid.
    """
    since, until = nanoseconds(options.since), nanoseconds(options.until)
    return Selection(
        **({} if since is None else {"since_ns": since}),
        **({} if until is None else {"until_ns": until}),
    )


def nanoseconds(text: str | None) -> int | None:
    """Return the time that an option gives, rounded down to a second; None = it is not given.

    Raises:
        ConfigError: It is not a time.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(
            f"{text!r} is not a time; write it as 2026-01-31 or 2026-01-31T12:00"
        ) from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * 10**9
