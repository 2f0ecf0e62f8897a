"""Builds the parts and settings of the stages from the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlobs.errors import ConfigError, InputError
from sqlobs.execution.target import Limits
from sqlobs.judge.endpoint.endpoint import Endpoint
from sqlobs.monitoring.objectives import Objectives, read_objectives
from sqlobs.monitoring.settings import Links, RuleSettings
from sqlobs_collector.archive.archiver import Archiver
from sqlobs_collector.archive.files import ArchiveFiles
from sqlobs_collector.archive.reading import ArchiveReader
from sqlobs_collector.curation.calibrating import Calibrator, JudgeIdentities
from sqlobs_collector.curation.desk import Desk
from sqlobs_collector.curation.golden_editor import GoldenEditor
from sqlobs_collector.curation.golden_runs import GoldenRuns
from sqlobs_collector.curation.review_queue import ReviewQueue
from sqlobs_collector.curation.review_sampling import ReviewSampler
from sqlobs_collector.curation.wrong_findings import WrongFindings
from sqlobs_collector.datadir import kept_key
from sqlobs_collector.emission.emitter import Destination, Destinations, Emitter, basic_auth
from sqlobs_collector.evaluation.evaluation_selection import EvaluationSelection
from sqlobs_collector.evaluation.golden import GoldenFile
from sqlobs_collector.evaluation.golden_set import GoldenSet
from sqlobs_collector.evaluation.judge_items import JudgeItems
from sqlobs_collector.evaluation.requests import Targets, TargetSettings
from sqlobs_collector.evaluation.schemas import Schemas
from sqlobs_collector.journal.room import JournalLimits
from sqlobs_collector.judging.canaries import CanaryWatch
from sqlobs_collector.judging.judge_worker import JudgeWorker
from sqlobs_collector.judging.ledger import StoreLedger, WorkspaceBudgets
from sqlobs_collector.judging.workspace_judges import WorkspaceJudges
from sqlobs_collector.masking import Masker
from sqlobs_collector.notifying.notifier import Notifier, Webhook
from sqlobs_collector.notifying.watch import Watch
from sqlobs_collector.quality.calibrations import Calibrations
from sqlobs_collector.quotas import Quotas
from sqlobs_collector.receiver.feedback import FeedbackDoor, FeedbackIntake
from sqlobs_collector.receiver.intake import IntakeLimits
from sqlobs_collector.relay import Relay, RelaySettings
from sqlobs_collector.sampling import SamplingRules
from sqlobs_collector.settings.judging import FLEX
from sqlobs_collector.store.alert_counts import AlertCountReader
from sqlobs_collector.store.calibrations import CalibrationReader
from sqlobs_collector.store.database import place_of
from sqlobs_collector.store.golden import GoldenReader
from sqlobs_collector.store.incidents import IncidentReader
from sqlobs_collector.store.intake import IntakeReader
from sqlobs_collector.store.judge_budget import JudgeBudgetReader
from sqlobs_collector.store.judges import JudgeReader
from sqlobs_collector.store.review import ReviewReader
from sqlobs_collector.store.usage import UsageReader
from sqlobs_collector.subjects import SubjectDigests
from sqlobs_collector.units.housekeeping import RetentionLimits

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from sqlobs.execution.executor import Executor
    from sqlobs.execution.target import Target
    from sqlobs_collector.config import CollectorConfig
    from sqlobs_collector.evaluation.evaluator import Evaluator
    from sqlobs_collector.evaluation.judge_queue import JudgeQueue
    from sqlobs_collector.evaluation.scorer import Scorer
    from sqlobs_collector.journal.writer import JournalWriter
    from sqlobs_collector.notifying.watch import Series
    from sqlobs_collector.pipeline_metrics import PipelineMetrics
    from sqlobs_collector.sampling import RulesOf
    from sqlobs_collector.secrets import Secret
    from sqlobs_collector.settings.receiving import Right
    from sqlobs_collector.sharing.duty import Duty
    from sqlobs_collector.store.database import Place
    from sqlobs_collector.store.reading import StoreReader
    from sqlobs_collector.store.writing import Store


_KEPT_KEY: Final = "digest.key"
"""The file with a key that the collector generated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatingParts:
    """The stage that evaluates, and what it works with."""

    store: Store
    reader: StoreReader
    golden: GoldenSet
    schemas: Schemas
    executor: Executor | None
    evaluator: Evaluator
    scorer: Scorer


