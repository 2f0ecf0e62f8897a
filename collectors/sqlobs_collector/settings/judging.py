"""Settings of the LLM judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, get_args

from pydantic import Field, model_validator

from sqlobs.errors import ConfigError, InputError
from sqlobs.judge.endpoint.budget import BudgetLimits
from sqlobs.judge.endpoint.config import EndpointConfig
from sqlobs.judge.trust.calibration import read_calibration
from sqlobs.judge.trust.tuning import read_examples
from sqlobs.judge.verdicts.roster import VOTING, fingerprint_of
from sqlobs.prices import Price
from sqlobs_collector.settings import values

if TYPE_CHECKING:
    from sqlobs.judge.trust.category_rates import Table

FurtherName: TypeAlias = Literal["adherence", "efficiency", "injection"]
JudgeName: TypeAlias = Literal["flex", "flex_noref", FurtherName]

CORRECTNESS: Final = "sql_correctness"
"""The evaluation of the labels `syntactic` and `schematic` that the checker left undecided."""
FLEX: Final = "flex"
"""The judge of a unit with a reference."""
FLEX_NOREF: Final = "flex_noref"
"""The judge of a unit without one."""
FURTHER: Final[tuple[FurtherName, ...]] = get_args(FurtherName)
"""Additional judges; none of them needs a reference."""


_ASKS: Final = ("model", "api_key", "evaluations", "canaries")
"""Settings that require a judge."""


class JudgePrice(values.Section):
    """What a model costs."""

    input: float = Field(ge=0, description="USD per million input tokens.")
    output: float = Field(ge=0, description="USD per million output tokens.")


class WorkspaceJudge(values.Section):
    """Settings of the judge for one workspace."""

    entry: ClassVar[str] = "workspace"

    rate: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Share of its evaluated units to judge; default: `judge.rate`.",
    )
    daily_usd: float | None = Field(
        default=None,
        ge=0,
        description="Its own daily budget (UTC), beside the one of all workspaces.",
    )
    daily_tokens: int | None = Field(
        default=None, ge=0, description="The same in tokens, input and output together."
    )


_USUAL: Final = WorkspaceJudge()
"""A workspace without settings of its own."""


class Judge(values.Section):
    """Settings of the LLM judge."""

    base_url: values.ShownText | None = Field(
        default=None,
        repr=False,
        description="Base URL of an OpenAI-compatible endpoint, including `/v1`; unset: no judge.",
    )
    model: str | None = Field(default=None, description="Model name.")
    api_key: values.KnownSecret | None = Field(default=None, description="API key; `env:NAME`.")
    rate: float = Field(default=1.0, gt=0, le=1, description="Share of evaluated units to judge.")
    workspaces: dict[str, WorkspaceJudge] = Field(
        default_factory=dict, description="Settings of single workspaces."
    )
    evaluations: tuple[Literal[FurtherName, "sql_correctness"], ...] = Field(
        default=(),
        description="Additional evaluations without a reference: `adherence`, `efficiency`,"
        " `injection`, and `sql_correctness` if the checker could not decide. Each"
        " takes one call, or `votes` calls.",
    )
    votes: int = Field(
        default=1,
        ge=1,
        description="Number of calls per additional evaluation, odd; the majority decides.",
    )
    categories: bool = Field(
        default=True,
        description="Make a second call that categorizes each `flex` verdict of incorrect SQL or"
        " differing results.",
    )
    canaries: bool = Field(
        default=False,
        description="Test the judge daily on eleven cases with known verdicts, including prompt"
        " injections, and pause it while it fails them.",
    )
    timeout_s: float = Field(default=60.0, gt=0, description="Timeout of one call.")
    retries: int = Field(default=3, ge=0, description="Number of retries after a failed call.")
    concurrency: int = Field(default=8, gt=0, description="Number of concurrent calls.")
    max_output_tokens: int = Field(default=2048, gt=0, description="Maximum length of a response.")
    calls_per_minute: int | None = Field(default=None, gt=0, description="Rate limit of the calls.")
    daily_usd: float | None = Field(
        default=None,
        ge=0,
        description="Daily budget (UTC) of all workspaces together; debited before each call.",
    )
    daily_tokens: int | None = Field(
        default=None, ge=0, description="Daily budget in tokens, input and output together."
    )
    price: dict[str, JudgePrice] = Field(
        default_factory=dict, description="Prices by model; the prices of some models are built in."
    )
    examples: dict[JudgeName, Path] = Field(
        default_factory=dict,
        description="By evaluation (`flex`, `flex_noref`, `adherence`, …), the output file of"
        " `sqlobs judge tune`, whose examples are added to that judge's prompt.",
    )
    calibration: dict[JudgeName, values.Calibration | Path] = Field(
        default_factory=dict,
        description="By evaluation, the output file of `sqlobs judge calibrate` for the same"
        " model, prompt, votes and examples; or the confusion matrix against human"
        " labels: `[[right and accepted, right and rejected], [wrong and accepted,"
        " wrong and rejected]]`. Enables the `corrected` statistics.",
    )

    @model_validator(mode="after")
    def _is_usable(self) -> Judge:
        """Reject settings without a judge, invalid ones, and an even number of votes."""
        given = [name for name in _ASKS if getattr(self, name)]
        if given and not self.base_url:
            raise ValueError(
                f"judge.{given[0]} is set but judge.base_url is not: set it to the endpoint of the"
                " model"
            )
        if self.votes % 2 == 0:
            raise ValueError("judge.votes must be an odd number")
        try:
            endpoint = self.endpoint()
            if endpoint is not None:
                for workspace in self.workspaces:
                    replace(endpoint, budget=self.limits_of(workspace))
            self.tables()
        except (ConfigError, InputError) as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def limits(self) -> BudgetLimits:
        """The daily budget of all workspaces together."""
        return BudgetLimits(tokens=self.daily_tokens, usd=self.daily_usd)

    def limits_of(self, workspace: str) -> BudgetLimits:
        """Return the daily budget of a workspace."""
        own = self.workspaces.get(workspace, _USUAL)
        return BudgetLimits(tokens=own.daily_tokens, usd=own.daily_usd)

    def rate_of(self, workspace: str) -> float:
        """Return the share of a workspace's evaluated units to judge."""
        return self.workspaces.get(workspace, _USUAL).rate or self.rate

    def worked_cases(self) -> dict[str, str]:
        """Return the examples in each judge's prompt, by evaluation.

        Raises:
            InputError: A file holds none, or those of another judge.
        """
        return {name: read_examples(path, judge=name).text for name, path in self.examples.items()}

    def tables(self) -> dict[str, Table]:
        """Return each judge's confusion matrix against human labels, by evaluation.

        Raises:
            InputError: A file has no calibration, or that of another judge, model or prompt.
        """
        examples = self.worked_cases()
        return {
            name: self._table(name, path, examples.get(name, ""))
            if isinstance(path, Path)
            else path
            for name, path in self.calibration.items()
        }

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each judge, to which its calibration belongs.

        Raises:
            InputError: A file of examples holds none, or those of another judge.
        """
        examples = self.worked_cases()
        return {
            name: self._fingerprint(name, examples.get(name, "")) for name in get_args(JudgeName)
        }

    def _fingerprint(self, name: str, examples: str) -> str:
        votes = self.votes if name in VOTING else 1
        return fingerprint_of(name, votes=votes, examples=examples)

    def _table(self, name: JudgeName, path: Path, examples: str) -> Table:
        prompt = self._fingerprint(name, examples)
        return read_calibration(path, judge=name, model=self.model or "", prompt=prompt).table

    def endpoint(self) -> EndpointConfig | None:
        """Return the configuration of the judge's client; `None`: there is no judge.

        Raises:
            ConfigError: A value is invalid, or a budget in USD needs a price.
        """
        if self.base_url is None:
            return None
        return EndpointConfig(
            base_url=self.base_url,
            model=self.model or "",
            api_key=None if self.api_key is None else self.api_key.reveal(),
            timeout_s=self.timeout_s,
            retries=self.retries,
            concurrency=self.concurrency,
            max_output_tokens=self.max_output_tokens,
            calls_per_minute=self.calls_per_minute,
            budget=self.limits,
            prices={name: Price(one.input, one.output) for name, one in self.price.items()},
        )
