"""Words that some engines do not take one after the other, although sqlglot does.

`scripts/catalog` runs the samples on every engine and writes down what it refuses; the rule
`refused-sequence` looks for what an engine has refused. A new sequence is a new entry.
"""

from __future__ import annotations

from typing import Final

from sqlobs.check.forms.sequences.calls import CALLS
from sqlobs.check.forms.sequences.changes import CHANGES
from sqlobs.check.forms.sequences.expressions import EXPRESSIONS
from sqlobs.check.forms.sequences.literals import LITERALS
from sqlobs.check.forms.sequences.queries import QUERIES
from sqlobs.check.forms.sequences.sequence import Sequence

__all__ = ["SEQUENCES", "Sequence"]

SEQUENCES: Final[tuple[Sequence, ...]] = (
    *LITERALS,
    *EXPRESSIONS,
    *CALLS,
    *QUERIES,
    *CHANGES,
)
