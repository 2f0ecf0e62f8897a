"""Masks the values in SQL, so that it may leave the process.

Masking reads tokens, not text: literals in every spelling of the dialect become `?`, comments are
removed, aliases renamed. A name is kept if the schema has it or if it looks like a name, since
models write `region = "North West"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token

from sqlobs.check.parsing.tokens import CLOSE, OPEN, shape_of, spelled
from sqlobs.dialects.identifiers import PLAIN_NAME
from sqlobs.dialects.registry import dialect_of

_NAME: Final = spelled("name")
_AS: Final = spelled("ALIAS")
_BEFORE_ALIAS: Final = spelled("[VAR IDENTIFIER literals close END]")
_PLACES: Final = re.compile(
    f"{OPEN}|{CLOSE}|(?<={_AS})(?P<named>{_NAME})|(?<={_BEFORE_ALIAS})(?P<bare>{_NAME})"
    f"|{_NAME}(?={_AS})"
)
_LIST: Final = re.compile(spelled("open ([VAR IDENTIFIER COMMA]*) close"))
_COMMA: Final = spelled("COMMA")
_NO_ALIAS: Final = frozenset(
    (
        "AT BOTH CENTURY CHARSET CONFLICT DAY DAYS DECADE DO DOW DOY ENCODING EPOCH ESCAPE EXCLUDE"
        " FILTER FIRST FOLLOWING FORMAT GROUPS HOUR HOURS IGNORE LAST LATERAL LEADING LOCKED"
        " MATERIALIZED MICROSECOND MILLISECOND MINUTE MINUTES MONTH MONTHS NO NOTHING NOTNULL"
        " NOWAIT NULLS ONLY ORDINALITY OTHERS OVER PERCENT PRECEDING PRECISION QUARTER RESPECT"
        " SEARCH SECOND SECONDS SEPARATOR SIGNED SIMILAR SKIP SYMMETRIC TIES TO TRAILING UNBOUNDED"
        " UNSIGNED VARYING WEEK WEEKS WITHIN YEAR YEARS ZONE"
    ).split()
)
"""Words of SQL that sqlglot does not know as such, and that may stand behind an expression."""

_CASTS: Final = frozenset({"CAST", "TRY_CAST", "SAFE_CAST", "CONVERT", "TRY_CONVERT"})


@dataclass(frozen=True, slots=True)
class Aliases:
    """Names of columns, tables and CTEs that hold within the statement only."""

    names: frozenset[str]
    """In lower case."""
    places: frozenset[int]
    """The tokens that give them, by number; `max(x) AS max` gives a name that is also called."""


def find_aliases(tokens: Sequence[Token], shape: str) -> Aliases:
    """Return aliases of columns and tables, names of CTEs and of their columns."""
    places: set[int] = set()
    opened: list[int] = []
    for found in _PLACES.finditer(shape):
        place = found.start()
        if found[0] == OPEN:
            opened.append(place)
        elif found[0] == CLOSE:
            opening = opened.pop() if opened else 0
            if opening and _opens_cte(tokens, shape, place):
                places.update(_listed(shape, opening))
                places.add(opening - 1)
        elif _is_alias(tokens, found, opened) or _opens_cte(tokens, shape, place):
            places.add(place)
            places.update(_listed(shape, place + 1))
    names = frozenset([tokens[place].text.lower() for place in places])
    return Aliases(names, frozenset(places))


def _is_alias(tokens: Sequence[Token], found: re.Match[str], opened: list[int]) -> bool:
    place = found.start()
    if found.lastgroup == "named":
        if tokens[place].text.upper() == "MATERIALIZED":
            return False
        return not (opened and opened[-1] and tokens[opened[-1] - 1].text.upper() in _CASTS)
    words = {token.text.upper() for token in tokens[place - 1 : place + 1]}
    return found.lastgroup is not None and _NO_ALIAS.isdisjoint(words)


def _opens_cte(tokens: Sequence[Token], shape: str, place: int) -> bool:
    """Return whether AS and a parenthesis follow a token, as with a CTE or a window."""
    if shape[place + 1 : place + 2] != _AS:
        return False
    after = place + 2
    while after < len(shape) and tokens[after].text.upper() in {"NOT", "MATERIALIZED"}:
        after += 1
    return shape[after : after + 1] == OPEN


def _listed(shape: str, opening: int) -> list[int]:
    """Return the names of a plain list of names in parentheses; none if it holds anything else."""
    found = _LIST.match(shape, opening)
    if found is None:
        return []
    return [place for place in range(*found.span(1)) if shape[place] != _COMMA]


_BEFORE_NAME: Final = frozenset(spelled("FROM JOIN DOT INTO UPDATE TABLE ALIAS"))
_PLAIN: Final = spelled("VAR")
_NUMBER: Final = spelled("NUMBER")
_DOT: Final = spelled("DOT")
_KEPT_AS_TEXT: Final = re.compile(spelled("COMMAND STRING"))
_QUOTED: Final = spelled("IDENTIFIER")
_A_LITERAL: Final = re.compile(spelled("[literals]"))
_PLAIN_NAME: Final = re.compile(spelled("(?<!NUMBER) VAR"))
_A_NAME: Final = re.compile(_NAME)
_A_HINT: Final = re.compile(spelled("HINT"))
_STRING_BESIDE_NAME: Final = re.compile(spelled("[strings] (?=name)|VAR (?=[strings])"))
_COMMENT_MARKS: Final = ("--", "/*", "#", "//")
_LOOKS_LIKE_A_NAME: Final = re.compile(PLAIN_NAME)
_BACKTICKS: Final = re.compile(r"`([^`'\"]*)`")
"""A name quoted as in MySQL; with another kind of quote inside it may be part of a string."""
_STRING_PREFIX: Final = re.compile(r"_\w+|\w{1,2}")


def mask_sql(
    sql: str,
    *,
    dialect: str,
    tokens: Sequence[Token] | None = None,
    shape: str | None = None,
    known: Callable[[str], bool] | None = None,
) -> str | None:
    """Return the statement with its values masked, or None if it cannot be tokenized.

    Args:
        sql: The statement; need not parse.
        dialect: sqlglot's name.
        tokens: Its tokens, if available.
        shape: Their shape, if available.
        known: Whether the schema has a name, table or column, whatever its case.

    >>> mask_sql("SELECT n AS x FROM t WHERE a = 'Ann' -- b", dialect="postgres")
    'SELECT n AS a1 FROM t WHERE a = ?'
    """
    if tokens is None:
        try:
            tokens = Dialect.get_or_raise(dialect).tokenize(sql)
        except TokenError:
            return None
    return _Masking(sql, tokens, shape or shape_of(tokens), dialect=dialect, known=known).text()


class _Masking:
    """The masking of one statement."""

    def __init__(
        self,
        sql: str,
        tokens: Sequence[Token],
        shape: str,
        *,
        dialect: str,
        known: Callable[[str], bool] | None,
    ) -> None:
        self._sql = sql
        self._tokens = tokens
        self._shape = shape
        self._known = known or (lambda _: False)
        resolution = dialect_of(dialect).resolution
        self._strings_in_double_quotes = resolution is not None and resolution.quoted_fallback
        self._dialect = dialect
        self._is_torn = self._has_torn_quotes(dialect)
        self._aliases = find_aliases(tokens, shape)
        self._renamed: dict[str, str] = {}
        self._kept: dict[str, bool] = {}

    def text(self) -> str:
        """Return the statement with its values and comments replaced."""
        edits = [
            (self._start(found.start()), self._end(found.start()), "?")
            for found in _A_LITERAL.finditer(self._shape)
        ]
        edits += self._names()
        edits += self._comments()
        edits += self._foreign_quotes()
        # the token of text that sqlglot keeps unparsed has a wrong position
        command = _KEPT_AS_TEXT.search(self._shape)
        if command is not None and (kept := self._end(command.start())) < len(self._sql):
            edits = [edit for edit in edits if edit[0] < kept]
            edits.append((kept, len(self._sql), " ?"))
        edits.sort()
        parts: list[str] = []
        done = 0
        for start, end, replacement in edits:
            if start < done:
                continue  # a second token of the same text
            parts += (self._sql[done:start], replacement)
            done = end
        parts.append(self._sql[done:])
        return "".join(parts).strip()

    def _foreign_quotes(self) -> Iterator[tuple[int, int, str]]:
        """Yield texts in backticks in dialects without that quote, where they are plain words."""
        grammar = Dialect.get_or_raise(self._dialect) if "`" in self._sql else None
        if grammar is None or "`" in grammar.tokenizer_class.IDENTIFIERS:
            return
        for found in _BACKTICKS.finditer(self._sql):
            if not _looks_like_a_name(found[1]):
                yield found.start(), found.end(), "<quoted>"

    def _names(self) -> Iterator[tuple[int, int, str]]:
        for found in _A_NAME.finditer(self._shape):
            place = found.start()
            text = self._tokens[place].text
            # Most names are kept in every position, and occur more than once.
            is_kept = self._kept.get(text)
            if is_kept is None:
                is_kept = self._kept[text] = self._is_kept(text)
            if not (is_kept and _PLAIN_NAME.match(self._shape, place)):
                yield self._start(place), self._end(place), self._shown(place, text)

    def _is_kept(self, text: str) -> bool:
        """Return whether an unquoted name is never masked."""
        if self._known(text):
            return True
        is_alias = text.lower() in self._aliases.names
        return not (is_alias or self._is_torn) and _looks_like_a_name(text)

    def _shown(self, place: int, text: str) -> str:
        source = self._sql[self._start(place) : self._end(place)]
        if self._known(text):
            return source
        alias = text.lower()
        if alias in self._aliases.names and (
            place in self._aliases.places or self._letter(place + 1) != OPEN
        ):
            return self._renamed.setdefault(alias, f"a{len(self._renamed) + 1}")
        if self._is_torn or self._is_value(place):
            return "?"
        if _looks_like_a_name(text):
            return source
        return "<quoted>" if self._letter(place) == _QUOTED else "?"

    def _is_value(self, place: int) -> bool:
        """Return whether a name is a value: right after a number, or a string in double quotes."""
        before = self._letter(place - 1)
        if before == _NUMBER and self._end(place - 1) == self._start(place):
            return True
        if not self._strings_in_double_quotes or self._sql[self._start(place)] != '"':
            return False
        return before not in _BEFORE_NAME and self._letter(place + 1) != _DOT

    def _comments(self) -> list[tuple[int, int, str]]:
        """Return comments and hints: non-blank text between tokens, and hint tokens."""
        if not any(mark in self._sql for mark in _COMMENT_MARKS):
            return []
        places = range(len(self._tokens))
        ends = [0, *(self._end(place) for place in places)]
        starts = [*(self._start(place) for place in places), len(self._sql)]
        gaps = zip(ends, starts, strict=True)
        found = [(start, end, " ") for start, end in gaps if self._sql[start:end].strip()]
        hints = (found.start() for found in _A_HINT.finditer(self._shape))
        return found + [(self._start(place), self._end(place), "") for place in hints]

    def _has_torn_quotes(self, dialect: str) -> bool:
        r"""Return whether a quote ended too early: `'it's'`, or `'it\'s'`.

        Parts of the value then look like names, so no unknown name is kept.
        """
        if not dialect_of(dialect).scripts.backslash_escapes and "\\'" in self._sql:
            return True
        places = (found.start() for found in _STRING_BESIDE_NAME.finditer(self._shape))
        return any(map(self._is_torn_at, places))

    def _is_torn_at(self, place: int) -> bool:
        """Return whether a string touches a name that is not its prefix (`N'…'`)."""
        if self._end(place) != self._start(place + 1):
            return False
        is_prefix = _STRING_PREFIX.fullmatch(self._tokens[place].text)
        return self._letter(place) != _PLAIN or not is_prefix

    def _letter(self, place: int) -> str:
        return self._shape[place : place + 1] if place >= 0 else ""

    def _start(self, place: int) -> int:
        return self._tokens[place].start

    def _end(self, place: int) -> int:
        return self._tokens[place].end + 1


def _looks_like_a_name(text: str) -> bool:
    if text[:1] == "$" and "$" in text[1:]:
        return False  # a dollar-quoted string in a dialect without them
    return _LOOKS_LIKE_A_NAME.fullmatch(text.lstrip("@#$")) is not None
