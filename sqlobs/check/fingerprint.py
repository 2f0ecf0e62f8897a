"""The fingerprint of a statement: equal for texts that differ in literals and layout only."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.statement import LITERALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot.tokenizer_core import Token

VERSION: Final = "1"
"""Goes up when the normal form changes: fingerprints of two versions are never compared."""

_LITERAL_NODES: Final = (
    exp.Literal,
    exp.National,
    exp.HexString,
    exp.BitString,
    exp.ByteString,
    exp.RawString,
    exp.UnicodeString,
)


def fingerprint(tree: exp.Expr | None, tokens: Sequence[Token]) -> str | None:
    """Return the version-prefixed hash of the tree without literals; of the tokens if unparsed.

    None where there are not even tokens.
    """
    if tree is not None and not isinstance(tree, exp.Command):
        words = _words_of_tree(tree)
    elif tokens:
        words = _words_of_tokens(tokens)
    else:
        return None
    digest = blake2b("\x1f".join(words).encode(errors="replace"), digest_size=8)
    return f"{VERSION}:{digest.hexdigest()}"


def _words_of_tree(tree: exp.Expr) -> Iterator[str]:
    """Yield the tree in prefix notation, without recursion: it may be deep."""
    stack: list[object] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, _LITERAL_NODES):
            yield "?"
        elif isinstance(item, exp.Identifier):
            yield item.this if item.args.get("quoted") else item.this.lower()
        elif isinstance(item, exp.Expr):
            yield item.key
            stack.append(")")
            for key, value in reversed(item.args.items()):
                if value is not None and value is not False and value != []:
                    stack.append(value)
                    stack.append(key)
        elif isinstance(item, list):
            stack.extend(reversed(item))
        else:
            yield str(item).lower()


def _words_of_tokens(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        yield "?" if token.token_type in LITERALS else token.text.lower()
