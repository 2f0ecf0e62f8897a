"""Constructs that a token shows, whatever the tree is."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import TokenType

from sqlobs.check.forms.constructs.construct import TokenConstruct

WORDS: Final[tuple[TokenConstruct, ...]] = (
    TokenConstruct("a cast with ::", "SELECT 1::integer", TokenType.DCOLON, "::"),
    TokenConstruct("the operator ==", "SELECT 1 == 1", TokenType.EQ, "=="),
    TokenConstruct("the operator ~~", "SELECT 'a' ~~ 'b'", TokenType.LIKE, "~~"),
    TokenConstruct("the operator ~~*", "SELECT 'a' ~~* 'b'", TokenType.ILIKE, "~~*"),
    TokenConstruct("the operator <=>", "SELECT 1 <=> 1", TokenType.NULLSAFE_EQ, "<=>"),
    TokenConstruct("the operator ->", "SELECT CAST('{}' AS json) -> 'a'", TokenType.ARROW, "->"),
    TokenConstruct(
        "the operator ->>", "SELECT CAST('{}' AS json) ->> 'a'", TokenType.DARROW, "->>"
    ),
    TokenConstruct("the operator ^", "SELECT 1 ^ 1", TokenType.CARET, "^"),
    TokenConstruct("the operator DIV", "SELECT 1 DIV 1", TokenType.DIV, "DIV"),
    TokenConstruct("the operator XOR", "SELECT 1 XOR 1", TokenType.XOR, "XOR"),
    TokenConstruct("the operator //", "SELECT 1 // 1", TokenType.DIV, "//"),
    TokenConstruct(
        "REPLACE INTO", "REPLACE INTO keyed (x) VALUES (1)", TokenType.INSERT, "REPLACE"
    ),
    TokenConstruct("TOP", "SELECT TOP 1 x FROM probe", TokenType.TOP, "TOP"),
    TokenConstruct("RLIKE", "SELECT 'a' RLIKE 'b'", TokenType.RLIKE, "RLIKE"),
    TokenConstruct(
        "APPLY", "SELECT 1 FROM probe a CROSS APPLY (SELECT 1) b", TokenType.APPLY, "APPLY"
    ),
    TokenConstruct(
        "the operator #>", "SELECT CAST('{}' AS json) #> '{a}'", TokenType.HASH_ARROW, "#>"
    ),
    TokenConstruct(
        "the operator #>>", "SELECT CAST('{}' AS json) #>> '{a}'", TokenType.DHASH_ARROW, "#>>"
    ),
)
