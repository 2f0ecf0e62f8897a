"""What a rule is: one flaw, recognised in the facts about one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sqlobs.check.report import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp

    from sqlobs.check.analysis.facts import Facts
    from sqlobs.check.policy import Policy
    from sqlobs.check.prepared import PreparedSchema
    from sqlobs.check.profile import Profile
    from sqlobs.check.report import Severity
    from sqlobs.check.statement import Statement
    from sqlobs.check.traits import Traits


@dataclass(frozen=True, slots=True)
class Case:
    """A statement with all that is known about it."""

    statement: Statement
    facts: Facts
    profile: Profile | None
    """None: no dialect was given."""
    traits: Traits
    schema: PreparedSchema | None
    policy: Policy | None = None


class Rule(Protocol):
    """One flaw. The docstring of the class is its documentation page."""

    code: str
    """The failure code of its findings."""
    name: str
    """The flaw in a few words, never the remedy: "allow <name>" must read well."""

    def findings(self, case: Case) -> Iterable[Finding]:
        """Yield one finding for each place where the flaw is."""
        ...


def finding_at(
    node: exp.Expr,
    *,
    code: str,
    message: str,
    severity: Severity = "error",
    identifier: str | None = None,
    suggestion: str | None = None,
    detail: str | None = None,
) -> Finding:
    """Return a finding that underlines a node of the tree."""
    start, end = node.meta.get("start"), node.meta.get("end")
    return Finding(
        code,
        severity,
        message,
        identifier=identifier,
        suggestion=suggestion,
        start=start,
        end=None if end is None else end + 1,
        detail=detail,
    )
