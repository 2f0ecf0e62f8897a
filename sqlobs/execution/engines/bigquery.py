"""BigQuery: a dry run tells the kind and the bytes of a statement; each job has our id."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from google.api_core.exceptions import GoogleAPICallError, NotFound
from google.cloud.bigquery import ConnectionProperty, QueryJobConfig

from sqlobs.execution.engines.warehouse import NotReadOnlyError, WarehouseEngine, survivors_of
from sqlobs.execution.failure import EngineError, code_by_message
from sqlobs.execution.target import ANALYSIS_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlobs.execution.messages import Backend
    from sqlobs.execution.target import Limits, Target

_MILLISECONDS: Final = 1000
_CODES: Final = {
    "accessDenied": "execution.permission",
    "bytesBilledLimitExceeded": "efficiency.cost",
    "resourcesExceeded": "execution.timeout",
    "responseTooLarge": "execution.timeout",
    "stopped": "execution.timeout",
    "timeout": "execution.timeout",
}
"""By the reason of an error; the messages distinguish those of a faulty statement."""
_UNAVAILABLE: Final = frozenset(
    (
        *("authError", "backendError", "billingNotEnabled", "internalError"),
        *("jobRateLimitExceeded", "quotaExceeded", "rateLimitExceeded"),
    )
)
_FAULTS: Final = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        # Syntax error: Expected end of input but got identifier "x" at [1:8]
        ("syntax.parse_error", r"^Syntax error"),
        # Not found: Table shop:sales.order was not found in location EU
        ("schema.unknown_table", r"^Not found: (?:Table|Dataset)|must be qualified with a dataset"),
        # Column name id is ambiguous at [1:8]
        ("schema.ambiguous_ref", r" is ambiguous"),
        # Unrecognized name: nam; Did you mean name? at [1:8]; Name nam not found inside c at [1:8]
        (
            "schema.unknown_column",
            r"^Unrecognized name: |^Name \S+ not found inside |^Field name \S+ does not exist in ",
        ),
        # Function not found: foo at [1:8]
        (
            "syntax.dialect_mismatch",
            r"^(?:Table-valued function|Function) not found: |^Number of arguments does not match",
        ),
        # Type not found: FLOT at [1:18]
        ("schema.unknown_type", r"^Type not found: "),
        # SELECT list expression references column name which is neither grouped nor aggregated
        (
            "schema.grouping",
            (
                r"neither grouped nor aggregated|^Aggregat\w+ .*not allowed"
                r"|^Analytic function .*not allowed|^Aggregations of aggregations"
            ),
        ),
        # No matching signature for operator + for argument types: STRING, INT64. at [1:8]
        (
            "schema.type_mismatch",
            (
                r"^No matching signature for|^Invalid cast from |^Cannot access field "
                r"|^Could not cast literal |incompatible types|cannot be coerced"
            ),
        ),
    )
)


class BigQueryEngine(WarehouseEngine):
    """BigQuery. Dry runs are free; `maximum_bytes_billed` stops a job before it starts."""

    def backend(self) -> str:
        """Return the id of the next job."""
        self._job_id = f"sqlobs_{uuid4().hex}"
        return self._job_id

    def estimate(self, sql: str, limits: Limits) -> int | None:  # noqa: ARG002 - the signature
        """Return the bytes that a dry run tells.

        Raises:
            NotReadOnlyError: BigQuery calls the statement something else than SELECT.
        """
        job = self._dry_run(sql)
        if job.statement_type != "SELECT":
            raise NotReadOnlyError(str(job.statement_type).lower())
        return int(job.total_bytes_processed)

    def run(self, cursor: Any, sql: str, limits: Limits) -> None:
        """Run it as a job that BigQuery itself stops at its limits of bytes and time."""
        config = self._config()
        config.maximum_bytes_billed = self.target.access.cost.max_bytes
        config.job_timeout_ms = round(limits.timeout_s * _MILLISECONDS)
        doubled = sql.replace("%", "%%")  # the driver halves them
        cursor.execute(doubled, job_id=self._job_id, job_config=config)

    def bytes_read(self, cursor: Any) -> int | None:
        """Return the bytes billed: none for a cached result, at least 10 MB for each table."""
        billed: int | None = cursor.query_job.total_bytes_billed
        return billed

    def prepare(self, sql: str) -> None:
        """Analyze a text by a dry run."""
        self._dry_run(sql)

    def error_of(self, error: Exception) -> EngineError | None:
        """Return the error by its reason, and by its message where the statement is wrong."""
        original = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
        if not isinstance(original, GoogleAPICallError):
            return None
        first = original.errors[0] if original.errors else {}
        reason, message = str(first.get("reason")), str(first.get("message") or original.message)
        if reason in _UNAVAILABLE:
            return None
        code = _CODES.get(reason) or code_by_message(message, _FAULTS)
        return EngineError(name=reason, code=code or "execution.engine_error", message=message)

    def _dry_run(self, sql: str) -> Any:
        config = self._config()
        config.dry_run, config.use_query_cache = True, False
        return self.raw._client.query(sql, job_config=config, timeout=ANALYSIS_S)  # noqa: SLF001

    def _config(self) -> QueryJobConfig:
        config = QueryJobConfig(labels={"application": "sqlobs"})
        settings = self.target.access.settings
        if settings:
            config.connection_properties = [
                ConnectionProperty(key=name, value=value) for name, value in settings.items()
            ]
        return config


def surviving_backends(target: Target, backends: Sequence[Backend]) -> tuple[Backend, ...]:
    """Cancel jobs by their ids; return those that BigQuery does not accept to cancel.

    Raises:
        TargetUnavailableError: BigQuery cannot be reached.
    """
    return survivors_of(target, backends, _cancel)


def _cancel(connection: Any, job_id: Backend) -> None:
    client = connection._client  # noqa: SLF001 - there is no other way to it
    with suppress(NotFound):  # it was not created
        client.cancel_job(str(job_id), location=client.location, timeout=ANALYSIS_S)
