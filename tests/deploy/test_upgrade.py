"""Migrations expand: what an older collector that is still running needs, stays."""

from __future__ import annotations

import ast

from tests.deploy.conftest import DEPLOY

VERSIONS = DEPLOY.parent / "collectors/sqlobs_collector/store/migrations/versions"
FIRST = "r0022"
"""Older ones are of the time before collectors shared a store."""
CONTRACTING = {"drop_column", "drop_table", "rename_table", "alter_column"}


def contractions(source):
    """The calls of `upgrade` that an older collector may not bear."""
    (upgrade,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "upgrade"
    ]
    called = {node.attr for node in ast.walk(upgrade) if isinstance(node, ast.Attribute)}
    return called & CONTRACTING


def test_a_migration_takes_nothing_from_a_running_collector():
    """What it no longer needs is removed by a later version, with its own entry in this test."""
    found = {
        path.stem: contractions(path.read_text())
        for path in VERSIONS.glob("r*.py")
        if path.stem >= FIRST
    }
    assert found
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_a_migration_that_removes_a_column_is_found():
    source = 'def upgrade():\n    op.drop_column("unit", "model")\n\ndef downgrade():\n    op.drop_table("x")'
    assert contractions(source) == {"drop_column"}
