"""The tables of the store, as SQLAlchemy knows them; `migrations` makes them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    and_,
    column,
    false,
    table,
    text,
)

from sqlobs_collector.store.portable import ROW_ID, TEXT

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


WHO: Final = (
    *("workflow", "model", "prompt_version", "service_version", "environment", "service_name"),
)
"""The columns that say where a request comes from, but for its tenant."""
WORDS: Final = ("outcome", "verdict", "failure_code", "first_verdict", "provenance")
FLAGS: Final = ("syntactic", "schematic", "hallucinated", "first_hallucinated")
"""These and `WORDS`: what is known of its answer."""
TOOK: Final = tuple(f"took_{number}" for number in range(15))
"""The requests of a sum by duration: a bucket for each of `rollup.BOUNDS_S`, and one more."""
FILTERED: Final = (
    *("workflow", "model", "prompt_version", "tenant", "service_version", "environment"),
    *("service_name", *WORDS, *FLAGS, "head_probability", "probability"),
)
"""The columns that requests are filtered, grouped and weighted by."""

UNIT: Final = Table(
    "unit",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("workspace", TEXT, nullable=False),
    Column("trace_id", TEXT, nullable=False),
    Column("span_id", TEXT, nullable=False),
    Column("source", TEXT, nullable=False),  # unit | span: a unit replaces a span's
    Column("occurred_ns", BigInteger, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
    Column("service_name", TEXT, nullable=False),
    Column("environment", TEXT, nullable=False),
    Column("service_version", TEXT),
    Column("workflow", TEXT, nullable=False),
    Column("tenant", TEXT),
    Column("target", TEXT),
    Column("dialect", TEXT),
    Column("model", TEXT),
    Column("prompt_version", TEXT),
    Column("schema_version", TEXT),
    Column("capture", TEXT),
    Column("question_digest", TEXT),
    Column("fingerprint", TEXT),
    Column("outcome", TEXT),
    Column("verdict", TEXT),
    Column("first_verdict", TEXT),  # on the first attempt
    Column("failure_code", TEXT),
    Column("syntactic", Boolean),
    Column("schematic", Boolean),
    Column("hallucinated", Boolean),  # true: a name is invented
    Column("first_hallucinated", Boolean),  # by the first attempt
    Column("trace_sampled", Boolean),
    Column("head_probability", Float),  # null: unknown
    Column("randomness", BigInteger),  # what the trace's first sampler drew; null: its id tells
    Column("probability", Float),  # of inclusion, with the sampling here; null: unknown
    Column("rule", TEXT),  # the sampling rule that decided
    Column("state", TEXT, nullable=False),
    Column("reason", TEXT),
    Column("state_ns", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),  # evaluations begun
    Column("payload", LargeBinary),  # attributes and texts, compressed; null: expired
    Column("provenance", TEXT, nullable=False, server_default=text("'live'")),  # live | replay
    Column("conversation", TEXT),  # as long as the payload
    Column("question_key", BigInteger),  # hash of the normalized question; as long as the payload
    Column("duration_s", Float),
    Column("cost_usd", Float),
    Column("user_digest", TEXT),  # keyed; found by it when a user's data is erased
    Column("conversation_digest", TEXT),
    Column("priority", Integer, nullable=False, server_default=text("2")),  # in the queue; 0: first
    Column("worker", TEXT),  # the process that evaluates it; null: none
    UniqueConstraint("workspace", "trace_id", "span_id"),
    Index(None, "occurred_ns"),
    Index(None, "state", "received_ns"),
    Index(
        "ix_unit_payload",
        *("state", "received_ns"),
        sqlite_where=text("payload IS NOT NULL"),
        postgresql_where=text("payload IS NOT NULL"),
    ),
    Index(
        "ix_unit_queue",
        *("workspace", "priority", "received_ns"),
        sqlite_where=text("state = 'queued'"),
        postgresql_where=text("state = 'queued'"),
    ),
    # Lists and counts read these indexes alone: the rows of the table are ten times as large.
    Index(
        "ix_unit_listed",
        *("workspace", "occurred_ns", *FILTERED, "duration_s", "cost_usd"),
    ),
    Index(
        "ix_unit_tenant",
        *("workspace", "tenant", "occurred_ns"),
        *(name for name in FILTERED if name != "tenant"),
        sqlite_where=text("tenant IS NOT NULL"),
        postgresql_where=text("tenant IS NOT NULL"),
    ),
    Index(
        "ix_unit_code",
        *("workspace", "failure_code", "occurred_ns"),
        *(name for name in FILTERED if name != "failure_code"),
        sqlite_where=text("failure_code IS NOT NULL"),
        postgresql_where=text("failure_code IS NOT NULL"),
    ),
    Index(
        "ix_unit_failed",
        *("workspace", "occurred_ns", "question_key", *FILTERED),
        sqlite_where=text("verdict = 'failed'"),
        postgresql_where=text("verdict = 'failed'"),
    ),
    Index(
        "ix_unit_question",
        *("workspace", "question_key", "occurred_ns"),
        *("prompt_version", "model", "service_version"),
        sqlite_where=text("question_key IS NOT NULL"),
        postgresql_where=text("question_key IS NOT NULL"),
    ),
    Index(
        "ix_unit_conversation",
        *("workspace", "conversation", "occurred_ns"),
        sqlite_where=text("conversation IS NOT NULL"),
        postgresql_where=text("conversation IS NOT NULL"),
    ),
    *(
        Index(
            None,
            name,
            sqlite_where=text(f"{name} IS NOT NULL"),
            postgresql_where=text(f"{name} IS NOT NULL"),
        )
        for name in ("user_digest", "conversation_digest")
    ),
)

FAILURE: Final = Table(
    "failure",
    METADATA,
    Column("unit_id", ROW_ID, ForeignKey(UNIT.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # 0: the first name, or the unit has none
    Column("workspace", TEXT, nullable=False),
    Column("failure_code", TEXT, nullable=False),
    Column("name", TEXT, nullable=False),  # invented; empty: none, or it expired
    Column("kind", TEXT, nullable=False),  # table | column; empty: no name
    Column("suggestion", TEXT),
    Column("occurred_ns", BigInteger, nullable=False),
    *(
        Column(name, TEXT, nullable=False)  # empty: unknown
        for name in (
            *("model", "prompt_version", "workflow", "tenant", "service_version"),
            *("environment", "service_name"),
        )
    ),
    Index(
        "ix_failure_group",
        *("workspace", "failure_code", "name", "model", "prompt_version", "occurred_ns"),
        *("workflow", "tenant", "service_version", "environment", "service_name", "kind"),
    ),
    Index("ix_failure_name", "workspace", "name", "occurred_ns"),
)

FAILURE_GROUP: Final = Table(
    "failure_group",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("failure_code", TEXT, primary_key=True),
    Column("name", TEXT, primary_key=True),
    Column("model", TEXT, primary_key=True),
    Column("prompt_version", TEXT, primary_key=True),
    Column("status", TEXT, nullable=False),  # open | acknowledged | resolved
    Column("assignee", TEXT),
    Column("note", TEXT),
    Column("changed_ns", BigInteger, nullable=False),
    Column("changed_by", TEXT),
)

SAVED_VIEW: Final = Table(
    "saved_view",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("name", TEXT, primary_key=True),
    Column("query", TEXT, nullable=False),  # the filters as a URL has them
    Column("created_ns", BigInteger, nullable=False),
    Column("created_by", TEXT),
)

TOKEN: Final = Table(
    "token",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("workspace", TEXT, nullable=False),
    Column("rights", TEXT, nullable=False),  # separated by commas
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of the token
    Column("purpose", TEXT, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("expires_ns", BigInteger, nullable=False),
    Column("revoked_ns", BigInteger),
)

FROZEN: Final = 0
"""In place of the length of a period: sums of requests that have left the store."""

REQUEST_TEXT: Final = table("request_text", column("rowid", BigInteger))
"""The full-text table of questions and statements, by the id of their unit; see migration 0018."""


def _sums_of_requests() -> tuple[Column[Any], ...]:
    """Return the columns of requests that are alike, and of their sums."""
    return (
        *(Column(name, TEXT) for name in (*WHO, "tenant", *WORDS)),  # as in the units
        *(Column(name, Boolean) for name in FLAGS),
        Column("requests", BigInteger, nullable=False),
        *(Column(name, Float) for name in ("weight", "weight_squared", "weight_largest")),
        Column("cost_usd", Float),
        *(Column(name, BigInteger, nullable=False) for name in TOOK),  # requests by duration
        Column("last_ns", BigInteger),  # of the latest request; null: by an older collector
    )


ROLLUP: Final = Table(
    "rollup",
    METADATA,
    Column("workspace", TEXT, nullable=False),
    Column("by_tenant", Boolean, nullable=False),  # by tenant alone, or by all of the others
    Column("hours", Integer, nullable=False),  # length of the period
    Column("hour", BigInteger, nullable=False),  # its first one, since 1970
    *_sums_of_requests(),
    Index("ix_rollup", "workspace", "by_tenant", "hours", "hour"),
)
"""Requests that are alike, added up by hour and by longer periods; see `rollup.py`."""

MINUTE_ROLLUP: Final = Table(
    "minute_rollup",
    METADATA,
    Column("workspace", TEXT, nullable=False),
    Column("by_tenant", Boolean, nullable=False),
    Column("minute", BigInteger, nullable=False),  # the first of five, since 1970
    *_sums_of_requests(),
    Index("ix_minute_rollup", "workspace", "by_tenant", "minute"),
)
"""The same by five minutes, of the hours of `DETAILED_HOUR`."""

DETAILED_HOUR: Final = Table(
    "detailed_hour",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("hour", BigInteger, primary_key=True),
)
"""Hours that are added up by five minutes, too: those of the last days."""

STALE_MINUTE: Final = Table(
    "stale_minute",
    METADATA,
    Column("workspace", TEXT, nullable=False),
    Column("minute", BigInteger, nullable=False),  # the first of five
    Index("ix_stale_minute", "workspace", "minute"),
)
"""Five minutes whose requests changed; several rows may name the same, so that no writer waits."""

EVALUATION_ROLLUP: Final = Table(
    "evaluation_rollup",
    METADATA,
    Column("workspace", TEXT, nullable=False),
    Column("hours", Integer, nullable=False),
    Column("hour", BigInteger, nullable=False),  # of the requests
    *(Column(name, TEXT) for name in (*WHO, *WORDS)),
    Column("metric", TEXT, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in ("count", "passed")),
    *(
        Column(name, Float)
        for name in (
            *("value_sum", "weight", "weight_passed", "weight_value", "weight_squared"),
            *("weight_squared_passed", "spread_value", "spread_value_squared", "weight_largest"),
        )
    ),
    Column("last_ns", BigInteger, nullable=False),
    Index("ix_evaluation_rollup", "workspace", "hours", "hour"),
)
"""Decided evaluations of requests that are alike, added up by the time of the request."""

STALE_HOUR: Final = Table(
    "stale_hour",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("hour", BigInteger, primary_key=True),  # its sums are to be computed again
)

_IS_SPARSE: Final = text("cost_usd IS NOT NULL OR golden_set IS NOT NULL OR categories IS NOT NULL")
"""What few evaluations have."""

EVALUATION: Final = Table(
    "evaluation",
    METADATA,
    Column("unit_id", ROW_ID, ForeignKey(UNIT.c.id, ondelete="CASCADE"), primary_key=True),
    Column("metric", TEXT, primary_key=True),
    Column("version", TEXT, primary_key=True),
    Column("label", TEXT, nullable=False),  # pass | fail | not_evaluated
    Column("value", Float),
    Column("reason", TEXT),
    Column("kind", TEXT, nullable=False),  # the evaluator: static, native, llm, engine, human
    Column("explanation", TEXT),
    Column("detail", TEXT),  # what else is known, as a JSON object
    Column("probability", Float, nullable=False, server_default=text("1.0")),  # of its own stage
    Column("duration_s", Float),
    Column("cost_usd", Float),
    Column("golden_set", TEXT),  # where the reference is a golden case
    Column("side", TEXT),  # of the judge against execution accuracy
    Column("categories", TEXT),  # keys between spaces; null: nobody sorted it
    Column("stands_in", Boolean, nullable=False, server_default=false()),  # for an open label
    Column("created_ns", BigInteger, nullable=False),
    Column("emitted_ns", BigInteger),  # null: the backend has not got it
    Index("ix_evaluation_result", "metric", "label", "unit_id"),
    Index(
        "ix_evaluation_unemitted",
        "created_ns",
        sqlite_where=text("emitted_ns IS NULL"),
        postgresql_where=text("emitted_ns IS NULL"),
    ),
    Index(
        "ix_evaluation_sparse",
        *("unit_id", "cost_usd"),
        sqlite_where=_IS_SPARSE,
        postgresql_where=_IS_SPARSE,
    ),
)

INQUIRY: Final = Table(
    "enquiry",
    METADATA,
    Column("unit_id", ROW_ID, ForeignKey(UNIT.c.id, ondelete="CASCADE"), primary_key=True),
    Column("metric", TEXT, primary_key=True),
    Column("version", TEXT, nullable=False),
    Column("question", LargeBinary, nullable=False),  # what the judge is shown, compressed
    Column("probability", Float, nullable=False),  # of being judged
    Column("queued_ns", BigInteger, nullable=False),
    Column("due_ns", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("begun_ns", BigInteger),  # set before the call: a crash leaves it
    Column("worker", TEXT),  # the process that calls the judge
    Column("workspace", TEXT),  # the unit's; null where an older collector queued it
    Index(None, "due_ns"),
    Index(None, "workspace", "due_ns"),
    Index(
        "ix_enquiry_begun",
        "begun_ns",
        sqlite_where=text("begun_ns IS NOT NULL"),
        postgresql_where=text("begun_ns IS NOT NULL"),
    ),
)

WORKER: Final = Table(
    "worker",
    METADATA,
    Column("id", TEXT, primary_key=True),  # of a process that takes units or calls the judge
    Column("seen_ms", BigInteger, nullable=False),  # by the clock of the database
)

BUDGET: Final = Table(
    "budget",
    METADATA,
    Column("period", TEXT, primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
)

WORKSPACE_BUDGET: Final = Table(
    "workspace_budget",
    METADATA,
    Column("period", TEXT, primary_key=True),  # as in `budget`, which counts all workspaces
    Column("workspace", TEXT, primary_key=True),
    *(
        Column(name, BigInteger, nullable=False, server_default=text("0"))
        for name in (
            *("tokens", "micro_usd"),
            "beyond_own",  # questions that the workspace's own budget stopped
            "beyond_shared",  # questions that the budget or rate limit of all workspaces stopped
        )
    ),
)

INTAKE: Final = Table(
    "intake",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("hour", BigInteger, primary_key=True),  # of the receipt, since 1970
    *(
        Column(name, BigInteger, nullable=False, server_default=text("0"))
        for name in (
            "accepted",  # requests
            "always",  # of these, those that are evaluated regardless of the rate
            "refused",  # requests beyond the quota
            "judgeable",  # requests that a judge was or could have been asked about
        )
    ),
)

TARGET_USAGE: Final = Table(
    "target_usage",
    METADATA,
    Column("day", TEXT, primary_key=True),  # in UTC
    Column("target", TEXT, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),
)

CANARY: Final = Table(
    "canary",
    METADATA,
    Column("judge", TEXT, primary_key=True),  # the model and the digest of its prompt
    Column("sung_ns", BigInteger, nullable=False),
    Column("is_sound", Boolean, nullable=False),
)

LEASE: Final = Table(
    "lease",
    METADATA,
    Column("duty", TEXT, primary_key=True),
    Column("token", BigInteger, nullable=False),  # grows with each owner
    Column("owner", TEXT, nullable=False),  # a process
    Column("until_ms", BigInteger, nullable=False),  # by the clock of the database
    # Makes the token part of a key, so that a new owner waits for a key share lock; see `leases`.
    UniqueConstraint("duty", "token"),
)

SDK_SERIES: Final = Table(
    "sdk_series",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("metric", TEXT, primary_key=True),
    Column("labels", TEXT, primary_key=True),  # a JSON list, as the metric declares them
    Column("state", TEXT),  # the last known one as a JSON list; null: about to be written
    Column("seen_ms", BigInteger, nullable=False),  # by the clock of the database
    Index(None, "seen_ms"),
)
"""Series of the applications' metrics, whichever receiver got their points."""

