"""Sequences: each is found in its own sample, and where it is, so is what tells to look for it."""

from __future__ import annotations

import re

import pytest
from sqlglot import tokenize

from sqlobs.check.forms.sequences import SEQUENCES
from sqlobs.check.forms.sequences.spelling import spelled
from sqlobs.check.parsing.token_pattern import shape_of

SAMPLED = [one for one in SEQUENCES if one.sample is not None]
DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")


@pytest.mark.parametrize("sequence", SAMPLED, ids=[one.name for one in SAMPLED])
def test_a_sequence_is_found_in_its_sample(sequence):
    """In one dialect at least: sqlglot cuts some texts into other tokens in others."""
    found = False
    for dialect in DIALECTS:
        tokens = tokenize(sequence.sample, dialect)
        shape = shape_of(tokens)
        for match in sequence.pattern.finditer(shape):
            assert re.search(spelled(sequence.rare or sequence.shape), shape)
            text = sequence.text
            found |= text is None or bool(text.match(sequence.sample, tokens[match.start()].start))
        words = {token.text.upper() for token in tokens}
        assert not sequence.words or words.intersection(sequence.words)
    assert found


def test_names_are_unique():
    """The catalogues know sequences by their names."""
    names = [one.name for one in SEQUENCES]
    assert len(set(names)) == len(names)
