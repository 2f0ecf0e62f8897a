"""The admin port: health and metrics of every process; the console with its endpoints."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from sqlobs_collector.admin.sources import Sources, Vitals
from sqlobs_collector.assembly import (
    archive_reader,
    desk_of,
    feedback_door,
    schemas_of,
    store_place,
    target_settings,
)
from sqlobs_collector.evaluation.cases import CaseReader
from sqlobs_collector.explaining.explanation import Explainer
from sqlobs_collector.probing import Prober
from sqlobs_collector.store.comparison import ComparisonReader
from sqlobs_collector.store.failures import FailureReader
from sqlobs_collector.store.hours import HourReader
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.intake import IntakeReader
from sqlobs_collector.store.journals import StoppedJournalReader
from sqlobs_collector.store.quality import QualityReader
from sqlobs_collector.store.reading import StoreReader
from sqlobs_collector.store.requests import RequestReader
from sqlobs_collector.store.saved_views import SavedViewReader
from sqlobs_collector.store.snapshots import Snapshots

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from sqlobs_collector.assembly import EvaluatingParts
    from sqlobs_collector.journal.writer import JournalWriter
    from sqlobs_collector.notifying.notifier import Notifier
    from sqlobs_collector.settings.origins import Origins
    from sqlobs_collector.stages.running import Running


def console_sources(
    running: Running,
    vitals: Vitals,
    parts: EvaluatingParts,
    *,
    journal: JournalWriter,
    notifier: Notifier,
    origins: Origins,
) -> Sources:
    """Return what the console and the admin API answer from."""
    config, engine = running.config, _open_reading(running)
    reading = Snapshots(engine)
    return Sources(
        **{field.name: getattr(vitals, field.name) for field in fields(vitals)},
        reading=reading,
        store=StoreReader(reading),
        cases=CaseReader(parts.reader, golden=parts.golden, targets=target_settings(config)),
        desk=desk_of(config, running.engine, parts),
        feedback=feedback_door(config, journal, running.flow),
        explainer=Explainer(IncidentReader(engine)),
        requests=RequestReader(reading),
        failures=FailureReader(reading),
        comparisons=ComparisonReader(reading),
        quality=QualityReader(reading),
        views=SavedViewReader(engine),
        schemas=schemas_of(config, parts.reader),
        writing=parts.store,
        links=config.console.links,
        hours=HourReader(reading),
        intake=IntakeReader(reading),
        journals=StoppedJournalReader(engine),
        config=config,
        origins=origins,
        archive=archive_reader(config),
        prober=Prober(),
        notifier=notifier,
    )


def _open_reading(running: Running) -> Engine:
    engine = store_place(running.config).reading_engine()
    running.exits.callback(engine.dispose)
    return engine
