"""From the text of a model to the statement in it."""

from __future__ import annotations
