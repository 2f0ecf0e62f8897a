"""Every span, event and attribute name that sqlobs emits or reads, once.

The constant of a name is the name in upper case with underscores: `sqlobs.query.text` is
`SQLOBS_QUERY_TEXT`. Constants are plain strings, so that the hot path pays nothing; type,
description and example are in `ATTRIBUTES`, from which the reference page is generated. Metrics,
evaluations and database systems have their own modules in this package.

Tests: `tests/telemetry/test_semconv.py`.
Tests of collector: `tests/collector/test_quality.py`.
Tests of metrics: `tests/telemetry/test_instruments.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from sqlobs.types import Label, Outcome, Verdict

GENAI_VERSION: Final = "0.1.0"
"""The release of OpenTelemetry's GenAI semantic conventions that spans and events follow."""
SCHEMA_URL: Final = f"https://opentelemetry.io/schemas/gen-ai/{GENAI_VERSION}"

SCOPE: Final = "sqlobs"
"""The instrumentation scope of tracer, meter and logger."""

AttributeType = Literal["str", "bool", "int", "double", "str[]"]
Example = str | bool | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute name of the contract."""

    name: str
    type: AttributeType
    brief: str
    """One sentence: the meaning of the value."""
    example: Example
    values: tuple[str, ...] = ()
    """The allowed values; empty if any value is allowed."""

    @property
    def constant(self) -> str:
        """The name of this module's constant for it."""
        return self.name.upper().replace(".", "_")


ATTRIBUTES: Final[dict[str, Attribute]] = {}
"""Every attribute by name, in the order of declaration."""


def _attribute(
    name: str,
    type_: AttributeType,
    brief: str,
    *,
    example: Example,
    values: tuple[str, ...] = (),
) -> str:
    ATTRIBUTES[name] = Attribute(name, type_, brief, example, values)
    return name


def _str(name: str, brief: str, example: str) -> str:
    return _attribute(name, "str", brief, example=example)


def _enum(name: str, brief: str, values: tuple[str, ...]) -> str:
    return _attribute(name, "str", brief, example=values[0], values=values)


def _bool(name: str, brief: str) -> str:
    return _attribute(name, "bool", brief, example=True)


def _int(name: str, brief: str, example: int) -> str:
    return _attribute(name, "int", brief, example=example)


def _double(name: str, brief: str, example: float) -> str:
    return _attribute(name, "double", brief, example=example)


def _strs(name: str, brief: str, *example: str, values: tuple[str, ...] = ()) -> str:
    return _attribute(name, "str[]", brief, example=example, values=values)


_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_LABELS: tuple[Label, ...] = get_args(Label)

# Spans and events -------------------------------------------------------------------------------

SPAN_GENERATION: Final = "invoke_workflow {name}"
"""One text-to-SQL request; INTERNAL."""
SPAN_ATTEMPT: Final = "sqlobs.attempt"
"""One attempt of a repair loop, child of the request; INTERNAL."""
SPAN_LLM: Final = "chat {model}"
"""One model call that no client instrumentation covers; CLIENT."""
SPAN_RETRIEVAL: Final = "retrieval {source}"
"""Schema linking or another lookup for the prompt; CLIENT."""
SPAN_EXECUTE: Final = "sqlobs.execute"
"""The application's own execution of the SQL; INTERNAL, or a `db.*` CLIENT span on request."""
SPAN_CONTEXT: Final = "sqlobs.context"
"""A block of `context()` outside any other span; INTERNAL."""
SPAN_EVALUATE: Final = "sqlobs.evaluate {evaluation} {label}"
"""A late evaluation, for backends that do not show log records."""

EVENT_UNIT: Final = "sqlobs.unit"
"""The log record with everything the collector evaluates; sent to the collector only."""
EVENT_EXECUTION: Final = "sqlobs.execution"
"""An execution that arrived after its generation's unit; sent to the collector only."""
EVENT_EVALUATION: Final = "gen_ai.evaluation.result"
"""A result that arrived after its span had ended."""
EVENT_FINDING: Final = "sqlobs.finding"
"""A finding of the check, as an event of the span."""
EVENT_EXCEPTION: Final = "exception"
"""What the traced code raised, as an event of the span."""

