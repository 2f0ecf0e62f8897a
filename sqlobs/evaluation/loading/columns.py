"""Which field of a record plays which role: the names in use, and the user's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from sqlobs.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlobs.evaluation.loading.records import Record

Role = Literal[
    "question",
    "solution",
    "prediction",
    "difficulty",
    "category",
    "context",
    "id",
    "db",
    "dialect",
    "dialogue",
    "turn",
]

ROLES: tuple[Role, ...] = get_args(Role)

_NAMES: Final[dict[Role, tuple[str, ...]]] = {
    "question": ("question", "nl_question", "utterance", "instruction"),
    "solution": ("solution", "gold", "gold_sql", "reference", "reference_sql", "ground_truth"),
    "prediction": (
        *("prediction", "predicted_sql", "predicted", "pred", "pred_sql"),
        *("generated_sql", "completion", "pred_sqls"),
    ),
    "difficulty": ("difficulty", "hardness", "level"),
    "category": ("category", "question_category", "topic"),
    "context": ("context", "evidence", "hint", "hints", "instructions"),
    "id": ("id", "question_id", "case_id", "instance_id"),
    "db": ("db", "db_id", "database", "database_id", "db_name"),
    "dialect": ("dialect",),
    "dialogue": ("dialogue", "dialogue_id", "interaction_id", "conversation_id"),
    "turn": ("turn", "turn_id"),
}
"""First match first, in any case; the words of Denodo's, BIRD's, Spider's and our own files."""

STATEMENT: Final = ("sql", "query")
"""The reference where no field says so plainly (BIRD, Spider), else the prediction."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The user's own names of roles; the usual ones hold for all others."""

    own: Mapping[Role, str] = field(default_factory=dict)

    @classmethod
    def of(cls, assignments: Iterable[str]) -> Columns:
        """Read `role=name` pairs.

        Raises:
            InputError: a pair has no `=`, or the role is unknown.
        """
        own: dict[Role, str] = {}
        for assignment in assignments:
            role, equals, name = assignment.partition("=")
            known = next((each for each in ROLES if each == role.strip()), None)
            if not equals or known is None:
                raise InputError(
                    f"--column {assignment}: write ROLE=NAME with a role of {', '.join(ROLES)}"
                )
            if known in own:
                raise InputError(f"--column {assignment}: {known} is already {own[known]}")
            own[known] = name
        return cls(own)

    def find(self, record: Record, role: Role) -> object:
        """Return the value of a role; None if the record has none.

        Raises:
            InputError: the user named a field that the record lacks.
        """
        fields = record.fields
        if role in self.own:
            if self.own[role] not in fields:
                raise InputError(f"{record.place}: no field {self.own[role]!r}")
            return fields[self.own[role]]
        folded = {name.lower(): name for name in fields}
        for name in self._names(role, folded):
            if name in folded:
                return fields[folded[name]]
        return None

    def has(self, record: Record, role: Role) -> bool:
        """Return whether a record has a field for a role."""
        folded = {name.lower() for name in record.fields}
        names = (self.own[role].lower(),) if role in self.own else self._names(role, folded)
        return any(name in folded for name in names)

    def has_answer(self, record: Record) -> bool:
        """Return whether a record of answers has a field for its answer."""
        return self.has(record, "prediction") or _statement_name(record) is not None

    def answer(self, record: Record) -> object:
        """Return what a record of answers holds: its prediction, else its statement.

        Raises:
            InputError: it has no such field, or not the one that the user named.
        """
        if self.has(record, "prediction"):
            return self.find(record, "prediction")
        name = _statement_name(record)
        if name is None:
            raise InputError(f"{record.place}: no field contains the prediction")
        return record.fields[name]

    def text(self, record: Record, role: Role) -> str | None:
        """Return the value of a role as text; numbers as they are written, None if empty."""
        return _text(self.find(record, role))

    def number(self, record: Record, role: Role) -> int | None:
        """Return the value of a role as a whole number; None if it is none."""
        text = self.text(record, role)
        return int(text) if text is not None and text.isdecimal() else None

    def texts(self, record: Record, role: Role) -> tuple[str, ...]:
        """Return the values of a role that may be a list, each once and as `text` has it."""
        value = self.find(record, role)
        values = value if isinstance(value, list) else [value]
        return tuple(dict.fromkeys(text for each in values if (text := _text(each)) is not None))

    def _names(self, role: Role, folded: Iterable[str]) -> tuple[str, ...]:
        usual = _NAMES[role]
        is_plain = "solution" in self.own or any(name in folded for name in _NAMES["solution"])
        if role == "solution" and not is_plain:
            return (*usual, *STATEMENT)
        return (*usual, *STATEMENT) if role == "prediction" and is_plain else usual


def _statement_name(record: Record) -> str | None:
    """Return the record's own spelling of the first field for a statement."""
    folded = {name.lower(): name for name in record.fields}
    return next((folded[name] for name in STATEMENT if name in folded), None)


def _text(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # Excel knows no other numbers
    return clean(str(value))


def clean(text: str) -> str:
    """Return text that UTF-8 can write: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
