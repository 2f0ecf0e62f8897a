"""Who may do what only one may do: the first that takes the claim."""

from __future__ import annotations


class Claim:
    """Can be taken once. `list.pop` is the compare-and-set: atomic, without a lock."""

    __slots__ = ("_token",)

    def __init__(self) -> None:
        self._token = [True]

    def take(self) -> bool:
        """Take it; False where somebody has."""
        try:
            self._token.pop()
        except IndexError:
            return False
        return True