# Registered names, reused where their meaning fits ----------------------------------------------

GEN_AI_OPERATION_NAME: Final = _enum(
    "gen_ai.operation.name",
    "The operation of the span; GenAI backends recognize spans by it.",
    ("invoke_workflow", "chat", "retrieval"),
)
GEN_AI_AGENT_NAME: Final = _str(
    "gen_ai.agent.name",
    "The workflow, as in `sqlobs.workflow`, under the name that GenAI backends read.",
    "generate_sql",
)
GEN_AI_CONVERSATION_ID: Final = _str(
    "gen_ai.conversation.id", "The conversation, if given; never invented.", "conv-81"
)
USER_ID: Final = _str("user.id", "The user, if given.", "u-1207")
SESSION_ID: Final = _str("session.id", "The session, if given.", "s-55")
GEN_AI_PROMPT_NAME: Final = _str("gen_ai.prompt.name", "Name of the prompt template.", "sql")
GEN_AI_PROMPT_VERSION: Final = _str(
    "gen_ai.prompt.version", "Version of the prompt template.", "v14"
)
GEN_AI_PROVIDER_NAME: Final = _str(
    "gen_ai.provider.name", "The provider that serves the model.", "openai"
)
GEN_AI_REQUEST_MODEL: Final = _str(
    "gen_ai.request.model",
    "The requested model, as given or as read from a child span; on metrics in lower case, without"
    " provider prefix and release date, or `other` or `unknown`.",
    "gpt-4o",
)
GEN_AI_RESPONSE_MODEL: Final = _str(
    "gen_ai.response.model", "The model that produced the response.", "gpt-4o-2024-08-06"
)
GEN_AI_RESPONSE_ID: Final = _str(
    "gen_ai.response.id", "The completion's ID: a join key if the span was not sampled.", "cmpl-9"
)
GEN_AI_RESPONSE_FINISH_REASONS: Final = _strs(
    "gen_ai.response.finish_reasons", "Why the model stopped, one reason per choice.", "stop"
)
GEN_AI_USAGE_INPUT_TOKENS: Final = _int(
    "gen_ai.usage.input_tokens",
    "Input tokens of one model call; on `chat` spans only, never on the request.",
    812,
)
GEN_AI_USAGE_OUTPUT_TOKENS: Final = _int(
    "gen_ai.usage.output_tokens",
    "Output tokens of one model call; on `chat` spans only, never on the request.",
    64,
)
GEN_AI_INPUT_MESSAGES: Final = _str(
    "gen_ai.input.messages",
    "The prompt as JSON, truncated to 16 KiB of text by dropping the oldest messages; only if"
    " message capture is enabled. The model's own messages are included only if SQL is captured"
    " raw.",
    '[{"role":"user","parts":[{"type":"text","content":"…"}]}]',
)
GEN_AI_OUTPUT_MESSAGES: Final = _str(
    "gen_ai.output.messages",
    "The completion as JSON; only if message capture is enabled and SQL is captured raw.",
    '[{"role":"assistant","parts":[{"type":"text","content":"…"}]}]',
)
GEN_AI_DATA_SOURCE_ID: Final = _str(
    "gen_ai.data_source.id", "The data source that was searched.", "schema-index"
)
GEN_AI_RETRIEVAL_QUERY_TEXT: Final = _str(
    "gen_ai.retrieval.query.text",
    "The search query; only if message capture is enabled.",
    "revenue by region",
)
GEN_AI_EVALUATION_NAME: Final = _str(
    "gen_ai.evaluation.name", "The name of the evaluation; see Evaluations.", "schematic"
)
GEN_AI_EVALUATION_SCORE_VALUE: Final = _double(
    "gen_ai.evaluation.score.value", "The score, in the range of its evaluation.", 1.0
)
GEN_AI_EVALUATION_SCORE_LABEL: Final = _enum(
    "gen_ai.evaluation.score.label", "The verdict of one evaluation.", _LABELS
)
GEN_AI_EVALUATION_EXPLANATION: Final = _str(
    "gen_ai.evaluation.explanation",
    "Why, in a sentence; masked.",
    'Unknown column "totals" in "orders".',
)
ERROR_TYPE: Final = _str(
    "error.type",
    "The class of the exception; set only if the operation itself failed.",
    "openai.RateLimitError",
)
DB_SYSTEM_NAME: Final = _str("db.system.name", "The database product.", "postgresql")
DB_QUERY_SUMMARY: Final = _str(
    "db.query.summary", "Operations and targets of the executed SQL.", "SELECT orders customers"
)
DB_QUERY_TEXT: Final = _str(
    "db.query.text",
    "The executed SQL of a database client span, captured like the generated SQL.",
    "SELECT ?",
)
DB_RESPONSE_STATUS_CODE: Final = _str(
    "db.response.status_code", "The engine's error code, such as a SQLSTATE.", "42P01"
)
SERVICE_NAME: Final = _str(
    "service.name",
    "The name of the application; like the next three on the resource and on every series.",
    "sales-assistant",
)
SERVICE_INSTANCE_ID: Final = _str(
    "service.instance.id",
    "The ID of one process of the application.",
    "627cc493-f310-47de-96bd-71410b7dec09",
)
SERVICE_VERSION: Final = _str(
    "service.version",
    "The release of the application; absent if its resource does not name it.",
    "2026.11.3",
)
DEPLOYMENT_ENVIRONMENT_NAME: Final = _str(
    "deployment.environment.name",
    "The environment in which the application runs; absent if its resource does not name it.",
    "production",
)
IDENTITY: Final = (
    SERVICE_NAME,
    SERVICE_INSTANCE_ID,
    SERVICE_VERSION,
    DEPLOYMENT_ENVIRONMENT_NAME,
)
"""Resource attributes that are also labels of every series of the SDK.

Paths to Prometheus differ in the resource attributes that they turn into labels; labels of the
series themselves always arrive.
"""
OPENINFERENCE_SPAN_KIND: Final = _enum(
    "openinference.span.kind",
    "The kind under which Phoenix shows the span.",
    ("CHAIN", "LLM", "RETRIEVER", "TOOL", "EVALUATOR"),
)
INPUT_VALUE: Final = _str(
    "input.value",
    "What Phoenix shows as the input: the question, if message capture is enabled; of an execution"
    " and an attempt the SQL, captured like the generated SQL.",
    "Which region sold most in May?",
)
OUTPUT_VALUE: Final = _str(
    "output.value",
    "What Phoenix shows as the output of a request: the SQL, as in `sqlobs.query.text`.",
    "SELECT total FROM orders WHERE region = ?",
)
EXCEPTION_TYPE: Final = _str(
    "exception.type", "The class of the exception, on the event `exception`.", "TimeoutError"
)
EXCEPTION_MESSAGE: Final = _str(
    "exception.message",
    "Its message: of an engine masked unless SQL is captured raw, of any other exception only if"
    " message capture is enabled.",
    'column "totals" does not exist',
)
EXCEPTION_STACKTRACE: Final = _str(
    "exception.stacktrace",
    "The innermost 20 frames, without source lines.",
    "app.py:12 in generate_sql",
)

