"""Generated pages against the code they are made from."""

from __future__ import annotations

from typing import get_args

import pytest

from scripts.docs import DOCS, PAGES, REASONS
from scripts.rule_layers import PROJECT, project_with_layers
from sqlobs.failure_codes import Reason


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_what_the_code_says(name):
    """`python -m scripts.docs` writes the page; a change of the table without it is seen here."""
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name]()


def test_the_layers_of_the_rules_follow_from_their_imports():
    """The same command writes them."""
    assert PROJECT.read_text(encoding="utf-8") == project_with_layers()


def test_every_reason_is_explained():
    """The closed list and its explanations hold the same words."""
    assert sorted(REASONS) == sorted(get_args(Reason))
