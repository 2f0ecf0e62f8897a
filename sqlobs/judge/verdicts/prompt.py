"""A prompt: a fixed system text from a versioned file, and separate data."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlobs.judge.envelope import enclose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

JsonSchema: TypeAlias = dict[str, Any]
Messages: TypeAlias = list[dict[str, str]]

FRAME: Final = "frame.v1"
DIALECTS: Final = "dialects.v1"
REPAIR: Final = (
    "An earlier reply to this request did not hold the JSON object that was asked for. Reply with"
    " that object alone: no other text, no code fence."
)


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One request to a model: instructions, data, and answer format."""

    version: str
    """Name and version of the system text: `flex_equal.v1`."""
    system: str
    fields: Mapping[str, str]
    """The data by name, in order."""
    answer: JsonSchema = field(default_factory=dict)
    """JSON schema of the answer, an object."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that is sent except the random delimiter."""
        digest = hashlib.sha256()
        for name, text in sorted(self.fields.items()):
            _feed(digest, name, text)
        _feed(digest, self.version, self.system, json.dumps(self.answer, sort_keys=True))
        return digest.hexdigest()

    def messages(self, delimiter: str, *, repair: bool = False) -> Messages:
        """Return the messages to send.

        Args:
            delimiter: Fresh for each call, from `new_delimiter`.
            repair: Whether an earlier answer had no readable verdict. It is not quoted: it may echo
            hostile data outside of strings.
        """
        parts = [
            f"The data stands between the two lines that begin with {delimiter}.",
            enclose(self.fields, delimiter=delimiter),
            "Now reply as the first message asks.",
        ]
        if repair:
            parts.append(REPAIR)
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": "\n".join(parts)},
        ]


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A versioned prompt file of the package, in named sections."""

    version: str
    sections: Mapping[str, str]

    def fill(self, section: str, **values: str) -> str:
        """Return a section with its `$names` substituted."""
        return Template(self.sections[section]).substitute(values)


@cache
def load(version: str) -> TemplateFile:
    """Load the prompt file with this name and version."""
    text = files("sqlobs.judge").joinpath("templates", f"{version}.txt").read_text("utf-8")
    _, *rest = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return TemplateFile(
        version,
        {name.strip(): body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)},
    )


def dialect_facts(dialect: str | None) -> str:
    """Return the prompt text about a dialect (`mysql:8.0`, too), or a general sentence."""
    sections = load(DIALECTS).sections
    return sections.get((dialect or "").partition(":")[0], sections["other"])


def framed(
    version: str,
    fields: Mapping[str, str],
    *,
    answer: JsonSchema,
    dialect: str | None,
    variant: str = "",
    criteria: bool = True,
    examples: str = "",
) -> Prompt:
    """Return the prompt of a judge: its prompt file within the shared frame.

    Args:
        version: The judge's prompt file: task, situation, criteria, answer.
        fields: The data.
        answer: The answer format.
        dialect: Selects the text about the database.
        variant: Suffix of section names to prefer, such as `without reference`.
        criteria: Whether to include the criteria.
        examples: Examples of a tuned judge; sent as data.
    """
    system = _system(
        version,
        dialect=dialect,
        variant=variant,
        has_criteria=criteria,
        has_examples=bool(examples),
    )
    settled = {"settled_cases": examples} if examples else {}
    return Prompt(version=version, system=system, fields={**settled, **fields}, answer=answer)


def fingerprint(versions: Iterable[str], *, examples: str = "") -> str:
    """Return the digest of a judge's prompt texts, to which a calibration belongs."""
    texts = [str(sorted(load(name).sections.items())) for name in (FRAME, DIALECTS, *versions)]
    return hashlib.sha256(json.dumps([*texts, examples]).encode()).hexdigest()


@lru_cache(maxsize=256)
def _system(
    version: str,
    *,
    dialect: str | None,
    variant: str,
    has_criteria: bool,
    has_examples: bool,
) -> str:
    sections, frame = load(version).sections, load(FRAME)
    own = {name: sections.get(f"{name} {variant}", text) for name, text in sections.items()}
    criteria_texts = [
        own["criteria"] if has_criteria else "",
        frame.sections["settled cases"] if has_examples else "",
    ]
    return frame.fill(
        "system",
        task=own["task"],
        situation=own["situation"],
        criteria="\n\n".join(filter(None, criteria_texts)),
        dialect=dialect_facts(dialect),
        answer=own["answer"],
    )


def _feed(digest: hashlib._Hash, *texts: str) -> None:
    """Add texts to a digest with their lengths, so that different lists never collide."""
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
