"""The model that is asked whether an answer is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from pydantic import Field, model_validator

from sqlobs.errors import ConfigError, InputError
from sqlobs.judge.endpoint.budget import BudgetLimits
from sqlobs.judge.endpoint.config import EndpointConfig
from sqlobs.judge.endpoint.prices import Price
from sqlobs.judge.trust.calibration import read_calibration
from sqlobs.judge.trust.tuning import read_examples
from sqlobs.judge.verdicts.roster import VOTING, fingerprint_of
from sqlobs_collector.settings import values

if TYPE_CHECKING:
    from sqlobs.judge.trust.category_rates import Table

FurtherName: TypeAlias = Literal["adherence", "efficiency", "injection"]
JudgeName: TypeAlias = Literal["flex", "flex_noref", FurtherName]

CORRECTNESS: Final = "sql_correctness"
"""Asks for the labels of the checker's, `syntactic` and `schematic`, that it left undecided."""
FLEX: Final = "flex"
"""The judge of a unit with a reference."""
FLEX_NOREF: Final = "flex_noref"
"""The judge of a unit without one."""
FURTHER: Final[tuple[FurtherName, ...]] = get_args(FurtherName)
"""The judges that may be asked besides: none of them needs a reference."""


_ASKS: Final = ("model", "api_key", "evaluations", "canaries")
"""Settings that mean that there is to be a judge."""


class JudgePrice(values.Section):
    """What a model costs."""

    input: float = Field(ge=0, description="USD per million tokens sent.")
    output: float = Field(ge=0, description="USD per million tokens answered.")


class Judge(values.Section):
    """The model that is asked whether an answer is right."""

    base_url: values.ShownText | None = Field(
        default=None,
        repr=False,
        description="OpenAI-compatible endpoint, up to and including `/v1`; unset: no judge.",
    )
    model: str | None = Field(default=None, description="The model's name.")
    api_key: values.KnownSecret | None = Field(default=None, description="The key; `env:NAME`.")
    rate: float = Field(
        default=1.0, gt=0, le=1, description="Share of evaluated units that is judged."
    )
    evaluations: tuple[Literal[FurtherName, "sql_correctness"], ...] = Field(
        default=(),
        description="What is asked besides, without a reference: `adherence`, `efficiency`, "
        "`injection`, and `sql_correctness` where the checker could not decide; a call each, or "
        "`votes`.",
    )
    votes: int = Field(
        default=1, ge=1, description="How often these are asked, an odd number; most decide."
    )
    categories: bool = Field(
        default=True,
        description="Ask a second time why a verdict of `flex` is what it is, where it is wrong or "
        "the results differ.",
    )
    canaries: bool = Field(
        default=False,
        description="Ask the judge every day about eleven cases with known verdicts, some hostile, "
        "and ask it nothing else while it is mistaken about them.",
    )
    timeout_s: float = Field(default=60.0, gt=0, description="Longest wait for one answer.")
    retries: int = Field(default=3, ge=0, description="Further calls after one that failed.")
    concurrency: int = Field(default=8, gt=0, description="Calls under way at a time.")
    max_output_tokens: int = Field(default=2048, gt=0, description="Length of an answer at most.")
    calls_per_minute: int | None = Field(default=None, gt=0, description="Pace of the calls.")
    daily_usd: float | None = Field(
        default=None, ge=0, description="Budget of a day (UTC); debited before each call."
    )
    daily_tokens: int | None = Field(
        default=None, ge=0, description="The same in tokens, sent and answered."
    )
    price: dict[str, JudgePrice] = Field(
        default_factory=dict, description="Prices by model; those of some models are known."
    )
    examples: dict[JudgeName, Path] = Field(
        default_factory=dict,
        description="By evaluation (`flex`, `flex_noref`, `adherence`, …), the file that "
        "`sqlobs judge tune` kept: its examples stand in that judge's prompt.",
    )
    calibration: dict[JudgeName, values.Calibration | Path] = Field(
        default_factory=dict,
        description="By evaluation, the file that `sqlobs judge calibrate` kept, which must be of "
        "this model, prompt, votes and examples; or the judge against people: "
        "`[[right and accepted, right and rejected], [wrong and accepted, wrong and rejected]]`. "
        "Gives the `corrected` figures.",
    )

    @model_validator(mode="after")
    def _is_usable(self) -> Judge:
        """Refuse what would ask nobody, what the judge's client refuses, and votes that may tie."""
        given = [name for name in _ASKS if getattr(self, name)]
        if given and not self.base_url:
            raise ValueError(
                f"judge.{given[0]} is set and judge.base_url is not: name the model's endpoint, or "
                "there is no judge"
            )
        if self.votes % 2 == 0:
            raise ValueError("judge.votes must be an odd number")
        try:
            self.endpoint()
            self.tables()
        except (ConfigError, InputError) as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def limits(self) -> BudgetLimits:
        """What may be used in a day."""
        return BudgetLimits(tokens=self.daily_tokens, usd=self.daily_usd)

    def worked_cases(self) -> dict[str, str]:
        """Return the examples in each judge's prompt, by evaluation.

        Raises:
            InputError: A file holds none, or those of another judge.
        """
        return {name: read_examples(path, judge=name).text for name, path in self.examples.items()}

    def tables(self) -> dict[str, Table]:
        """Return how each judge's verdicts stand against people's, by evaluation.

        Raises:
            InputError: A file holds no calibration, or that of another judge, model or prompt.
        """
        examples = self.worked_cases()
        return {
            name: self._table(name, path, examples.get(name, ""))
            if isinstance(path, Path)
            else path
            for name, path in self.calibration.items()
        }

    def _table(self, name: JudgeName, path: Path, examples: str) -> Table:
        votes = self.votes if name in VOTING else 1
        prompt = fingerprint_of(name, votes=votes, examples=examples)
        return read_calibration(path, judge=name, model=self.model or "", prompt=prompt).table

    def endpoint(self) -> EndpointConfig | None:
        """Return the configuration of the judge's client; `None`: there is no judge.

        Raises:
            ConfigError: A value is impossible, or a budget in USD has no price to go by.
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