COMPATIBILITY: Final = Table(
    "compatibility",
    METADATA,
    # The newest version of the tables that the oldest collector knows which can use these.
    Column("oldest_revision", TEXT, nullable=False),
)

REPORT: Final = Table(
    "report",
    METADATA,
    Column("record_id", TEXT, primary_key=True),  # a hash of the record: a repeat is the same
    Column("workspace", TEXT, nullable=False),
    Column("trace_id", TEXT, nullable=False),
    Column("span_id", TEXT, nullable=False),
    Column("kind", TEXT, nullable=False),  # execution | feedback | evaluation
    Column("occurred_ns", BigInteger, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
    Column("is_negative", Boolean, nullable=False),
    Column("is_joined", Boolean, nullable=False),  # its unit is known
    Column("payload", LargeBinary),
    Index(None, "workspace", "trace_id", "span_id"),
    Index(None, "is_joined", "received_ns"),
    Index(
        "ix_report_payload",
        "received_ns",
        sqlite_where=text("payload IS NOT NULL"),
        postgresql_where=text("payload IS NOT NULL"),
    ),
)

SCHEMA_DOCUMENT: Final = Table(
    "schema_document",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("version", TEXT, primary_key=True),
    Column("document", LargeBinary, nullable=False),
    Column("received_ns", BigInteger, nullable=False),
)

JOURNAL: Final = Table(
    "journal",
    METADATA,
    Column("identity", LargeBinary, primary_key=True),
    Column("sequence", BigInteger, nullable=False),  # how far it was projected
    Column("entries", BigInteger, nullable=False),
    Column("records", BigInteger, nullable=False),
    Column("lost_entries", BigInteger, nullable=False),  # acknowledged, and unreadable later
    Column("lost_records", BigInteger, nullable=False),
    # Its files have nothing of what was erased up to this time, by this collector or another:
    Column("erased_ns", BigInteger, nullable=False, server_default=text("0")),
    Column("erased_records", BigInteger, nullable=False, server_default=text("0")),
    Column("host", TEXT),  # of the process that told of trouble
    Column("trouble", TEXT),  # why it cannot be written; null: it can
    Column("seen_ms", BigInteger),  # when that was told, by the clock of the database
)

ERASED: Final = Table(
    "erased",
    METADATA,
    Column(
        "digest", TEXT, primary_key=True
    ),  # keyed; of user, conversation, tenant, trace, request
    Column("kind", TEXT, nullable=False),
    Column("workspace", TEXT, nullable=False),
    Column("erased_ns", BigInteger, nullable=False),
    Index(None, "kind", "erased_ns"),
)

GOLDEN_CASE: Final = Table(
    "golden_case",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("workspace", TEXT, nullable=False),
    Column("digest", TEXT, nullable=False),  # of the question, under the collector's key
    Column("question", TEXT),  # null: only its digest was imported
    Column("target", TEXT, nullable=False, server_default=text("''")),  # empty: any target
    Column("sql", TEXT, nullable=False),
    Column("owner", TEXT, nullable=False),
    Column("source", TEXT, nullable=False),  # reference | corrected | accepted | written | imported
    Column("generation_id", TEXT),  # of the request that it was promoted from
    Column("is_in_force", Boolean, nullable=False),
    Column("created_ns", BigInteger, nullable=False),
    Column("changed_ns", BigInteger, nullable=False),
    UniqueConstraint("workspace", "digest", "target"),
)

GOLDEN_CHANGE: Final = Table(
    "golden_change",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("case_id", ROW_ID, ForeignKey(GOLDEN_CASE.c.id, ondelete="CASCADE"), nullable=False),
    Column("at_ns", BigInteger, nullable=False),
    Column("author", TEXT, nullable=False),
    Column("action", TEXT, nullable=False),  # added | edited | retired | restored | run
    Column("sql", TEXT, nullable=False),
    Column("detail", TEXT),  # what came of a run, as a JSON object
    Index(None, "case_id", "at_ns"),
)

REVIEW_ITEM: Final = Table(
    "review_item",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("unit_id", ROW_ID, ForeignKey(UNIT.c.id, ondelete="CASCADE"), nullable=False),
    Column("judge", TEXT, nullable=False),  # the evaluation whose judge is calibrated
    Column("origin", TEXT, nullable=False),  # sample | finding: somebody called a verdict wrong
    Column("document", LargeBinary),  # what a judge is shown, compressed; null: expired
    Column("results_equal", Boolean),
    Column("wanted", Integer, nullable=False),  # labels by different people
    Column("place", BigInteger, nullable=False),  # at random: the order tells nothing
    Column("added_ns", BigInteger, nullable=False),
    UniqueConstraint("unit_id", "judge"),
)

REVIEW_LEASE: Final = Table(
    "review_lease",
    METADATA,
    Column("item_id", ROW_ID, ForeignKey(REVIEW_ITEM.c.id, ondelete="CASCADE"), primary_key=True),
    Column("rater", TEXT, primary_key=True),
    Column("until_ns", BigInteger, nullable=False),
)

REVIEW_LABEL: Final = Table(
    "review_label",
    METADATA,
    Column("item_id", ROW_ID, ForeignKey(REVIEW_ITEM.c.id, ondelete="CASCADE"), primary_key=True),
    Column("rater", TEXT, primary_key=True),
    Column("is_correct", Boolean, nullable=False),
    Column("critique", TEXT, nullable=False),
    Column("categories", TEXT),  # keys between spaces; null: not chosen
    Column("labeled_ns", BigInteger, nullable=False),
)

WRONG_FINDING: Final = Table(
    "wrong_finding",
    METADATA,
    Column("unit_id", ROW_ID, ForeignKey(UNIT.c.id, ondelete="CASCADE"), primary_key=True),
    Column("metric", TEXT, primary_key=True),  # the evaluation whose verdict is called wrong
    Column("author", TEXT, primary_key=True),
    Column("verdict", TEXT, nullable=False),  # that verdict: a label or a failure code
    Column("critique", TEXT, nullable=False),
    Column("said_ns", BigInteger, nullable=False),
)

CALIBRATION: Final = Table(
    "calibration",
    METADATA,
    Column("workspace", TEXT, primary_key=True),
    Column("judge", TEXT, primary_key=True),
    Column("document", TEXT, nullable=False),  # as `sqlobs judge calibrate` writes it
    Column("author", TEXT, nullable=False),
    Column("made_ns", BigInteger, nullable=False),
)

IN_ORDER: Final = (EVALUATION.c.created_ns, EVALUATION.c.metric, EVALUATION.c.version)
"""Orders the evaluations of a unit: the oldest first, the same in every database."""


def is_unit_of(workspace: str) -> ColumnElement[bool]:
    """Return whether a unit that is found by its id is of a workspace.

    With the column itself, SQLite would begin with all units of the workspace: an expression keeps
    it from using an index.
    """
    return UNIT.c.workspace.concat("") == workspace


SAME_SPAN: Final = and_(
    REPORT.c.workspace == UNIT.c.workspace,
    REPORT.c.trace_id == UNIT.c.trace_id,
    REPORT.c.span_id == UNIT.c.span_id,
)
"""Joins reports to the unit they are about."""
