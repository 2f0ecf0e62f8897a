"""Validates the arguments of a check."""

from __future__ import annotations

from typing import Final, get_args

from sqlobs.arguments import TEXT, Takes, having, instance_of, one_of, require
from sqlobs.check.engine.profile import Profile
from sqlobs.check.policy import Policy
from sqlobs.types import FallbackMode

DIALECT: Final = instance_of(
    "a dialect such as 'postgres' or 'mysql:8.0', or a Profile", str, Profile
)
NATIVE: Final = Takes(
    "True, False or an Engine with `verdict(sql)`",
    lambda given: isinstance(given, bool) or callable(getattr(given, "verdict", None)),
)
POLICY: Final = instance_of("a Policy, such as Policy(denied_tables={'salaries'})", Policy)
FALLBACK: Final = having(
    "an LlmFallback of sqlobs.judge.fallback, or an object with `async def ask(request)`", "ask"
)
FALLBACK_MODE: Final = one_of(*get_args(FallbackMode))

_OF_A_CHECK: Final = {
    "dialect": DIALECT,
    "native": NATIVE,
    "policy": POLICY,
    "fallback": FALLBACK,
    "fallback_mode": FALLBACK_MODE,
    "hints": TEXT,
}


def require_check(**given: object) -> None:
    """Validate the arguments of a check.

    Raises:
        ConfigError: names the argument, its type, and what is accepted.
    """
    require(_OF_A_CHECK, **given)
