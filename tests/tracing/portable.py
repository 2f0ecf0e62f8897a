"""Decorated callables at module level, which other processes can import."""

from __future__ import annotations

from sqlobs import trace_generation


@trace_generation
def generate(question):
    """Answer at once."""
    return "SELECT 1"


class Model:
    """Has a decorated method."""

    def __init__(self, name):
        self.name = name

    @trace_generation
    def generate(self, question):
        """Answer with the model's name."""
        return f"SELECT '{self.name}'"