# Read from child spans of other instrumentations, never emitted ---------------------------------

# The first name of each list is that of the current conventions; the others are those of earlier
# ones and of OpenInference, which the newest instrumentations still emit.
FOREIGN_MODEL_NAMES: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
"""Attributes in which client instrumentations put the model, in order of preference."""
FOREIGN_INPUT_TOKENS: Final = (
    "gen_ai.usage.input_tokens",
    "llm.token_count.prompt",
    "gen_ai.usage.prompt_tokens",
)
"""Attributes with the number of input tokens, in order of preference."""
FOREIGN_OUTPUT_TOKENS: Final = (
    "gen_ai.usage.output_tokens",
    "llm.token_count.completion",
    "gen_ai.usage.completion_tokens",
)
"""Attributes with the number of output tokens, in order of preference."""

# The request ------------------------------------------------------------------------------------

SQLOBS_WORKFLOW: Final = _str(
    "sqlobs.workflow", "Name of the decorator or of the function.", "generate_sql"
)
SQLOBS_TARGET_NAME: Final = _str(
    "sqlobs.target.name",
    "Alias of the database that the SQL is written for; never a DSN.",
    "warehouse",
)
SQLOBS_TARGET_SYSTEM: Final = _str(
    "sqlobs.target.system", "The target's database product, as in `db.system.name`.", "postgresql"
)
SQLOBS_TENANT: Final = _str(
    "sqlobs.tenant", "The customer on whose behalf the request runs, if given.", "acme"
)
SQLOBS_DIALECT: Final = _str("sqlobs.dialect", "The SQL dialect, in sqlglot's names.", "postgres")
SQLOBS_OUTCOME: Final = _enum("sqlobs.outcome", "How the request ended.", _OUTCOMES)
SQLOBS_VERDICT: Final = _enum(
    "sqlobs.verdict",
    "failed: a label is false, or a safety error was found; suspect: a warning was found;"
    " not_evaluated: a label is missing; otherwise ok.",
    _VERDICTS,
)
SQLOBS_CORRECTNESS_LABELS: Final = _strs(
    "sqlobs.correctness.labels",
    "The labels that are true, in this order.",
    "syntactic",
    "schematic",
    values=("syntactic", "schematic"),
)
SQLOBS_SYNTACTIC: Final = _bool(
    "sqlobs.syntactic", "The SQL is valid for its dialect; absent if not evaluated."
)
SQLOBS_SCHEMATIC: Final = _bool(
    "sqlobs.schematic", "Every name in the SQL exists in the schema; absent if not evaluated."
)
SQLOBS_SYNTACTIC_REASON: Final = _str(
    "sqlobs.syntactic_reason",
    "Why `sqlobs.syntactic` is absent: one of the reasons on the failure-codes page.",
    "no_dialect",
)
SQLOBS_SCHEMATIC_REASON: Final = _str(
    "sqlobs.schematic_reason",
    "Why `sqlobs.schematic` is absent: one of the reasons on the failure-codes page.",
    "no_schema",
)
SQLOBS_FAILURE_CODE: Final = _str(
    "sqlobs.failure.code", "The primary failure code.", "schema.unknown_column"
)
SQLOBS_FAILURE_GROUP: Final = _str(
    "sqlobs.failure.group", "The part of the primary code before its dot.", "schema"
)
SQLOBS_FAILURE_CODES: Final = _strs(
    "sqlobs.failure.codes",
    "All failure codes found, the primary first.",
    "schema.unknown_column",
)
SQLOBS_WARNING_CODES: Final = _strs(
    "sqlobs.warning.codes", "All codes found as warnings.", "semantics.join"
)
SQLOBS_HALLUCINATED_TABLES: Final = _strs(
    "sqlobs.hallucinated.tables",
    "Tables that are not in the schema, as written in the SQL.",
    "client_orders",
)
SQLOBS_HALLUCINATED_COLUMNS: Final = _strs(
    "sqlobs.hallucinated.columns",
    "Columns that do not exist in their table, as written in the SQL.",
    "customer_revenue",
)
SQLOBS_HALLUCINATED_FIRST: Final = _str(
    "sqlobs.hallucinated.first",
    "The first invented name as a scalar: some backends cannot search arrays.",
    "customer_revenue",
)
SQLOBS_HALLUCINATED_COUNT: Final = _int(
    "sqlobs.hallucinated.count", "Number of invented names; 0 if every name exists.", 1
)
SQLOBS_SUGGESTIONS: Final = _strs(
    "sqlobs.suggestions",
    "The most likely intended name for each invented one.",
    "customer_revenue -> total_revenue",
)
SQLOBS_REPAIRABLE: Final = _bool(
    "sqlobs.repairable", "The SQL passes the same check after the suggestions are applied."
)
SQLOBS_SYNTAX_ERROR_MESSAGE: Final = _str(
    "sqlobs.syntax_error.message", "The syntax error's message; masked.", "Expecting )"
)
SQLOBS_SYNTAX_ERROR_LINE: Final = _int(
    "sqlobs.syntax_error.line", "Line of the syntax error, from 1.", 3
)
SQLOBS_SYNTAX_ERROR_COLUMN: Final = _int(
    "sqlobs.syntax_error.column", "Column of the syntax error, from 1.", 14
)
SQLOBS_FINDING_CODE: Final = _str(
    "sqlobs.finding.code", "The code, on the event `sqlobs.finding`.", "schema.unknown_column"
)
SQLOBS_FINDING_SEVERITY: Final = _enum(
    "sqlobs.finding.severity", "The severity of the finding.", ("error", "warning")
)
SQLOBS_FINDING_MESSAGE: Final = _str(
    "sqlobs.finding.message",
    "What was found, masked.",
    'Unknown column "totals" in "orders". Did you mean "total"?',
)
SQLOBS_FINDING_SUGGESTION: Final = _str(
    "sqlobs.finding.suggestion", "The most likely intended name.", "total"
)
SQLOBS_FINDING_LINE: Final = _int("sqlobs.finding.line", "Its line in the SQL, from 1.", 3)
SQLOBS_FINDING_COLUMN: Final = _int("sqlobs.finding.column", "Its column, from 1.", 14)
SQLOBS_QUERY_TEXT: Final = _str(
    "sqlobs.query.text",
    "The generated SQL: masked on spans, raw in the unit's body.",
    "SELECT total FROM orders WHERE region = ?",
)
SQLOBS_QUERY_CAPTURE: Final = _enum(
    "sqlobs.query.capture",
    "The form of `sqlobs.query.text`.",
    ("masked", "raw", "redacted", "none"),
)
SQLOBS_QUERY_TRUNCATED: Final = _bool(
    "sqlobs.query.truncated", "The SQL was truncated at its size limit."
)
SQLOBS_QUERY_SUMMARY: Final = _str(
    "sqlobs.query.summary",
    "Operations and targets; equal to `db.query.summary` on the database span that executes it.",
    "SELECT orders customers",
)
SQLOBS_QUERY_FINGERPRINT: Final = _str(
    "sqlobs.query.fingerprint",
    "Version-prefixed hash of the literal-free normalized statement.",
    "1:9f86d081884c7d65",
)
SQLOBS_QUERY_STATEMENT: Final = _str("sqlobs.query.statement", "The kind of statement.", "select")
SQLOBS_QUERY_TABLES: Final = _strs(
    "sqlobs.query.tables", "The tables the statement refers to.", "orders", "customers"
)
SQLOBS_SCHEMA_VERSION: Final = _str(
    "sqlobs.schema.version",
    "Content hash of the schema that the SQL was checked against.",
    "5e884898da280471",
)
SQLOBS_CHECKER_VERSION: Final = _str(
    "sqlobs.checker.version",
    "Versions of checker, sqlglot and function catalog, to distinguish upgrades from incidents.",
    "0.1.0+sqlglot-30.30.0+catalog-3d6f0a51",
)
SQLOBS_CHECK_STATUS: Final = _enum(
    "sqlobs.check.status",
    "The state of the check.",
    ("complete", "pending", "dropped", "timeout", "error", "skipped"),
)
SQLOBS_CHECK_METHOD: Final = _enum(
    "sqlobs.check.method", "How the verdict was reached.", ("static", "native", "llm")
)
SQLOBS_CHECK_DURATION: Final = _double("sqlobs.check.duration", "Seconds the check took.", 0.0006)
SQLOBS_GENERATION_DURATION: Final = _double(
    "sqlobs.generation.duration", "Seconds the decorated function took.", 1.92
)
SQLOBS_GENERATION_TIME_TO_FIRST_TOKEN: Final = _double(
    "sqlobs.generation.time_to_first_token", "Seconds to the first chunk of a stream.", 0.41
)
SQLOBS_LLM_DURATION: Final = _double(
    "sqlobs.llm.duration", "Seconds in model calls, summed over child spans.", 1.7
)
SQLOBS_RETRIEVAL_DURATION: Final = _double(
    "sqlobs.retrieval.duration", "Seconds in retrieval, summed over child spans.", 0.12
)
SQLOBS_EXECUTION_DURATION: Final = _double(
    "sqlobs.execution.duration",
    "Seconds in execution, summed over child spans; on an evaluation by the collector the run time"
    " of the SQL.",
    0.08,
)
SQLOBS_EXECUTION_WAIT: Final = _double(
    "sqlobs.execution.wait",
    "Seconds until a worker process with an open connection ran the SQL, on an evaluation by the"
    " collector.",
    0.002,
)
SQLOBS_ATTEMPTS: Final = _int("sqlobs.attempts", "Number of attempts; 1 without a repair loop.", 2)
SQLOBS_FIRST_ATTEMPT_VERDICT: Final = _enum(
    "sqlobs.first_attempt.verdict", "The verdict of the first attempt.", _VERDICTS
)
SQLOBS_FIRST_ATTEMPT_HALLUCINATED: Final = _bool(
    "sqlobs.first_attempt.hallucinated",
    "The first attempt used a name that does not exist, or a column of another table; absent if"
    " not evaluated.",
)
SQLOBS_USAGE_INPUT_TOKENS: Final = _int(
    "sqlobs.usage.input_tokens", "Input tokens of all model calls of the request.", 1624
)
SQLOBS_USAGE_OUTPUT_TOKENS: Final = _int(
    "sqlobs.usage.output_tokens", "Output tokens of all model calls of the request.", 128
)
SQLOBS_USAGE_COST: Final = _double("sqlobs.usage.cost", "Cost of the request in USD.", 0.0041)
SQLOBS_STREAM_ABANDONED: Final = _bool(
    "sqlobs.stream.abandoned", "The consumer closed the stream before its end."
)
SQLOBS_MESSAGES_TRUNCATED: Final = _bool(
    "sqlobs.messages.truncated", "Messages of a model call were truncated to their size limits."
)
SQLOBS_QUESTION_TEXT: Final = _str(
    "sqlobs.question.text",
    "The question: on spans only if message capture is enabled; in the unit's body if the question"
    " is captured `raw`.",
    "Which region sold most in May?",
)
SQLOBS_TRUNCATED_ATTRIBUTES: Final = _strs(
    "sqlobs.truncated.attributes",
    "Names of the attributes that were truncated at their size limits.",
    "sqlobs.query.tables",
)

