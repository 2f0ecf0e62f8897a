"""Marks the tokens in which two statements differ, and invented names."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from sqlobs.reporting.statement.layout import laid_out
from sqlobs.reporting.statement.lexemes import lexemes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.reporting.statement.lexemes import Kind, Lexeme


_COMPARED: Final = 1_500
"""Tokens per side above which only the common prefix and suffix are searched."""
Shown = Literal["plain", "keyword", "text", "number", "comment", "quoted"]

_SHOWN: Final[dict[Kind, Shown]] = {
    "space": "plain",
    "name": "plain",
    "mark": "plain",
    "keyword": "keyword",
    "text": "text",
    "number": "number",
    "comment": "comment",
    "quoted": "quoted",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a statement with a note; offsets in characters."""

    start: int
    end: int
    note: str


class Piece(NamedTuple):
    """A span of a statement that is shown in one style."""

    text: str
    kind: Shown
    is_changed: bool = False
    note: str | None = None
    """The note on it, such as that the name was invented."""


def pieces(sql: str, *, marks: Sequence[Mark] = ()) -> list[Piece]:
    """Return the pieces of one statement without a counterpart."""
    return _pieces(lexemes(sql), changed=frozenset(), marks=marks)


def paired_pieces(
    reference: str, predicted: str, *, marks: Sequence[Mark] = ()
) -> tuple[list[Piece], list[Piece]]:
    """Return two statements to show side by side, with differing tokens marked as changed.

    White space, comments and letter case are ignored.

    Args:
        reference: The correct statement.
        predicted: The statement to judge.
        marks: Spans of the predicted statement with a note.
    """
    left, right = lexemes(reference), lexemes(predicted)
    if reference == predicted and not marks:
        shown = _pieces(left, changed=frozenset(), marks=())
        return shown, shown
    changed = _changed(_spoken(left), _spoken(right))
    return (
        _pieces(left, changed=changed[0], marks=()),
        _pieces(right, changed=changed[1], marks=marks),
    )


def _spoken(words: Iterable[Lexeme]) -> list[Lexeme]:
    return [word for word in words if not word.is_silent]


def _changed(left: list[Lexeme], right: list[Lexeme]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the start offsets of the tokens without a counterpart on the other side."""
    keys, others = [word.key for word in left], [word.key for word in right]
    is_small = max(len(keys), len(others)) <= _COMPARED
    blocks = _blocks(keys, others) if is_small else _ends(keys, others)
    kept: set[int] = set()
    kept_other: set[int] = set()
    for start, other_start, length in _telling(blocks, left):
        kept.update(range(start, start + length))
        kept_other.update(range(other_start, other_start + length))
    return (
        frozenset(word.start for place, word in enumerate(left) if place not in kept),
        frozenset(word.start for place, word in enumerate(right) if place not in kept_other),
    )


def _telling(
    blocks: Iterable[tuple[int, int, int]], words: Sequence[Lexeme]
) -> Iterator[tuple[int, int, int]]:
    """Drop accidental matches between rewritten spans: a dot, a parenthesis, a comma."""
    for start, other_start, length in blocks:
        shared = words[start : start + length]
        is_end = start + length == len(words)
        if is_end or any(word.kind != "mark" for word in shared):
            yield start, other_start, length


def _blocks(keys: list[str], others: list[str]) -> Iterable[tuple[int, int, int]]:
    return SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks()


def _ends(keys: list[str], others: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the common prefix and suffix."""
    shorter = min(len(keys), len(others))
    head = next((i for i in range(shorter) if keys[i] != others[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if keys[-1 - i] != others[-1 - i]), rest)
    yield 0, 0, head
    yield len(keys) - tail, len(others) - tail, tail


def _pieces(
    words: Sequence[Lexeme], *, changed: frozenset[int], marks: Sequence[Mark]
) -> list[Piece]:
    shown: list[Piece] = []
    same: list[str] = []
    style: tuple[Shown, bool, str | None] = ("plain", False, None)
    for place, (word, placed) in enumerate(zip(words, laid_out(words), strict=True)):
        is_joint = word.kind == "space" and "\n" not in placed.text
        is_changed = word.start in changed or (is_joint and _joins(words, place, changed))
        own = _SHOWN[word.kind], is_changed, _note(word, marks) if marks else None
        if same and own != style:
            shown.append(Piece("".join(same), *style))
            same.clear()
        style = own
        same.append(placed.text)
    return [*shown, Piece("".join(same), *style)] if same else shown


def _joins(words: Sequence[Lexeme], place: int, changed: frozenset[int]) -> bool:
    """Return whether this is a space between two changed tokens, which are shown as one span."""
    if not changed or not 0 < place < len(words) - 1:
        return False
    return words[place - 1].start in changed and words[place + 1].start in changed


def _note(word: Lexeme, marks: Sequence[Mark]) -> str | None:
    return next((m.note for m in marks if m.start < word.end and word.start < m.end), None)
