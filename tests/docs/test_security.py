"""The security page: what it promises is held by tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
HELD = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def test_every_test_that_the_page_names_exists():
    """By file and function."""
    missing = [
        f"{path}::{name}"
        for path, name in HELD
        if not re.search(
            rf"^(async )?def {name}\(",
            (REPOSITORY / path).read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]
    assert len(HELD) > 20
    assert missing == []


def test_every_default_guarantee_names_its_test():
    """No item of that list is a promise alone."""
    section = PAGE.split("## What the defaults guarantee")[1].split("\n## ")[0]
    items = section.split("\n- ")[1:]
    assert len(items) >= 8
    assert [item for item in items if "`tests/" not in item] == []