# Attempts, executions ---------------------------------------------------------------------------

SQLOBS_ATTEMPT_NUMBER: Final = _int(
    "sqlobs.attempt.number",
    "Number of the attempt, from 1; as a metric label `1`, `2`, `3` or `4+`.",
    1,
)
SQLOBS_EXECUTION_STATUS: Final = _enum(
    "sqlobs.execution.status", "How the execution ended.", ("ok", "error", "timeout")
)
SQLOBS_EXECUTION_SQLSTATE_CLASS: Final = _str(
    "sqlobs.execution.sqlstate_class", "The first two characters of the SQLSTATE.", "42"
)
SQLOBS_RESULT_ROWS: Final = _int("sqlobs.result.rows", "Rows of the result.", 12)
SQLOBS_RESULT_COLUMNS: Final = _int("sqlobs.result.columns", "Columns of the result.", 3)
SQLOBS_RESULT_EMPTY: Final = _bool("sqlobs.result.empty", "The result has no rows.")
SQLOBS_RESULT_TRUNCATED: Final = _bool(
    "sqlobs.result.truncated", "The result had more rows than were read."
)

# The unit and the records joined to it ----------------------------------------------------------

SQLOBS_GENERATION_ID: Final = _str(
    "sqlobs.generation.id",
    "The generation in traceparent form: the key of feedback and, without flags, of deduplication.",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
)
SQLOBS_QUESTION_DIGEST: Final = _str(
    "sqlobs.question.digest",
    "Keyed hash of the normalized question, by which the reference is found.",
    "0d0c9a3c41cd54a61dbd3b0a6b1d2d6c26f1f3f1ae3b5ee5e34ea4ea8dbd8dd0",
)
SQLOBS_REFERENCE_CASE_ID: Final = _str(
    "sqlobs.reference.case_id", "The case of a golden set from which the question comes.", "shop-17"
)
SQLOBS_REFERENCE_QUERY_TEXT: Final = _str(
    "sqlobs.reference.query.text", "The reference SQL; in the unit's body.", "SELECT 1"
)
SQLOBS_HINT_TEXT: Final = _str(
    "sqlobs.hint.text",
    "Domain knowledge for the judge; in the unit's body.",
    "Revenue is net of returns.",
)
SQLOBS_ATTEMPT_TEXTS: Final = _str(
    "sqlobs.attempt.texts",
    "The last 8 statements that were tried and their findings, as JSON; in the unit's body, if one"
    " of them has a finding or there are several.",
    '[{"number":1,"verdict":"failed","sql":"SELECT totals FROM orders","findings":[…]}]',
)
SQLOBS_TRACE_SAMPLED: Final = _bool(
    "sqlobs.trace.sampled", "The trace of the generation was sampled."
)
SQLOBS_SAMPLING_PROBABILITY: Final = _double(
    "sqlobs.sampling.probability",
    "The probability with which this record was sampled; absent if unknown.",
    1.0,
)

