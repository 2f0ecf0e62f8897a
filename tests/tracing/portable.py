"""Decorated callables at module level, which other processes can import."""

from __future__ import annotations

from functools import partial

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

    @trace_generation
    @staticmethod
    def outer(question):
        """Answer without a model."""
        return "SELECT 2"

    def __call__(self, question):
        """Answer as the method does."""
        return self.generate(question)


def plain(question):
    """Answer untraced."""
    return "SELECT 2"


short = trace_generation(partial(plain, "q"))
model = trace_generation(Model("m"))