def granted(config: CollectorConfig) -> dict[str, dict[Right, list[Secret]]]:
    """Return the tokens by workspace and right."""
    return {workspace: tokens.by_right for workspace, tokens in config.auth.tokens.items()}


def host_names(config: CollectorConfig) -> list[str] | None:
    """Return the host names that requests may use for the collector; None = any.

    A browser page that reaches the collector by DNS rebinding has no token: if tokens are required,
    names do not matter.
    """
    if not config.auth.is_open:
        return None
    listen = config.listen
    return [*config.auth.hosts, *(one.host for one in (listen.http, listen.grpc, listen.admin))]


def golden_set(config: CollectorConfig, stored: GoldenReader) -> GoldenSet:
    """Return the golden cases of the store and, if one is configured, of the golden file.

    Raises:
        ConfigError: The file cannot be read, or a line is not a case.
    """
    key, path = _digest_key(config), config.golden.file
    file = None
    if path is not None:
        file = GoldenFile.read(path, key=key, needs_target=needs_target(config))
    return GoldenSet(stored, key=key, file=file)


def _digest_key(config: CollectorConfig) -> bytes:
    """Return the key of question digests."""
    given = config.golden.digest_key
    return kept_key(config.data_dir / _KEPT_KEY) if given is None else given.reveal().encode()


def subject_digests(config: CollectorConfig) -> SubjectDigests:
    """Return the digests of whom requests are about: under the key of question digests.

    Raises:
        ConfigError: The key cannot be read or stored.
    """
    keys, kept = [_digest_key(config)], config.data_dir / _KEPT_KEY
    if config.golden.digest_key is not None and kept.exists():  # it was used before
        keys.append(kept_key(kept))
    return SubjectDigests(keys)


def masker_of(config: CollectorConfig) -> Masker:
    """Return what masks texts before they are written."""
    rules = config.masking
    return Masker(rules.patterns, rules.columns, digests=subject_digests(config))


def needs_target(config: CollectorConfig) -> bool:
    """Return whether cases of the golden file must name a target: others would apply everywhere."""
    return len(config.auth.all_workspaces) > 1


def schemas_of(config: CollectorConfig, reader: StoreReader) -> Schemas:
    """Return the source of schemas: sent by applications, else read from the targets."""
    urls = {alias: target.url.reveal() for alias, target in config.targets.items()}
    return Schemas(reader, urls=urls)


def judge_queue_of(
    config: CollectorConfig, schemas: Schemas, rates: Callable[[str], float]
) -> JudgeQueue | None:
    """Return the builder of judge requests, if a judge is configured."""
    judge = config.judge
    if judge.model is None or judge.base_url is None:
        return None
    from sqlobs_collector.evaluation.judge_queue import JudgeQueue

    return JudgeQueue(
        JudgeItems(schemas, target_settings(config), masker_of(config)),
        version=judge.model,
        rates=rates,
        further=judge.evaluations,
        wanted=evaluation_selection_of(config),
    )


def judge_identities(config: CollectorConfig) -> JudgeIdentities:
    """Return the judges that are configured, to which calibrations must belong."""
    return JudgeIdentities(config.judge.model, config.judge.fingerprints())


def calibrations_of(config: CollectorConfig, engine: Engine) -> Calibrations:
    """Return the calibrations in effect: made from labels, else configured."""
    return Calibrations(
        config.judge.tables(),
        CalibrationReader(engine),
        is_current=judge_identities(config).is_calibrated_by,
    )


def desk_of(config: CollectorConfig, engine: Engine, parts: EvaluatingParts) -> Desk:
    """Return what people decide with."""
    store, reader, targets = parts.store, parts.reader, target_settings(config)
    reviews, golden = ReviewReader(engine), GoldenReader(engine)
    items = JudgeItems(parts.schemas, targets, masker_of(config))
    sampler = ReviewSampler(store, reader, reviews, items, parts.scorer.findings)
    queue = ReviewQueue(store, reviews)
    identities = judge_identities(config)
    return Desk(
        golden=golden,
        editor=GoldenEditor(store, reader, parts.golden, targets),
        runs=GoldenRuns(parts.executor, targets),
        reviews=reviews,
        sampler=sampler,
        queue=queue,
        wrong=WrongFindings(store, reader, reviews, sampler),
        calibrator=Calibrator(store, reviews, queue, identities),
        calibrations=CalibrationReader(engine),
        judges=JudgeReader(engine),
        budgets=JudgeBudgetReader(engine),
        judge=config.judge,
        identities=identities,
    )


