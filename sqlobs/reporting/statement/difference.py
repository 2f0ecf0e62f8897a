"""Marks the tokens in which two statements differ, and invented names."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from sqlobs.reporting.statement.layout import laid_out
from sqlobs.reporting.statement.lexemes import lexemes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlobs.reporting.statement.lexemes import Kind, Lexeme


_COMPARED: Final = 1_500
"""Tokens per side, between the common prefix and suffix, above which nothing more is searched."""
Style = Literal["plain", "keyword", "text", "number", "comment", "quoted"]

STYLES: Final[dict[str, Style]] = {
    "p": "plain",
    "k": "keyword",
    "t": "text",
    "n": "number",
    "c": "comment",
    "q": "quoted",
}
"""The letter of each style; its capital shows that the lexeme is changed."""
_LETTERS: Final[dict[Kind, str]] = {
    "space": "p",
    "name": "p",
    "mark": "p",
    "keyword": "k",
    "text": "t",
    "number": "n",
    "comment": "c",
    "quoted": "q",
}
"""The letter of each kind of lexeme."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a statement with a note; offsets in characters."""

    start: int
    end: int
    note: str


class ShownStatement(NamedTuple):
    """A statement as laid out, by lexeme."""

    texts: list[str]
    letters: str
    """The style of each lexeme: a letter of `STYLES`, a capital one if the lexeme is changed."""
    notes: dict[int, str]
    """Notes by the place of their lexeme, such as that the name was invented."""


class Piece(NamedTuple):
    """A span of a statement that is shown in one style."""

    text: str
    style: Style
    is_changed: bool
    note: str | None


def shown_statement(sql: str, *, marks: Sequence[Mark] = ()) -> ShownStatement:
    """Return a statement without a counterpart as it is shown."""
    return _shown(lexemes(sql), changed=frozenset(), marks=marks)


def shown_pair(
    reference: str, predicted: str, *, marks: Sequence[Mark] = ()
) -> tuple[ShownStatement, ShownStatement]:
    """Return two statements to show side by side, with differing lexemes marked as changed.

    White space, comments and letter case are ignored.

    Args:
        reference: The correct statement.
        predicted: The statement to judge.
        marks: Spans of the predicted statement with a note.
    """
    left, right = lexemes(reference), lexemes(predicted)
    changed, changed_other = _changed(left, right)
    return (
        _shown(left, changed=changed, marks=()),
        _shown(right, changed=changed_other, marks=marks),
    )


def pieces(shown: ShownStatement) -> list[Piece]:
    """Return the pieces of a statement: neighbors of one style, and one note, are joined."""
    styles = [(letter, shown.notes.get(place)) for place, letter in enumerate(shown.letters)]
    return [
        Piece("".join(text for _, text in group), STYLES[letter.lower()], letter.isupper(), note)
        for (letter, note), group in groupby(zip(styles, shown.texts, strict=True), itemgetter(0))
    ]


def _changed(left: list[Lexeme], right: list[Lexeme]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places of the lexemes without a counterpart on the other side."""
    spoken, others = _spoken(left), _spoken(right)
    keys, other_keys = [left[place].key for place in spoken], [right[place].key for place in others]
    if keys == other_keys:
        return frozenset(), frozenset()
    lost, other_lost = set(spoken), set(others)
    for start, other_start, length in _telling(
        _blocks(keys, other_keys), [left[place] for place in spoken]
    ):
        lost.difference_update(spoken[start : start + length])
        other_lost.difference_update(others[other_start : other_start + length])
    return frozenset(lost), frozenset(other_lost)


def _spoken(words: Sequence[Lexeme]) -> list[int]:
    return [place for place, word in enumerate(words) if not word.is_silent]


def _telling(
    blocks: Iterable[tuple[int, int, int]], words: Sequence[Lexeme]
) -> Iterator[tuple[int, int, int]]:
    """Drop accidental matches between rewritten spans: a dot, a parenthesis, a comma."""
    for start, other_start, length in blocks:
        shared = words[start : start + length]
        is_end = start + length == len(words)
        if is_end or any(word.kind != "mark" for word in shared):
            yield start, other_start, length


def _blocks(keys: list[str], others: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the common prefix and suffix, and what is common between them if that is not too long.

    Each as start, start on the other side, and length.
    """
    shorter = min(len(keys), len(others))
    head = next((i for i in range(shorter) if keys[i] != others[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if keys[-1 - i] != others[-1 - i]), rest)
    middle, other_middle = keys[head : len(keys) - tail], others[head : len(others) - tail]
    yield 0, 0, head
    if max(len(middle), len(other_middle)) <= _COMPARED:
        matcher = SequenceMatcher(None, middle, other_middle, autojunk=False)
        for start, other_start, length in matcher.get_matching_blocks():
            yield head + start, head + other_start, length
    yield len(keys) - tail, len(others) - tail, tail


def _shown(
    words: Sequence[Lexeme], *, changed: frozenset[int], marks: Sequence[Mark]
) -> ShownStatement:
    texts = laid_out(words)
    letters = [_LETTERS[word.kind] for word in words]
    for place in changed | _joints(words, texts, changed):
        letters[place] = letters[place].upper()
    return ShownStatement(texts, "".join(letters), dict(_notes(words, marks)))


def _joints(words: Sequence[Lexeme], texts: list[str], changed: frozenset[int]) -> set[int]:
    """Return the spaces on one line between two changed tokens, which are shown as one span."""
    return {
        place + 1
        for place in changed
        if place + 2 in changed
        and words[place + 1].kind == "space"
        and "\n" not in texts[place + 1]
    }


def _notes(words: Sequence[Lexeme], marks: Sequence[Mark]) -> Iterator[tuple[int, str]]:
    """Yield the places of the lexemes that a mark covers, with the note of the first."""
    if not marks:
        return
    ends = accumulate(len(word.text) for word in words)
    for place, (word, end) in enumerate(zip(words, ends, strict=True)):
        start = end - len(word.text)
        note = next((mark.note for mark in marks if mark.start < end and start < mark.end), None)
        if note is not None:
            yield place, note
