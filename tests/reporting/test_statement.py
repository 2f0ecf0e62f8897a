"""Statements as they are shown: laid out, compared, marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqlobs.reporting.statement.difference import Mark, pieces, shown_pair, shown_statement
from sqlobs.reporting.statement.layout import laid_out
from sqlobs.reporting.statement.lexemes import lexemes

WORDS = ("SELECT", "select", "'", '"', "--", "/*", "*/", "(", ")", " ", "\n", "a", "1", "$$", "[")
sql_like = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)


def paired_pieces(reference, predicted, *, marks=()):
    """Return the pieces of both statements."""
    return tuple(map(pieces, shown_pair(reference, predicted, marks=marks)))


def text_of(shown):
    """Return what a reader reads."""
    return "".join(piece.text for piece in shown)


@given(st.one_of(st.text(), sql_like))
def test_lexemes_are_the_text(sql):
    """Nothing is lost, added or refused, whatever the text."""
    assert "".join(word.text for word in lexemes(sql)) == sql


@given(st.one_of(st.text(), sql_like))
def test_layout_changes_white_space_only(sql):
    """The words stay; a line break stands only where there was space."""
    words = lexemes(sql)
    for word, shown in zip(words, laid_out(words), strict=True):
        assert shown == word.text or (word.kind == "space" and shown.startswith("\n"))


def test_clauses_start_lines():
    """BETWEEN, CASE, functions and windows keep to their line; a subquery is indented."""
    sql = (
        "SELECT a, LEFT(b, 2), EXTRACT(YEAR FROM d), sum(x) OVER (PARTITION BY y ORDER BY z)"
        " FROM t LEFT OUTER JOIN u ON t.id = u.id WHERE x BETWEEN 1 AND 2 AND"
        " CASE WHEN p AND q THEN 1 END = 1 AND y IN (SELECT z FROM w WHERE q = 1)"
        " GROUP BY a UNION ALL SELECT 1"
    )
    assert text_of(pieces(shown_statement(sql))).splitlines() == [
        "SELECT a, LEFT(b, 2), EXTRACT(YEAR FROM d), sum(x) OVER (PARTITION BY y ORDER BY z)",
        "FROM t",
        "LEFT OUTER JOIN u ON t.id = u.id",
        "WHERE x BETWEEN 1 AND 2",
        "  AND CASE WHEN p AND q THEN 1 END = 1",
        "  AND y IN (SELECT z",
        "    FROM w",
        "    WHERE q = 1)",
        "GROUP BY a",
        "UNION ALL",
        "SELECT 1",
    ]


def test_what_is_laid_out_already_or_short_stays():
    """An author's own lines are respected."""
    for sql in ("SELECT a FROM t WHERE b = 1", "SELECT a\n FROM t " + "WHERE b = 1 " * 20):
        assert text_of(pieces(shown_statement(sql))) == sql


def test_the_words_that_differ_are_marked():
    """Case of words, layout and comments are no difference; case of literals is."""
    left, right = paired_pieces(
        "SELECT name FROM book WHERE genre = 'Poetry' -- all",
        "select name\nfrom book where genre <> 'poetry'",
    )
    assert [piece.text for piece in left if piece.is_changed] == ["= ", "'Poetry'"]
    assert [piece.text for piece in right if piece.is_changed] == ["<> ", "'poetry'"]


@given(sql_like, sql_like)
def test_equal_statements_have_no_difference(sql, other):
    """A statement differs from itself nowhere; the pieces are the statements' words."""
    left, right = paired_pieces(sql, sql)
    assert not any(piece.is_changed for piece in (*left, *right))
    left, right = paired_pieces(sql, other)
    assert (text_of(left).split(), text_of(right).split()) == (sql.split(), other.split())


def test_an_invented_name_carries_its_note():
    """The mark goes with the word wherever the layout puts it."""
    sql = "SELECT category FROM book"
    shown = pieces(shown_statement(sql, marks=[Mark(7, 15, "Did you mean genre?")]))
    assert [(piece.text, piece.note) for piece in shown if piece.note] == [
        ("category", "Did you mean genre?")
    ]


def test_statements_of_many_words_are_compared_by_their_ends():
    """A model's endless answer does not hold up the report."""
    left, right = paired_pieces("SELECT " + "a, " * 2000 + "b", "SELECT " + "a, " * 2000 + "c")
    assert [piece.text for piece in left if piece.is_changed] == ["b"]
    assert [piece.text for piece in right if piece.is_changed] == ["c"]
