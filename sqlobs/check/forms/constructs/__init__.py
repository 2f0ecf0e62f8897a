"""Constructs that some engines have and others refuse, each with a sample that shows which.

`scripts/catalog` runs the samples on every engine and writes down what it refuses; the rule
`foreign-construct` recognises them in the tree and the tokens. A new construct is a new entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlobs.check.forms.constructs.calls import CALLS
from sqlobs.check.forms.constructs.changes import CHANGES, names_target
from sqlobs.check.forms.constructs.queries import QUERIES
from sqlobs.check.forms.constructs.values import VALUES
from sqlobs.check.forms.constructs.words import WORDS as TOKEN_CONSTRUCTS

if TYPE_CHECKING:
    from sqlobs.check.forms.constructs.construct import Construct

__all__ = ["CONSTRUCTS", "TOKEN_CONSTRUCTS", "names_target"]

CONSTRUCTS: Final[tuple[Construct, ...]] = (*QUERIES, *CALLS, *VALUES, *CHANGES)
