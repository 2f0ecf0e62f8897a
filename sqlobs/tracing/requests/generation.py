"""The handle that user code holds of one request. Tests: `tests/tracing/test_handles.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlobs.tracing.checking import takes_long, unchecked
from sqlobs.tracing.completion_signal import wait_for, wait_for_async
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.options.arguments import Arguments
from sqlobs.tracing.options.option_layer import (
    NO_OPTIONS,
    OPTION_NAMES,
    OptionLayer,
    Prompt,
    SchemaProvider,
    resolve,
)
from sqlobs.tracing.options.scope import current_scope
from sqlobs.tracing.records.record import Usage
from sqlobs.tracing.requests.answer import text_in
from sqlobs.tracing.requests.attempts import try_now

if TYPE_CHECKING:
    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.requests.request import Request
    from sqlobs.tracing.runtime import Runtime

WAIT_S: Final = 10.0
"""Default timeout of `wait` and `ready`."""
SettableOutcome = Literal["answered", "abstained", "clarified"]


class Generation:
    """One text-to-SQL request, as the traced function sees it.

    Outside any request `attempt` still checks, and nothing is recorded.
    """

    __slots__ = ("__weakref__", "_request")

    def __init__(self, request: Request | None = None) -> None:
        self._request = request

    def __repr__(self) -> str:
        return f"Generation({self.id!r})"

    def __bool__(self) -> bool:
        """False outside any request."""
        return self._request is not None

    @property
    def id(self) -> str:
        """The id for `record_feedback`: the span's traceparent; "" outside any request."""
        return "" if self._request is None else self._request.id

    @property
    def report(self) -> CheckReport | None:
        """The report of the last checked statement.

        None while the check is still to come (see `wait`), and where there was nothing to check.
        """
        return None if self._request is None else self._request.last_report

    def wait(self, timeout: float = WAIT_S) -> CheckReport | None:
        """Block until the check of an ended request is done, and return its report.

        On an event loop use `ready`. Inside the request it returns at once, as `report` does:
        the check runs after the request has ended.

        Args:
            timeout: Seconds to wait at most; the check continues after that.

        Returns:
            The report; None where nothing was checked, or not in time.
        """
        if self._request is not None:
            wait_for(self._request.settling(), timeout)
        return self.report

    async def ready(self, timeout: float = WAIT_S) -> CheckReport | None:  # noqa: ASYNC109 - it raises nothing
        """Wait as `wait` does, without blocking the event loop."""
        if self._request is not None:
            await wait_for_async(self._request.settling(), timeout)
        return self.report

    def explain(self) -> str:
        """Return `report.explain()`: the findings, for the model's next attempt.

        "" without findings, or while the check is still to come; see `wait`. Never raises.
        """
        report = self.report
        return "" if report is None else report.explain()

    def attempt(self, sql: str) -> CheckReport:
        """Check a statement now and count it as an attempt of this request.

        The same text again is the same attempt.

        Args:
            sql: The model's text; the statement is extracted as from a returned answer.

        Returns:
            The report. Both labels are None if sqlobs itself fails; it never raises.
        """
        with INTERNAL_ERRORS.contained("attempt"):
            return self._attempt(sql)
        return unchecked(sql if type(sql) is str else "", reason="error")

    def _attempt(self, sql: str) -> CheckReport:
        return (
            unchecked("", reason="error") if self._request is None else try_now(self._request, sql)
        )

    async def aattempt(self, sql: str) -> CheckReport:
        """Check as `attempt` does, and keep what is waited for off the event loop."""
        with INTERNAL_ERRORS.contained("attempt"):
            if self._is_quick(sql):
                return self.attempt(sql)
        from anyio import to_thread

        return await to_thread.run_sync(self.attempt, sql)

    def _is_quick(self, sql: object) -> bool:
        """Return whether an attempt may be checked on an event loop."""
        request = self._request
        if request is None:
            return not takes_long(sql)
        runtime = request.runtime
        if runtime.fallback is not None and runtime.fallback.holds_spans:
            return False
        text = text_in(sql)
        return text is None or runtime.checker.is_quick(text, request.resolve())

    def set(
        self,
        *,
        sql: str | None = None,
        outcome: SettableOutcome | None = None,
        question: str | None = None,
        schema: Schema | SchemaProvider | Callable[..., object] | None = None,
        dialect: str | None = None,
        target: str | None = None,
        reference: str | None = None,
        hints: str | None = None,
        tenant: str | None = None,
        prompt: Prompt | None = None,
        model: str | None = None,
        conversation: str | None = None,
        user: str | None = None,
        session: str | None = None,
        case_id: str | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost_usd: float | None = None,
    ) -> None:
        """Set options and results of this request; overrides context, decorator and `configure`.

        Args:
            sql: The answer of this request, whatever the function returns.
            outcome: `abstained` or `clarified` where the request returned no SQL on purpose.
            question: The question in natural language.
            schema: The schema to check against.
            dialect: The SQL dialect.
            target: Alias of the database that the SQL is meant for; never a DSN.
            reference: The correct SQL, where it is known.
            hints: Domain knowledge for judges.
            tenant: Your customer.
            prompt: Name and version of the prompt.
            model: The name of the model.
            conversation: Id of the conversation.
            user: Id of the user.
            session: Id of the session.
            case_id: Id of the test case that this request runs.
            input_tokens: Input tokens, added to those found on spans.
            output_tokens: Output tokens, added to those found on spans.
            cost_usd: Cost in US dollars, added to the cost so far.
        """
        given: dict[str, Any] = locals()
        request = self._request
        if request is None:
            return
        with INTERNAL_ERRORS.contained("generation.set"):
            usage = Usage(_count(input_tokens), _count(output_tokens), _amount(cost_usd))
            if usage != Usage():
                request.rollup.add_usage(usage)
            request.correct(
                OptionLayer(**{name: given[name] for name in OPTION_NAMES}),
                sql=sql,
                outcome=outcome,
                question=question,
            )


class OutsideGeneration(Generation):
    """The handle outside any request, where `attempt` checks with the options of the context."""

    __slots__ = ("_runtime",)

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        super().__init__()
        self._runtime = runtime

    def _attempt(self, sql: str) -> CheckReport:
        runtime, block = self._runtime(), current_scope().context_block
        options = NO_OPTIONS if block is None else block.options
        resolved = resolve(options.over(runtime.options), Arguments(None))
        text = text_in(sql)
        if text is None:
            return unchecked("", reason="undecided")
        return runtime.checker.check(text, resolved)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
