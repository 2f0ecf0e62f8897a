"""Cases of statements with what a check must say of each, as a team keeps them for its schema.

A file is a list of groups in YAML: `dialects`, and statements under `fail` (an error is found),
`flag` (something is found that the engine takes) and `pass`; a group may be `strict`, and judged
under a `policy`:

    - dialects: [postgres, duckdb]
      policy: {denied_tables: [salaries]}
      fail: ["SELECT * FROM salaries"]
      pass: ["SELECT * FROM orders"]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from sqlobs.check.policy import Policy
from sqlobs.errors import ConfigError, InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sqlobs.check.assessment import Strict

Expected = Literal["fail", "flag", "pass"]

_KEYS: Final = frozenset({"dialects", "strict", "policy", *get_args(Expected)})


@dataclass(frozen=True, slots=True)
class RuleCase:
    """One statement and the expected result of its check."""

    rule: str
    """The name of its file."""
    dialect: str
    sql: str
    expected: Expected
    place: str
    """Which group of the file, and which statement there."""
    strict: Strict | None = None
    policy: Policy | None = None

    @property
    def id(self) -> str:
        """A name of the case for pytest."""
        return f"{self.rule}-{self.dialect}-{self.place}"


def load_rule_cases(path: Path) -> list[RuleCase]:
    """Read the cases of a file, or of all `*.yaml` files of a folder.

    Raises:
        InputError: A file is no list of groups as described above.
        MissingExtraError: PyYAML is not installed.
    """
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return [case for file in files for case in _cases_of(file)]


def _cases_of(file: Path) -> Iterator[RuleCase]:
    groups = _read(file)
    if not isinstance(groups, list):
        raise InputError(f"{file}: not a list of groups")
    for place, group in enumerate(groups):
        if not isinstance(group, dict) or not _KEYS.issuperset(group) or not group.get("dialects"):
            raise InputError(f"{file}: group {place + 1} needs dialects, and fail, flag or pass")
        strict: Strict | None = "sql_correctness" if group.get("strict") else None
        policy = _policy_of(group.get("policy"), f"{file}: group {place + 1}")
        for expected in get_args(Expected):
            for dialect in group["dialects"]:
                for index, sql in enumerate(group.get(expected) or ()):
                    yield RuleCase(
                        rule=file.stem,
                        dialect=dialect,
                        sql=sql,
                        expected=expected,
                        place=f"{place}-{index}",
                        strict=strict,
                        policy=policy,
                    )


def _read(file: Path) -> Any:  # noqa: ANN401 - whatever is in the file
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("reading cases of rules", extra="monitoring") from None
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{file}: cannot be read ({type(error).__name__})") from None


def _policy_of(document: dict[str, Iterable[str]] | None, place: str) -> Policy | None:
    if not document:
        return None
    try:
        return Policy(**{name: frozenset(names) for name, names in document.items()})
    except (AttributeError, TypeError, ConfigError) as error:
        raise InputError(f"{place}: the policy is invalid: {error}") from None