# Late results and feedback ----------------------------------------------------------------------

SQLOBS_EVALUATOR_NAME: Final = _str(
    "sqlobs.evaluator.name", "The name of the evaluator.", "sqlobs.static"
)
SQLOBS_EVALUATOR_VERSION: Final = _str("sqlobs.evaluator.version", "The evaluator's version.", "1")
SQLOBS_EVALUATOR_KIND: Final = _enum(
    "sqlobs.evaluator.kind", "The evaluator's kind.", ("static", "native", "llm", "engine", "human")
)
SQLOBS_EVALUATED_TRACE_ID: Final = _str(
    "sqlobs.evaluated.trace_id",
    "Trace of the evaluated span, on a late evaluation's span.",
    "4bf92f3577b34da6a3ce929d0e0e4736",
)
FEEDBACK_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "thumb": ("up", "down"),
    "rating": ("1", "2", "3", "4", "5"),
    "edit": ("accepted", "corrected", "rejected"),
    "follow_up": ("reasked", "abandoned", "exported"),
}
"""The allowed values of feedback, by kind."""
SQLOBS_FEEDBACK_KIND: Final = _enum(
    "sqlobs.feedback.kind", "The kind of feedback.", (*FEEDBACK_VALUES, "other")
)
SQLOBS_FEEDBACK_VALUE: Final = _enum(
    "sqlobs.feedback.value",
    "The value of the feedback.",
    (*(value for values in FEEDBACK_VALUES.values() for value in values), "other"),
)
SQLOBS_FEEDBACK_QUERY_TEXT: Final = _str(
    "sqlobs.feedback.query.text",
    "The SQL as corrected by the user: raw to the collector, masked elsewhere.",
    "SELECT total_revenue FROM orders",
)

