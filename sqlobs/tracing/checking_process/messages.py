"""What the application and its checking process say to each other, as JSON.

A question is the text with the version of its schema; the schema's document is sent once the
process says that it lacks it. An answer is a report. Both processes run the same version of sqlobs.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from sqlobs.check.engine.profile import Profile
from sqlobs.check.policy import Policy
from sqlobs.check.report.model import CheckReport, Finding

if TYPE_CHECKING:
    from sqlobs.config import Strictness

LACKS_SCHEMA: Final = {"lacks": "schema"}
"""The answer to a question about a schema whose document was not sent."""

_OF_REPORT: Final = tuple(field.name for field in fields(CheckReport))
_OF_FINDING: Final = tuple(field.name for field in fields(Finding))


def encode(message: object) -> bytes:
    """Return the bytes of a message; texts may contain halves of surrogate pairs."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return the message of bytes."""
    return json.loads(data.decode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every check of a process."""

    native: bool
    strict: Strictness | None
    policy: Policy | None
    max_bytes: int

    def document(self) -> dict[str, object]:
        """Return the terms as JSON values."""
        return {
            "native": self.native,
            "strict": self.strict,
            "policy": None if self.policy is None else _policy_document(self.policy),
            "max_bytes": self.max_bytes,
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> Terms:
        """Read what `document` returned."""
        policy: dict[str, Any] | None = document["policy"]
        values: dict[str, Any] = {
            **document,
            "policy": None if policy is None else Policy(**policy),
        }
        return cls(**values)


def _policy_document(policy: Policy) -> dict[str, list[str] | None]:
    names = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return {name: None if value is None else sorted(value) for name, value in names.items()}


def dialect_document(dialect: str | Profile | None) -> str | dict[str, object] | None:
    """Return the dialect of a question as a JSON value."""
    return asdict(dialect) if isinstance(dialect, Profile) else dialect


def read_dialect(document: str | dict[str, Any] | None) -> str | Profile | None:
    """Read what `dialect_document` returned."""
    if not isinstance(document, dict):
        return document
    return Profile(**_with_tuples(document))


def report_document(report: CheckReport) -> dict[str, object]:
    """Return a report as JSON values; what is computed on first access is computed now."""
    document: dict[str, object] = {name: getattr(report, name) for name in _OF_REPORT}
    document["findings"] = [
        {name: getattr(finding, name) for name in _OF_FINDING} for finding in report.findings
    ]
    return document


def read_report(document: dict[str, Any]) -> CheckReport:
    """Read what `report_document` returned."""
    values = _with_tuples(document)
    values["findings"] = tuple([Finding(**one) for one in document["findings"]])
    return CheckReport.of(values)


def _with_tuples(document: dict[str, Any]) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {
        name: value for name, value in document.items() if isinstance(value, list)
    }
    return {**document, **{name: tuple(value) for name, value in lists.items()}}
