"""Generated statements: the static verdict is the engine's, but for a few odd ones."""

from __future__ import annotations

from random import Random

import pytest

from sqlobs.check.engine.profile import Profile
from sqlobs.check.native.duckdb import installed_version
from tests.agreement.generated import differs
from tests.agreement.generation import Generator
from tests.agreement.own import DIALECTS, clinic, opened

COUNT = 600
MOST_DIFFERENT = COUNT // 100
"""Of long runs 0.2 to 1.1 % differ: `python -m tests.agreement.generated` shows them."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_generated_statements_get_the_engines_verdict(dialect):
    """A third of them is rejected; the checker fails on none."""
    if dialect == "duckdb" and not f"{installed_version()}.".startswith(
        f"{Profile.named('duckdb').version}."
    ):
        pytest.skip("an engine of another version than the catalogue's is not asked")
    schema = clinic(dialect)
    generator = Generator(schema, dialect, Random(20))
    statements = [generator.statement() for _ in range(COUNT)]
    with opened(dialect) as engine:
        refused = [sql for sql in statements if engine.refusal("clinic", sql) is not None]
        found = {sql: differs(sql, schema, dialect, engine) for sql in statements}
    different = {sql: kind for sql, kind in found.items() if kind is not None}
    assert COUNT // 5 < len(refused) < COUNT * 4 // 5
    assert [kind for kind in different.values() if kind.startswith("fault")] == []
    assert len(different) <= MOST_DIFFERENT, different


def test_a_seed_gives_the_same_statements():
    """What a run shows can be shown again."""
    first, second = (Generator(clinic("sqlite"), "sqlite", Random(7)) for _ in range(2))
    assert [first.statement() for _ in range(50)] == [second.statement() for _ in range(50)]