def feedback_door(
    config: CollectorConfig, journal: JournalWriter, flow: PipelineMetrics
) -> FeedbackDoor:
    """Return what lets in users' feedback."""
    given = config.feedback
    return FeedbackDoor(
        FeedbackIntake(journal, flow, masker=masker_of(config)),
        origins=given.origins,
        by_address=given.address_per_minute,
        by_token=given.token_per_minute,
    )


def judge_worker_of(
    config: CollectorConfig,
    store: Store,
    flow: PipelineMetrics,
    *,
    worker: str,
    canaries: Duty,
    clock_ns: Callable[[], int],
) -> JudgeWorker | None:
    """Return the worker that calls the judge, if one is configured."""
    judge, ledger = config.judge, StoreLedger(store)
    given = judge.endpoint()
    if given is None:
        return None
    examples = judge.worked_cases()
    watch = None
    if judge.canaries:
        own = examples.get(FLEX, "")
        watch = CanaryWatch(
            store,
            config=given,
            ledger=ledger,
            flow=flow,
            examples=own,
            duty=canaries,
            clock_ns=clock_ns,
        )
    endpoint, budgets = Endpoint(given, ledger=ledger), WorkspaceBudgets(store, judge.limits_of)
    return JudgeWorker(
        store,
        endpoint=endpoint,
        judges=WorkspaceJudges(endpoint, budgets, votes=judge.votes, examples=examples),
        flow=flow,
        sorts=judge.categories,
        watch=watch,
        worker=worker,
        clock_ns=clock_ns,
    )


def evaluation_selection_of(config: CollectorConfig) -> EvaluationSelection:
    """Return the selected evaluations by workflow."""
    return EvaluationSelection(
        {name: frozenset(chosen) for name, chosen in config.evaluate.metrics.items()}
    )


def targets_of(config: CollectorConfig) -> list[Target]:
    """Return the targets of the executor."""
    return [target.target(alias) for alias, target in config.targets.items()]


def target_settings(config: CollectorConfig) -> Targets:
    """Return the settings of the targets, without their addresses."""
    known = {target.alias: target.dialect for target in targets_of(config)}
    return Targets(
        known={
            alias: TargetSettings(
                dialect=known[alias],
                limits=Limits(
                    timeout_s=target.limits.timeout_s,
                    max_rows=target.limits.max_rows,
                    max_bytes=target.limits.max_bytes,
                ),
                session=target.session,
                hints=target.hints,
                workspaces=config.workspaces_of(alias),
                is_default=target.default,
            )
            for alias, target in config.targets.items()
        },
    )


def sampling_rules(config: CollectorConfig) -> RulesOf:
    """Return the sampling rules by workspace, as they are configured."""
    given = config.sampling
    common = SamplingRules(given.rate, given.always)
    own = {
        name: SamplingRules(
            one.rate or given.rate, given.always if one.always is None else one.always
        )
        for name, one in given.workspaces.items()
    }
    return lambda workspace: own.get(workspace, common)


def quotas_of(config: CollectorConfig, engine: Engine, clock_ns: Callable[[], int]) -> Quotas:
    """Return the quotas of the workspaces."""
    rules, reader = sampling_rules(config), IntakeReader(engine)
    return Quotas(rules, config.judge.rate_of, config.quotas, reader, clock_ns=clock_ns)


def store_place(config: CollectorConfig) -> Place:
    """Return where the store is.

    Raises:
        MissingExtraError: It is a PostgreSQL database, and psycopg is not installed.
    """
    url = config.store.url
    return place_of(config.data_dir, None if url is None else url.reveal())


def archive_files(config: CollectorConfig) -> ArchiveFiles | None:
    """Return the files of the archive, if one is configured.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ConfigError: The address cannot be used.
    """
    url = config.archive.url
    return None if url is None else ArchiveFiles(url)


def archive_reader(config: CollectorConfig) -> ArchiveReader | None:
    """Return the reader of the archive, if one is configured."""
    files = archive_files(config)
    return None if files is None else ArchiveReader(files)


