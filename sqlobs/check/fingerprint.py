"""The fingerprint of a statement: equal for texts that differ in literals and layout only."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlobs.check.statement import LITERALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token

VERSION: Final = "1"
"""Goes up when the normal form changes: fingerprints of two versions are never compared."""

_END: Final = ")"
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
    words: list[str]
    if tree is not None and not isinstance(tree, exp.Command):
        words = _words_of_tree(tree)
    else:
        words = ["?" if token.token_type in LITERALS else token.text.lower() for token in tokens]
    if not words:
        return None
    digest = blake2b("\x1f".join(words).encode(errors="replace"), digest_size=8)
    return f"{VERSION}:{digest.hexdigest()}"


def _words_of_tree(tree: exp.Expr) -> list[str]:
    """Return the tree in prefix notation, without recursion: it may be deep."""
    words: list[str] = []
    stack: list[object] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, exp.Expr):
            if item.__class__ is exp.Identifier:
                words.append(item.this if item.args.get("quoted") else item.this.lower())
            elif isinstance(item, _LITERAL_NODES):
                words.append("?")
            else:
                words.append(item.__class__.__name__)
                stack.append(_END)
                stack.extend([value for value in item.args.values() if value])
        elif item.__class__ is list:
            stack.extend(item)
        else:
            words.append(str(item))
    return words