# Labels of metrics only -------------------------------------------------------------------------

SQLOBS_SCHEMA_HALLUCINATION_LABEL: Final = _enum(
    "sqlobs.schema_hallucination.label", "The label of `schema_hallucination`.", _LABELS
)
SQLOBS_STATIC_LABEL: Final = _enum(
    "sqlobs.static.label", "Both static labels together, of an executed statement.", _LABELS
)
SQLOBS_ENGINE_LABEL: Final = _enum(
    "sqlobs.engine.label",
    "pass: the statement ran; fail: SQLSTATE class 42 without 42501, or rejected when prepared.",
    _LABELS,
)
SQLOBS_STAGE: Final = _enum(
    "sqlobs.stage", "The part of the request.", ("total", "llm", "retrieval", "execution")
)
SQLOBS_TOKEN_TYPE: Final = _enum(
    "sqlobs.token.type", "Whether input or output tokens are counted.", ("input", "output")
)
SQLOBS_REASON: Final = _str(
    "sqlobs.reason",
    "Why nothing was evaluated: one of the reasons on the failure-codes page.",
    "queue_full",
)
SQLOBS_QUEUE_NAME: Final = _enum("sqlobs.queue.name", "The queue.", ("check", "unit"))
SQLOBS_SIGNAL: Final = _enum(
    "sqlobs.signal", "The signal that failed to export.", ("traces", "metrics", "logs", "unit")
)
SQLOBS_METRIC_NAME: Final = _str(
    "sqlobs.metric.name", "The metric that reached its limit of series.", "sqlobs.generations"
)
SQLOBS_SCHEMA_CHANGE: Final = _enum(
    "sqlobs.schema.change",
    "The kind of change that a refresh of the schema found.",
    ("table_added", "table_removed", "column_added", "column_removed", "type_changed"),
)
SQLOBS_BUILD_VERSION: Final = _str("sqlobs.build.version", "Version of sqlobs.", "0.1.0")
SQLOBS_CATALOG_VERSION: Final = _str(
    "sqlobs.catalog.version", "Content hash of the engines' catalogs.", "3d6f0a51"
)