def archiver_of(
    config: CollectorConfig, duty: Duty, clock_ns: Callable[[], int]
) -> Archiver | None:
    """Return what moves cold requests into the archive, if one is configured."""
    files = archive_files(config)
    if files is None:
        return None
    keep_days = config.retention.unit_s / 86_400
    return Archiver(
        duty.store,
        files,
        after_days=config.archive.after_days,
        keep_days=keep_days,
        while_held=duty.while_held,
        clock_ns=clock_ns,
    )


def retention_limits(config: CollectorConfig) -> RetentionLimits:
    """Return the retention periods."""
    kept = config.retention
    return RetentionLimits(
        payload_s=kept.payload_s,
        sampled_out_payload_s=kept.sampled_out_payload_s,
        unit_s=kept.unit_s,
    )


def journal_limits(config: CollectorConfig) -> JournalLimits:
    """Return the journal's size limits."""
    journal = config.journal
    return JournalLimits(
        max_bytes=journal.max_bytes,
        min_free_bytes=journal.min_free_bytes,
        grace_s=journal.grace_s,
    )


def intake_limits(config: CollectorConfig) -> IntakeLimits:
    """Return the size limits of requests and records."""
    receive = config.receive
    return IntakeLimits(receive.max_body_bytes, receive.max_record_bytes, receive.max_elements)


def emitter_of(
    config: CollectorConfig, reader: StoreReader, store: Store, flow: PipelineMetrics, duty: Duty
) -> Emitter | None:
    """Return the emitter of evaluations, if a backend is configured."""
    to = _destinations(config)
    if to == Destinations():
        return None
    return Emitter(
        reader,
        store,
        destinations=to,
        shows_reasoning=config.emit.explanations,
        flow=flow,
        duty=duty,
    )


def _destinations(config: CollectorConfig) -> Destinations:
    emit, forward = config.emit, config.forward
    url = emit.url or forward.url
    headers = emit.headers if emit.url else forward.headers
    phoenix, langfuse = emit.phoenix, emit.langfuse
    key, secret = phoenix.api_key, langfuse.secret_key
    bearer = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
    return Destinations(
        otlp=None
        if url is None
        else Destination(str(url), {name: value.reveal() for name, value in headers.items()}),
        phoenix=None if phoenix.url is None else Destination(str(phoenix.url), bearer),
        langfuse=None
        if langfuse.url is None or secret is None
        else Destination(str(langfuse.url), basic_auth(langfuse.public_key, secret.reveal())),
    )


def relay_of(config: CollectorConfig, flow: PipelineMetrics) -> Relay | None:
    """Return the relay, if a backend is configured."""
    forward = config.forward
    if forward.url is None:
        return None
    settings = RelaySettings(
        url=str(forward.url),
        headers={name: secret.reveal() for name, secret in forward.headers.items()},
        queue_bytes=forward.queue_bytes,
        timeout_s=forward.timeout_s,
    )
    return Relay(settings, flow=flow)


def notifier_of(
    config: CollectorConfig,
    engine: Engine,
    flow: PipelineMetrics,
    series: Series,
    *,
    duty: Duty | None,
    clock_ns: Callable[[], int],
) -> Notifier:
    """Return the notifier; without a webhook it tells nobody.

    Args:
        config: With the objectives and the webhook.
        engine: Of the store.
        flow: Counts what is sent.
        series: Counters and gauges.
        duty: That of the process that tells the webhook; None: this one never does.
        clock_ns: The time by which requests are counted.

    Raises:
        ConfigError: The file of objectives, a label or an address is not possible.
    """
    notify = config.notify
    path = notify.objectives
    try:
        settings = RuleSettings(
            objectives=Objectives() if path is None else read_objectives(path),
            links=Links(
                docs=notify.docs_url.rstrip("/"),
                dashboard=notify.dashboard_url.rstrip("/"),
                console=notify.console_url.rstrip("/"),
            ),
            labels=notify.labels,
        )
    except InputError as error:
        raise ConfigError(f"notify: {error}") from None
    headers = {name: secret.reveal() for name, secret in notify.headers.items()}
    url = None if notify.url is None else str(notify.url)
    watch = Watch(
        AlertCountReader(engine),
        UsageReader(engine),
        series,
        objectives=settings.objectives,
        started_ns=clock_ns(),
    )
    return Notifier(
        watch.alarms,
        IncidentReader(engine),
        settings=settings,
        webhook=None if url is None or duty is None else Webhook(url, notify.form, headers),
        tells=lambda: duty is not None and duty.is_held,
        flow=flow,
        clock_ns=clock_ns,
    )
