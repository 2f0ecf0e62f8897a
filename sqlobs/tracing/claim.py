"""Who may do what only one may do: the first that takes the claim.

A claim is a list of one item and taking it is `list.pop`: an atomic compare-and-set, without a
lock, and cheap enough to make three of them for every request.
"""

from __future__ import annotations

Claim = list[None]


def take(claim: Claim) -> bool:
    """Take a claim (made as `[None]`); False where somebody has."""
    try:
        claim.pop()
    except IndexError:
        return False
    return True
