"""The handle that user code holds of one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlobs.tracing.checking import takes_long
from sqlobs.tracing.conditions.given import Given
from sqlobs.tracing.internal_errors import INTERNAL_ERRORS
from sqlobs.tracing.records.record import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlobs.check.report.model import CheckReport
    from sqlobs.schema.model import Schema
    from sqlobs.tracing.conditions.given import Prompt, SchemaProvider
    from sqlobs.tracing.requests.request import Request

WAIT_S: Final = 10.0
"""How long `wait` and `ready` wait where nothing else is said."""
SettableOutcome = Literal["answered", "abstained", "clarified"]


class Generation:
    """One text-to-SQL request, as the function that answers it sees it.

    Outside any request the handle still checks what `attempt` is given, and records nothing.
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
        """The report of the last statement that was checked.

        None while the check is still to come (see `wait`), and where there was nothing to check.
        """
        return None if self._request is None else self._request.last_report

    def wait(self, timeout: float = WAIT_S) -> CheckReport | None:
        """Block until the check of an ended request is done, and return its report.

        On an event loop use `ready`. Inside the request, whose end the check comes after, this
        returns at once, as `report` does.

        Args:
            timeout: Seconds to wait at most; then the check goes on without you.

        Returns:
            The report; None where nothing was checked, or not in time.
        """
        waiting = None if self._request is None else self._request.settling()
        if waiting is not None:
            waiting.wait(timeout)
        return self.report

    async def ready(self, timeout: float = WAIT_S) -> CheckReport | None:  # noqa: ASYNC109 - it raises nothing
        """Do as `wait` does, without blocking the event loop."""
        waiting = None if self._request is None else self._request.settling()
        if waiting is not None:
            await waiting.wait_async(timeout)
        return self.report

    def explain(self) -> str:
        """Return `report.explain()`: what was found, for the model's next attempt.

        "" where nothing was found or the check is still to come; see `wait`. Never raises.
        """
        report = self.report
        return "" if report is None else report.explain()

    def attempt(self, sql: str) -> CheckReport:
        """Check a statement now and count it as an attempt of this request.

        Text equal to the attempt before is the same attempt.

        Args:
            sql: The model's text; the statement is found in it as in a returned answer.

        Returns:
            The report. On a failure of our own both labels are None; nothing is ever raised.
        """
        if self._request is None:
            from sqlobs.tracing.instance import default_instance

            return default_instance().check_outside(sql)
        return self._request.attempt(sql)

    async def aattempt(self, sql: str) -> CheckReport:
        """Do as `attempt` does, keeping SQL that takes long to parse off the event loop."""
        if not self._may_wait() and not takes_long(sql):
            return self.attempt(sql)
        from anyio import to_thread

        return await to_thread.run_sync(self.attempt, sql)

    def _may_wait(self) -> bool:
        """Say whether a check may wait for a fallback's answer."""
        if self._request is None:
            return False
        consultation = self._request.runtime.consultation
        return consultation is not None and consultation.holds_spans

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
        """Correct or add what cannot be seen; wins over context, decorator and configuration.

        Args:
            sql: The statement that is this request's answer, whatever the function returns.
            outcome: How the request ended, where it gave no SQL on purpose.
            question: The question in natural language.
            schema: The schema to check against.
            dialect: The SQL dialect.
            target: Alias of the database that the SQL is meant for; never a DSN.
            reference: The correct SQL, where it is known.
            hints: Domain knowledge that judges shall see.
            tenant: The customer inside your application.
            prompt: Name and version of the prompt.
            model: The model that was asked.
            conversation: Id of the conversation.
            user: Id of the user.
            session: Id of the session.
            case_id: Id of the test case that this request plays.
            input_tokens: Tokens sent to the model, added to those seen.
            output_tokens: Tokens received, added to those seen.
            cost_usd: Cost in US dollars, added to what was seen.
        """
        request = self._request
        if request is None:
            return
        try:
            usage = Usage(_number(input_tokens), _number(output_tokens), _amount(cost_usd))
            if usage != Usage():
                request.rollup.add_usage(usage)
            request.correct(
                Given(
                    schema=schema,
                    dialect=dialect,
                    target=target,
                    reference=reference,
                    hints=hints,
                    tenant=tenant,
                    prompt=prompt,
                    model=model,
                    conversation=conversation,
                    user=user,
                    session=session,
                    case_id=case_id,
                ),
                sql=sql,
                outcome=outcome,
                question=question,
            )
        except Exception as error:  # noqa: BLE001 - the boundary: telemetry never harms the host
            INTERNAL_ERRORS.caught("generation.set", error)


def _number(told: object) -> int | None:
    """Return a count of tokens; what is none is not told."""
    return told if isinstance(told, int) and not isinstance(told, bool) else None


def _amount(told: object) -> float | None:
    """Return an amount of money; what is none is not told."""
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else None


NO_GENERATION = Generation()
"""The handle outside any request."""
