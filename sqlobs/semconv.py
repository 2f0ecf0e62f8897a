"""Every span, event, attribute and metric name that sqlobs emits or reads, once.

The constant of a name is the name in upper case with underscores: `sqlobs.query.text` is
`SQLOBS_QUERY_TEXT`. Constants are plain strings, so that the hot path pays nothing; type, sentence
and example lie beside them in `ATTRIBUTES` and `METRICS`, from which the reference page is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

SCHEMA_URL: Final = "https://opentelemetry.io/schemas/1.41.0"
"""The last main-registry release that names the GenAI conventions we emit."""

AttributeType = Literal["str", "bool", "int", "double", "str[]"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute name of the contract."""

    name: str
    type: AttributeType
    brief: str
    """One sentence: what the value says."""
    example: str | bool | float | tuple[str, ...]


ATTRIBUTES: Final[dict[str, Attribute]] = {}
"""Every attribute by name, in the order of declaration."""


def _attribute(
    name: str,
    type_: AttributeType,
    brief: str,
    *,
    example: str | bool | float | tuple[str, ...],
) -> str:
    ATTRIBUTES[name] = Attribute(name, type_, brief, example)
    return name


SQLOBS_SYNTACTIC: Final = _attribute(
    "sqlobs.syntactic",
    "bool",
    "The SQL is valid for its dialect; absent when not evaluated.",
    example=True,
)
