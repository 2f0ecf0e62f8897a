"""Who may do what only one may do: the first that takes the claim.

Claims are a list of names and taking one is `list.remove`: an atomic compare-and-set without a
lock, and cheap enough for every request.
"""

from __future__ import annotations

Claims = list[str]


def take(claims: Claims, name: str) -> bool:
    """Take a claim; False where somebody has."""
    try:
        claims.remove(name)
    except ValueError:
        return False
    return True
