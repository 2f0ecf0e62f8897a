"""The command `backfill --engine`, and the files of units that it reads."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError, MissingExtraError
from sqlobs_collector.assembly import target_settings
from sqlobs_collector.backfilling.places import (
    FileResults,
    FileUnits,
    StoredResults,
    StoredUnits,
)
from sqlobs_collector.backfilling.ray_runner import on_ray
from sqlobs_collector.backfilling.running import UNFINISHED, Chunk, PlainRunner
from sqlobs_collector.backfilling.unit_files import chunked, write_units
from sqlobs_collector.backfilling.work import Evaluation, with_secrets
from sqlobs_collector.maintenance import nanoseconds, opened, selection_of
from sqlobs_collector.store.backfill import Backfill, pending_units
from sqlobs_collector.store.export import Selection
from sqlobs_collector.store.reading import StoreReader

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy import Engine

    from sqlobs_collector.backfilling.places import Results, Source
    from sqlobs_collector.backfilling.running import Runner
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.store.backfill import Pending

_SECOND_NS: Final = 10**9


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came of the units."""

    states: Counter[tuple[str, str | None]]
    """How many units by state and reason."""

    @property
    def is_complete(self) -> bool:
        """Return whether all units have results."""
        return not any(state == UNFINISHED for state, _ in self.states)

    def document(self) -> dict[str, object]:
        """Return the counts by state, for scripts."""
        states: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for (state, reason), count in self.states.items():
            states[state] += count
            if reason is not None:
                reasons[reason] += count
        return {"units": states.total(), "states": dict(states), "reasons": dict(reasons)}

    def sentence(self) -> str:
        """Return one sentence for people."""
        parts = [
            f"{count} {state}" + (f" ({reason})" if reason else "")
            for (state, reason), count in self.states.most_common()
        ]
        again = "" if self.is_complete else "; run the command again for the unfinished ones"
        return f"{self.states.total()} units: {', '.join(parts) or 'nothing to do'}{again}"


def backfill_of(options: argparse.Namespace) -> Backfill:
    """Return which units of the store are meant.

    Raises:
        ConfigError: A time is invalid.
    """
    before_ns = nanoseconds(options.evaluated_before)
    wanted = Backfill(selection_of(options), options.reason)
    return wanted if before_ns is None else replace(wanted, before_ns=before_ns)


def places_of(options: argparse.Namespace) -> tuple[Source, Results]:
    """Return where units come from and where results go.

    Without `--evaluated-before`, the units are those that were not evaluated since now.

    Raises:
        ConfigError: Options contradict each other.
    """
    wanted = backfill_of(options)
    if options.evaluated_before is None:
        wanted = replace(wanted, before_ns=time.time_ns() // _SECOND_NS * _SECOND_NS)
    if options.source is not None and (wanted.reason or wanted.selection != Selection()):
        raise ConfigError("--since, --until and --reason choose units of the store: omit --from")
    stored = StoredResults(Backfill(Selection(), before_ns=wanted.before_ns))
    return (
        StoredUnits(wanted) if options.source is None else FileUnits(options.source),
        stored if options.output is None else FileResults(options.output),
    )


def resumption(options: argparse.Namespace, results: Results) -> str | None:
    """Return a sentence about how to continue after an interruption; None = by the same command."""
    if not isinstance(results, StoredResults) or options.evaluated_before is not None:
        return None
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(results.backfill.before_ns / 1e9))
    return f"after an interruption, run the same command with --evaluated-before {moment}"


def evaluate(
    config: CollectorConfig, options: argparse.Namespace, source: Source, results: Results
) -> Evaluated:
    """Evaluate units, target by target.

    Raises:
        ConfigError: The store or the file cannot be used, or Ray on other machines is to evaluate
            units of an embedded store.
        MissingExtraError: Ray or pyarrow is not installed.
    """
    if options.address is not None and config.store.url is None:
        raise ConfigError(
            "--address: workers on other machines cannot open the embedded store: set store.url, or"
            " omit --address"
        )
    with opened(config) as engine:
        groups = _by_target(engine, config, source, results)
    if options.dry_run:
        units = sum(len(one.unit_ids) for chunks in groups.values() for one in chunks)
        return Evaluated(Counter({("pending", None): units}))
    results.prepare()
    known = config.model_copy(
        update={
            name: with_secrets(getattr(config, name)) for name in ("store", "targets", "golden")
        }
    )
    work = Evaluation(known, source, results)
    most = options.workers or config.evaluate.workers
    states: Counter[tuple[str, str | None]] = Counter()
    with _runner(options, workers=most) as runner:
        for alias, chunks in groups.items():
            limit = most if alias is None else min(most, config.targets[alias].max_connections)
            states.update(
                (one.state, one.reason) for one in runner.run(chunks, work, workers=limit)
            )
    return Evaluated(states)


def export_records(config: CollectorConfig, options: argparse.Namespace) -> str:
    """Write the units that a backfill would evaluate, with their records, to a Parquet file.

    Returns:
        One sentence.

    Raises:
        ConfigError: The file cannot be written.
        MissingExtraError: pyarrow is not installed.
    """
    if options.output is None or Path(options.output).suffix != ".parquet":
        raise ConfigError("--records writes a Parquet file: set --output to *.parquet")
    try:
        with opened(config) as engine:
            units = pending_units(engine, Backfill(selection_of(options)))
            count = write_units(StoreReader(engine), units, options.output)
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", extra="metrics") from error
    except OSError as error:
        raise ConfigError(f"cannot write {options.output}: {error.strerror}") from error
    return f"{count} units with their records in {options.output}"


def _runner(options: argparse.Namespace, *, workers: int) -> AbstractContextManager[Runner]:
    if options.engine == "ray":
        return on_ray(options.address, workers=workers)
    return nullcontext(PlainRunner())


def _by_target(
    engine: Engine, config: CollectorConfig, source: Source, results: Results
) -> dict[str | None, list[Chunk]]:
    """Return the chunks that are left, by the alias of the target; None: units without one."""
    targets = target_settings(config)
    found: dict[str | None, list[Chunk]] = defaultdict(list)
    for group in chunked(source.pending(engine)):
        left = results.left(engine, [one.unit_id for one in group])
        by_alias: dict[str | None, list[Pending]] = defaultdict(list)
        for one in group:
            if one.unit_id in left:
                by_alias[targets.alias(one.workspace, one.target or None)].append(one)
        for alias, units in by_alias.items():
            found[alias] += _chunks(units)
    return found


def _chunks(units: list[Pending]) -> Iterator[Chunk]:
    for place, among in groupby(units, key=attrgetter("place")):
        yield Chunk(place, tuple(one.unit_id for one in among))
